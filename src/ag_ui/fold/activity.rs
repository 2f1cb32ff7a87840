//! Activities: messages that are only for the screen.

use super::{
    Done, Folding, attributed, is_role, known_operations, of_patch, unknown_message, with_metadata,
};
use crate::ag_ui::event::Event;
use crate::patch::apply_patch;
use crate::stream::StreamError;
use crate::value::{Json, Kind, Value};

impl Folding<'_> {
    pub(super) fn activity_snapshot(
        &mut self,
        event: &Event,
        [id, activity_type]: [&str; 2],
        content: &Json,
        replace: Option<bool>,
    ) -> Done {
        let replace = replace.unwrap_or(true);
        let known = self.message(id);
        let fresh = |message: Json| {
            let message = message.with("id", id.into()).with("role", "activity".into());
            let message = message.with("activityType", activity_type.into());
            attributed(message.with("content", content.clone()), event)
        };
        let message = match known {
            Some(known) if is_role(&known, "activity") => {
                if replace {
                    fresh(known.without("subagentRunId"))
                } else {
                    known
                }
            }
            // Another kind of message has its id: that goes, unless the event replaces nothing.
            Some(_) if !replace => return Ok(()),
            _ => {
                self.fold.streams.drop_message(id);
                fresh(Json::object())
            }
        };
        self.put_changed(event, message)
    }

    pub(super) fn activity_delta(
        &mut self,
        event: &Event,
        [id, activity_type]: [&str; 2],
        patch: &[Json],
    ) -> Done {
        let known = self.message(id).ok_or_else(|| unknown_message(event, id))?;
        if !is_role(&known, "activity") {
            let reason = format!("the message '{id}' is not an activity.");
            return Err(StreamError::new("INVALID_MESSAGE", event.event_type(), reason));
        }
        let content = &known["content"];
        let content = if content.kind() == Kind::Null { Json::object() } else { content.clone() };
        let content = apply_patch(&content, &known_operations(patch));
        let content = content.map_err(|error| of_patch(event, error))?;
        let next = known.with("content", content).with("activityType", activity_type.into());
        self.put_changed(event, next)
    }

    fn put_changed(&mut self, event: &Event, message: Json) -> Done {
        let next = with_metadata(message, event);
        let id = next["id"].as_str().unwrap_or_default();
        if self.message(id).is_some_and(|known| known.same(&next)) {
            return Ok(());
        }
        self.put(event, next, None)
    }
}
