//! JSON Patch (RFC 6902) over [`Value`].

use crate::digits::{digits, index_of};
use crate::error::{Error, forms};
use crate::value::{Found, Kind, Value};

/// Applies a JSON Patch to a document: all of its operations, or none.
///
/// `operations` is a list of `{ op, path, value?, from? }` with `op` one of `add`, `remove`,
/// `replace`, `move`, `copy` and `test`, and paths that are JSON Pointers (RFC 6901). Values that
/// no operation's path leads through are the same in the result as in the document. Reaches only an
/// object's own values, and refuses `__proto__`.
///
/// # Errors
/// `INVALID_PATCH` for an invalid patch, `PATCH_FAILED` where a path does not
/// exist, `PATCH_FAILED`, `FORBIDDEN_KEY`.
///
/// ```
/// use serde_json::json;
/// use threadfold::apply_patch;
///
/// let state = json!({ "steps": [{ "done": false }] });
/// let patch = json!([{ "op": "replace", "path": "/steps/0/done", "value": true }]);
/// assert_eq!(apply_patch(&state, &patch)?, json!({ "steps": [{ "done": true }] }));
/// # Ok::<(), threadfold::Error>(())
/// ```
pub fn apply_patch<V: Value>(document: &V, operations: &V) -> Result<V, Error> {
    apply(document, operations, Some("__proto__"))
}

/// Applies a patch that [`crate::diff()`] made, whose paths may go through any own value.
pub(crate) fn apply_own_patch<V: Value>(document: &V, operations: &V) -> Result<V, Error> {
    apply(document, operations, None)
}

fn apply<V: Value>(document: &V, operations: &V, refused: Option<&str>) -> Result<V, Error> {
    if operations.kind() != Kind::Array {
        return Err(Error::value("operations", "a list of JSON Patch operations"));
    }
    let mut patched = document.clone();
    for (index, operation) in operations.items().enumerate() {
        patched = Operation { index, said: &*operation, refused }.apply(patched)?;
    }
    Ok(patched)
}

struct Operation<'a, V> {
    index: usize,
    said: &'a V,
    /// The key that no path may go through.
    refused: Option<&'a str>,
}

/// The change at a path's end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Deed {
    Add,
    Remove,
    Replace,
}

impl<V: Value> Operation<'_, V> {
    fn apply(&self, document: V) -> Result<V, Error> {
        if self.said.kind() != Kind::Object {
            return Err(self.invalid("it is not an object"));
        }
        let op = self.said.text_of("op").ok_or_else(|| self.invalid("it has no op"))?;
        let path = self.pointer("path")?;
        match op.as_str() {
            "add" => self.edit(document, &path, Deed::Add, self.value()?),
            "remove" => self.edit(document, &path, Deed::Remove, V::null()),
            "replace" => self.edit(document, &path, Deed::Replace, self.value()?),
            "move" => self.relocate(document, &path),
            "copy" => {
                let from = self.pointer("from")?;
                let value = self.find(&document, &from)?.into_owned().shared();
                self.edit(document, &path, Deed::Add, value)
            }
            "test" => {
                let value = self.value()?;
                if self.find(&document, &path)?.equals(&value) {
                    return Ok(document);
                }
                Err(self.error(forms::TEST_FAILED, &path.text))
            }
            other => Err(self.invalid(&["'", other, "' is not an operation"].concat())),
        }
    }

    fn relocate(&self, document: V, path: &Pointer) -> Result<V, Error> {
        let from = self.pointer("from")?;
        if path.tokens.len() > from.tokens.len() && path.tokens.starts_with(&from.tokens) {
            return Err(self.invalid("a value cannot move into itself"));
        }
        if path.tokens == from.tokens {
            self.find(&document, &from)?;
            return Ok(document);
        }
        let value = self.find(&document, &from)?.into_owned();
        let document = self.edit(document, &from, Deed::Remove, V::null())?;
        self.edit(document, path, Deed::Add, value)
    }

    /// Returns the value at a path.
    fn find<'v>(&self, document: &'v V, path: &Pointer) -> Result<V::Found<'v>, Error> {
        let mut found = V::Found::of(document);
        for token in &path.tokens {
            found = found.then(|node| child(node, token)).ok_or_else(|| self.missing(path))?;
        }
        Ok(found)
    }

    /// Changes the value at the path; at the root, replaces the document.
    fn edit(&self, document: V, path: &Pointer, deed: Deed, value: V) -> Result<V, Error> {
        let Some((last, parents)) = path.tokens.split_last() else { return Ok(value) };
        // A loop with its own stack: a path may be deeper than the machine's stack.
        let mut above = Vec::with_capacity(parents.len());
        let mut node = document;
        for token in parents {
            let inner = match node.kind() {
                Kind::Array => index_of(token).and_then(|at| node.take_at(at)),
                _ => node.take(token),
            };
            let inner = inner.ok_or_else(|| self.missing(path))?;
            above.push((node, token));
            node = inner;
        }
        let mut changed = changed(node, last, deed, value).ok_or_else(|| self.missing(path))?;
        while let Some((outer, token)) = above.pop() {
            changed = put(outer, token, changed);
        }
        Ok(changed)
    }

    fn value(&self) -> Result<V, Error> {
        let value = self.said.get("value");
        value.map(Found::into_owned).ok_or_else(|| self.invalid("it has no value"))
    }

    fn pointer(&self, key: &str) -> Result<Pointer, Error> {
        let pointer = self.said.text_of(key).and_then(Pointer::parse);
        let pointer = pointer
            .ok_or_else(|| self.invalid(&["its ", key, " is not a JSON Pointer"].concat()))?;
        match self.refused.filter(|key| pointer.tokens.iter().any(|token| token == key)) {
            Some(key) => Err(Error::new(forms::FORBIDDEN_KEY, &[key])),
            None => Ok(pointer),
        }
    }

    fn invalid(&self, reason: &str) -> Error {
        self.error(forms::PATCH, reason)
    }

    fn missing(&self, path: &Pointer) -> Error {
        self.error(forms::PATH_MISSING, &path.text)
    }

    fn error(&self, form: &'static str, part: &str) -> Error {
        Error::new(form, &[&digits(self.index), part])
    }
}

/// A JSON Pointer: its text, and its tokens unescaped.
struct Pointer {
    text: String,
    tokens: Vec<String>,
}

impl Pointer {
    fn parse(text: String) -> Option<Self> {
        let mut tokens = Vec::new();
        let mut chars = text.chars();
        if chars.next().is_some_and(|first| first != '/') {
            return None;
        }
        if !text.is_empty() {
            let mut token = String::new();
            while let Some(char) = chars.next() {
                match char {
                    '/' => tokens.push(std::mem::take(&mut token)),
                    '~' => token.push(unescaped(chars.next()?)?),
                    other => token.push(other),
                }
            }
            tokens.push(token);
        }
        Some(Self { text, tokens })
    }
}

/// Returns the first name in a JSON Pointer; `None` for the whole document.
pub(crate) fn first_name(pointer: String) -> Option<String> {
    Pointer::parse(pointer)?.tokens.into_iter().next()
}

/// Decodes the tilde before this: `~1` is a slash and `~0` a tilde, anything else is an error.
fn unescaped(code: char) -> Option<char> {
    match code {
        '0' => Some('~'),
        '1' => Some('/'),
        _ => None,
    }
}

fn child<'v, V: Value>(node: &'v V, token: &str) -> Option<V::Found<'v>> {
    match node.kind() {
        Kind::Array => node.at(index_of(token)?),
        Kind::Object => node.get(token),
        _ => None,
    }
}

/// Changes the place that a token names in an object or list, if it exists.
fn changed<V: Value>(node: V, token: &str, deed: Deed, value: V) -> Option<V> {
    if deed != Deed::Add {
        child(&node, token)?;
    }
    Some(match (node.kind(), deed) {
        (Kind::Array, Deed::Add) => {
            let at = if token == "-" { node.len() } else { index_of(token)? };
            if at > node.len() {
                return None;
            }
            node.splice(at, 0, Some(value))
        }
        (Kind::Array, Deed::Remove) => node.splice(index_of(token)?, 1, None),
        (Kind::Object, Deed::Remove) => node.without(token),
        (Kind::Array | Kind::Object, _) => put(node, token, value),
        _ => return None,
    })
}

/// Replaces the value that a token names in an object or list.
fn put<V: Value>(node: V, token: &str, value: V) -> V {
    match (node.kind(), index_of(token)) {
        (Kind::Array, Some(at)) => node.splice(at, 1, Some(value)),
        _ => node.with(token, value),
    }
}
