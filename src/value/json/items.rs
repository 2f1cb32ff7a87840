//! A list's items.

use std::mem;
use std::sync::Arc;

use super::Json;
use super::nodes::end;

/// The number of items in a chunk.
const WIDTH: usize = 64;

/// A list's items, in chunks of one width that lists share: changing one item copies its chunk, not
/// the list. The last items, fewer than a chunk, are separate.
#[derive(Clone, Default)]
pub(super) struct Items {
    full: Vec<Arc<Chunk>>,
    rest: Chunk,
}

#[derive(Clone, Default)]
struct Chunk(Vec<Json>);

impl Chunk {
    fn same_prefix(&self, other: &Self, same: impl Fn(&Json, &Json) -> bool) -> usize {
        self.0.iter().zip(&other.0).take_while(|(own, it)| same(own, it)).count()
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        end(self.0.iter_mut());
    }
}

impl Items {
    pub(super) fn len(&self) -> usize {
        self.full.len() * WIDTH + self.rest.0.len()
    }

    pub(super) fn get(&self, index: usize) -> Option<&Json> {
        // An index after all chunks counts from the first of the rest, and is past its end.
        self.chunk(index / WIDTH).0.get(index - self.start(index))
    }

    /// Returns a chunk; after the last, the rest.
    fn chunk(&self, number: usize) -> &Chunk {
        self.full.get(number).map_or(&self.rest, |chunk| &**chunk)
    }

    /// Returns an item to change, copied if shared.
    pub(super) fn get_mut(&mut self, index: usize) -> Option<&mut Json> {
        let start = self.start(index);
        let chunk = self.full.get_mut(index / WIDTH).map_or(&mut self.rest, Arc::make_mut);
        chunk.0.get_mut(index - start)
    }

    /// Returns the start of the chunk with an index.
    fn start(&self, index: usize) -> usize {
        (index / WIDTH).min(self.full.len()) * WIDTH
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Json> {
        self.full.iter().flat_map(|chunk| &chunk.0).chain(&self.rest.0)
    }

    /// Iterates over two lists of one length side by side, without the chunks they share.
    pub(super) fn beside<'a>(
        &'a self,
        other: &'a Self,
    ) -> impl Iterator<Item = (&'a Json, &'a Json)> {
        let chunks = self.full.iter().zip(&other.full);
        let chunks = chunks.filter(|(own, other)| !Arc::ptr_eq(own, other));
        let items = chunks.flat_map(|(own, other)| own.0.iter().zip(&other.0));
        items.chain(self.rest.0.iter().zip(&other.rest.0))
    }

    /// Returns how many items at the start of two lists are the same. A shared chunk costs as much as
    /// an item.
    pub(super) fn same_prefix(
        &self,
        other: &Self,
        same: impl Fn(&Json, &Json) -> bool + Copy,
    ) -> usize {
        let alike = |own: &Arc<Chunk>, it: &Arc<Chunk>| {
            Arc::ptr_eq(own, it) || own.same_prefix(it, same) == WIDTH
        };
        let chunks = self.full.iter().zip(&other.full);
        let whole = chunks.take_while(|(own, it)| alike(own, it)).count();
        whole * WIDTH + self.chunk(whole).same_prefix(other.chunk(whole), same)
    }

    /// Iterates over the items that only this list owns, to change them as it is dropped.
    pub(super) fn own(&mut self) -> impl Iterator<Item = &mut Json> {
        let chunks = self.full.iter_mut().filter_map(Arc::get_mut);
        chunks.flat_map(|chunk| &mut chunk.0).chain(&mut self.rest.0)
    }

    pub(super) fn push(&mut self, item: Json) {
        self.rest.0.push(item);
        if self.rest.0.len() == WIDTH {
            self.full.push(Arc::new(mem::take(&mut self.rest)));
        }
    }

    /// Takes the items from `index` on out of the list.
    pub(super) fn split_off(&mut self, index: usize) -> Vec<Json> {
        let start = self.start(index);
        let mut items = Vec::with_capacity(self.len().saturating_sub(start));
        for mut chunk in self.full.drain(start / WIDTH..) {
            match Arc::get_mut(&mut chunk) {
                Some(own) => items.append(&mut own.0),
                None => items.extend_from_slice(&chunk.0),
            }
        }
        items.append(&mut self.rest.0);
        let taken = items.split_off((index - start).min(items.len()));
        self.rest.0 = items;
        taken
    }
}

impl Extend<Json> for Items {
    fn extend<I: IntoIterator<Item = Json>>(&mut self, items: I) {
        for item in items {
            self.push(item);
        }
    }
}

impl FromIterator<Json> for Items {
    fn from_iter<I: IntoIterator<Item = Json>>(items: I) -> Self {
        let mut made = Self::default();
        made.extend(items);
        made
    }
}
