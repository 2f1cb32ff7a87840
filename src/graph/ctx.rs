//! The context of a node's call, and what the tasks of a run share.

use std::collections::HashSet;
use std::fmt;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::emitter::{Emitter, TaskName};
use super::error::BoxError;
use super::interrupt::{Answered, Interrupt, Interrupted, Question};
use super::message_chunk::MessageChunk;
use super::planner::{Answer, Run};
use super::sendable::{BoxFuture, MaybeSend};
use super::step_memo::{FinishedUpdate, StepMemo};

/// The planner of a run, and the answers to interrupts of its tasks.
#[derive(Debug, Default)]
pub(super) struct Shared {
    pub run: Run,
    /// For each task, the answers that it has.
    pub answers: Vec<Vec<Answered>>,
    /// The values that the tasks of the step share.
    pub memo: StepMemo,
    /// The work that is left once tasks' results are saved.
    pub when_saved: WhenSaved,
    /// The tasks inside which a node has ended since they got an answer to pass on.
    pub went_on: HashSet<u32>,
    /// The tasks whose errors were handled: their nodes' edges are not taken.
    pub handled: HashSet<u32>,
}

/// The work that is left once the results of a task, at its position in the step, are saved.
#[derive(Default)]
pub(super) struct WhenSaved(pub Vec<(u32, BoxFuture<'static, ()>)>);

impl fmt::Debug for WhenSaved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WhenSaved").field(&self.0.len()).finish()
    }
}

/// The context of a node's call, besides the state.
#[derive(Debug, Clone)]
pub struct Ctx {
    pub(super) shared: Arc<Mutex<Shared>>,
    pub(super) task: u32,
    /// The number of the send that made the task, from 1; 0 for a task that no send made.
    pub(super) send: u32,
    pub(super) step: i64,
    pub(super) node: Arc<str>,
    pub(super) run_id: Arc<str>,
    pub(super) thread: Option<Arc<str>>,
    /// The id of the thread's checkpoint at which the step began; empty without a thread.
    pub(super) began_at: Arc<str>,
    pub(super) emitter: Emitter,
    /// How many graphs this call of the node has run inside.
    pub(super) graphs_inside: Arc<AtomicU32>,
    /// Which of the node's attempts this is, from 1.
    pub(super) attempt: u32,
    /// The error that the node handles.
    pub(super) error: Option<Arc<BoxError>>,
}

impl Ctx {
    /// Returns the id of the run: that of [`OnThread::run_id`](super::OnThread::run_id), or a new one
    /// for each call of `invoke`, `stream` or `resume`.
    #[must_use]
    pub fn run_id(&self) -> &str {
        &self.run_id
    }

    /// Returns the node's name.
    #[must_use]
    pub fn node(&self) -> &str {
        &self.node
    }

    /// Returns the number of the step.
    #[must_use]
    pub fn step(&self) -> i64 {
        self.step
    }

    /// Returns which of the node's attempts this is, from 1: see
    /// [`StateGraph::retry`](super::StateGraph::retry). A node that starts over, with an answer or since its
    /// step was dropped, begins with 1.
    #[must_use]
    pub fn attempt(&self) -> u32 {
        self.attempt
    }

    /// Returns the error of the node, in its [handler](super::StateGraph::error_handler).
    #[must_use]
    pub fn error(&self) -> Option<&(dyn std::error::Error + Send + Sync + 'static)> {
        self.error.as_deref().map(|error| &**error)
    }

    /// Returns the thread's name, if the run is on one.
    #[must_use]
    pub fn thread(&self) -> Option<&str> {
        self.thread.as_deref()
    }

    /// Streams more of a message, such as a model's token, to the reader of the run's
    /// [parts](super::Running::parts). The state gets the whole message from the node, under the same
    /// id.
    pub fn message(&self, chunk: MessageChunk) {
        if let Some(stream) = &self.emitter.0 {
            stream.message(self.task_name(), chunk);
        }
    }

    /// Streams a value of your own, such as a tool's progress, to the reader of the run's
    /// [parts](super::Running::parts).
    pub fn custom(&self, value: impl Into<Value>) {
        if let Some(stream) = &self.emitter.0 {
            stream.custom(self.task_name(), value.into());
        }
    }

    /// Sends the update of a node in a graph inside.
    pub(super) fn inside(&self, update: Value) {
        if let Some(stream) = &self.emitter.0 {
            stream.inside(self.task_name(), update);
        }
    }

    pub(super) fn task_name(&self) -> TaskName {
        TaskName { node: self.node.clone(), step: self.step, place: self.task }
    }

    /// Interrupts the graph to ask its caller. Return the error with `?`: the run stops, and the
    /// node starts over when it is [resumed](super::OnThread::resume). This call returns the answer
    /// then.
    ///
    /// The error may be inside an error of your own, of `thiserror` or `anyhow`: the graph finds it
    /// by its type along [`source`](std::error::Error::source). One that is turned into text is a
    /// failure of the node.
    ///
    /// An [error handler](super::StateGraph::error_handler) cannot ask: its node fails.
    ///
    /// # Errors
    /// [`Interrupted`] if there is no answer yet.
    pub fn interrupt(&self, value: impl Into<Value>) -> Result<Value, Interrupted> {
        if self.error.is_some() {
            return Err(Interrupted(Question { value: value.into(), forwarded: None }));
        }
        let Shared { run, answers, .. } = &mut *self.shared();
        let own = answers.get(self.task as usize).into_iter().flatten();
        let mut own = own.filter(|answer| answer.forwarded.is_none());
        let answer = match run.interrupt(self.task) {
            Answer::Saved(index) => own.nth(index as usize).map(|answer| answer.value.clone()),
            _ => None,
        };
        answer.ok_or_else(|| Interrupted(Question { value: value.into(), forwarded: None }))
    }

    /// Passes on a question of a graph that the node runs on a thread, as [`interrupt`](Self::interrupt)
    /// does with its own. The answer is for this question alone: a node that starts over after
    /// several of them does not get the first again.
    ///
    /// # Errors
    /// [`Interrupted`] if there is no answer yet.
    pub fn forward(&self, question: &Interrupt) -> Result<Value, Interrupted> {
        let Shared { answers, .. } = &*self.shared();
        let own = answers.get(self.task as usize).into_iter().flatten();
        let own = own.filter(|_| self.error.is_none());
        let answer = own.rev().find(|answer| answer.forwarded.as_ref() == Some(&question.id));
        answer.map(|answer| answer.value.clone()).ok_or_else(|| {
            let (value, forwarded) = (question.value.clone(), Some(question.id.clone()));
            Interrupted(Question { value, forwarded })
        })
    }

    /// Reads or changes a value that the tasks of this step share, one of each type. `make` makes it of
    /// the updates of tasks that finished before the step was stopped.
    pub(crate) fn with_memo<T: std::any::Any + Send, R>(
        &self,
        make: impl FnOnce(&[FinishedUpdate]) -> T,
        then: impl FnOnce(&mut T) -> R,
    ) -> R {
        self.shared().memo.with(make, then)
    }

    /// Returns the position of the task in its step.
    pub(crate) fn task(&self) -> u32 {
        self.task
    }

    /// Returns the id of the thread's checkpoint at which the step began; empty without a thread.
    pub(crate) fn began_at(&self) -> &str {
        &self.began_at
    }

    /// Returns the number of the send that made the task, from 1; 0 for a task that no send made.
    pub(crate) fn send(&self) -> u32 {
        self.send
    }

    /// Notes that a node of a graph inside has ended. It may have acted on the answer that was passed
    /// on: the question does not reopen, should this task fail or be stopped.
    pub(super) fn goes_on_inside(&self) {
        self.shared().went_on.insert(self.task);
    }

    /// Has this done once the task's results are saved; never, if it fails or asks.
    pub(crate) fn when_saved(&self, then: impl Future<Output = ()> + MaybeSend + 'static) {
        self.shared().when_saved.0.push((self.task, Box::pin(then)));
    }

    /// Has the task start over. Nothing is left of the attempt that failed but the graphs inside that
    /// have a thread: they continue.
    pub(super) fn next_attempt(self) -> Self {
        self.give_up_attempt();
        Self { attempt: self.attempt.saturating_add(1), graphs_inside: Arc::default(), ..self }
    }

    /// Returns the context of the handler of an error. The graphs that it runs are its own.
    pub(super) fn handling(&self, error: Arc<BoxError>) -> Self {
        self.give_up_attempt();
        Self { error: Some(error), graphs_inside: Arc::default(), ..self.clone() }
    }

    fn give_up_attempt(&self) {
        {
            let Shared { run, when_saved, .. } = &mut *self.shared();
            run.restart(self.task);
            when_saved.0.retain(|(task, _)| *task != self.task);
        }
        if let Some(stream) = &self.emitter.0 {
            stream.retried(self.task_name());
        }
    }

    /// Has the task go only where its command says.
    pub(super) fn takes_no_edges(&self) {
        self.shared().handled.insert(self.task);
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
