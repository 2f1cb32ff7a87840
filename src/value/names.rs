//! The texts of one list as small numbers, to be found in another.

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// Texts, each with a number counted from 0.
#[derive(Default)]
pub(crate) struct Names<'a> {
    numbers: HashMap<&'a str, u32, RandomState>,
    sieve: Sieve,
}

impl<'a> Names<'a> {
    /// The text's number: its own, or the next.
    pub(crate) fn add(&mut self, text: &'a str) -> u32 {
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        self.sieve.add(text);
        *self.numbers.entry(text).or_insert(next)
    }

    /// The text's number, if it has been added.
    pub(crate) fn number(&self, text: &str) -> Option<u32> {
        if self.sieve.may_hold(text) { self.numbers.get(text).copied() } else { None }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }
}

/// Tells of most texts, by their last two bytes, that they have not been added: to hash every id
/// of a long list costs several times as much.
#[derive(Default)]
struct Sieve([u64; 4]);

impl Sieve {
    fn add(&mut self, text: &str) {
        let (word, bit) = Self::place(text);
        if let Some(word) = self.0.get_mut(word) {
            *word |= bit;
        }
    }

    fn may_hold(&self, text: &str) -> bool {
        let (word, bit) = Self::place(text);
        self.0.get(word).is_some_and(|word| word & bit != 0)
    }

    /// The word and the bit in it for a text.
    fn place(text: &str) -> (usize, u64) {
        let byte = match text.as_bytes() {
            [.., before, last] => before.wrapping_mul(31) ^ last,
            [last] => *last,
            [] => 0,
        };
        (usize::from(byte >> 6), 1 << (byte & 63))
    }
}
