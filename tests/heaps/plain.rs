//! A heap with only the required methods: tests the defaults of [`Bulk`].

use std::borrow::Cow;

use serde_json::Value as Owned;
use threadfold::Value;
use threadfold::unstable::{Bulk, Texts};
use threadfold::value::{Found, Kind};

/// JSON as a tree of its own.
#[derive(Debug, Clone)]
pub enum Plain {
    Leaf(Owned),
    List(Vec<Plain>),
    Fields(Vec<(String, Plain)>),
}

impl Bulk for Plain {
    type Symbols = Texts;
}

impl<'a> Found<'a, Plain> for &'a Plain {
    fn of(value: &'a Plain) -> Self {
        value
    }

    fn into_owned(self) -> Plain {
        self.clone()
    }

    fn then(self, find: impl FnOnce(&'a Plain) -> Option<&'a Plain>) -> Option<Self> {
        find(self)
    }
}

impl Value for Plain {
    type Found<'a> = &'a Self;

    fn kind(&self) -> Kind {
        match self {
            Plain::Leaf(Owned::Null) => Kind::Null,
            Plain::Leaf(Owned::String(_)) => Kind::String,
            Plain::Leaf(_) => Kind::Other,
            Plain::List(_) => Kind::Array,
            Plain::Fields(_) => Kind::Object,
        }
    }

    fn text(&self) -> Option<Cow<'_, str>> {
        match self {
            Plain::Leaf(Owned::String(text)) => Some(text.as_str().into()),
            _ => None,
        }
    }

    fn len(&self) -> usize {
        if let Plain::List(items) = self { items.len() } else { 0 }
    }

    fn at(&self, index: usize) -> Option<&Self> {
        if let Plain::List(items) = self { items.get(index) } else { None }
    }

    fn get(&self, key: &str) -> Option<&Self> {
        let Plain::Fields(fields) = self else { return None };
        fields.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    fn keys(&self) -> Vec<String> {
        let Plain::Fields(fields) = self else { return Vec::new() };
        fields.iter().map(|(key, _)| key.clone()).collect()
    }

    fn same(&self, other: &Self) -> bool {
        let text = |value: &Self| Owned::from(value).to_string();
        text(self) == text(other) || (self.kind() == Kind::Other && self.equals(other))
    }

    fn equals(&self, other: &Self) -> bool {
        Owned::from(self).equals(&Owned::from(other))
    }

    fn null() -> Self {
        Plain::Leaf(Owned::Null)
    }

    fn string(text: &str) -> Self {
        Plain::Leaf(text.into())
    }

    fn array(items: impl IntoIterator<Item = Self>) -> Self {
        Plain::List(items.into_iter().collect())
    }

    fn object() -> Self {
        Plain::Fields(Vec::new())
    }

    fn parse_json(text: &str) -> Option<Self> {
        serde_json::from_str::<Owned>(text).ok().map(Plain::from)
    }

    fn with(mut self, key: &str, value: Self) -> Self {
        if let Plain::Fields(fields) = &mut self {
            match fields.iter_mut().find(|(name, _)| name == key) {
                Some((_, place)) => *place = value,
                None => fields.push((key.to_owned(), value)),
            }
        }
        self
    }

    fn without(mut self, key: &str) -> Self {
        if let Plain::Fields(fields) = &mut self {
            fields.retain(|(name, _)| name != key);
        }
        self
    }

    fn splice(mut self, index: usize, delete: usize, insert: Option<Self>) -> Self {
        if let Plain::List(items) = &mut self {
            let start = index.min(items.len());
            let end = index.saturating_add(delete).min(items.len());
            items.splice(start..end, insert);
        }
        self
    }
}

impl From<Owned> for Plain {
    fn from(value: Owned) -> Self {
        match value {
            Owned::Array(items) => Plain::List(items.into_iter().map(Plain::from).collect()),
            Owned::Object(map) => {
                Plain::Fields(map.into_iter().map(|(key, it)| (key, it.into())).collect())
            }
            leaf => Plain::Leaf(leaf),
        }
    }
}

impl From<&Plain> for Owned {
    fn from(value: &Plain) -> Self {
        match value {
            Plain::Leaf(leaf) => leaf.clone(),
            Plain::List(items) => items.iter().map(Owned::from).collect(),
            Plain::Fields(fields) => {
                fields.iter().map(|(key, value)| (key.clone(), Owned::from(value))).collect()
            }
        }
    }
}

impl From<Plain> for Owned {
    fn from(value: Plain) -> Self {
        (&value).into()
    }
}
