//! The list as a collection: of items as they are.

use std::sync::Arc;

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

use super::{IntoIter, Iter, MessageList};
use crate::typed::Identified;

/// Lists are equal if their items are, whatever their rules.
impl<T: PartialEq> PartialEq for MessageList<T> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self.iter().zip(other).all(|(own, other)| Arc::ptr_eq(own, other) || own == other)
    }
}

impl<T: Eq> Eq for MessageList<T> {}

macro_rules! equal_to {
    ($($Items:ty $(, for $N:ident)?;)*) => { $(
        impl<T: PartialEq $(, const $N: usize)?> PartialEq<$Items> for MessageList<T> {
            fn eq(&self, other: &$Items) -> bool {
                self.len() == other.len() && self.iter().zip(other).all(|(own, other)| **own == *other)
            }
        }
    )* };
}

equal_to! {
    [T];
    Vec<T>;
    [T; N], for N;
}

impl<'a, T> IntoIterator for &'a MessageList<T> {
    type Item = &'a Arc<T>;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<T> IntoIterator for MessageList<T> {
    type Item = Arc<T>;
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> IntoIter<T> {
        self.items.into_iter()
    }
}

/// Adds the items at the end, as they are.
impl<T: Identified> Extend<Arc<T>> for MessageList<T> {
    fn extend<I: IntoIterator<Item = Arc<T>>>(&mut self, items: I) {
        self.items.extend(items);
    }
}

/// Adds the items at the end, as they are.
impl<T: Identified> Extend<T> for MessageList<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        self.items.extend(items.into_iter().map(Arc::new));
    }
}

/// Makes a list of the items as they are, which follows LangGraph's rules.
impl<T: Identified> FromIterator<Arc<T>> for MessageList<T> {
    fn from_iter<I: IntoIterator<Item = Arc<T>>>(items: I) -> Self {
        let mut list = Self::default();
        list.extend(items);
        list
    }
}

/// Makes a list of the items as they are, which follows LangGraph's rules.
impl<T: Identified> FromIterator<T> for MessageList<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut list = Self::default();
        list.extend(items);
        list
    }
}

/// Makes a list of the items as they are, which follows LangGraph's rules.
impl<T: Identified> From<Vec<T>> for MessageList<T> {
    fn from(items: Vec<T>) -> Self {
        items.into_iter().collect()
    }
}

/// Writes the items, in order.
impl<T: Serialize> Serialize for MessageList<T> {
    fn serialize<Out: Serializer>(&self, serializer: Out) -> Result<Out::Ok, Out::Error> {
        serializer.collect_seq(self.iter().map(|item| &**item))
    }
}

/// Reads items as they are into a list that follows LangGraph's rules.
impl<'de, T: Identified + Deserialize<'de>> Deserialize<'de> for MessageList<T> {
    fn deserialize<In: Deserializer<'de>>(deserializer: In) -> Result<Self, In::Error> {
        Vec::deserialize(deserializer).map(Self::from)
    }
}
