//! [`serde_json::Value`] as a heap: every value has one owner and changes in place.
//!
//! Two values never share a part, so a clone is a deep copy and [`Value::same`] is equality. To
//! keep a list and read it often, as a [`Thread`](crate::Thread) does, use [`Json`](super::Json).

use std::borrow::Cow;

use serde_json::{Map, Value as Owned};

use super::{Bulk, Found, Join, Kind, Plan, Scalar, Texts, Value, bulk, number, texts};

impl<'a> Found<'a, Owned> for &'a Owned {
    fn of(value: &'a Owned) -> Self {
        value
    }

    fn into_owned(self) -> Owned {
        self.clone()
    }

    fn then(self, find: impl FnOnce(&'a Owned) -> Option<&'a Owned>) -> Option<Self> {
        find(self)
    }
}

impl Value for Owned {
    type Found<'a> = &'a Self;

    fn kind(&self) -> Kind {
        match self {
            Owned::Null => Kind::Null,
            Owned::String(_) => Kind::String,
            Owned::Array(_) => Kind::Array,
            Owned::Object(_) => Kind::Object,
            Owned::Bool(_) | Owned::Number(_) => Kind::Other,
        }
    }

    fn text(&self) -> Option<Cow<'_, str>> {
        self.as_str().map(Cow::Borrowed)
    }

    fn len(&self) -> usize {
        self.as_array().map_or(0, Vec::len)
    }

    fn at(&self, index: usize) -> Option<Self::Found<'_>> {
        self.as_array()?.get(index)
    }

    fn get(&self, key: &str) -> Option<Self::Found<'_>> {
        field(self.as_object()?, key)
    }

    fn keys(&self) -> Vec<String> {
        self.as_object().map_or_else(Vec::new, |map| map.keys().cloned().collect())
    }

    /// Owned values have no identity: this compares all of them.
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Owned::Number(_), Owned::Number(_)) => self.equals(other),
            _ => self == other,
        }
    }

    /// Compares numbers by value, as in JSON Patch: 1 equals 1.0.
    fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Owned::Number(a), Owned::Number(b)) => number::equal(a, b),
            (Owned::Array(a), Owned::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.equals(b))
            }
            (Owned::Object(a), Owned::Object(b)) => {
                a.len() == b.len()
                    && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| a.equals(b)))
            }
            (a, b) => a == b,
        }
    }

    fn null() -> Self {
        Owned::Null
    }

    fn string(text: &str) -> Self {
        Owned::String(text.to_owned())
    }

    fn array(items: impl IntoIterator<Item = Self>) -> Self {
        Owned::Array(items.into_iter().collect())
    }

    fn object() -> Self {
        Owned::Object(Map::new())
    }

    fn parse_json(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    fn with(mut self, key: &str, value: Self) -> Self {
        if let Owned::Object(map) = &mut self {
            map.insert(key.to_owned(), value);
        }
        self
    }

    fn without(mut self, key: &str) -> Self {
        if let Owned::Object(map) = &mut self {
            remove(map, key);
        }
        self
    }

    fn splice(mut self, index: usize, delete: usize, insert: Option<Self>) -> Self {
        if let Owned::Array(items) = &mut self {
            let start = index.min(items.len());
            let end = index.saturating_add(delete).min(items.len());
            items.splice(start..end, insert);
        }
        self
    }
}

impl Bulk for Owned {
    type Symbols = Texts;

    fn take(&mut self, key: &str) -> Option<Self> {
        self.get_mut(key).map(Owned::take)
    }

    fn take_at(&mut self, index: usize) -> Option<Self> {
        self.get_mut(index).map(Owned::take)
    }

    fn scalar(&self) -> Option<Scalar> {
        match self {
            Owned::Bool(it) => Some(Scalar::Bool(*it)),
            Owned::Number(number) => Scalar::of(number),
            _ => None,
        }
    }

    fn concat(mut self, text: &Self) -> Self {
        if let (Owned::String(own), Some(text)) = (&mut self, text.as_str()) {
            own.push_str(text);
        }
        self
    }

    fn join(left: &Self, right: &Self, key: &str) -> Join {
        texts::join(texts_of(left, key), texts_of(right, key))
    }

    fn assemble(left: Self, right: Self, plan: &Plan, _: bool) -> Self {
        Owned::Array(plan.apply(items(left), items(right)))
    }

    fn insert_all(self, places: &[u32], inserted: Self) -> Self {
        Owned::Array(bulk::insert_all(items(self), places, items(inserted)))
    }

    fn overlay(mut self, over: &Self, deletes: bool) -> Self {
        if let (Owned::Object(map), Owned::Object(over)) = (&mut self, over) {
            let goes = |value: &Owned| deletes && value.is_null();
            // Removed one by one, each would move all that follow it.
            if over.values().any(goes) {
                map.retain(|key, _| !over.get(key).is_some_and(goes));
            }
            let writing = over.iter().filter(|(_, value)| !goes(value));
            map.extend(writing.map(|(key, value)| (key.clone(), value.clone())));
        }
        self
    }
}

/// Finds the value under `key`. A message has few fields: scanning them is faster than hashing.
fn field<'a>(map: &'a Map<String, Owned>, key: &str) -> Option<&'a Owned> {
    const FEW: usize = 12;
    if map.len() > FEW {
        return map.get(key);
    }
    map.iter().find(|(name, _)| name.as_str() == key).map(|(_, value)| value)
}

/// Takes the value under `key` out. The others keep their order, whether `serde_json` has its
/// feature `preserve_order` or not.
pub(crate) fn remove(map: &mut Map<String, Owned>, key: &str) -> Option<Owned> {
    let value = map.get_mut(key).map(Owned::take)?;
    map.retain(|name, _| name != key);
    Some(value)
}

/// Returns each item's text under `key`.
fn texts_of<'a>(list: &'a Owned, key: &str) -> impl Iterator<Item = Option<&'a str>> {
    let items = list.as_array().map_or(&[][..], Vec::as_slice);
    items.iter().map(move |item| field(item.as_object()?, key)?.as_str())
}

/// Returns an array's items; none for other kinds.
fn items(list: Owned) -> Vec<Owned> {
    match list {
        Owned::Array(items) => items,
        _ => Vec::new(),
    }
}
