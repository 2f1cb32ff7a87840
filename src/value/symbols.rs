//! Small numbers for recurring texts.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::{Join, Value};

/// Small numbers for recurring texts, for the life of a list: equal texts, equal numbers, counted
/// from 0.
pub trait Symbols<V>: Default {
    /// Returns for each item of a list the number of its text under `key`, new if it had none. An item
    /// without such a text gets [`u32::MAX`].
    fn numbers(&mut self, list: &V, key: &str) -> Vec<u32>;
    /// Returns the number of a text, if it has one.
    fn find(&self, text: &V) -> Option<u32>;
    /// Returns the number of a text, new if it had none; `None` for anything but text.
    fn intern(&mut self, text: &V) -> Option<u32>;
    /// Returns how many texts have one.
    fn count(&self) -> usize;
}

/// The [`Symbols`] of a heap whose texts Rust can read.
#[derive(Debug, Clone, Default)]
pub struct Texts {
    numbers: HashMap<String, u32, RandomState>,
}

impl Texts {
    fn number(&mut self, text: &str) -> Option<u32> {
        if let Some(number) = self.numbers.get(text) {
            return Some(*number);
        }
        let next = u32::try_from(self.numbers.len()).ok()?;
        self.numbers.insert(text.to_owned(), next);
        Some(next)
    }
}

impl<V: Value> Symbols<V> for Texts {
    fn numbers(&mut self, list: &V, key: &str) -> Vec<u32> {
        let numbers = list.items().map(|item| self.number(&item.get(key)?.text()?));
        numbers.map(|number| number.unwrap_or(Join::NONE)).collect()
    }

    fn find(&self, text: &V) -> Option<u32> {
        self.numbers.get(&*text.text()?).copied()
    }

    fn intern(&mut self, text: &V) -> Option<u32> {
        self.number(&text.text()?)
    }

    fn count(&self) -> usize {
        self.numbers.len()
    }
}
