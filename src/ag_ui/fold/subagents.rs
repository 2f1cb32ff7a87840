//! The end of a subagent: it may have messages that differ from those that were streamed.

use super::{Done, Folding, attributed, cleaned};
use crate::ag_ui::event::Event;
use crate::value::{Json, Value};

impl Folding<'_> {
    /// Puts the messages that a middleware of the subagent changed in the places of those streamed.
    /// serveAgUi sends them in the metadata; those that it leaves out are as they were streamed.
    pub(super) fn subagent_finished(&mut self, event: &Event) -> Done {
        let Some(metadata) = &event.metadata else { return Ok(()) };
        for message in &metadata["threadfold"]["messages"] {
            let Some(id) = message["id"].as_str() else { continue };
            let own = self.of_subagent(event);
            let known = own.iter().find(|it| key_of(it) == key_of(message));
            let message = attributed(cleaned(message), event);
            match known {
                // A result may come with another id.
                Some(known) => self.put(event, message.with("id", known["id"].clone()), None)?,
                None if self.message(id).is_some() => {}
                None => {
                    let last = own.last().and_then(|it| it["id"].as_str());
                    self.put(event, message, last)?;
                }
            }
            self.fold.calls.forget();
        }
        Ok(())
    }

    /// Returns the messages of the event's subagent.
    fn of_subagent(&mut self, event: &Event) -> Vec<Json> {
        let id = event.subagent_run_id.as_deref();
        let messages = self.messages();
        messages.iter().filter(|it| it["subagentRunId"].as_str() == id).cloned().collect()
    }
}

/// Returns what identifies a message: a result's call, which an id may follow or not.
fn key_of(message: &Json) -> (bool, Option<&str>) {
    match message["toolCallId"].as_str() {
        Some(call) => (true, Some(call)),
        None => (false, message["id"].as_str()),
    }
}
