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
pub(super) fn with_new_ids<V: Value>(mut local: Vec<Local<V>>) -> Vec<Local<V>> {
    let mut olds = V::Symbols::default();
    // By the number of an old id.
    let mut ids: Vec<V> = Vec::new();
    // From the last on: a rename concerns what was added before it.
    for local in local.iter_mut().rev() {
        let new_id = |id: &V| olds.find(id).and_then(|at| ids.get(at as usize).cloned());
        match local {
            Local::Renamed { old, id } => {
                let id = new_id(id).unwrap_or_else(|| id.clone());
                match olds.intern(old).and_then(|at| ids.get_mut(at as usize)) {
                    Some(known) => *known = id,
                    None => ids.push(id),
                }
            }
            Local::Added { update, .. } if !ids.is_empty() => {
                let Some(list) = update.get_owned(MESSAGES).map(V::own_list) else { continue };
                let items = list.items().map(|item| {
                    let id = item.get("id").and_then(|id| new_id(&id));
                    let item = item.into_owned();
                    match id {
                        Some(id) => item.with("id", id),
                        None => item,
                    }
                });
                *update = update.clone().with(MESSAGES, V::array(items));
            }
            Local::Added { .. } => {}
        }
    }
    local
}
