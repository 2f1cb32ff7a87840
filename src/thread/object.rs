//! Objects of any heap: made with a value that may be missing, and compared.

use crate::value::Value;

/// Adds a value, if there is one.
pub(super) fn with<V: Value>(record: V, name: &str, value: Option<&V>) -> V {
    match value {
        Some(value) => record.with(name, value.clone()),
        None => record,
    }
}

/// Whether two objects have the same values.
pub(super) fn have_same<V: Value>(left: &V, right: &V) -> bool {
    if left.same(right) {
        return true;
    }
    let keys = left.keys();
    let same = |key: &String| match (left.get(key), right.get(key)) {
        (Some(left), Some(right)) => left.same(&right),
        _ => false,
    };
    keys.len() == right.keys().len() && keys.iter().all(same)
}
