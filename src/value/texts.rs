//! The texts of native lists as small numbers.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::{Join, Names};

/// Small numbers for the texts of a native heap: see [`Symbols`](super::Symbols).
#[derive(Debug, Clone, Default)]
pub struct Texts {
    numbers: HashMap<String, u32, RandomState>,
}

impl Texts {
    /// The number of each text, given where it had none.
    pub(super) fn add<'a>(&mut self, texts: impl Iterator<Item = Option<&'a str>>) -> Vec<u32> {
        let numbers = texts.map(|text| {
            let text = text?;
            let next = u32::try_from(self.numbers.len()).ok()?;
            match self.numbers.get(text) {
                Some(number) => Some(*number),
                None => Some(*self.numbers.entry(text.to_owned()).or_insert(next)),
            }
        });
        numbers.map(|number| number.unwrap_or(Join::NONE)).collect()
    }

    pub(super) fn number(&self, text: &str) -> Option<u32> {
        self.numbers.get(text).copied()
    }

    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }
}

/// The texts that two lists have in common.
pub(super) fn join<'a>(
    left: impl Iterator<Item = Option<&'a str>>,
    right: impl Iterator<Item = Option<&'a str>>,
) -> Join {
    let mut names = Names::default();
    let mut joined = Join::default();
    joined.right.extend(right.map(|text| text.map_or(Join::NONE, |text| names.add(text))));
    if names.is_empty() {
        return joined;
    }
    for (position, text) in (0..).zip(left) {
        let number = text.and_then(|text| names.number(text));
        joined.left.extend(number.map(|number| [position, number]));
    }
    joined
}

/// A list with other items put in before these of its positions, ascending.
pub(super) fn insert_all<T>(list: Vec<T>, places: &[u32], items: Vec<T>) -> Vec<T> {
    let mut all = Vec::with_capacity(list.len() + items.len());
    let mut inserted = places.iter().zip(items).peekable();
    for (position, item) in (0..).zip(list) {
        while let Some((_, new)) = inserted.next_if(|(place, _)| **place <= position) {
            all.push(new);
        }
        all.push(item);
    }
    all.extend(inserted.map(|(_, item)| item));
    all
}
