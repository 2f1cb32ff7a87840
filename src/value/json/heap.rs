//! [`Json`] as a heap: a change copies the one node that changes, if somebody else has it.

use std::borrow::Cow;
use std::mem;
use std::sync::Arc;

use super::super::{Bulk, Found, Join, Kind, Plan, Texts, Value, bulk, texts};
use super::{Json, Map, Node, share};

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
        match self.0 {
            Node::Null => Kind::Null,
            Node::String(_) => Kind::String,
            Node::Array(_) => Kind::Array,
            Node::Object(_) => Kind::Object,
            Node::Bool(_) | Node::Number(_) => Kind::Other,
        }
    }

    fn text(&self) -> Option<Cow<'_, str>> {
        self.as_str().map(Cow::Borrowed)
    }

    fn len(&self) -> usize {
        self.as_array().map_or(0, <[Json]>::len)
    }

    fn at(&self, index: usize) -> Option<Self::Found<'_>> {
        self.as_array()?.get(index)
    }

    fn get(&self, key: &str) -> Option<Self::Found<'_>> {
        self.field(key)
    }

    fn keys(&self) -> Vec<String> {
        self.entries().map(|(key, _)| key.to_owned()).collect()
    }

    fn same(&self, other: &Self) -> bool {
        share::same(self, other)
    }

    fn equals(&self, other: &Self) -> bool {
        share::equal(self, other)
    }

    fn null() -> Self {
        Json::NULL
    }

    fn string(text: &str) -> Self {
        text.into()
    }

    fn array(items: impl IntoIterator<Item = Self>) -> Self {
        items.into_iter().collect()
    }

    fn object() -> Self {
        Json::of_fields(Map::default())
    }

    fn parse_json(text: &str) -> Option<Self> {
        text.parse().ok()
    }

    fn with(mut self, key: &str, value: Self) -> Self {
        if let Some(fields) = self.fields_mut() {
            match fields.get_mut(key) {
                Some(place) => *place = value,
                None => _ = fields.insert(Arc::from(key), value),
            }
        }
        self
    }

    fn without(mut self, key: &str) -> Self {
        if self.field(key).is_some()
            && let Some(fields) = self.fields_mut()
        {
            fields.shift_remove(key);
        }
        self
    }

    fn splice(mut self, index: usize, delete: usize, insert: Option<Self>) -> Self {
        if let Some(items) = self.items_mut() {
            let start = index.min(items.len());
            let end = index.saturating_add(delete).min(items.len());
            items.splice(start..end, insert);
        }
        self
    }
}

impl Bulk for Json {
    fn take(&mut self, key: &str) -> Option<Self> {
        self.field(key)?;
        self.fields_mut()?.get_mut(key).map(mem::take)
    }

    fn take_at(&mut self, index: usize) -> Option<Self> {
        self.as_array()?.get(index)?;
        self.items_mut()?.get_mut(index).map(mem::take)
    }

    fn concat(mut self, text: &Self) -> Self {
        if let (Node::String(own), Some(text)) = (&mut self.0, text.as_str()) {
            match Arc::get_mut(own) {
                Some(own) => own.push_str(text),
                None => *own = Arc::new([own, text].concat()),
            }
        }
        self
    }

    fn join(left: &Self, right: &Self, key: &str) -> Join {
        texts::join(left.texts(key), right.texts(key))
    }

    fn assemble(left: Self, right: Self, plan: &Plan, _: bool) -> Self {
        let more = if plan.cleared { 0 } else { plan.appended.len() };
        Json::of_items(plan.apply(left.into_items(more), right.into_items(0)))
    }

    fn insert_all(self, places: &[u32], items: Self) -> Self {
        Json::of_items(bulk::insert_all(self.into_items(0), places, items.into_items(0)))
    }

    fn overlay(mut self, over: &Self, deletes: bool) -> Self {
        let (Some(own), Some(over)) = (self.fields(), over.fields()) else { return self };
        let goes = |value: &Json| deletes && matches!(value.0, Node::Null);
        let changes = over.iter().any(|(key, value)| match own.get(key) {
            Some(known) => goes(value) || !share::same(known, value),
            None => !goes(value),
        });
        if !changes {
            return self;
        }
        let (deleting, writing): (Vec<_>, Vec<_>) = over.iter().partition(|(_, value)| goes(value));
        if let Some(fields) = self.fields_mut() {
            if !deleting.is_empty() {
                fields.retain(|key, _| !over.get(key).is_some_and(goes));
            }
            fields.extend(writing.into_iter().map(|(key, value)| (key.clone(), value.clone())));
        }
        self
    }

    fn reuse(self, known: &Self) -> Self {
        share::reuse(&self, known, 0)
    }
}

impl Json {
    /// An object's values, to be changed: this one's alone.
    fn fields_mut(&mut self) -> Option<&mut Map> {
        match &mut self.0 {
            Node::Object(fields) => Some(&mut Arc::make_mut(fields).0),
            _ => None,
        }
    }

    /// A list's items, to be changed: this one's alone.
    fn items_mut(&mut self) -> Option<&mut Vec<Json>> {
        match &mut self.0 {
            Node::Array(items) => Some(&mut Arc::make_mut(items).0),
            _ => None,
        }
    }

    /// A list's items, with room for some more; none of another kind.
    fn into_items(self, more: usize) -> Vec<Json> {
        let Node::Array(mut items) = self.0 else { return Vec::new() };
        if let Some(own) = Arc::get_mut(&mut items) {
            return mem::take(&mut own.0);
        }
        let mut copy = Vec::with_capacity(items.0.len() + more);
        copy.extend_from_slice(&items.0);
        copy
    }

    /// Each item's text under `key`.
    fn texts(&self, key: &str) -> impl Iterator<Item = Option<&str>> {
        let items = self.as_array().unwrap_or_default();
        items.iter().map(move |item| item.field(key)?.as_str())
    }
}
