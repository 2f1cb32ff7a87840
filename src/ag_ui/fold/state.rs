//! The agent's state, which is any JSON, and may have messages of its own.

use super::{Done, Folding, known_operations, of_patch};
use crate::ag_ui::event::Event;
use crate::patch::apply_patch;
use crate::stream::StreamError;
use crate::thread::{Thread, ThreadEvent};
use crate::value::{Bulk, Json, Kind, Value};

/// State that a thread cannot hold.
#[derive(Debug, Clone, Default)]
enum Rest {
    #[default]
    Nothing,
    /// A state that is not an object.
    Whole(Json),
    /// The state's own messages, in any form.
    Messages(Json),
}

/// The agent's state. Its fields are the thread's; this has only the rest.
#[derive(Debug, Default)]
pub(super) struct AgentState {
    rest: Rest,
    /// The rest when the run began.
    rest_at_start: Rest,
}

impl AgentState {
    /// Begins a run: a new one, or the one before from its start again.
    pub(super) fn begin(&mut self, again: bool) {
        if again {
            self.rest = self.rest_at_start.clone();
        } else {
            self.rest_at_start = self.rest.clone();
        }
    }

    fn value(&self, thread: &mut Thread<Json>) -> Json {
        let fields = thread.confirmed().without("messages");
        match &self.rest {
            Rest::Nothing => fields,
            Rest::Whole(state) => state.clone(),
            Rest::Messages(messages) => fields.with("messages", messages.clone()),
        }
    }
}

impl Folding<'_> {
    pub(super) fn state_snapshot(&mut self, event: &Event, state: &Json) -> Done {
        let (fields, rest) = if state.kind() == Kind::Object {
            let messages = state.get("messages").cloned();
            let rest = messages.map_or(Rest::Nothing, Rest::Messages);
            (state.clone().without("messages"), rest)
        } else if state.kind() != Kind::Null {
            let reason = "expected an object, got another value.".to_owned();
            return Err(StreamError::new("INVALID_ARGUMENT", event.event_type(), reason));
        } else {
            (Json::object(), Rest::Whole(state.clone()))
        };
        self.send(event, ThreadEvent::State { values: fields, own: None })?;
        self.fold.state.rest = rest;
        Ok(())
    }

    /// Applies a JSON Patch whole, or not at all.
    pub(super) fn state_delta(&mut self, event: &Event, delta: &[Json]) -> Done {
        let operations = known_operations(delta);
        let is_whole = matches!(self.fold.state.rest, Rest::Whole(_));
        if !is_whole && operations.iter().all(is_of_fields) {
            return self.send(event, ThreadEvent::Delta { operations });
        }
        let state = self.fold.state.value(self.thread);
        let next = apply_patch(&state, &operations).map_err(|error| of_patch(event, error))?;
        let next = next.reuse(&state);
        self.state_snapshot(event, &next)
    }
}

/// Whether an operation is about single fields of the thread.
fn is_of_fields(operation: &Json) -> bool {
    ["path", "from"].iter().all(|name| {
        let Some(pointer) = operation.get(name) else { return *name == "from" };
        let inner = pointer.as_str().and_then(|pointer| pointer.strip_prefix('/'));
        inner.is_some_and(|inner| inner.split('/').next() != Some("messages"))
    })
}
