//! A compiled graph, and its calls.

use std::fmt;
use std::sync::Arc;

use super::checkpointer::Checkpointer;
use super::compiled::Compiled;
use super::error::GraphError;
use super::on_thread::OnThread;
use super::outcome::Outcome;
use super::running::Running;
use super::thread_at::ThreadAt;
use crate::State;

/// A compiled graph. It can run any number of times, also at once.
pub struct Graph<S: State>(pub(super) Compiled<S>);

impl<S> Graph<S>
where
    S: State + Send + Sync + 'static,
    S::Update: Clone + Send + Sync + 'static,
{
    /// Runs the graph on a state to its end, and keeps nothing.
    ///
    /// # Errors
    /// See [`GraphError`]: the first of a step, once all its tasks have ended.
    pub async fn invoke(&self, state: S) -> Result<Outcome<S>, GraphError> {
        self.stream(state).finish().await
    }

    /// Runs the graph on a state, step by step.
    pub fn stream(&self, state: S) -> Running<'_, S> {
        Running::new(&self.0, state)
    }

    /// Returns where its threads are kept.
    pub(crate) fn saver(&self) -> Option<&Arc<dyn Checkpointer<S>>> {
        self.0.saver.as_ref()
    }

    /// Returns a thread of this graph, which its checkpointer keeps.
    ///
    /// An id with a `|` is that of a thread of a graph inside, `THREAD|…`. It can be looked at and deleted.
    /// To run it is [`GraphError::InvalidThread`].
    #[must_use]
    pub fn on<'g>(&'g self, thread: &'g str) -> OnThread<'g, S> {
        let (at, run_id, is_inside, or_kept_by) = (None, None, false, None);
        OnThread(ThreadAt { graph: &self.0, thread, at, run_id, is_inside, or_kept_by })
    }

    /// Returns the thread of a node that runs this graph.
    pub(super) fn inside<'g>(&'g self, thread: &'g str) -> OnThread<'g, S> {
        let OnThread(thread_at) = self.on(thread);
        OnThread(ThreadAt { is_inside: true, ..thread_at })
    }

    /// Returns the thread of a node that runs this graph. This checkpointer keeps it if the graph has none.
    pub(crate) fn kept_by<'g>(
        &'g self,
        saver: &'g Arc<dyn Checkpointer<S>>,
        thread: &'g str,
    ) -> OnThread<'g, S> {
        let OnThread(thread_at) = self.inside(thread);
        OnThread(ThreadAt { or_kept_by: Some(saver), ..thread_at })
    }
}

impl<S: State> fmt::Debug for Graph<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nodes: Vec<_> = self.0.nodes.iter().map(|node| &node.name).collect();
        f.debug_struct("Graph").field("nodes", &nodes).finish_non_exhaustive()
    }
}
