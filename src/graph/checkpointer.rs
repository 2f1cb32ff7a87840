//! Where threads are kept between runs.

use std::collections::HashMap;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::error::BoxError;
use super::names::Names;
use super::node::Interrupt;
use super::planner::{Cause, Node, PlanState};
use crate::State;

/// The writes and Sends of a finished task.
pub struct Finished<S: State> {
    /// Its part of the state.
    pub update: Option<S::Update>,
    /// The numbers of the channels that it wrote.
    pub writes: Vec<u32>,
    /// The states of its Sends.
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
            .field("plan", &self.plan)
            .field("pending", &self.pending)
            .finish_non_exhaustive()
    }
}

/// A checkpointer's future.
pub type Saving<'a, T> = Pin<Box<dyn Future<Output = Result<T, BoxError>> + Send + 'a>>;

/// Keeps the last checkpoint of each thread.
///
/// One that keeps them outside the program writes them with serde. Let a thread have one run at a
/// time: of two, the checkpoint that is put last counts.
///
/// ```
/// use std::collections::HashMap;
/// use std::sync::Mutex;
///
/// use serde::{Deserialize, Serialize};
/// use serde_json::json;
/// use threadfold::State;
/// use threadfold::graph::{BoxError, Checkpoint, Checkpointer, Ctx, START, Saving, StateGraph};
///
/// #[derive(Debug, Clone, Default, State, Serialize, Deserialize)]
/// #[state(derive(Clone, Serialize, Deserialize))]
/// struct Order {
///     cups: u64,
/// }
///
/// /// A table of texts, as a database has it.
/// #[derive(Clone, Default)]
/// struct Table(std::sync::Arc<Mutex<HashMap<String, String>>>);
///
/// impl Checkpointer<Order> for Table {
///     fn get<'a>(&'a self, thread: &'a str) -> Saving<'a, Option<Checkpoint<Order>>> {
///         Box::pin(async move {
///             let row = self.0.lock().unwrap().get(thread).cloned();
///             Ok(row.map(|row| serde_json::from_str(&row)).transpose()?)
///         })
///     }
///
///     fn put<'a>(&'a self, thread: &'a str, checkpoint: Checkpoint<Order>) -> Saving<'a, ()> {
///         Box::pin(async move {
///             let row = serde_json::to_string(&checkpoint)?;
///             self.0.lock().unwrap().insert(thread.to_owned(), row);
///             Ok(())
///         })
///     }
/// }
///
/// async fn ask(_: &Order, ctx: Ctx) -> Result<OrderUpdate, BoxError> {
///     Ok(OrderUpdate { cups: ctx.interrupt(json!("How many?"))?.as_u64() })
/// }
///
/// # async fn run() -> Result<(), BoxError> {
/// let table = Table::default();
/// let program = || {
///     StateGraph::<Order>::new().node("ask", ask).edge(START, "ask").checkpointer(table.clone()).compile()
/// };
/// program()?.on("1").invoke(OrderUpdate::default()).await?;
/// // Another day.
/// assert_eq!(program()?.on("1").resume(json!(3)).await?.state.cups, 3);
/// # Ok(())
/// # }
/// # let mut run = Box::pin(run());
/// # let waker = std::task::Waker::noop();
/// # assert!(run.as_mut().poll(&mut std::task::Context::from_waker(waker)).is_ready());
/// ```
pub trait Checkpointer<S: State>: Send + Sync {
    /// Returns a thread's checkpoint.
    fn get<'a>(&'a self, thread: &'a str) -> Saving<'a, Option<Checkpoint<S>>>;

    /// Puts a checkpoint in place of the thread's last.
    fn put<'a>(&'a self, thread: &'a str, checkpoint: Checkpoint<S>) -> Saving<'a, ()>;
}

/// Keeps checkpoints in memory.
///
/// A state is cloned for each step. Lists that are cheap to clone
/// ([`typed::MessageList`](crate::typed::MessageList)) keep that cheap.
pub struct MemorySaver<S: State> {
    threads: Mutex<HashMap<String, Checkpoint<S>>>,
}

impl<S: State> MemorySaver<S> {
    /// Makes an empty one.
    #[must_use]
    pub fn new() -> Self {
        Self { threads: Mutex::new(HashMap::new()) }
    }
}

impl<S: State> Default for MemorySaver<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: State> fmt::Debug for MemorySaver<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemorySaver").finish_non_exhaustive()
    }
}

impl<S> Checkpointer<S> for MemorySaver<S>
where
    S: State + Send + 'static,
    S::Update: Clone + Send,
{
    fn get<'a>(&'a self, thread: &'a str) -> Saving<'a, Option<Checkpoint<S>>> {
        let found =
            self.threads.lock().unwrap_or_else(PoisonError::into_inner).get(thread).cloned();
        Box::pin(std::future::ready(Ok(found)))
    }

    fn put<'a>(&'a self, thread: &'a str, checkpoint: Checkpoint<S>) -> Saving<'a, ()> {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        threads.insert(thread.to_owned(), checkpoint);
        Box::pin(std::future::ready(Ok(())))
    }
}
