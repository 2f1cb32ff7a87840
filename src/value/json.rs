//! The native heap: [`serde_json::Value`], owned and changed in place.

use std::borrow::Cow;
use std::collections::HashMap;

use foldhash::fast::RandomState;
use serde_json::{Map, Value as Json};

use super::{Join, Kind, Plan, Value};
use crate::message;

impl Value for Json {
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

    fn at(&self, index: usize) -> Option<Cow<'_, Self>> {
        self.as_array()?.get(index).map(Cow::Borrowed)
    }

    fn get(&self, key: &str) -> Option<Cow<'_, Self>> {
        self.as_object()?.get(key).map(Cow::Borrowed)
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

    fn array(items: Vec<Self>) -> Self {
        Json::Array(items)
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
        let mut numbers: HashMap<&str, u32, RandomState> = HashMap::default();
        let mut joined = Join::default();
        for item in right.as_array().into_iter().flatten() {
            let next = u32::try_from(numbers.len()).unwrap_or(Join::NONE);
            joined.right.push(match item.get(key).and_then(Json::as_str) {
                Some(text) => *numbers.entry(text).or_insert(next),
                None => Join::NONE,
            });
        }
        if numbers.is_empty() {
            return joined;
        }
        for (position, item) in (0..).zip(left.as_array().into_iter().flatten()) {
            let text = item.get(key).and_then(Json::as_str);
            if let Some(number) = text.and_then(|text| numbers.get(text)) {
                joined.left.push((position, *number));
            }
        }
        joined
    }

    fn assemble(left: Self, mut right: Self, plan: &Plan) -> Self {
        let mut items = match left {
            Json::Array(items) if !plan.cleared => items,
            _ => Vec::new(),
        };
        let mut incoming = |position: u32| right.take_at(position as usize).unwrap_or_default();
        for (position, from) in &plan.replaced {
            if let Some(item) = items.get_mut(*position as usize) {
                *item = incoming(*from);
            }
        }
        if !plan.removed.is_empty() {
            let mut removed = plan.removed.iter().copied().peekable();
            let mut position = 0;
            items.retain(|_| {
                let goes = removed.next_if_eq(&position).is_some();
                position += 1;
                !goes
            });
        }
        items.extend(plan.appended.iter().copied().map(incoming));
        Json::Array(items)
    }
}

/// The positions of what is true.
fn positions(flags: impl Iterator<Item = bool>) -> Vec<u32> {
    (0..).zip(flags).filter_map(|(position, flag)| flag.then_some(position)).collect()
}
