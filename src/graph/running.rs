//! A run of a graph over values.

// A future need not be `Send` in a browser's wasm, which has one thread.
#![cfg_attr(target_arch = "wasm32", allow(clippy::arc_with_non_send_sync))]

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::caught::caught;
use super::checkpoint::Pending;
use super::checkpointer::Checkpointer;
use super::command::START;
use super::compiled::Compiled;
use super::ctx::Shared;
use super::emitter::Emitter;
use super::error::GraphError;
use super::interrupt::Interrupt;
use super::outcome::{Outcome, StepDone};
use super::planner::{Cause, Node, Run, Status, Task, Writes};
use super::run_part::Queue;
use crate::id::new_id;
use crate::{Error, State};

mod halted;
mod merged;
mod opened;
mod recovered;
mod save_checkpoint;
mod step;
mod streamed;
mod updated;

use save_checkpoint::{Save, Trail};
use step::OpenStep;

/// A run, step by step.
pub struct Running<'g, S: State> {
    graph: &'g Compiled<S>,
    thread: Option<&'g str>,
    /// The checkpointer of the thread.
    saver: Option<&'g Arc<dyn Checkpointer<S>>>,
    id: Arc<str>,
    shared: Arc<Mutex<Shared>>,
    status: Status,
    state: S,
    input: Option<S::Update>,
    sends: Vec<S>,
    pending: Vec<Pending<S>>,
    writes: Writes,
    /// The step whose tasks are at work; it outlives the future of [`Running::next`].
    open: Option<OpenStep<S>>,
    trail: Trail<S>,
    /// A checkpoint that is being saved; it outlives the future of [`Running::next`], too. The mutex
    /// is never locked: it makes a future that is `Send` also `Sync`.
    save: Mutex<Option<Save<'g>>>,
    /// The id of the run that made the checkpoint `kept`.
    kept_run: Option<String>,
    /// Whether it continues where the thread stopped.
    resumes: bool,
    /// Whether its thread is that of a graph inside a node.
    is_inside: bool,
    /// Whether a reducer has panicked and left the state half merged.
    is_torn: bool,
    /// The parts for its reader, and the way of its nodes to them.
    queue: Option<Arc<Queue<S>>>,
    emitter: Emitter,
}

impl<'g, S> Running<'g, S>
where
    S: State + Send + Sync + 'static,
    S::Update: Clone + Send + Sync + 'static,
{
    pub(super) fn new(graph: &'g Compiled<S>, state: S) -> Self {
        let mut run = Run::new(graph.plan.clone(), &graph.options);
        let status = run.input();
        Self {
            graph,
            thread: None,
            saver: None,
            id: new_id().into(),
            shared: Arc::new(Mutex::new(Shared { run, ..Shared::default() })),
            status,
            state,
            input: None,
            sends: Vec::new(),
            pending: Vec::new(),
            writes: Writes::default(),
            open: None,
            trail: Trail::default(),
            save: Mutex::new(None),
            kept_run: None,
            resumes: false,
            is_inside: false,
            is_torn: false,
            queue: None,
            emitter: Emitter::default(),
        }
    }

    /// Returns the state as of the last step. After an error of a run without a thread, it may
    /// contain updates of the step that failed.
    pub fn state(&self) -> &S {
        &self.state
    }

    /// Returns the run's interrupts, if it has stopped for them.
    pub fn interrupts(&self) -> Vec<Interrupt> {
        if self.status == Status::Tasks {
            return Vec::new();
        }
        let open = self.pending.iter().filter(|pending| self.is_open(pending));
        open.filter_map(|pending| pending.interrupt.clone()).collect()
    }

    /// Whether a task's question, if it has one, takes an answer.
    fn is_open(&self, pending: &Pending<S>) -> bool {
        self.is_inside || pending.takes_answer()
    }

    /// Runs to the end, or to an interrupt.
    ///
    /// # Errors
    /// See [`GraphError`].
    pub async fn finish(mut self) -> Result<Outcome<S>, GraphError> {
        while let Some(step) = self.next().await {
            step?;
        }
        self.outcome()
    }

    /// Returns the outcome. Its state has the writes of finished tasks in a step that did not end, as
    /// langgraph shows it. They are merged for good when the step ends.
    fn outcome(mut self) -> Result<Outcome<S>, GraphError> {
        let interrupts = self.interrupts();
        let mut left = by_task(std::mem::take(&mut self.pending));
        let tasks: Vec<Task> = {
            let Shared { run, .. } = &mut *self.shared();
            run.peek();
            run.order().iter().filter_map(|at| run.tasks().get(*at as usize)).copied().collect()
        };
        let mut next = Vec::new();
        for Task { node, cause, .. } in &tasks {
            match left.remove(&(*node, *cause)).and_then(|pending| pending.finished) {
                Some(finished) => {
                    for update in finished.updates {
                        self.merge(&self.name(*node), update)?;
                    }
                }
                None => next.push(self.name(*node)),
            }
        }
        if next.is_empty() {
            next.extend(tasks.iter().map(|task| self.name(task.node)));
        }
        Ok(Outcome {
            state: self.state,
            interrupts,
            next,
            checkpoint: self.trail.kept,
            run_id: self.kept_run,
        })
    }

    /// Makes a step. Returns none at the end, at a breakpoint, and at an interrupt.
    ///
    /// You may drop the future, as a timeout does, and call it again. Nodes that have finished are
    /// not run again. The others start over, with the answers that they had. In a loop around
    /// `select!`, keep the future (`let mut step = pin!(running.next())`) until it is ready. With a
    /// new future in each turn, a slow node would start over for ever.
    ///
    /// # Errors
    /// See [`GraphError`]: the first of the step, once all its tasks have ended.
    pub async fn next(&mut self) -> Option<Result<StepDone, GraphError>> {
        let mut step = self.step().await;
        // The start is not a step of the graph.
        if let Ok(Some(done)) = &step
            && done.nodes.first().is_some_and(|node| &**node == START)
        {
            step = self.step().await;
        }
        if step.is_err() {
            self.status = Status::Done;
        }
        step.transpose()
    }

    fn merge(&mut self, node: &str, update: S::Update) -> Result<(), GraphError> {
        let merged = caught(|| self.state.update(update)).unwrap_or_else(|panicked| {
            self.is_torn = true;
            Err(Error::reducer(panicked))
        });
        merged.map_err(|error| GraphError::Merge { node: node.to_owned(), error })
    }

    fn name(&self, node: Node) -> Arc<str> {
        self.graph.nodes.get(node as usize).map_or_else(|| START.into(), |node| node.name.clone())
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Gives ids to the items of an update from outside.
fn identified<S: State>(node: &str, update: &mut S::Update) -> Result<(), GraphError> {
    caught(|| S::identify(update)).map_err(|panicked| {
        let (node, error) = (node.to_owned(), Error::reducer(panicked));
        GraphError::Merge { node, error }
    })
}

fn by_task<S: State>(pending: Vec<Pending<S>>) -> HashMap<(Node, Cause), Pending<S>> {
    pending.into_iter().map(|pending| ((pending.node, pending.cause), pending)).collect()
}

impl<S: State + fmt::Debug> fmt::Debug for Running<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running")
            .field("status", &self.status)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}
