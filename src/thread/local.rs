//! Additions by `update` and `settle` since a run began: not the run's, so they survive its replay.

use super::MESSAGES;
use crate::value::{Found, Symbols, Value};

/// A change made here since the run began.
#[derive(Clone)]
pub(super) enum Local<V> {
    /// An addition. One that `settled` was a pending update: it says nothing about others.
    Added { update: V, settled: bool },
    /// The server gave a message of earlier additions another id.
    Renamed { old: V, id: V },
}

/// Returns the additions, with the ids that the server gave to their messages later.
pub(super) fn with_new_ids<V: Value>(local: Vec<Local<V>>) -> Vec<Local<V>> {
    let mut symbols = V::Symbols::default();
    // By the number of an id, the server's.
    let mut ids: Vec<V> = Vec::new();
    let mut added = Vec::with_capacity(local.len());
    // From the last on: a rename concerns what was added before it.
    for local in local.into_iter().rev() {
        let new_id = |id: &V| symbols.find(id).and_then(|at| ids.get(at as usize).cloned());
        match local {
            Local::Renamed { old, id } => {
                let id = new_id(&id).unwrap_or(id);
                let at = symbols.intern(&old).map(|at| at as usize);
                match at.and_then(|at| ids.get_mut(at)) {
                    Some(known) => *known = id,
                    None => ids.push(id),
                }
            }
            Local::Added { update, settled } => {
                let renamed = |item: V| match item.get("id").and_then(|id| new_id(&id)) {
                    Some(id) => item.with("id", id),
                    None => item,
                };
                let list = update.get_owned(MESSAGES).filter(|_| !ids.is_empty());
                let update = match list.map(V::own_list) {
                    Some(list) => {
                        let items = list.items().map(|item| renamed(item.into_owned()));
                        update.with(MESSAGES, V::array(items))
                    }
                    None => update,
                };
                added.push(Local::Added { update, settled });
            }
        }
    }
    added.reverse();
    added
}
