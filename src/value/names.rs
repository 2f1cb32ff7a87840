//! Numbers for the texts of one list, to find them in another.

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// Texts, numbered from 0.
#[derive(Default)]
pub(crate) struct Names<'a> {
    numbers: HashMap<&'a str, u32, RandomState>,
    sieve: Sieve,
}

impl<'a> Names<'a> {
    /// Returns the text's number, adding the text if it is new.
    pub(crate) fn add(&mut self, text: &'a str) -> u32 {
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        self.sieve.add(text);
        *self.numbers.entry(text).or_insert(next)
    }

    /// Returns the text's number, if it was added.
    pub(crate) fn number(&self, text: &str) -> Option<u32> {
        if self.sieve.may_hold(text) { self.numbers.get(text).copied() } else { None }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }
}

/// Rules most other texts out by their length and their last two bytes. Hashing every id of a long
/// list costs several times as much. The length can be compared without reading the text.
struct Sieve {
    lengths: u64,
    ends: [bool; 256],
}

impl Default for Sieve {
    fn default() -> Self {
        Self { lengths: 0, ends: [false; 256] }
    }
}

impl Sieve {
    fn add(&mut self, text: &str) {
        self.lengths |= Self::length(text);
        if let Some(seen) = self.ends.get_mut(Self::end(text)) {
            *seen = true;
        }
    }

    fn may_hold(&self, text: &str) -> bool {
        self.lengths & Self::length(text) != 0
            && self.ends.get(Self::end(text)).is_some_and(|seen| *seen)
    }

    fn length(text: &str) -> u64 {
        1 << (text.len() & 63)
    }

    fn end(text: &str) -> usize {
        usize::from(match text.as_bytes() {
            [.., before, last] => before.wrapping_mul(31) ^ last,
            [last] => *last,
            [] => 0,
        })
    }
}
