//! The difference between two values, as a JSON Patch.

use crate::digits::digits;
use crate::value::{Found, Kind, Value};

/// Returns a JSON Patch (RFC 6902) that turns `left` into `right`: empty if they are equal.
///
/// ```
/// use serde_json::json;
/// use threadfold::diff;
///
/// let patch = diff(&json!({ "a": 1, "b": [1, 2] }), &json!({ "a": 1, "b": [1, 3] }));
/// assert_eq!(patch, json!([{ "op": "replace", "path": "/b/1", "value": 3 }]));
/// ```
pub fn diff<V: Value>(left: &V, right: &V) -> V {
    let mut found = Difference { path: String::new(), operations: Vec::new(), left: MOST };
    found.compare(left, right);
    V::array(found.operations)
}

/// How deep two values are compared.
const DEEPEST: usize = 100;

/// How many values are compared one by one: a value shared often would be compared as often.
const MOST: usize = 100_000;

/// Escapes a key as a token of a JSON Pointer.
pub(crate) fn token(key: &str) -> String {
    let mut token = String::new();
    for char in key.chars() {
        match char {
            '~' => token.push_str("~0"),
            '/' => token.push_str("~1"),
            other => token.push(other),
        }
    }
    token
}

/// Makes one operation of a JSON Patch.
pub(crate) fn operation<V: Value>(op: &str, path: &str, value: Option<V>) -> V {
    let operation = V::object().with("op", V::string(op)).with("path", V::string(path));
    match value {
        // In JSON an item that is `undefined` is null, an operation's value nothing.
        Some(value) if value.is_null() => operation.with("value", V::null()),
        Some(value) => operation.with("value", value),
        None => operation,
    }
}

struct Difference<V> {
    path: String,
    operations: Vec<V>,
    left: usize,
}

impl<V: Value> Difference<V> {
    fn compare(&mut self, left: &V, right: &V) {
        if left.same(right) || left.equals(right) {
            return;
        }
        // Stack and time are limited: a difference that deep, or that late, is replaced whole.
        self.left = self.left.saturating_sub(1);
        let shallow =
            self.left > 0 && self.path.bytes().filter(|byte| *byte == b'/').count() < DEEPEST;
        match (left.kind(), right.kind()) {
            _ if !shallow => self.push("replace", Some(right.clone())),
            // An instance has another form in JSON.
            (Kind::Object, Kind::Object)
                if left.instance_kind().is_none() && right.instance_kind().is_none() =>
            {
                self.compare_objects(left, right);
            }
            (Kind::Array, Kind::Array) => self.compare_arrays(left, right),
            _ => self.push("replace", Some(right.clone())),
        }
    }

    fn compare_objects(&mut self, left: &V, right: &V) {
        for key in left.keys() {
            self.compare_at(&token(&key), left.get(&key), right.get(&key));
        }
        for key in right.keys() {
            if left.get(&key).is_none() {
                self.compare_at(&token(&key), None, right.get(&key));
            }
        }
    }

    /// Keeps equal items at the start and end of two lists; compares the items between one by one,
    /// and adds or removes the rest.
    fn compare_arrays(&mut self, left: &V, right: &V) {
        let (old, new) = (left.len(), right.len());
        let equal = |a: usize, b: usize| match (left.at(a), right.at(b)) {
            (Some(a), Some(b)) => a.equals(&b),
            _ => false,
        };
        let start = (0..old.min(new)).take_while(|at| equal(*at, *at)).count();
        let most = old.min(new) - start;
        let end = (1..=most).take_while(|back| equal(old - back, new - back)).count();
        let (old, new) = (old - end, new - end);
        for at in start..old.min(new) {
            self.compare_at(&digits(at), left.at(at), right.at(at));
        }
        // Each removal moves the rest to its place.
        for at in new..old {
            self.compare_at(&digits(new), left.at(at), None);
        }
        for at in old..new {
            self.compare_at(&digits(at), None, right.at(at));
        }
    }

    /// Compares the values of a token.
    fn compare_at(&mut self, token: &str, left: Option<V::Found<'_>>, right: Option<V::Found<'_>>) {
        let outer = self.path.len();
        self.path.push('/');
        self.path.push_str(token);
        match (left, right) {
            (Some(left), Some(right)) => self.compare(&left, &right),
            (None, right) => self.push("add", right.map(Found::into_owned)),
            (Some(_), None) => self.push("remove", None),
        }
        self.path.truncate(outer);
    }

    fn push(&mut self, op: &str, value: Option<V>) {
        self.operations.push(operation(op, &self.path, value));
    }
}
