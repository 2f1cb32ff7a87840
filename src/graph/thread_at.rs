//! A thread of a graph at one of its checkpoints.

use std::sync::Arc;

use super::caught::caught_saving;
use super::checkpointer::Checkpointer;
use super::compiled::Compiled;
use super::error::GraphError;
use super::ids::INSIDE;
use crate::State;

#[derive(Clone)]
pub(super) struct ThreadAt<'g, S: State> {
    pub graph: &'g Compiled<S>,
    pub thread: &'g str,
    /// The id of a checkpoint; without it, the last one.
    pub at: Option<&'g str>,
    /// The id of the runs that begin here; without it, each has a new one.
    pub run_id: Option<&'g str>,
    /// Whether the thread is that of a graph inside a node. Its runs are of one task, one after the other:
    /// a question that a killed run has taken an answer to is open again, for the task's answer.
    pub is_inside: bool,
    /// Where it is kept, if the graph has no checkpointer of its own.
    pub or_kept_by: Option<&'g Arc<dyn Checkpointer<S>>>,
}

impl<'g, S: State> ThreadAt<'g, S> {
    pub fn saver(&self) -> Result<&'g Arc<dyn Checkpointer<S>>, GraphError> {
        self.graph.saver.as_ref().or(self.or_kept_by).ok_or(GraphError::NoCheckpointer)
    }

    /// Checks that a run may begin: the threads of graphs inside are run by their nodes.
    pub fn check(&self) -> Result<(), GraphError> {
        if self.thread.contains(INSIDE) && !self.is_inside {
            return Err(GraphError::InvalidThread(self.thread.to_owned()));
        }
        Ok(())
    }

    /// Returns the ids of the thread's checkpoints, newest first.
    pub async fn checkpoints(&self) -> Result<Vec<String>, GraphError> {
        let saver = self.saver()?;
        caught_saving(|| saver.list(self.thread)).await
    }
}
