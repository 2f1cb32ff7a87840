//! Calls of a compiled graph, on a state of the caller or on a thread.

use std::fmt;

use super::compiled::Compiled;
use super::error::GraphError;
use super::outcome::{Outcome, Resume};
use super::running::Running;
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

    /// Returns a thread of this graph, which its checkpointer keeps.
    #[must_use]
    pub fn on<'g>(&'g self, thread: &'g str) -> OnThread<'g, S> {
        OnThread { graph: &self.0, thread }
    }
}

impl<S: State> fmt::Debug for Graph<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nodes: Vec<_> = self.0.nodes.iter().map(|node| &node.name).collect();
        f.debug_struct("Graph").field("nodes", &nodes).finish_non_exhaustive()
    }
}

/// A thread: the graph on a state that a checkpointer keeps.
///
/// ```
/// use serde_json::json;
/// use threadfold::State;
/// use threadfold::graph::{BoxError, Ctx, MemorySaver, START, StateGraph};
///
/// #[derive(Debug, Clone, Default, State)]
/// #[state(derive(Clone))]
/// struct Order {
///     #[reducer(|sum, more| sum + more)]
///     cups: u64,
///     sent: bool,
/// }
///
/// async fn send(order: &Order, ctx: Ctx) -> Result<OrderUpdate, BoxError> {
///     let sure = ctx.interrupt(json!(format!("{} cups?", order.cups)))?;
///     Ok(OrderUpdate { sent: sure.as_bool(), ..OrderUpdate::default() })
/// }
///
/// # async fn run() -> Result<(), BoxError> {
/// let graph = StateGraph::<Order>::new()
///     .node("send", send)
///     .edge(START, "send")
///     .checkpointer(MemorySaver::new())
///     .compile()?;
/// let asked = graph.on("1").invoke(OrderUpdate { cups: Some(3), ..OrderUpdate::default() }).await?;
/// assert_eq!(asked.interrupts[0].value, json!("3 cups?"));
/// let left = graph.on("1").outcome().await?; // also in a process that starts anew
/// assert_eq!(left.map(|left| left.interrupts), Some(asked.interrupts));
/// let done = graph.on("1").resume(json!(true)).await?;
/// assert!(done.is_ended() && done.state.sent);
/// # Ok(())
/// # }
/// # let mut run = Box::pin(run());
/// # let waker = std::task::Waker::noop();
/// # assert!(run.as_mut().poll(&mut std::task::Context::from_waker(waker)).is_ready());
/// ```
pub struct OnThread<'g, S: State> {
    graph: &'g Compiled<S>,
    thread: &'g str,
}

impl<'g, S> OnThread<'g, S>
where
    S: State + Default + Send + Sync + 'static,
    S::Update: Clone + Send + Sync + 'static,
{
    /// Merges an update into the thread's state and runs the graph. Tasks that were not finished
    /// are dropped.
    ///
    /// # Errors
    /// See [`GraphError`].
    pub async fn invoke(&self, update: S::Update) -> Result<Outcome<S>, GraphError> {
        self.stream(update).await?.finish().await
    }

    /// As [`invoke`](Self::invoke), step by step.
    ///
    /// # Errors
    /// [`GraphError::NoCheckpointer`], or the checkpointer's.
    pub async fn stream(&self, update: S::Update) -> Result<Running<'g, S>, GraphError> {
        Running::on_thread(self.graph, self.thread, update).await
    }

    /// Continues where the thread stopped: with an answer to its open interrupt, with answers by ids,
    /// or with `()` after a breakpoint or an error.
    ///
    /// # Errors
    /// [`GraphError::UnknownThread`] if nothing is saved of the thread,
    /// [`GraphError::UnknownInterrupt`] for an answer to what is not asked: nothing runs then. See
    /// [`GraphError`].
    pub async fn resume(&self, answers: impl Into<Resume>) -> Result<Outcome<S>, GraphError> {
        self.stream_resumed(answers).await?.finish().await
    }

    /// As [`resume`](Self::resume), step by step.
    ///
    /// # Errors
    /// As for [`stream`](Self::stream), [`GraphError::UnknownThread`],
    /// [`GraphError::UnknownInterrupt`] and [`GraphError::SeveralInterrupts`].
    pub async fn stream_resumed(
        &self,
        answers: impl Into<Resume>,
    ) -> Result<Running<'g, S>, GraphError> {
        Running::resumed(self.graph, self.thread, answers.into()).await
    }

    /// Returns the thread's state as of its last step, if there is one. In a step that did not end,
    /// the writes of finished nodes are included.
    ///
    /// # Errors
    /// [`GraphError::NoCheckpointer`], or the checkpointer's.
    pub async fn state(&self) -> Result<Option<S>, GraphError> {
        Ok(self.outcome().await?.map(|outcome| outcome.state))
    }

    /// Returns the thread's outcome without running anything: its [`state`](Self::state), the
    /// interrupts that are still open, and the nodes to run next. So a new process can ask again what
    /// another one asked.
    ///
    /// # Errors
    /// [`GraphError::NoCheckpointer`], or the checkpointer's.
    pub async fn outcome(&self) -> Result<Option<Outcome<S>>, GraphError> {
        Running::left(self.graph, self.thread).await
    }
}

impl<S: State> fmt::Debug for OnThread<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnThread").field("thread", &self.thread).finish_non_exhaustive()
    }
}
