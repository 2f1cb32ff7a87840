//! `{:?}` for a thread and its pending updates.

use std::fmt;

use super::{PendingUpdate, Thread};
use crate::value::Value;

/// Shows the confirmed state and the open updates.
impl<V: Value + fmt::Debug> fmt::Debug for Thread<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let updates: Vec<_> = self.updates.iter().collect();
        f.debug_struct("Thread")
            .field("messages", self.messages.items())
            .field("fields", &self.fields)
            .field("updates", &updates)
            .finish_non_exhaustive()
    }
}

impl<V: fmt::Debug> fmt::Debug for PendingUpdate<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, update, status, error, .. } = self;
        f.debug_struct("PendingUpdate")
            .field("id", id)
            .field("update", update)
            .field("status", status)
            .field("error", error)
            .finish_non_exhaustive()
    }
}
