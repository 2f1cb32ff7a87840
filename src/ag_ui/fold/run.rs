//! The start and the end of a run.

use super::{Done, Folding, cleaned};
use crate::ag_ui::event::{Event, RunFinishedOutcome};
use crate::stream::{StreamInterrupt, question_in, text};
use crate::thread::ThreadEvent;
use crate::value::{Json, Value};

impl Folding<'_> {
    /// Begins a run: a new one, or the last one once more.
    pub(super) fn begin_run(&mut self, event: &Event, id: &str, input: Option<&Json>) -> Done {
        let last = self.thread.run();
        let is_open = last.status.is_open();
        let is_last = last.id.as_ref().and_then(Json::as_str) == Some(id);
        let joined = is_last && self.fold.join.unwrap_or(is_open);
        // A run that is under way and began before its id was known is this one.
        let is_unnamed = last.id.is_none() && is_open && self.fold.join != Some(false);
        self.fold.run = super::RunCalls::default();
        self.fold.streams.reset();
        self.fold.thinking = None;
        self.fold.calls.forget();
        // Without its position: AG-UI's streams may count their parts anew, and a start is never one
        // that was had.
        self.part = crate::thread::StreamPosition::default();
        let joined_here = (!is_unnamed).then_some(joined);
        self.send(event, ThreadEvent::RunStarted { id: Some(id.into()), joined: joined_here })?;
        self.fold.state.begin(joined);
        let messages = input.map_or(Json::NULL, |input| input["messages"].clone());
        for message in messages.iter().map(cleaned) {
            if self.message(message["id"].as_str().unwrap_or_default()).is_none() {
                self.put(event, message.clone(), None)?;
                self.fold.calls.note_message(&message);
            }
        }
        Ok(())
    }

    pub(super) fn run_finished(
        &mut self,
        event: &Event,
        outcome: Option<&RunFinishedOutcome>,
    ) -> Done {
        let interrupts = match outcome {
            Some(RunFinishedOutcome::Interrupt { interrupts }) => {
                Some(interrupts.iter().map(cleaned).collect())
            }
            _ => None,
        };
        let stopped = matches!(outcome, Some(RunFinishedOutcome::Cancelled));
        self.send(event, ThreadEvent::RunFinished { interrupts, stopped, folded: false })
    }

    pub(super) fn run_error(&mut self, event: &Event, message: &str, code: Option<&str>) -> Done {
        self.send(event, ThreadEvent::RunError { error: error_of(message, code) })
    }
}

pub(super) fn error_of(message: &str, code: Option<&str>) -> Json {
    let error = Json::from([("message", message.into())]);
    match code {
        Some(code) => error.with("code", code.into()),
        None => error,
    }
}

/// Reads interrupts: of `LangGraph` over AG-UI, the argument of `interrupt()` is the value.
pub(super) fn interrupts_of(interrupts: &[Json]) -> Vec<StreamInterrupt> {
    StreamInterrupt::named(interrupts.iter().map(cleaned).map(interrupt_of).collect())
}

fn interrupt_of(raw: Json) -> StreamInterrupt {
    let metadata = raw["metadata"].clone();
    let value = raw.get("value").or_else(|| metadata["langgraph"].get("raw"));
    let value = value.unwrap_or(&metadata).clone();
    StreamInterrupt {
        id: text(&raw["id"]).unwrap_or_default(),
        message: text(&raw["message"]).or_else(|| question_in(&value)),
        tool_call_id: text(&raw["toolCallId"]),
        value,
        raw,
    }
}
