//! The items of a list by their places, and the places by id.

use std::fmt;
use std::sync::Arc;

use foldhash::fast::RandomState;
use rpds::{HashTrieMapSync, RedBlackTreeMapSync};

use crate::typed::Identified;
use crate::value::Join;

/// A list that shares with its copies what is the same in both. Each item has a place, which grows
/// along the list. A removed item leaves its place empty for ever.
#[derive(Debug)]
pub(super) struct Items<T> {
    list: RedBlackTreeMapSync<u32, Item<T>>,
    /// For each id the last place that has it.
    last: HashTrieMapSync<Arc<str>, u32, RandomState>,
    next: u32,
    /// The number of items without an id.
    nameless: u32,
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
        let Self { next, nameless, .. } = *self;
        Self { list: self.list.clone(), last: self.last.clone(), next, nameless }
    }
}

impl<T> Default for Items<T> {
    fn default() -> Self {
        let last = HashTrieMapSync::new_with_hasher_and_ptr_kind(RandomState::default());
        Self { list: RedBlackTreeMapSync::default(), last, next: 0, nameless: 0 }
    }
}

impl<T> Items<T> {
    pub(super) fn len(&self) -> usize {
        self.list.size()
    }

    pub(super) fn iter(&self) -> Iter<'_, T> {
        let value: for<'a> fn((&'a u32, &'a Item<T>)) -> &'a Arc<T> = |(_, item)| &item.value;
        Iter(self.list.iter().map(value))
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

    pub(super) fn into_iter(self) -> IntoIter<T> {
        let items: Vec<_> = self.iter().cloned().collect();
        IntoIter(items.into_iter())
    }
}

impl<T: Identified> Items<T> {
    /// Adds items after all others.
    pub(super) fn extend(&mut self, items: impl IntoIterator<Item = Arc<T>>) {
        items.into_iter().for_each(|value| self.push(value));
    }

    fn push(&mut self, value: Arc<T>) {
        let place = self.next;
        self.next = place.saturating_add(1);
        self.nameless += u32::from(value.id().is_none());
        let before = value.id().and_then(|id| self.last(id)).unwrap_or(Join::NONE);
        if let Some(id) = value.id() {
            self.last.insert_mut(id.into(), place);
        }
        self.list.insert_mut(place, Item { value, before });
    }

    /// Removes the item at a place, the last one of its id.
    pub(super) fn remove(&mut self, place: u32) {
        let Some(Item { value, before }) = self.list.get(&place).cloned() else { return };
        self.list.remove_mut(&place);
        match value.id() {
            Some(id) if before == Join::NONE => {
                self.last.remove_mut(id);
            }
            Some(id) => {
                self.last.insert_mut(id.into(), before);
            }
            None => {}
        }
    }
}

impl<T: Identified + Clone> Items<T> {
    /// Gives an id to each item without one. Looks for them only if there are some.
    pub(super) fn give_ids(&mut self) {
        if self.nameless == 0 {
            return;
        }
        let nameless =
            |(place, item): (&u32, &Item<T>)| item.value.id().is_none().then_some(*place);
        let places: Vec<u32> = self.list.iter().filter_map(nameless).collect();
        for place in places {
            if let Some(item) = self.get_mut(place) {
                super::with_id(item);
                if let Some(id) = item.id().map(Arc::from) {
                    self.last.insert_mut(id, place);
                }
            }
        }
        self.nameless = 0;
    }
}

/// The items of a [`MessageList`](super::MessageList), in order.
pub struct Iter<'a, T>(Values<'a, T>);

type Values<'a, T> = std::iter::Map<
    <&'a RedBlackTreeMapSync<u32, Item<T>> as IntoIterator>::IntoIter,
    fn((&'a u32, &'a Item<T>)) -> &'a Arc<T>,
>;

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = &'a Arc<T>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<T> DoubleEndedIterator for Iter<'_, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back()
    }
}

impl<T> ExactSizeIterator for Iter<'_, T> {}

impl<T> fmt::Debug for Iter<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Iter").field("left", &self.len()).finish_non_exhaustive()
    }
}

/// The items of a [`MessageList`](super::MessageList) that is taken apart, in order.
pub struct IntoIter<T>(std::vec::IntoIter<Arc<T>>);

impl<T> Iterator for IntoIter<T> {
    type Item = Arc<T>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<T> DoubleEndedIterator for IntoIter<T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back()
    }
}

impl<T> fmt::Debug for IntoIter<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IntoIter").finish_non_exhaustive()
    }
}
