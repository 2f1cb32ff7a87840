//! Threads in memory.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use super::checkpoint::Checkpoint;
use super::checkpointer::{Checkpointer, Saving};
use crate::State;

/// Keeps checkpoints in memory.
///
/// A state is cloned for each step: a `Vec` is copied whole. For a long thread, use a
/// [`typed::MessageList`](crate::typed::MessageList), whose clone costs nothing.
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

    fn put<'a>(&'a self, thread: &'a str, checkpoint: Checkpoint<S>) -> Saving<'a, bool> {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = threads.get(thread).map(|kept| &kept.delta.id);
        let follows = kept == checkpoint.delta.parent.as_ref();
        if follows {
            threads.insert(thread.to_owned(), checkpoint);
        }
        Box::pin(std::future::ready(Ok(follows)))
    }
}
