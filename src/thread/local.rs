//! Changes made here since a run began: not the run's, so they survive its replay.

use crate::message_list::JsonMessageList;
use crate::value::{Found, Kind, Value};

/// A change made here since the run began.
pub(super) enum Local<V> {
    /// An addition. One that `settled` was a pending update: it says nothing about others.
    Added { update: V, settled: bool },
    /// The server gave a message another id.
    Renamed { old: V, id: V },
}

impl<V: Value> Local<V> {
    /// Gives the message its other id.
    pub(super) fn rename_in(&self, messages: &mut JsonMessageList<V>) {
        if let Self::Renamed { old, id } = self {
            messages.rename(old, id);
        }
    }

    /// Returns a list of an addition, with a word if it was settled, or of two ids.
    pub(super) fn record(&self) -> V {
        let (first, second) = match self {
            Self::Added { update, settled } => (update, settled.then(|| V::string("settled"))),
            Self::Renamed { old, id } => (old, Some(id.clone())),
        };
        V::array([first.clone()].into_iter().chain(second))
    }

    pub(super) fn of(record: &V) -> Option<Self> {
        let (first, second) = (record.at(0)?.into_owned(), record.at(1).map(Found::into_owned));
        Some(match second {
            Some(id) if first.kind() == Kind::String => Self::Renamed { old: first, id },
            second => Self::Added { update: first, settled: second.is_some() },
        })
    }
}
