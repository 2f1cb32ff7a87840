//! What a sub-agent sees of its parent's state, and what it gives back.

use crate::value::{Found as _, Value};

/// The fields that are each agent's own, besides private ones.
pub const OWN_FIELDS: [&str; 4] = ["messages", "todos", "structuredResponse", "jumpTo"];

/// Returns the files that a sub-agent has changed: what it was given compared with what it has. A file
/// that is gone is null, so that a merge removes it. So sub-agents that ran side by side undo nothing
/// of one another.
///
/// ```
/// use serde_json::json;
/// use threadfold::agent::subagents::changed_files;
///
/// let given = json!({ "/a": "1", "/b": "2", "/c": "3" });
/// let has = json!({ "/a": "1", "/b": "new" });
/// assert_eq!(changed_files(&given, &has), json!({ "/b": "new", "/c": null }));
/// ```
#[must_use]
pub fn changed_files<V: Value>(given: &V, has: &V) -> V {
    let mut changes = Vec::new();
    for path in has.keys() {
        let Some(file) = has.get(&path) else { continue };
        if !given.get(&path).is_some_and(|known| known.same(&file) || known.equals(&file)) {
            let file = file.into_owned();
            changes.push((path, file));
        }
    }
    for path in given.keys() {
        if has.get(&path).is_none() {
            changes.push((path, V::null()));
        }
    }
    V::object().with_all(changes)
}
