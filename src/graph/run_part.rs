//! The parts of a run, and the queue that they wait in.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Waker};

use serde_json::Value;

use super::emitter::{Emit, TaskName};
use super::interrupt::Interrupt;
use super::message_chunk::MessageChunk;
use crate::State;

/// A part of a run: one of LangGraph's stream modes.
#[non_exhaustive]
pub enum RunPart<S: State> {
    /// `values`: the state after a step, or where a run resumes.
    Values(S),
    /// `tasks`: a node begins.
    Started(TaskName),
    /// `messages`: a node streams more of a message.
    Message(TaskName, MessageChunk),
    /// `custom`: a node sends a value of its own.
    Custom(TaskName, Value),
    /// `updates` of a graph [inside](super::Ctx::run) the node: one of its nodes has returned this.
    Inside(TaskName, Value),
    /// `updates` and `tasks`: a node has returned its part of the state.
    Finished(TaskName, Option<S::Update>),
    /// `updates` and `tasks`: a node asks.
    Asked(TaskName, Interrupt),
    /// `tasks`: a node has failed.
    Failed(TaskName),
    /// An attempt of a node has failed. The node runs again, or its error handler does. The state has
    /// nothing that the attempt streamed.
    Retried(TaskName),
}

impl<S: State> fmt::Debug for RunPart<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Values(_) => f.write_str("Values"),
            Self::Started(task) => f.debug_tuple("Started").field(task).finish(),
            Self::Message(task, chunk) => {
                f.debug_tuple("Message").field(task).field(chunk).finish()
            }
            Self::Custom(task, value) => f.debug_tuple("Custom").field(task).field(value).finish(),
            Self::Inside(task, update) => {
                f.debug_tuple("Inside").field(task).field(update).finish()
            }
            Self::Finished(task, _) => f.debug_tuple("Finished").field(task).finish(),
            Self::Asked(task, asked) => f.debug_tuple("Asked").field(task).field(asked).finish(),
            Self::Failed(task) => f.debug_tuple("Failed").field(task).finish(),
            Self::Retried(task) => f.debug_tuple("Retried").field(task).finish(),
        }
    }
}

/// The parts that have not been read yet.
pub(super) struct Queue<S: State>(Mutex<Waiting<S>>);

struct Waiting<S: State> {
    parts: VecDeque<RunPart<S>>,
    /// Wakes the reader, for a node that streams from another task.
    reader: Option<Waker>,
    is_stopped: bool,
}

impl<S: State> Queue<S> {
    pub fn new() -> Self {
        Self(Mutex::new(Waiting { parts: VecDeque::new(), reader: None, is_stopped: false }))
    }

    pub fn push(&self, part: RunPart<S>) {
        self.change(|waiting| waiting.parts.push_back(part));
    }

    pub fn pop(&self) -> Option<RunPart<S>> {
        self.waiting().parts.pop_front()
    }

    /// Ends the run after its current operation.
    pub fn stop(&self) {
        self.change(|waiting| waiting.is_stopped = true);
    }

    pub fn is_stopped(&self) -> bool {
        self.waiting().is_stopped
    }

    /// Wakes this reader at the next part.
    pub fn wait(&self, reader: &Context<'_>) {
        self.waiting().reader = Some(reader.waker().clone());
    }

    /// Makes a change, and wakes the reader.
    fn change(&self, change: impl FnOnce(&mut Waiting<S>)) {
        let reader = {
            let mut waiting = self.waiting();
            change(&mut waiting);
            waiting.reader.take()
        };
        reader.into_iter().for_each(Waker::wake);
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting<S>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S> Emit for Queue<S>
where
    S: State + Send + Sync + 'static,
    S::Update: Send + Sync,
{
    fn message(&self, task: TaskName, chunk: MessageChunk) {
        self.push(RunPart::Message(task, chunk));
    }

    fn custom(&self, task: TaskName, value: Value) {
        self.push(RunPart::Custom(task, value));
    }

    fn inside(&self, task: TaskName, update: Value) {
        self.push(RunPart::Inside(task, update));
    }

    fn retried(&self, task: TaskName) {
        self.push(RunPart::Retried(task));
    }
}
