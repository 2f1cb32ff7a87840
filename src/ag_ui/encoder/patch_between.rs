//! The patches of a state's deltas.

use crate::diff::{operation, token};
use crate::value::{Json, Kind, Value};

/// Returns the JSON Patch from one value to another. A list that only grew is patched at its end.
pub fn patch_between(before: &Json, after: &Json) -> Vec<Json> {
    let mut operations = Vec::new();
    between(before, after, &mut String::new(), &mut operations);
    operations
}

fn between(before: &Json, after: &Json, path: &mut String, operations: &mut Vec<Json>) {
    if before.same(after) {
        return;
    }
    let length = path.len();
    match (before.kind(), after.kind()) {
        (Kind::Array, Kind::Array) if after.len() >= before.len() => {
            for (at, (old, new)) in before.iter().zip(after.iter()).enumerate() {
                step(path, &at.to_string());
                between(old, new, path, operations);
                path.truncate(length);
            }
            for new in after.iter().skip(before.len()) {
                operations.push(operation("add", &format!("{path}/-"), Some(new.clone())));
            }
        }
        (Kind::Object, Kind::Object) => {
            for (key, _) in before.entries().filter(|(key, _)| after.get(key).is_none()) {
                operations.push(operation("remove", &format!("{path}/{}", token(key)), None));
            }
            for (key, new) in after.entries() {
                step(path, &token(key));
                match before.get(key) {
                    Some(old) => between(old, new, path, operations),
                    None => operations.push(operation("add", path, Some(new.clone()))),
                }
                path.truncate(length);
            }
        }
        _ if before == after => {}
        _ => operations.push(operation("replace", path, Some(after.clone()))),
    }
}

fn step(path: &mut String, token: &str) {
    path.push('/');
    path.push_str(token);
}
