//! Texts that come in parts: a message's own, and reasoning.

use super::streams::Key;
use super::{Done, Folding, attributed, is_role, text_of, unknown_message, with_metadata};
use crate::ag_ui::event::Event;
use crate::stream::StreamError;
use crate::thread::ThreadEvent;
use crate::value::{Json, Value};

impl Folding<'_> {
    pub(super) fn text_start(
        &mut self,
        event: &Event,
        id: &str,
        role: Option<&str>,
        name: Option<&str>,
    ) -> Done {
        let known = self.message(id);
        if let Some(known) = &known {
            accepts_text(event, known)?;
        }
        let message = known.unwrap_or_else(|| {
            let role = role.unwrap_or("assistant");
            let fields = [("id", id.into()), ("role", role.into()), ("content", "".into())];
            let fresh = Json::from(fields);
            let fresh = match name {
                Some(name) => fresh.with("name", name.into()),
                None => fresh,
            };
            attributed(fresh, event)
        });
        self.fold.streams.start(Key::Text(id.to_owned()), id, text_of(&message));
        // A known one is put again, too: from here on more of it is to come.
        self.put(event, with_metadata(message, event), None)
    }

    pub(super) fn text_content(&mut self, event: &Event, id: &str, delta: &str) -> Done {
        let message = self.addressed(event, id)?;
        let added = if self.fold.streams.may_repeat() {
            let key = Key::Text(id.to_owned());
            self.fold.streams.added(&key, text_of(&message), delta)
        } else {
            delta.to_owned()
        };
        if event.metadata.is_some() || message["content"].as_str().is_none() {
            let content = format!("{}{added}", text_of(&message));
            return self.put(
                event,
                with_metadata(message, event).with("content", content.into()),
                None,
            );
        }
        // The thread appends in place, as long as nobody else holds the message.
        drop(message);
        self.append(event, id, &added)
    }

    pub(super) fn text_end(&mut self, event: &Event, id: &str) -> Done {
        let message = self.addressed(event, id)?;
        let held_back =
            self.fold.streams.end(&Key::Text(id.to_owned()), text_of(&message)).to_owned();
        drop(message);
        self.append(event, id, &held_back)?;
        if !self.fold.streams.is_open(id) {
            self.send(event, ThreadEvent::MessageFinished { id: id.into() })?;
        }
        match self.message(id) {
            Some(message) if event.metadata.is_some() => {
                self.put(event, with_metadata(message, event), None)
            }
            _ => Ok(()),
        }
    }

    pub(super) fn encrypted(
        &mut self,
        event: &Event,
        subtype: &str,
        owner: &str,
        value: &str,
    ) -> Done {
        if subtype != "tool-call" {
            return match self.message(owner).filter(|message| !is_role(message, "activity")) {
                Some(message) => {
                    self.put(event, message.with("encryptedValue", value.into()), None)
                }
                None => Ok(()),
            };
        }
        let place = self.find_call(owner).filter(|place| is_role(&place.message, "assistant"));
        let Some(place) = place else { return Ok(()) };
        let call = place.call.clone().with("encryptedValue", value.into());
        self.put(event, place.with(call), None)
    }

    fn append(&mut self, event: &Event, id: &str, text: &str) -> Done {
        if text.is_empty() {
            return Ok(());
        }
        self.send(event, ThreadEvent::Text { id: id.into(), text: text.into() })
    }

    /// Returns the message that a part is for.
    fn addressed(&self, event: &Event, id: &str) -> Result<Json, StreamError> {
        let message = self.message(id).ok_or_else(|| unknown_message(event, id))?;
        accepts_text(event, &message)?;
        Ok(message)
    }
}

fn accepts_text(event: &Event, message: &Json) -> Done {
    if !is_role(message, "activity") {
        return Ok(());
    }
    let id = message["id"].as_str().unwrap_or_default();
    let reason =
        format!("the message '{id}' is an activity. Ids are unique among messages of all kinds.");
    Err(StreamError::new("INVALID_MESSAGE", event.event_type(), reason))
}
