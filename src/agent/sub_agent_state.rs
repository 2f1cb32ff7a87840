//! The part of its parent's state that a sub-agent receives, and the part that it returns.

use crate::value::{Found as _, Value};

/// The fields that are each agent's own, besides private ones.
pub const OWN_FIELDS: [&str; 5] =
    ["messages", "todos", "structuredResponse", "jumpTo", "skillsMetadata"];

/// Returns the files that a sub-agent has changed, by comparing its initial files with its final
/// ones. A deleted file is null, so a merge removes it. So sub-agents that ran side by side undo
/// nothing of one another.
///
/// ```
/// use serde_json::json;
/// use threadfold::unstable::agent::subagents::changed_files;
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::merge_files;

    #[test]
    fn agents_side_by_side_undo_nothing_of_one_another() {
        let given =
            json!({ "/a": { "content": "1" }, "/b": { "content": "2" }, "/c": { "content": "3" } });
        let one = changed_files(
            &given,
            &json!({ "/a": { "content": "one" }, "/b": { "content": "2" }, "/c": { "content": "3" } }),
        );
        let two = changed_files(
            &given,
            &json!({ "/a": { "content": "1" }, "/b": { "content": "2" }, "/d": { "content": "two" } }),
        );
        let both = json!({ "/a": { "content": "one" }, "/b": { "content": "2" }, "/d": { "content": "two" } });
        for [first, second] in [[&one, &two], [&two, &one]] {
            let merged = merge_files(given.clone(), first.clone())
                .and_then(|files| merge_files(files, second.clone()));
            assert_eq!(merged.ok().as_ref(), Some(&both));
        }
    }

    #[test]
    fn nothing_changed_is_no_change() {
        let files = json!({ "/a": 1 });
        assert_eq!(changed_files(&files, &files.clone()), json!({}));
        assert_eq!(changed_files(&json!(null), &files), files);
    }
}
