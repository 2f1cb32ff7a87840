//! Threads in memory.

use std::collections::HashMap;
use std::fmt;
use std::future::ready;
use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};

use indexmap::IndexMap;

use super::checkpoint::Checkpoint;
use super::checkpointer::{Checkpointer, Saving};
use super::ids::is_within;
use crate::State;

/// The checkpoints of each thread by their ids, oldest first.
type Threads<S> = HashMap<String, IndexMap<String, Checkpoint<S>>>;

/// Keeps checkpoints in memory: all of them, unless you [`limit`](Self::limit) their number.
///
/// A state is cloned for each step: a `Vec` is copied whole. For a long thread, use a
/// [`typed::MessageList`](crate::typed::MessageList), whose clones share what is the same.
pub struct MemorySaver<S: State> {
    threads: Mutex<Threads<S>>,
    most: usize,
}

impl<S: State> MemorySaver<S> {
    /// Makes an empty one.
    #[must_use]
    pub fn new() -> Self {
        Self { threads: Mutex::new(HashMap::new()), most: usize::MAX }
    }

    /// Keeps only so many checkpoints of a thread, the newest.
    #[must_use]
    pub fn limit(mut self, most: NonZeroUsize) -> Self {
        self.most = most.get();
        self
    }

    fn threads(&self) -> MutexGuard<'_, Threads<S>> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
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
    S::Update: Clone + Send + Sync,
{
    fn get<'a>(
        &'a self,
        thread: &'a str,
        id: Option<&'a str>,
    ) -> Saving<'a, Option<Checkpoint<S>>> {
        let threads = self.threads();
        let found = threads.get(thread).and_then(|all| match id {
            Some(id) => all.get(id),
            None => all.last().map(|(_, checkpoint)| checkpoint),
        });
        Box::pin(ready(Ok(found.cloned())))
    }

    fn put<'a>(
        &'a self,
        thread: &'a str,
        last: Option<String>,
        checkpoint: Checkpoint<S>,
    ) -> Saving<'a, bool> {
        let mut threads = self.threads();
        let all = threads.entry(thread.to_owned()).or_default();
        let follows = all.last().map(|(id, _)| id) == last.as_ref();
        if follows {
            all.insert(checkpoint.delta.id.clone(), checkpoint);
            if all.len() > self.most {
                all.shift_remove_index(0);
            }
        }
        Box::pin(ready(Ok(follows)))
    }

    fn list<'a>(&'a self, thread: &'a str) -> Saving<'a, Vec<String>> {
        let threads = self.threads();
        let ids = threads.get(thread).into_iter().flat_map(IndexMap::keys).rev().cloned();
        Box::pin(ready(Ok(ids.collect())))
    }

    fn delete<'a>(&'a self, thread: &'a str) -> Saving<'a, ()> {
        self.threads().retain(|own, _| !is_within(own, thread));
        Box::pin(ready(Ok(())))
    }
}
