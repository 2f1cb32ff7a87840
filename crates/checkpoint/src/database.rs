//! The part of a database that a saver needs.

use threadfold::graph::BoxError;

use crate::row::{Put, Row};

/// Keeps rows.
pub trait Database: Send + Sync + 'static {
    /// Returns a thread's checkpoint; without an id, its newest.
    fn row(
        &self,
        thread: &str,
        id: Option<&str>,
    ) -> impl Future<Output = Result<Option<Row>, BoxError>> + Send;

    /// Puts everything at once if the id of the thread's newest checkpoint is `last`. Returns whether
    /// it was.
    fn put(
        &self,
        thread: &str,
        last: Option<&str>,
        put: Put,
    ) -> impl Future<Output = Result<bool, BoxError>> + Send;

    /// Returns the ids of a thread's checkpoints, newest first.
    fn ids(&self, thread: &str) -> impl Future<Output = Result<Vec<String>, BoxError>> + Send;

    /// Returns the ids of all threads, the last changed first.
    fn threads(&self) -> impl Future<Output = Result<Vec<String>, BoxError>> + Send;

    /// Deletes a thread, and those inside it: `THREAD|…`.
    fn delete(&self, thread: &str) -> impl Future<Output = Result<(), BoxError>> + Send;
}
