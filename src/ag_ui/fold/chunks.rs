//! Expands the events that stand for others: chunks, and those of servers before AG-UI 1.0.

use super::opened::{Kind, Lane, Open, cut_off, like};
use super::{Done, Folding};
use crate::ag_ui::event::{Event, EventKind};
use crate::stream::StreamError;

impl Folding<'_> {
    /// Folds an event of any type. A first chunk starts a message or call, and later ones continue
    /// it. The next event of another kind in the same lane ends it.
    pub(super) fn expand(&mut self, event: &Event) -> Done {
        match &event.kind {
            EventKind::TextMessageChunk { message_id, role, name, delta } => {
                let fields = [("role", role), ("name", name)];
                self.chunk(event, Kind::Text, message_id.as_deref(), &fields, delta.as_deref())
            }
            EventKind::ToolCallChunk { tool_call_id, tool_call_name, parent_message_id, delta } => {
                let fields =
                    [("toolCallName", tool_call_name), ("parentMessageId", parent_message_id)];
                self.chunk(event, Kind::Call, tool_call_id.as_deref(), &fields, delta.as_deref())
            }
            EventKind::ReasoningMessageChunk { message_id, delta } => {
                self.chunk(event, Kind::Reasoning, message_id.as_deref(), &[], delta.as_deref())
            }
            EventKind::ThinkingStart { .. } => {
                self.whole(&like(event, EventKind::ReasoningStart { message_id: None }))
            }
            EventKind::ThinkingEnd { .. } => {
                self.whole(&like(event, EventKind::ReasoningEnd { message_id: None }))
            }
            EventKind::ThinkingTextMessageStart { .. } => {
                let message_id = crate::id::new_id();
                if !self.known {
                    self.fold.thinking = Some(message_id.clone());
                }
                self.whole(&like(event, EventKind::ReasoningMessageStart { message_id }))
            }
            EventKind::ThinkingTextMessageContent { delta } => {
                let Some(message_id) = self.thought(event)? else { return Ok(()) };
                let delta = delta.clone();
                self.whole(&like(event, EventKind::ReasoningMessageContent { message_id, delta }))
            }
            EventKind::ThinkingTextMessageEnd { .. } => {
                let Some(message_id) = self.thought(event)? else { return Ok(()) };
                self.fold.thinking = None;
                self.whole(&like(event, EventKind::ReasoningMessageEnd { message_id }))
            }
            _ => self.whole(event),
        }
    }

    /// Folds an event that is not a chunk: it ends the chunks before it in its lane.
    fn whole(&mut self, event: &Event) -> Done {
        match &event.kind {
            EventKind::Raw { .. }
            | EventKind::ActivitySnapshot { .. }
            | EventKind::ActivityDelta { .. }
            | EventKind::ReasoningEncryptedValue { .. }
            | EventKind::SubagentStarted { .. }
            | EventKind::Other { .. } => {}
            EventKind::RunStarted { .. }
            | EventKind::RunFinished { .. }
            | EventKind::RunError { .. }
            | EventKind::MessagesSnapshot { .. } => {
                while let Some((lane, _)) = self.fold.opened.lanes.first().cloned() {
                    self.close(&lane);
                }
            }
            _ if self.fold.opened.lanes.is_empty() => {}
            _ => self.close(&event.subagent_run_id),
        }
        self.step(event)
    }

    /// Ends what chunks have opened in a lane. It may be gone by now: the event is folded all the same.
    fn close(&mut self, lane: &Lane) {
        if let Some(open) = self.fold.opened.remove(lane) {
            _ = self.step(&open.end());
        }
    }

    fn chunk(
        &mut self,
        event: &Event,
        kind: Kind,
        id: Option<&str>,
        fields: &[(&str, &Option<String>)],
        delta: Option<&str>,
    ) -> Done {
        let open = self.continued(event, kind, id, fields);
        let (open, begins) = match open {
            Ok(found) => found,
            Err(_) if self.known => return Ok(()),
            Err(error) => return Err(error),
        };
        if begins {
            self.step(&open.start(event))?;
        }
        if delta.is_some() || (!begins && event.metadata.is_some()) {
            self.step(&open.content(event, delta.unwrap_or_default()))?;
        }
        Ok(())
    }

    /// Returns the message or call that a chunk continues or begins, and whether it begins it.
    fn continued(
        &mut self,
        event: &Event,
        kind: Kind,
        id: Option<&str>,
        fields: &[(&str, &Option<String>)],
    ) -> Result<(Open, bool), StreamError> {
        let lane = self.lane_of(event, kind, id)?;
        let opened = match self.fold.opened.get(&lane) {
            Some(opened) => Some(opened.clone()),
            // It was open when the stream was cut, if it did not begin on this one.
            None if id.is_none() => cut_off(self.thread, kind, &lane)
                .filter(|found| !self.fold.opened.begun.contains(&found.id)),
            None => None,
        };
        if let Some(opened) = &opened {
            self.fold.opened.set(&lane, opened.clone());
        }
        let is_it = |open: &Open| open.kind == kind && id.is_none_or(|id| id == open.id);
        if let Some(open) = opened.filter(is_it) {
            for ((name, now), own) in fields.iter().zip(&open.fields) {
                if now.is_some() && *now != own {
                    let reason = format!("`{name}` contradicts the first chunk of '{}'.", open.id);
                    return Err(invalid(event, reason));
                }
            }
            return Ok((open, false));
        }
        let Some(id) = id else {
            return Err(invalid(event, "the first chunk of its kind needs an id."));
        };
        let mut own = [None, None];
        for (place, (_, value)) in own.iter_mut().zip(fields) {
            place.clone_from(value);
        }
        let [first, second] = own;
        if kind == Kind::Call && first.is_none() {
            let reason = format!("the first chunk of '{id}' needs a `toolCallName`.");
            return Err(invalid(event, reason));
        }
        self.close(&lane);
        let first = first.or_else(|| (kind == Kind::Text).then(|| "assistant".to_owned()));
        let open = Open { kind, id: id.to_owned(), fields: [first, second] };
        self.fold.opened.set(&lane, open.clone());
        self.fold.opened.begun.insert(id.to_owned());
        Ok((open, true))
    }

    /// Returns the lane that a chunk continues: that of its id, else the one it names, else the only
    /// one of its kind.
    fn lane_of(&self, event: &Event, kind: Kind, id: Option<&str>) -> Result<Lane, StreamError> {
        let named = event.subagent_run_id.clone();
        let opened = &self.fold.opened;
        let lanes: Vec<_> = opened.lanes.iter().filter(|(_, open)| open.kind == kind).collect();
        if let Some(id) = id {
            let Some((lane, _)) = lanes.iter().find(|(_, open)| open.id == id) else {
                return Ok(named);
            };
            if named.is_some() && named != *lane {
                let owner = lane.as_deref().unwrap_or("the agent itself");
                return Err(invalid(event, format!("'{id}' belongs to {owner}.")));
            }
            return Ok(lane.clone());
        }
        if named.is_some() || opened.get(&None).is_some_and(|open| open.kind == kind) {
            return Ok(named);
        }
        match lanes.as_slice() {
            [] => Ok(None),
            [(lane, _)] => Ok(lane.clone()),
            many => Err(invalid(event, format!("it has no id, and {} are open.", many.len()))),
        }
    }

    /// Returns the reasoning message that a server before AG-UI 1.0 has begun.
    fn thought(&mut self, event: &Event) -> Result<Option<String>, StreamError> {
        if self.fold.thinking.is_none() {
            let found = cut_off(self.thread, Kind::Reasoning, &event.subagent_run_id);
            self.fold.thinking = found.map(|open| open.id);
        }
        match &self.fold.thinking {
            Some(id) => Ok(Some(id.clone())),
            None if self.known => Ok(None),
            None => Err(invalid(event, "no THINKING_TEXT_MESSAGE_START came before it.")),
        }
    }
}

fn invalid(event: &Event, reason: impl Into<String>) -> StreamError {
    StreamError::new("INVALID_ARGUMENT", event.event_type(), reason)
}
