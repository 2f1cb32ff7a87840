//! The ids of checkpoints and interrupts.

use super::names::Names;
use super::planner::{Cause, Channel, Node};
use super::sendable::{MaybeSend, MaybeSync};

/// Parts the id of a thread from the name of a graph inside it.
pub(crate) const INSIDE: char = '|';

/// Returns whether a thread is `outer`, or is that of a graph inside a node of `outer`: those are named
/// `OUTER|…`.
#[must_use]
pub fn is_within(thread: &str, outer: &str) -> bool {
    thread.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with(INSIDE))
}

/// A task, by everything that LangGraph's id of it is made of.
#[derive(Debug, Clone, Copy)]
pub struct PlannedTask<'a> {
    /// The id of the checkpoint that it comes after.
    pub checkpoint: &'a str,
    /// The number of its step.
    pub step: i64,
    /// Its node.
    pub node: Node,
    /// Why it runs.
    pub cause: Cause,
    /// The channel that triggered it.
    pub trigger: Channel,
    /// The names of the numbers.
    pub names: &'a Names,
}

/// Makes the ids of checkpoints and interrupts, for a [`Checkpointer`](super::Checkpointer) that keeps
/// them in a format with ids of its own.
///
/// A stop within a step is then kept beside the checkpoint that the step began at, under its id.
pub trait Naming: MaybeSend + MaybeSync {
    /// Returns the id of a checkpoint that comes after all others of its thread: `last` is the
    /// newest of those. `step` is the number of the step that comes next.
    fn checkpoint(&self, last: Option<&str>, step: i64) -> String;

    /// Returns the id of a task's interrupt after so many answers.
    fn interrupt(&self, task: &PlannedTask<'_>, answers: usize) -> String;
}
