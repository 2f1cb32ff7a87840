//! [`serde_json::Value`] as a heap: every value has one owner and changes in place.
//!
//! Two values never share a part, so a clone is a deep copy and [`Value::same`] is equality. To
//! keep a list and read it often, as a [`Thread`](crate::Thread) does, use [`Json`](super::Json).

use std::borrow::Cow;

use serde_json::{Map, Value as Json};

use super::{Bulk, Found, Join, Kind, Plan, Scalar, Texts, Value, bulk, number, texts};

impl<'a> Found<'a, Json> for &'a Json {
    fn of(value: &'a Json) -> Self {
        value
    }

    fn into_owned(self) -> Json {
        self.clone()
    }

    fn then(self, find: impl FnOnce(&'a Json) -> Option<&'a Json>) -> Option<Self> {
        find(self)
    }
}

impl Value for Json {
    type Found<'a> = &'a Self;

    fn kind(&self) -> Kind {
        match self {
            Json::Null => Kind::Null,
            Json::String(_) => Kind::String,
            Json::Array(_) => Kind::Array,
            Json::Object(_) => Kind::Object,
            Json::Bool(_) | Json::Number(_) => Kind::Other,
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
            (Json::Number(_), Json::Number(_)) => self.equals(other),
            _ => self == other,
        }
    }

    /// Compares numbers by value, as in JSON Patch: 1 equals 1.0.
    fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Json::Number(a), Json::Number(b)) => number::equal(a, b),
            (Json::Array(a), Json::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.equals(b))
            }
            (Json::Object(a), Json::Object(b)) => {
                a.len() == b.len()
                    && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| a.equals(b)))
            }
            (a, b) => a == b,
        }
    }

    fn null() -> Self {
        Json::Null
    }

    fn string(text: &str) -> Self {
        Json::String(text.to_owned())
    }

    fn array(items: impl IntoIterator<Item = Self>) -> Self {
        Json::Array(items.into_iter().collect())
    }

    fn object() -> Self {
        Json::Object(Map::new())
    }

    fn parse_json(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    fn with(mut self, key: &str, value: Self) -> Self {
        if let Json::Object(map) = &mut self {
            map.insert(key.to_owned(), value);
        }
        self
    }

    fn without(mut self, key: &str) -> Self {
        if let Json::Object(map) = &mut self {
            remove(map, key);
        }
        self
    }

    fn splice(mut self, index: usize, delete: usize, insert: Option<Self>) -> Self {
        if let Json::Array(items) = &mut self {
            let start = index.min(items.len());
            let end = index.saturating_add(delete).min(items.len());
            items.splice(start..end, insert);
        }
        self
    }
}

impl Bulk for Json {
    type Symbols = Texts;

    fn take(&mut self, key: &str) -> Option<Self> {
        self.get_mut(key).map(Json::take)
    }

    fn take_at(&mut self, index: usize) -> Option<Self> {
        self.get_mut(index).map(Json::take)
    }

    fn scalar(&self) -> Option<Scalar> {
        match self {
            Json::Bool(it) => Some(Scalar::Bool(*it)),
            Json::Number(number) => Scalar::of(number),
            _ => None,
        }
    }

    fn concat(mut self, text: &Self) -> Self {
        if let (Json::String(own), Some(text)) = (&mut self, text.as_str()) {
            own.push_str(text);
        }
        self
    }

    fn join(left: &Self, right: &Self, key: &str) -> Join {
        texts::join(texts_of(left, key), texts_of(right, key))
    }

    fn assemble(left: Self, right: Self, plan: &Plan, _: bool) -> Self {
        Json::Array(plan.apply(items(left), items(right)))
    }

    fn insert_all(self, places: &[u32], inserted: Self) -> Self {
        Json::Array(bulk::insert_all(items(self), places, items(inserted)))
    }

    fn overlay(mut self, over: &Self, deletes: bool) -> Self {
        if let (Json::Object(map), Json::Object(over)) = (&mut self, over) {
            let goes = |value: &Json| deletes && value.is_null();
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
fn field<'a>(map: &'a Map<String, Json>, key: &str) -> Option<&'a Json> {
    const FEW: usize = 12;
    if map.len() > FEW {
        return map.get(key);
    }
    map.iter().find(|(name, _)| name.as_str() == key).map(|(_, value)| value)
}

/// Takes the value under `key` out. The others keep their order, whether `serde_json` has its
/// feature `preserve_order` or not.
pub(crate) fn remove(map: &mut Map<String, Json>, key: &str) -> Option<Json> {
    let value = map.get_mut(key).map(Json::take)?;
    map.retain(|name, _| name != key);
    Some(value)
}

/// Returns each item's text under `key`.
fn texts_of<'a>(list: &'a Json, key: &str) -> impl Iterator<Item = Option<&'a str>> {
    let items = list.as_array().map_or(&[][..], Vec::as_slice);
    items.iter().map(move |item| field(item.as_object()?, key)?.as_str())
}

/// Returns an array's items; none for other kinds.
fn items(list: Json) -> Vec<Json> {
    match list {
        Json::Array(items) => items,
        _ => Vec::new(),
    }
}
