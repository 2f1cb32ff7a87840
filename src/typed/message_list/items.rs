//! The items of a list by their places, and the places by id.

use std::fmt;
use std::sync::Arc;

use foldhash::fast::RandomState;
use imbl::ordmap::{self, OrdMap};
use imbl::shared_ptr::DefaultSharedPtr;

use crate::value::Join;

/// A list that shares with its copies what is the same in both. Each item has a place, which grows
/// along the list. A removed item leaves its place empty for ever.
#[derive(Debug)]
pub(super) struct Items<T> {
    list: OrdMap<u32, Item<T>>,
    /// For each id the last place that has it.
    last: imbl::GenericHashMap<Arc<str>, u32, RandomState, DefaultSharedPtr>,
    next: u32,
}

#[derive(Debug)]
struct Item<T> {
    value: Arc<T>,
    /// The previous place with the same id, or [`Join::NONE`].
    before: u32,
}

impl<T> Clone for Item<T> {
    fn clone(&self) -> Self {
        Self { value: self.value.clone(), before: self.before }
    }
}

impl<T> Clone for Items<T> {
    fn clone(&self) -> Self {
        Self { list: self.list.clone(), last: self.last.clone(), next: self.next }
    }
}

impl<T> Default for Items<T> {
    fn default() -> Self {
        Self { list: OrdMap::new(), last: imbl::GenericHashMap::default(), next: 0 }
    }
}

impl<T> Items<T> {
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn iter(&self) -> Iter<'_, T> {
        Iter(self.list.values())
    }

    /// Returns the last place of an id.
    pub(super) fn last(&self, id: &str) -> Option<u32> {
        self.last.get(id).copied()
    }

    /// Returns every place of an id, the last one first.
    pub(super) fn all(&self, id: &str) -> impl Iterator<Item = u32> {
        let before = |place: &u32| {
            self.list.get(place).map(|item| item.before).filter(|before| *before != Join::NONE)
        };
        std::iter::successors(self.last(id), before)
    }

    pub(super) fn get(&self, place: u32) -> Option<&Arc<T>> {
        self.list.get(&place).map(|item| &item.value)
    }

    pub(super) fn get_mut(&mut self, place: u32) -> Option<&mut Arc<T>> {
        self.list.get_mut(&place).map(|item| &mut item.value)
    }

    /// Adds an item after all others.
    pub(super) fn push(&mut self, id: Option<&str>, value: Arc<T>) {
        let place = self.next;
        self.next = place.saturating_add(1);
        let before = id.and_then(|id| self.last.insert(id.into(), place)).unwrap_or(Join::NONE);
        self.list.insert(place, Item { value, before });
    }

    /// Removes the item at the last place of its id.
    pub(super) fn remove(&mut self, id: Option<&str>, place: u32) {
        let removed = self.list.remove(&place);
        match (id, removed) {
            (Some(id), Some(Item { before: Join::NONE, .. })) => {
                self.last.remove(id);
            }
            (Some(id), Some(Item { before, .. })) => {
                self.last.insert(id.into(), before);
            }
            _ => {}
        }
    }
}

/// The items of a [`MessageList`](super::MessageList), in order.
pub struct Iter<'a, T>(ordmap::Values<'a, u32, Item<T>, DefaultSharedPtr>);

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = &'a Arc<T>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|item| &item.value)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<T> DoubleEndedIterator for Iter<'_, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back().map(|item| &item.value)
    }
}

impl<T> ExactSizeIterator for Iter<'_, T> {}

impl<T> fmt::Debug for Iter<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Iter").field("left", &self.0.len()).finish_non_exhaustive()
    }
}
