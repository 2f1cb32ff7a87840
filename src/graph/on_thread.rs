//! A graph on a thread.

use std::fmt;

use super::caught::caught_saving;
use super::error::GraphError;
use super::known_thread::KnownThread;
use super::outcome::{Outcome, Resume};
use super::running::Running;
use super::thread_at::ThreadAt;
use crate::State;

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
#[derive(Clone)]
pub struct OnThread<'g, S: State>(pub(super) ThreadAt<'g, S>);

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
    /// [`GraphError::NoCheckpointer`], [`GraphError::InvalidThread`], or the checkpointer's.
    pub async fn stream(&self, update: S::Update) -> Result<Running<'g, S>, GraphError> {
        self.0.check()?;
        Running::on_thread(&self.0, update).await
    }

    /// Continues where the thread stopped: with an answer to its open interrupt, with answers by ids,
    /// or with `()` after a breakpoint or an error.
    ///
    /// An answer is saved before its node runs. Its question takes no other one until the run has ended: a
    /// killed run continues with it, by `()`. If the run fails or is stopped before the node has finished,
    /// the question is open again, as in langgraph.js. `()` then runs the node with the same answer, and
    /// another answer replaces it.
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
        self.0.check()?;
        Running::resumed(&self.0, answers.into()).await
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
        Running::left(&self.0).await
    }

    /// Returns the thread as a new run finds it, if anything of it is saved.
    pub(crate) async fn known(&self) -> Result<Option<KnownThread<S>>, GraphError> {
        Running::known(&self.0).await
    }

    /// Continues the run of a thread whose process ended.
    pub(crate) async fn stream_recovered(&self) -> Result<Running<'g, S>, GraphError> {
        Running::recovered(&self.0).await
    }

    /// Returns the thread as of one of its checkpoints. A run there begins a branch of its own: its
    /// first checkpoint follows that one and becomes the thread's last.
    ///
    /// ```
    /// use threadfold::State;
    /// use threadfold::graph::{BoxError, Ctx, MemorySaver, START, StateGraph};
    ///
    /// #[derive(Debug, Clone, Default, State)]
    /// #[state(derive(Clone))]
    /// struct Order {
    ///     #[reducer(|sum, more| sum + more)]
    ///     cups: u64,
    /// }
    ///
    /// async fn add(_: &Order, _: Ctx) -> Result<OrderUpdate, BoxError> {
    ///     Ok(OrderUpdate { cups: Some(1) })
    /// }
    ///
    /// # async fn run() -> Result<(), BoxError> {
    /// let builder = StateGraph::<Order>::new().node("add", add).edge(START, "add");
    /// let graph = builder.checkpointer(MemorySaver::new()).compile()?;
    /// let thread = graph.on("1");
    /// let first = thread.invoke(OrderUpdate { cups: Some(1) }).await?;
    /// let second = thread.invoke(OrderUpdate { cups: Some(5) }).await?;
    /// assert_eq!((first.state.cups, second.state.cups), (2, 8));
    ///
    /// let past = thread.at(first.checkpoint.as_deref().ok_or("no checkpoint")?);
    /// assert_eq!(past.invoke(OrderUpdate { cups: Some(10) }).await?.state.cups, 13);
    /// assert_eq!(thread.state().await?.ok_or("no state")?.cups, 13);
    /// # Ok(())
    /// # }
    /// # let mut run = Box::pin(run());
    /// # let waker = std::task::Waker::noop();
    /// # assert!(run.as_mut().poll(&mut std::task::Context::from_waker(waker)).is_ready());
    /// ```
    #[must_use]
    pub fn at(&self, checkpoint: &'g str) -> Self {
        Self(ThreadAt { at: Some(checkpoint), ..self.0.clone() })
    }

    /// Returns the thread for a run with this id, which its nodes and its checkpoints know:
    /// [`Ctx::run_id`](super::Ctx::run_id), [`Outcome::run_id`].
    #[must_use]
    pub fn run_id(&self, id: &'g str) -> Self {
        Self(ThreadAt { run_id: Some(id), ..self.0.clone() })
    }

    /// Returns the ids of the thread's checkpoints, newest first. With [`at`](Self::at), each is a
    /// thread to look at or to go on from.
    ///
    /// There is one for each input, for each step, for each stop within a step, and for each answer. A
    /// branch that begins without an input begins with one.
    /// LangGraph's format keeps the last two beside the step's.
    ///
    /// # Errors
    /// [`GraphError::NoCheckpointer`], or the checkpointer's.
    pub async fn checkpoints(&self) -> Result<Vec<String>, GraphError> {
        self.0.checkpoints().await
    }

    /// Merges an update into the thread's state as a node does, without running any: the thread goes
    /// on by that node's edges and branches. Without `as_node`, it is the node that ran last, or
    /// [`START`](super::START) if none has.
    ///
    /// Finished nodes of a step that did not end count as run. Questions that are open are dropped.
    ///
    /// # Errors
    /// [`GraphError::AmbiguousNode`] if several nodes ran last, [`GraphError::UnknownNode`],
    /// [`GraphError::Merge`], and those of [`stream`](Self::stream).
    pub async fn update_state(
        &self,
        update: S::Update,
        as_node: Option<&str>,
    ) -> Result<Outcome<S>, GraphError> {
        self.0.check()?;
        Running::updated(&self.0, update, as_node).await
    }

    /// Deletes the thread with all its checkpoints, and the threads of graphs inside its nodes, which are
    /// named `THREAD|…`.
    ///
    /// A graph inside may have a checkpointer of its own: then delete the thread there, too, by
    /// `inner.on(thread).delete()`.
    ///
    /// # Errors
    /// [`GraphError::NoCheckpointer`], or the checkpointer's.
    pub async fn delete(&self) -> Result<(), GraphError> {
        let saver = self.0.saver()?;
        caught_saving(|| saver.delete(self.0.thread)).await
    }
}

impl<S: State> fmt::Debug for OnThread<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnThread")
            .field("thread", &self.0.thread)
            .field("at", &self.0.at)
            .finish_non_exhaustive()
    }
}
