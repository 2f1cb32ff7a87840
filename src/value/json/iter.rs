//! Iterates over the items of a list.

use std::fmt;
use std::ops::Range;
use std::vec;

use super::Json;
use super::items::Items;

/// The items of a list, in order: what [`Json::iter`] returns.
#[derive(Clone)]
pub struct Iter<'a> {
    list: Option<&'a Items>,
    left: Range<usize>,
}

impl<'a> Iter<'a> {
    pub(super) fn new(list: Option<&'a Items>) -> Self {
        Self { list, left: 0..list.map_or(0, Items::len) }
    }

    fn at(&self, index: usize) -> Option<&'a Json> {
        self.list?.get(index)
    }
}

impl<'a> Iterator for Iter<'a> {
    type Item = &'a Json;

    fn next(&mut self) -> Option<&'a Json> {
        let index = self.left.next()?;
        self.at(index)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }

    fn nth(&mut self, n: usize) -> Option<&'a Json> {
        let index = self.left.nth(n)?;
        self.at(index)
    }
}

impl<'a> DoubleEndedIterator for Iter<'a> {
    fn next_back(&mut self) -> Option<&'a Json> {
        let index = self.left.next_back()?;
        self.at(index)
    }
}

impl ExactSizeIterator for Iter<'_> {}

impl fmt::Debug for Iter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

/// A list's items; none for other kinds.
impl<'a> IntoIterator for &'a Json {
    type Item = &'a Json;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

/// A list's items, each shared with whoever holds the list; none for other kinds.
impl IntoIterator for Json {
    type Item = Json;
    type IntoIter = vec::IntoIter<Json>;

    fn into_iter(self) -> vec::IntoIter<Json> {
        self.iter().cloned().collect::<Vec<_>>().into_iter()
    }
}
