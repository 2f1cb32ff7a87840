//! The native heap: [`serde_json::Value`], owned and changed in place.

use std::borrow::Cow;
use std::collections::HashMap;

use foldhash::fast::RandomState;
use serde_json::{Map, Value as Json};

use super::{Found, Join, Kind, Names, Owned, Plan, Symbols, Value};
use crate::message;

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
    type Symbols = Texts;

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

    fn same(&self, other: &Self) -> bool {
        self == other
    }

    /// Numbers are equal by value, as in JSON Patch: 1 equals 1.0.
    fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Json::Number(a), Json::Number(b)) => a == b || a.as_f64() == b.as_f64(),
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
            map.shift_remove(key);
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

    fn take(&mut self, key: &str) -> Option<Self> {
        self.get_mut(key).map(Json::take)
    }

    fn take_at(&mut self, index: usize) -> Option<Self> {
        self.get_mut(index).map(Json::take)
    }

    fn odd_messages(&self) -> Vec<u32> {
        let items = self.as_array().map_or(&[][..], Vec::as_slice);
        positions(items.iter().map(|item| !message::is_plain(item)))
    }

    fn join(left: &Self, right: &Self, key: &str) -> Join {
        let mut names = Names::default();
        let mut joined = Join::default();
        for item in right.as_array().into_iter().flatten() {
            joined.right.push(text(item, key).map_or(Join::NONE, |text| names.add(text)));
        }
        if names.is_empty() {
            return joined;
        }
        for (position, item) in (0..).zip(left.as_array().into_iter().flatten()) {
            let number = text(item, key).and_then(|text| names.number(text));
            joined.left.extend(number.map(|number| [position, number]));
        }
        joined
    }

    fn assemble(left: Self, right: Self, plan: &Plan, _: bool) -> Self {
        Json::Array(plan.apply(items(left), items(right)))
    }

    fn overlay(mut self, over: &Self, deletes: bool) -> Self {
        if let (Json::Object(map), Json::Object(over)) = (&mut self, over) {
            for (key, value) in over {
                if value.is_null() && deletes {
                    map.shift_remove(key);
                } else {
                    map.insert(key.clone(), value.clone());
                }
            }
        }
        self
    }

    fn append_text(mut self, index: u32, text: &Self, _: Owned) -> Result<Self, Self> {
        let message = self.get_mut(index as usize).and_then(Json::as_object_mut);
        let (Some(message), Some(text)) = (message, text.as_str()) else { return Err(self) };
        match message.entry("content").or_insert(Json::Null) {
            Json::String(content) => content.push_str(text),
            content @ Json::Null => *content = Json::String(text.to_owned()),
            Json::Array(blocks) => match blocks.last_mut().and_then(text_of_block) {
                Some(block) => block.push_str(text),
                None => blocks.push(serde_json::json!({ "type": "text", "text": text })),
            },
            _ => return Err(self),
        }
        Ok(self)
    }
}

/// The text of a content block of text.
fn text_of_block(block: &mut Json) -> Option<&mut String> {
    if block.get("type").and_then(Json::as_str) != Some("text") {
        return None;
    }
    match block.get_mut("text") {
        Some(Json::String(text)) => Some(text),
        _ => None,
    }
}

/// Numbers for texts.
#[derive(Debug, Clone, Default)]
pub struct Texts {
    numbers: HashMap<String, u32, RandomState>,
}

impl Symbols<Json> for Texts {
    fn numbers(&mut self, list: &Json, key: &str) -> Vec<u32> {
        let texts = list.as_array().into_iter().flatten().map(|item| item.get(key)?.as_str());
        let numbers = texts.map(|text| {
            let text = text?;
            let next = u32::try_from(self.numbers.len()).ok()?;
            match self.numbers.get(text) {
                Some(number) => Some(*number),
                None => Some(*self.numbers.entry(text.to_owned()).or_insert(next)),
            }
        });
        numbers.map(|number| number.unwrap_or(Join::NONE)).collect()
    }

    fn find(&self, text: &Json) -> Option<u32> {
        self.numbers.get(text.as_str()?).copied()
    }

    fn intern(&mut self, text: &Json) -> Option<u32> {
        let text = text.as_str()?;
        if let Some(number) = self.numbers.get(text) {
            return Some(*number);
        }
        let next = u32::try_from(self.numbers.len()).ok()?;
        self.numbers.insert(text.to_owned(), next);
        Some(next)
    }

    fn count(&self) -> usize {
        self.numbers.len()
    }
}

/// The value under `key`. A message has few fields: to look through them is quicker than to hash.
fn field<'a>(map: &'a Map<String, Json>, key: &str) -> Option<&'a Json> {
    const FEW: usize = 12;
    if map.len() > FEW {
        return map.get(key);
    }
    map.iter().find(|(name, _)| name.as_str() == key).map(|(_, value)| value)
}

/// An object's text under `key`.
fn text<'a>(item: &'a Json, key: &str) -> Option<&'a str> {
    field(item.as_object()?, key)?.as_str()
}

/// The positions of what is true.
fn positions(flags: impl Iterator<Item = bool>) -> Vec<u32> {
    (0..).zip(flags).filter_map(|(position, flag)| flag.then_some(position)).collect()
}

/// An array's items; none of another kind.
fn items(list: Json) -> Vec<Json> {
    match list {
        Json::Array(items) => items,
        _ => Vec::new(),
    }
}
