//! Folds the stream of a LangGraph server's run into a thread.

use super::part::{Part, Positions};
use crate::stream::{Folded, RunEnd, StreamError};
use crate::thread::{RunStatus, Thread, ThreadEvent};
use crate::value::Json;

mod conversation;
mod messages;
mod modes;
mod streamed;

use conversation::Conversation;

/// Folds the stream of a `LangGraph` server's run into a thread. Does no input or output: you read the
/// parts.
///
/// Ask for the stream modes `values` and `messages-tuple`. Messages appear as they come, and the root
/// graph's state is final. The exception is a state with an interrupt: it lacks a subgraph's messages
/// from before the interrupt, so those stay.
///
/// | part | effect on the thread |
/// | --- | --- |
/// | `metadata` | starts a run, or joins the last one again |
/// | `messages` | adds a message or a part of one, by the rules of `AIMessageChunk.concat` |
/// | `messages/partial`, `messages/complete` | adds or replaces whole messages |
/// | `values` | reconciles the state and the messages |
/// | `updates` | folds what each node of the root graph wrote, in the order of the stream |
/// | `error`, `end` | fails the run; ends it |
/// | others | none |
///
/// Keep the fold as long as its thread. You can join a cut stream after
/// [`RunState::last_event_id`](crate::RunState), or fold it again from its start: known parts change
/// nothing.
///
/// ```
/// use serde_json::json;
/// use threadfold::langgraph::{Fold, Part};
/// use threadfold::stream::RunEnd;
/// use threadfold::{Json, Thread};
///
/// let mut thread: Thread<Json> = Thread::new(None, &json!({}).into())?;
/// let mut fold = Fold::new();
/// let stream = [
///     ("metadata", r#"{ "run_id": "r" }"#),
///     ("messages", r#"[{ "type": "AIMessageChunk", "id": "a", "content": "Hel" }, {}]"#),
///     ("messages", r#"[{ "type": "AIMessageChunk", "id": "a", "content": "lo" }, {}]"#),
///     ("values", r#"{ "messages": [{ "type": "ai", "id": "a", "content": "Hello" }] }"#),
/// ];
/// for (event, data) in stream {
///     fold.part(&mut thread, &Part::from_json(event, data)?)?;
/// }
/// let end = fold.finish(&mut thread)?.end;
/// assert!(matches!(end, Some(RunEnd::Finished { .. })));
/// assert_eq!(thread.state()["messages"][0]["content"].as_str(), Some("Hello"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Fold {
    /// Read from the thread at the first part.
    conversation: Option<Conversation>,
    positions: Positions,
    /// The id of the part that the last state of the root graph came with.
    last_values: Option<String>,
    /// The stream that is being read; nothing before its first part.
    stream: Option<Stream>,
}

/// The reading of one stream.
#[derive(Debug, Default)]
struct Stream {
    began: bool,
    ended: bool,
}

impl Fold {
    /// Makes the fold of a thread.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Folds a part.
    ///
    /// # Errors
    /// `INVALID_MESSAGE` for a part of `messages` that is not a message or has no id.
    /// `INVALID_ARGUMENT` for one that gives a field another type, or continues it more than 127 deep.
    /// The errors of the thread's reducers. The messages and fields are then unchanged. Continue with the
    /// next part.
    pub fn part(&mut self, thread: &mut Thread<Json>, part: &Part) -> Result<Folded, StreamError> {
        self.folding(thread, |folding, positions| {
            let position = positions.next(part);
            let key = position.key.as_ref().or(position.id.as_ref());
            if key.is_some_and(|key| folding.thread.had(key)) {
                folding.skip(part);
                return Ok(());
            }
            folding.position = position;
            folding.take(part)
        })
    }

    /// Ends the reading of a stream that ended by itself: with it ends its run. A stream without parts
    /// was cut, unless it joined a run: that is `disconnected`.
    ///
    /// # Errors
    /// Those of the thread's reducers.
    pub fn finish(&mut self, thread: &mut Thread<Json>) -> Result<Folded, StreamError> {
        let run = thread.run();
        let joins = run.status.is_open() && run.id.is_some();
        let (is_empty, ended) = (self.stream.is_none(), self.ended());
        if is_empty && !joins {
            self.leave(thread, None);
            return Ok(Folded::default());
        }
        let folded =
            self.folding(thread, |folding, _| if ended { Ok(()) } else { folding.finish() });
        self.left();
        folded
    }

    /// Ends the reading of a stream that was cut: its run is `disconnected`.
    pub fn cut(&mut self, thread: &mut Thread<Json>) {
        self.leave(thread, None);
    }

    /// Ends the reading of a stream by an error. A run that began, or has an id, is `disconnected`.
    /// Otherwise the request failed, and with it the updates that it sent: they wait for a retry.
    pub fn break_off(&mut self, thread: &mut Thread<Json>, error: Json) {
        let run = thread.run();
        let began = self.stream.as_ref().is_some_and(|stream| stream.began);
        if began || (run.status.is_open() && run.id.is_some()) {
            return self.leave(thread, Some(error));
        }
        self.left();
        if !run.status.is_open() {
            receive(thread, ThreadEvent::RunStarted { id: None, joined: None });
        }
        receive(thread, ThreadEvent::RunError { error });
    }

    /// Ends the run that is under way, because the user stopped it: its messages stay. Fold no more
    /// parts of it.
    pub fn stop(&mut self, thread: &mut Thread<Json>) {
        self.left();
        if thread.run().status.is_open() {
            receive(
                thread,
                ThreadEvent::RunFinished { interrupts: None, stopped: true, folded: false },
            );
        }
    }

    fn ended(&self) -> bool {
        self.stream.as_ref().is_some_and(|stream| stream.ended)
    }

    fn leave(&mut self, thread: &mut Thread<Json>, error: Option<Json>) {
        self.left();
        if matches!(thread.run().status, RunStatus::Submitted | RunStatus::Streaming) {
            receive(thread, ThreadEvent::Disconnected { error });
        }
    }

    fn left(&mut self) {
        (self.stream, self.positions) = (None, Positions::default());
    }

    fn folding(
        &mut self,
        thread: &mut Thread<Json>,
        fold: impl FnOnce(&mut Folding<'_>, &mut Positions) -> Done,
    ) -> Result<Folded, StreamError> {
        let Self { conversation, positions, last_values, stream } = self;
        let conversation = conversation.get_or_insert_with(|| Conversation::of(thread));
        let mut folding = Folding {
            talk: conversation,
            thread,
            last_values,
            stream: stream.get_or_insert_default(),
            position: crate::thread::StreamPosition::default(),
            folded: Folded::default(),
        };
        fold(&mut folding, positions)?;
        Ok(folding.folded)
    }
}

/// Receives a run's event, which no thread refuses.
fn receive(thread: &mut Thread<Json>, event: ThreadEvent<Json>) {
    let received = thread.receive(event);
    debug_assert!(received.is_ok(), "a run's event is never refused");
}

/// The folding of one part.
struct Folding<'a> {
    talk: &'a mut Conversation,
    thread: &'a mut Thread<Json>,
    last_values: &'a mut Option<String>,
    stream: &'a mut Stream,
    /// The part's position, until the first thread event that it makes has it.
    position: crate::thread::StreamPosition<Json>,
    folded: Folded,
}

type Done = Result<(), StreamError>;

impl Folding<'_> {
    /// Sends an event to the thread.
    fn send(&mut self, mode: &str, event: ThreadEvent<Json>) -> Done {
        if !matches!(event, ThreadEvent::Text { .. }) {
            self.talk.growing.clear();
        }
        let position = std::mem::take(&mut self.position);
        let drift = self.thread.receive_at(position, event);
        let drift = drift.map_err(|error| StreamError::of(mode, error))?;
        self.folded.drift = drift.or(self.folded.drift.take());
        Ok(())
    }

    fn known(&self, id: &str) -> Option<Json> {
        self.thread.message(&id.into())
    }

    fn start(&mut self, run_id: Option<&str>) -> Done {
        *self.stream = Stream { began: true, ended: false };
        let is_interrupted = self.thread.run().status == RunStatus::Interrupted;
        self.talk.start(run_id, is_interrupted);
        // The server makes the ids of runs: one that comes again is the same run.
        let joined = run_id.map(|_| true);
        self.send("metadata", ThreadEvent::RunStarted { id: run_id.map(Json::from), joined })
    }

    /// Ends the run well. Subgraph messages that the root's last state lacks are removed, unless there
    /// are interrupts.
    fn finish(&mut self) -> Done {
        self.stream.ended = true;
        let interrupts = self.talk.interrupts.clone();
        if interrupts.is_empty() {
            let gone = self.talk.lacked_guests();
            self.remove(&gone)?;
        }
        self.settle_all()?;
        self.talk.streamed.clear();
        self.folded.end = Some(self.talk.end());
        let interrupts = (!interrupts.is_empty()).then(|| interrupts.into());
        self.send("end", ThreadEvent::RunFinished { interrupts, stopped: false, folded: false })
    }

    fn fail(&mut self, error: &Json) -> Done {
        self.stream.ended = true;
        self.talk.streamed.clear();
        self.folded.end = Some(RunEnd::Failed { error: error.clone() });
        self.send("error", ThreadEvent::RunError { error: error.clone() })
    }

    /// Removes messages that the thread has.
    fn remove(&mut self, ids: &[String]) -> Done {
        for id in ids {
            self.talk.streamed.shift_remove(id);
        }
        let known = ids.iter().filter(|id| self.known(id).is_some());
        let removals: Vec<Json> = known.map(|id| removal(id)).collect();
        if removals.is_empty() {
            return Ok(());
        }
        let update = Json::from([("messages", removals.into())]);
        self.send("messages", ThreadEvent::Update { update })
    }
}

fn removal(id: &str) -> Json {
    Json::from([("type", "remove".into()), ("id", id.into())])
}
