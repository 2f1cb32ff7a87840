//! Checkpoints: the state of a thread, and its pending work.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::names::Names;
use super::node::Interrupt;
use super::planner::{Cause, Node, PlanState};
use crate::State;

/// The result of a finished task: what its node returned.
pub struct Finished<S: State> {
    /// Its part of the state.
    pub update: Option<S::Update>,
    /// The numbers of the channels that its command goes to. The step's end adds its edges and
    /// branches.
    pub writes: Vec<u32>,
    /// The states of its command's Sends.
    pub sends: Vec<S>,
}

/// The pending results of a task in a step that did not end.
pub struct Pending<S: State> {
    /// Its node.
    pub node: Node,
    /// Why it ran.
    pub cause: Cause,
    /// Its results, if it has finished: it does not run again.
    pub finished: Option<Finished<S>>,
    /// The answers that it was given.
    pub answers: Vec<Value>,
    /// Its open interrupt.
    pub interrupt: Option<Interrupt>,
}

/// A thread as of the end of a step, and the pending work of the next.
pub struct Checkpoint<S: State> {
    /// Its id.
    pub id: String,
    /// The id of the thread's checkpoint that it follows; `None` for the first.
    pub parent: Option<String>,
    /// The state.
    pub state: S,
    /// The planner's state.
    pub plan: PlanState,
    /// The input that is not merged yet.
    pub input: Option<S::Update>,
    /// The states of the Sends.
    pub sends: Vec<S>,
    /// The pending results of the next step's tasks.
    pub pending: Vec<Pending<S>>,
    /// The names of the numbers: the graph may have changed when the thread continues.
    pub names: Arc<Names>,
}

impl<S: State> Clone for Finished<S>
where
    S::Update: Clone,
{
    fn clone(&self) -> Self {
        Self { update: self.update.clone(), writes: self.writes.clone(), sends: self.sends.clone() }
    }
}

impl<S: State> Clone for Pending<S>
where
    S::Update: Clone,
{
    fn clone(&self) -> Self {
        Self {
            node: self.node,
            cause: self.cause,
            finished: self.finished.clone(),
            answers: self.answers.clone(),
            interrupt: self.interrupt.clone(),
        }
    }
}

impl<S: State> Clone for Checkpoint<S>
where
    S::Update: Clone,
{
    fn clone(&self) -> Self {
        Self {
            id: self.id.clone(),
            parent: self.parent.clone(),
            state: self.state.clone(),
            plan: self.plan.clone(),
            input: self.input.clone(),
            sends: self.sends.clone(),
            pending: self.pending.clone(),
            names: self.names.clone(),
        }
    }
}

impl<S: State> fmt::Debug for Finished<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Finished").field("writes", &self.writes).finish_non_exhaustive()
    }
}

impl<S: State> fmt::Debug for Pending<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending")
            .field("node", &self.node)
            .field("interrupt", &self.interrupt)
            .finish_non_exhaustive()
    }
}

impl<S: State> fmt::Debug for Checkpoint<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checkpoint")
            .field("id", &self.id)
            .field("plan", &self.plan)
            .field("pending", &self.pending)
            .finish_non_exhaustive()
    }
}
