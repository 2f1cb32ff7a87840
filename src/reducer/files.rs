//! `merge_files`: DeepAgents' files, `{ path: FileData }`.

use crate::error::Error;
use crate::value::{Kind, Value};

/// Merges the files of `right` into those of `left`; null deletes a path, if it exists. A null side
/// counts as no files.
///
/// Does not look into a file. A path keeps its place; one deleted and written again comes last.
/// Returns `left` itself when nothing changes.
///
/// # Errors
/// `INVALID_ARGUMENT` when a side is neither an object nor null.
///
/// ```
/// use serde_json::json;
/// use threadfold::merge_files;
///
/// let left = json!({ "/a.md": { "content": "a", "encoding": "utf-8" } });
/// let right = json!({ "/a.md": null, "/b.md": { "content": "b", "encoding": "utf-8" } });
/// let files = merge_files(left, right)?;
/// assert_eq!(files, json!({ "/b.md": { "content": "b", "encoding": "utf-8" } }));
/// # Ok::<(), threadfold::Error>(())
/// ```
pub fn merge_files<V: Value>(left: V, right: V) -> Result<V, Error> {
    let left = object(left, "left")?;
    let right = object(right, "right")?;
    Ok(left.overlay(&right, true))
}

pub(crate) fn object<V: Value>(value: V, what: &str) -> Result<V, Error> {
    match value.kind() {
        Kind::Object => Ok(value),
        Kind::Null => Ok(V::object()),
        _ => Err(Error::value(what, "an object")),
    }
}
