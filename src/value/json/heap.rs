//! [`Json`] as a heap: a change copies the one node that changes, if that is shared.

use std::borrow::Cow;
use std::mem;
use std::sync::Arc;

use super::super::{Bulk, Found, Join, Kind, Plan, Scalar, Texts, Value, bulk, texts};
use super::share::{self, Deeper};
use super::{Items, Json, Map, Node};

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
        self.list().map_or(0, Items::len)
    }

    fn at(&self, index: usize) -> Option<Self::Found<'_>> {
        self.list()?.get(index)
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
        let Some(items) = self.items_mut() else { return self };
        match (insert, items.get_mut(index)) {
            (Some(item), Some(place)) if delete == 1 => *place = item,
            (insert, _) => {
                let behind = items.split_off(index);
                items.extend(insert);
                items.extend(behind.into_iter().skip(delete));
            }
        }
        self
    }

    fn items(&self) -> impl Iterator<Item = Self::Found<'_>> {
        self.iter()
    }
}

impl Bulk for Json {
    type Symbols = Texts;

    fn take(&mut self, key: &str) -> Option<Self> {
        self.field(key)?;
        self.fields_mut()?.get_mut(key).map(mem::take)
    }

    fn take_at(&mut self, index: usize) -> Option<Self> {
        self.list()?.get(index)?;
        self.items_mut()?.get_mut(index).map(mem::take)
    }

    fn scalar(&self) -> Option<Scalar> {
        match &self.0 {
            Node::Bool(it) => Some(Scalar::Bool(*it)),
            Node::Number(number) => Scalar::of(number),
            _ => None,
        }
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
        let Plan { cleared, replaced, removed, appended } = plan;
        let kept = !cleared && left.kind() == Kind::Array;
        let mut list = if kept { left } else { Json::array([]) };
        let Some(items) = list.items_mut() else { return list };
        let incoming = |from: &u32| right.list()?.get(*from as usize).cloned();
        for [position, from] in replaced {
            if let (Some(place), Some(item)) = (items.get_mut(*position as usize), incoming(from)) {
                *place = item;
            }
        }
        if let Some(first) = removed.first() {
            let behind = (*first..).zip(items.split_off(*first as usize));
            let mut removed = removed.iter().copied().peekable();
            let stays = behind.filter(|(position, _)| removed.next_if_eq(position).is_none());
            items.extend(stays.map(|(_, item)| item));
        }
        items.extend(appended.iter().filter_map(incoming));
        list
    }

    fn insert_all(mut self, places: &[u32], inserted: Self) -> Self {
        if let (Some(items), Some(first)) = (self.items_mut(), places.first()) {
            let behind = items.split_off(*first as usize);
            let places: Vec<u32> =
                places.iter().map(|place| place.saturating_sub(*first)).collect();
            items.extend(bulk::insert_all(behind, &places, inserted.iter().cloned().collect()));
        }
        self
    }

    fn same_items(&self, other: &Self) -> bool {
        let (Some(own), Some(other)) = (self.list(), other.list()) else { return false };
        own.len() == other.len() && own.beside(other).all(|(own, it)| share::same(own, it))
    }

    fn same_prefix(&self, other: &Self) -> usize {
        let lists = self.list().zip(other.list());
        lists.map_or(0, |(own, other)| own.same_prefix(other, share::same))
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
        share::reuse(&self, known, Deeper::Whole)
    }

    fn reuse_patched(self, known: &Self) -> Self {
        share::reuse(&self, known, Deeper::Never)
    }
}

impl Json {
    /// Returns an object's values to change, copied if shared.
    fn fields_mut(&mut self) -> Option<&mut Map> {
        match &mut self.0 {
            Node::Object(fields) => Some(&mut Arc::make_mut(fields).0),
            _ => None,
        }
    }

    /// Returns a list's items to change, copied if shared.
    fn items_mut(&mut self) -> Option<&mut Items> {
        match &mut self.0 {
            Node::Array(items) => Some(Arc::make_mut(items)),
            _ => None,
        }
    }

    /// Returns each item's text under `key`.
    fn texts(&self, key: &str) -> impl Iterator<Item = Option<&str>> {
        self.iter().map(move |item| item.field(key)?.as_str())
    }
}
