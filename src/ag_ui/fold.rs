//! Folds AG-UI events into a thread, by the rules of `@ag-ui/client`'s `defaultApplyEvents`.

use super::event::{Event, EventKind, RunFinishedOutcome};
use crate::error::Error;
use crate::stream::{Folded, RunEnd, StreamError};
use crate::thread::{RunStatus, StreamPosition, Thread, ThreadEvent};
use crate::value::{Json, Kind, Value};

mod activity;
mod chunks;
mod messages_snapshot;
mod opened;
mod run;
mod run_calls;
mod state;
mod streams;
mod subagents;
mod text;
mod tool_call_index;
mod tool_calls;

use opened::Opened;
use run_calls::RunCalls;
use state::AgentState;
use streams::Streams;
use tool_call_index::CallIndex;

/// Folds a server's AG-UI events into a thread. Does no input or output: you read the events.
///
/// The fold keeps what it needs between two events: keep it as long as its thread, also from one
/// run to the next. The messages are in AG-UI's form, whoever made them.
///
/// | event | effect on the thread |
/// | --- | --- |
/// | `RUN_STARTED` | begins a run, or joins the last one again; adds messages of its `input` |
/// | `RUN_FINISHED`, `RUN_ERROR` | end it |
/// | `TEXT_MESSAGE_…`, `REASONING_MESSAGE_…`, `THINKING_…` | add a message, append to it, finish it |
/// | `TOOL_CALL_…` | add a call to its message, append to its arguments, finish it; add its result |
/// | `MESSAGES_SNAPSHOT`, `STATE_SNAPSHOT`, `STATE_DELTA` | reconcile the messages; replace or patch the state |
/// | `ACTIVITY_…` | add, replace or patch a message of the role `activity` |
/// | `SUBAGENT_FINISHED` | replaces messages that the subagent changed after they were streamed |
/// | others | none |
///
/// If the server replays an earlier run's text from its start, it is not appended a second time.
///
/// ```
/// use serde_json::json;
/// use threadfold::ag_ui::Fold;
/// use threadfold::stream::RunEnd;
/// use threadfold::{Json, Thread};
///
/// let mut thread: Thread<Json> = Thread::new(None, &json!({}).into())?;
/// let mut fold = Fold::new();
/// let stream = [
///     r#"{ "type": "RUN_STARTED", "threadId": "t", "runId": "r" }"#,
///     r#"{ "type": "TEXT_MESSAGE_START", "messageId": "a", "role": "assistant" }"#,
///     r#"{ "type": "TEXT_MESSAGE_CONTENT", "messageId": "a", "delta": "Hel" }"#,
///     r#"{ "type": "TEXT_MESSAGE_CONTENT", "messageId": "a", "delta": "lo" }"#,
///     r#"{ "type": "TEXT_MESSAGE_END", "messageId": "a" }"#,
///     r#"{ "type": "RUN_FINISHED", "threadId": "t", "runId": "r" }"#,
/// ];
/// let mut end = None;
/// for data in stream {
///     end = fold.json(&mut thread, data)?.end.or(end);
/// }
/// fold.finish(&mut thread);
/// assert!(matches!(end, Some(RunEnd::Finished { .. })));
/// assert_eq!(thread.state()["messages"][0]["content"].as_str(), Some("Hello"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Fold {
    streams: Streams,
    calls: CallIndex,
    state: AgentState,
    run: RunCalls,
    opened: Opened,
    /// The reasoning message that a server before AG-UI 1.0 has begun.
    thinking: Option<String>,
    /// Whether a run that begins joins the last one: see [`Fold::join`].
    join: Option<bool>,
    /// Whether a run began on this stream.
    begun: bool,
}

impl Fold {
    /// Makes the fold of a thread.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets whether the stream that follows joins the thread's last run. By default it does if that
    /// run has the same id and has not ended. Holds until [`Fold::finish`].
    pub fn join(&mut self, join: bool) {
        self.join = Some(join);
    }

    /// Folds an event.
    ///
    /// # Errors
    /// `UNKNOWN_MESSAGE` for an event of a message or tool call that does not exist, and
    /// `INVALID_MESSAGE` or `INVALID_ARGUMENT` for one that does not fit it. The errors of the
    /// thread's reducers and of [`apply_patch`](crate::apply_patch). The messages and fields are
    /// then unchanged. Continue with the next event.
    pub fn event(
        &mut self,
        thread: &mut Thread<Json>,
        event: &Event,
    ) -> Result<Folded, StreamError> {
        self.fold(thread, StreamPosition::default(), event)
    }

    /// Folds an event with the `id` of its server-sent event. One of the run's last 256 parts that
    /// comes again changes nothing. [`RunState`](crate::RunState) has the last id: join the run after
    /// it.
    ///
    /// # Errors
    /// Those of [`Fold::event`].
    pub fn event_with_id(
        &mut self,
        thread: &mut Thread<Json>,
        id: &str,
        event: &Event,
    ) -> Result<Folded, StreamError> {
        self.fold(thread, StreamPosition { id: Some(id.into()), key: None }, event)
    }

    /// Reads an event from a text, such as the data of a server-sent event, and folds it. A
    /// `RUN_FINISHED` or `RUN_ERROR` that cannot be read ends the run all the same: it fails with
    /// the error.
    ///
    /// # Errors
    /// Those of reading an [`Event`] and of [`Fold::event`].
    pub fn json(&mut self, thread: &mut Thread<Json>, text: &str) -> Result<Folded, StreamError> {
        let error = match text.parse::<Event>() {
            Ok(event) => return self.event(thread, &event),
            Err(error) => error,
        };
        if matches!(error.event(), "RUN_FINISHED" | "RUN_ERROR") && thread.run().status.is_open() {
            let error = Json::from([("message", error.to_string().into())]);
            receive(thread, ThreadEvent::RunError { error });
        }
        Err(error)
    }

    /// Ends the reading of a stream. If its run has not ended, the connection broke, and the run is
    /// `disconnected`. You can fold it again from its start, or from where it was cut.
    pub fn finish(&mut self, thread: &mut Thread<Json>) {
        self.leave();
        if is_connected(thread) {
            receive(thread, ThreadEvent::Disconnected { error: None });
        }
    }

    /// Ends the reading of a stream by an error. A run that began, or has an id, is `disconnected`.
    /// Otherwise the request failed, and with it the updates that it sent: they wait for a retry.
    pub fn break_off(&mut self, thread: &mut Thread<Json>, error: Json) {
        let begun = self.begun;
        self.leave();
        let run = thread.run();
        if begun || (run.status.is_open() && run.id.is_some()) {
            if is_connected(thread) {
                receive(thread, ThreadEvent::Disconnected { error: Some(error) });
            }
            return;
        }
        if !run.status.is_open() {
            receive(thread, ThreadEvent::RunStarted { id: None, joined: None });
        }
        receive(thread, ThreadEvent::RunError { error });
    }

    /// Ends the run that is under way, because the user stopped it: its messages and the updates
    /// that it sent stay. Fold no more events of it.
    pub fn stop(&mut self, thread: &mut Thread<Json>) {
        self.leave();
        if thread.run().status.is_open() {
            receive(
                thread,
                ThreadEvent::RunFinished { interrupts: None, stopped: true, folded: false },
            );
        }
    }

    fn leave(&mut self) {
        (self.join, self.begun) = (None, false);
    }

    fn fold(
        &mut self,
        thread: &mut Thread<Json>,
        part: StreamPosition<Json>,
        event: &Event,
    ) -> Result<Folded, StreamError> {
        let begins = matches!(event.kind, EventKind::RunStarted { .. });
        self.begun |= begins;
        let known = !begins && part.id.as_ref().is_some_and(|id| thread.had(id));
        let mut folding = Folding { fold: self, thread, part, known, folded: Folded::default() };
        folding.expand(event)?;
        Ok(folding.folded)
    }
}

fn is_connected(thread: &Thread<Json>) -> bool {
    matches!(thread.run().status, RunStatus::Submitted | RunStatus::Streaming)
}

/// Receives a run's event, which no thread refuses.
fn receive(thread: &mut Thread<Json>, event: ThreadEvent<Json>) {
    let received = thread.receive(event);
    debug_assert!(received.is_ok(), "a run's event is never refused");
}

/// The folding of one event.
struct Folding<'a> {
    fold: &'a mut Fold,
    thread: &'a mut Thread<Json>,
    /// The event's position on its stream, until the first thread event that it makes has it.
    part: StreamPosition<Json>,
    /// Whether the run has had the event: then it only says how the run ended.
    known: bool,
    folded: Folded,
}

type Done = Result<(), StreamError>;

impl Folding<'_> {
    /// Folds an event of a type that stands for itself.
    fn step(&mut self, event: &Event) -> Done {
        if let Some(end) = self.end_of(event) {
            self.folded.end = Some(end);
        }
        if self.known {
            return Ok(());
        }
        match &event.kind {
            EventKind::RunStarted { run_id, input, .. } => {
                self.begin_run(event, run_id, input.as_ref())
            }
            EventKind::RunFinished { outcome, .. } => self.run_finished(event, outcome.as_ref()),
            EventKind::RunError { message, code } => {
                self.run_error(event, message, code.as_deref())
            }
            EventKind::TextMessageStart { message_id, role, name } => {
                self.text_start(event, message_id, role.as_deref(), name.as_deref())
            }
            EventKind::ReasoningMessageStart { message_id } => {
                self.text_start(event, message_id, Some("reasoning"), None)
            }
            EventKind::TextMessageContent { message_id, delta }
            | EventKind::ReasoningMessageContent { message_id, delta } => {
                self.text_content(event, message_id, delta)
            }
            EventKind::TextMessageEnd { message_id }
            | EventKind::ReasoningMessageEnd { message_id } => self.text_end(event, message_id),
            EventKind::ReasoningEncryptedValue { subtype, entity_id, encrypted_value } => {
                self.encrypted(event, subtype, entity_id, encrypted_value)
            }
            EventKind::ToolCallStart { tool_call_id, tool_call_name, parent_message_id } => {
                let parent = parent_message_id.as_deref().filter(|id| !id.is_empty());
                self.call_start(event, tool_call_id, tool_call_name, parent)
            }
            EventKind::ToolCallArgs { tool_call_id, delta } => {
                self.call_args(event, tool_call_id, delta)
            }
            EventKind::ToolCallEnd { tool_call_id } => self.call_end(event, tool_call_id),
            EventKind::ToolCallResult { message_id, tool_call_id, content, role } => {
                self.call_result(event, [message_id, tool_call_id], content, role.as_deref())
            }
            EventKind::StateSnapshot { snapshot } => self.state_snapshot(event, snapshot),
            EventKind::StateDelta { delta } => self.state_delta(event, delta),
            EventKind::MessagesSnapshot { messages } => self.messages_snapshot(event, messages),
            EventKind::ActivitySnapshot { message_id, activity_type, content, replace } => {
                self.activity_snapshot(event, [message_id, activity_type], content, *replace)
            }
            EventKind::ActivityDelta { message_id, activity_type, patch } => {
                self.activity_delta(event, [message_id, activity_type], patch)
            }
            EventKind::SubagentFinished { .. } => self.subagent_finished(event),
            // These change nothing.
            _ => Ok(()),
        }
    }

    /// Sends an event to the thread. The first one has the position of its part.
    fn send(&mut self, event: &Event, sent: ThreadEvent<Json>) -> Done {
        let part = std::mem::take(&mut self.part);
        let drift = self.thread.receive_at(part, sent);
        let drift = drift.map_err(|error| StreamError::of(event.event_type(), error))?;
        self.folded.drift = drift.or(self.folded.drift.take());
        Ok(())
    }

    /// Puts a message as it is now into the thread.
    fn put(&mut self, event: &Event, message: Json, after: Option<&str>) -> Done {
        let streaming = message["id"].as_str().is_some_and(|id| self.fold.streams.is_open(id));
        self.send(event, ThreadEvent::Message { message, after: after.map(Json::from), streaming })
    }

    fn message(&self, id: &str) -> Option<Json> {
        self.thread.message(&id.into())
    }

    fn messages(&mut self) -> Json {
        self.thread.confirmed()["messages"].clone()
    }

    /// Returns how an event ends its run.
    fn end_of(&self, event: &Event) -> Option<RunEnd> {
        Some(match &event.kind {
            EventKind::RunFinished {
                outcome: Some(RunFinishedOutcome::Interrupt { interrupts }),
                ..
            } => RunEnd::Interrupted { interrupts: run::interrupts_of(interrupts) },
            EventKind::RunFinished { outcome: Some(RunFinishedOutcome::Cancelled), .. } => {
                RunEnd::Stopped
            }
            EventKind::RunFinished { result, outcome, .. } => RunEnd::Finished {
                result: result.clone(),
                pending_tool_calls: self.fold.run.left_over(outcome.as_ref()),
            },
            EventKind::RunError { message, code } => {
                RunEnd::Failed { error: run::error_of(message, code.as_deref()) }
            }
            _ => return None,
        })
    }
}

fn unknown_message(event: &Event, id: &str) -> StreamError {
    let reason = format!("no message has the id '{id}'.");
    StreamError::new("UNKNOWN_MESSAGE", event.event_type(), reason)
}

fn of_patch(event: &Event, error: Error) -> StreamError {
    StreamError::of(event.event_type(), error)
}

/// Lays an event's metadata over that of a message or a tool call.
fn with_metadata(held: Json, event: &Event) -> Json {
    let Some(metadata) = &event.metadata else { return held };
    let own = &held["metadata"];
    let own = if own.kind() == Kind::Object { own.clone() } else { Json::object() };
    held.with("metadata", crate::value::Bulk::overlay(own, metadata, false))
}

/// Returns a message with the event's attribution.
fn attributed(message: Json, event: &Event) -> Json {
    match &event.subagent_run_id {
        Some(id) => message.with("subagentRunId", id.as_str().into()),
        None => message,
    }
}

/// Returns a message without an attribution of null.
fn cleaned(message: &Json) -> Json {
    let is_null = message.get("subagentRunId").is_some_and(Json::is_null);
    if is_null { message.clone().without("subagentRunId") } else { message.clone() }
}

/// Returns a message's text; other content counts as none.
fn text_of(message: &Json) -> &str {
    message["content"].as_str().unwrap_or_default()
}

fn is_role(message: &Json, role: &str) -> bool {
    message["role"].as_str() == Some(role)
}

/// Returns the operations that RFC 6902 has.
fn known_operations(operations: &[Json]) -> Json {
    const KNOWN: [&str; 6] = ["add", "remove", "replace", "move", "copy", "test"];
    let is_known = |it: &&Json| it["op"].as_str().is_some_and(|op| KNOWN.contains(&op));
    operations.iter().filter(is_known).cloned().collect()
}
