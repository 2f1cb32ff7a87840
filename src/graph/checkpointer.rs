//! Where threads are kept between runs.

use std::sync::Arc;

use super::checkpoint::Checkpoint;
use super::error::BoxError;
use super::sendable::{BoxFuture, MaybeSend, MaybeSync};
use crate::State;

/// A checkpointer's future.
pub type Saving<'a, T> = BoxFuture<'a, Result<T, BoxError>>;

/// Keeps the last checkpoint of each thread.
///
/// One that keeps them outside the program writes them with serde. Of two runs of one thread at a
/// time, the second to put a checkpoint ends with [`GraphError::Conflict`](super::GraphError). Its
/// checkpoint follows one that is no longer the thread's last.
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
/// /// A table of ids and texts, as a database has it.
/// #[derive(Clone, Default)]
/// struct Table(std::sync::Arc<Mutex<HashMap<String, (String, String)>>>);
///
/// impl Checkpointer<Order> for Table {
///     fn get<'a>(&'a self, thread: &'a str) -> Saving<'a, Option<Checkpoint<Order>>> {
///         Box::pin(async move {
///             let row = self.0.lock().unwrap().get(thread).cloned();
///             Ok(row.map(|(_, text)| serde_json::from_str(&text)).transpose()?)
///         })
///     }
///
///     fn put<'a>(&'a self, thread: &'a str, checkpoint: Checkpoint<Order>) -> Saving<'a, bool> {
///         Box::pin(async move {
///             let text = serde_json::to_string(&checkpoint)?;
///             let mut rows = self.0.lock().unwrap();
///             let follows = rows.get(thread).map(|(id, _)| id) == checkpoint.delta.parent.as_ref();
///             if follows {
///                 rows.insert(thread.to_owned(), (checkpoint.delta.id, text));
///             }
///             Ok(follows)
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
pub trait Checkpointer<S: State>: MaybeSend + MaybeSync {
    /// Returns a thread's checkpoint.
    fn get<'a>(&'a self, thread: &'a str) -> Saving<'a, Option<Checkpoint<S>>>;

    /// Puts a checkpoint in place of the thread's last if its delta's `parent` is that one's `id`, or
    /// is `None` and the thread has none. Compares and puts at once. Returns whether it was put.
    fn put<'a>(&'a self, thread: &'a str, checkpoint: Checkpoint<S>) -> Saving<'a, bool>;
}

/// Keeps them where `C` does, for several graphs.
impl<S: State, C: Checkpointer<S> + ?Sized> Checkpointer<S> for Arc<C> {
    fn get<'a>(&'a self, thread: &'a str) -> Saving<'a, Option<Checkpoint<S>>> {
        (**self).get(thread)
    }

    fn put<'a>(&'a self, thread: &'a str, checkpoint: Checkpoint<S>) -> Saving<'a, bool> {
        (**self).put(thread, checkpoint)
    }
}
