//! Where threads are kept between runs.

use std::sync::Arc;

use super::checkpoint::Checkpoint;
use super::error::BoxError;
use super::ids::Naming;
use super::sendable::{BoxFuture, MaybeSend, MaybeSync};
use crate::State;

/// A checkpointer's future.
pub type Saving<'a, T> = BoxFuture<'a, Result<T, BoxError>>;

/// Keeps the checkpoints of threads.
///
/// One that keeps them outside the program writes them with serde. Of two runs of one thread at a
/// time, the second to put a checkpoint ends with [`GraphError::Conflict`](super::GraphError).
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
/// /// A table of each thread's ids and texts, as a database has it.
/// #[derive(Clone, Default)]
/// struct Table(std::sync::Arc<Mutex<HashMap<String, Vec<(String, String)>>>>);
///
/// impl Checkpointer<Order> for Table {
///     fn get<'a>(
///         &'a self,
///         thread: &'a str,
///         id: Option<&'a str>,
///     ) -> Saving<'a, Option<Checkpoint<Order>>> {
///         Box::pin(async move {
///             let table = self.0.lock().unwrap();
///             let rows = table.get(thread).map_or(&[][..], Vec::as_slice);
///             let row = rows.iter().rev().find(|(own, _)| id.is_none_or(|id| id == own));
///             Ok(row.map(|(_, text)| serde_json::from_str(text)).transpose()?)
///         })
///     }
///
///     fn put<'a>(
///         &'a self,
///         thread: &'a str,
///         last: Option<String>,
///         checkpoint: Checkpoint<Order>,
///     ) -> Saving<'a, bool> {
///         Box::pin(async move {
///             let text = serde_json::to_string(&checkpoint)?;
///             let mut table = self.0.lock().unwrap();
///             let rows = table.entry(thread.to_owned()).or_default();
///             let follows = rows.last().map(|(id, _)| id) == last.as_ref();
///             if follows {
///                 rows.push((checkpoint.delta.id, text));
///             }
///             Ok(follows)
///         })
///     }
///
///     fn list<'a>(&'a self, thread: &'a str) -> Saving<'a, Vec<String>> {
///         Box::pin(async move {
///             let table = self.0.lock().unwrap();
///             let rows = table.get(thread).into_iter().flatten();
///             Ok(rows.rev().map(|(id, _)| id.clone()).collect())
///         })
///     }
///
///     fn delete<'a>(&'a self, thread: &'a str) -> Saving<'a, ()> {
///         Box::pin(async move {
///             let inside = format!("{thread}|");
///             self.0.lock().unwrap().retain(|own, _| own != thread && !own.starts_with(&inside));
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
pub trait Checkpointer<S: State>: MaybeSend + MaybeSync {
    /// Returns the thread's checkpoint with this id; without an id, its last.
    fn get<'a>(&'a self, thread: &'a str, id: Option<&'a str>)
    -> Saving<'a, Option<Checkpoint<S>>>;

    /// Puts a checkpoint after all others of the thread if the id of the last is still `last`: `None`
    /// if there is none. Compares and puts at once. Returns whether it was put.
    fn put<'a>(
        &'a self,
        thread: &'a str,
        last: Option<String>,
        checkpoint: Checkpoint<S>,
    ) -> Saving<'a, bool>;

    /// Returns the ids of the thread's checkpoints, newest first. One that keeps only the last
    /// returns that.
    fn list<'a>(&'a self, thread: &'a str) -> Saving<'a, Vec<String>>;

    /// Deletes the checkpoints of the thread, and of graphs inside its nodes: each thread whose name begins
    /// with `THREAD|`.
    fn delete<'a>(&'a self, thread: &'a str) -> Saving<'a, ()>;

    /// Returns how it names checkpoints and interrupts, if it does that itself.
    ///
    /// Then [`put`](Self::put) is also called with [`Source::Stop`](crate::unstable::checkpoint::Source). The checkpoint has the
    /// id of the one that its step began at: keep its pending tasks beside that one.
    #[doc(hidden)]
    fn naming(&self) -> Option<&dyn Naming> {
        None
    }

    /// Refuses a state that lacks a field of its options, when a graph is compiled.
    ///
    /// # Errors
    /// Its own.
    #[doc(hidden)]
    fn check(&self) -> Result<(), BoxError> {
        Ok(())
    }
}

/// Keeps them where `C` does, for several graphs.
impl<S: State, C: Checkpointer<S> + ?Sized> Checkpointer<S> for Arc<C> {
    fn get<'a>(
        &'a self,
        thread: &'a str,
        id: Option<&'a str>,
    ) -> Saving<'a, Option<Checkpoint<S>>> {
        (**self).get(thread, id)
    }

    fn put<'a>(
        &'a self,
        thread: &'a str,
        last: Option<String>,
        checkpoint: Checkpoint<S>,
    ) -> Saving<'a, bool> {
        (**self).put(thread, last, checkpoint)
    }

    fn list<'a>(&'a self, thread: &'a str) -> Saving<'a, Vec<String>> {
        (**self).list(thread)
    }

    fn delete<'a>(&'a self, thread: &'a str) -> Saving<'a, ()> {
        (**self).delete(thread)
    }

    fn naming(&self) -> Option<&dyn Naming> {
        (**self).naming()
    }

    fn check(&self) -> Result<(), BoxError> {
        (**self).check()
    }
}
