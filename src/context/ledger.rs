//! The messages of a context in numbers.

use super::cut::{Row, Track, index};

/// The facts about an assistant message that a decision needs, besides its calls.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usage {
    /// A number for its provider, if named.
    pub provider: Option<u32>,
    /// The tokens that it reports for itself and all before it.
    pub total_tokens: Option<f64>,
    /// Whether that counts for a trigger: it is of the provider that is asked next.
    pub reported: bool,
}

/// One message as it stands in a [`Ledger`].
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// The tokens up to it, itself included.
    pub sum: f64,
    /// The last report of an assistant message up to it.
    pub reported: f64,
    pub scale: Scale,
}

/// The tokens that answers reported, as Python's `count_tokens_approximately` reads them: the same
/// as `UsageScale`, kept for each message.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Scale {
    provider: Option<u32>,
    mixed: bool,
    /// The tokens that the last answer reported, and the sum of tokens up to it.
    took: Option<(f64, f64)>,
}

impl Scale {
    fn add(&mut self, usage: &Usage, sum: f64) {
        if self.provider.is_none() {
            self.provider = usage.provider;
        } else if self.provider != usage.provider {
            self.mixed = true;
        }
        if let Some(total) = usage.total_tokens {
            self.took = Some((total, sum));
        }
    }

    /// The factor, with this much counted before all.
    pub(super) fn factor(&self, before: f64) -> f64 {
        const MOST: f64 = 1.25;
        match self.took {
            Some((took, sum)) if !self.mixed && self.provider.is_some() && before + sum > 0.0 => {
                (took / (before + sum)).clamp(1.0, MOST)
            }
            _ => 1.0,
        }
    }
}

/// The messages of a context, in numbers. The number of an empty id is 0.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    /// The safe cuts.
    pub track: Track,
    pub(super) entries: Vec<Entry>,
}

impl Ledger {
    /// Adds a message at the end.
    pub fn push(&mut self, row: Row<'_>, tokens: f64, usage: &Usage) {
        self.track.push(row);
        let last = self.entries.last();
        let sum = last.map_or(0.0, |last| last.sum) + tokens;
        let mut reported = last.map_or(f64::NAN, |last| last.reported);
        let mut scale = last.map(|last| last.scale).unwrap_or_default();
        if matches!(row, Row::Ai { .. }) {
            scale.add(usage, sum);
            reported = usage.total_tokens.filter(|_| usage.reported).unwrap_or(f64::NAN);
        }
        self.entries.push(Entry { sum, reported, scale });
    }

    /// Keeps the first `length` messages.
    pub fn truncate(&mut self, length: u32) {
        self.track.truncate(length);
        self.entries.truncate(length as usize);
    }

    pub(super) fn len(&self) -> u32 {
        index(self.entries.len())
    }

    /// The tokens before a message.
    pub(super) fn before(&self, at: u32) -> f64 {
        let last = at.checked_sub(1).and_then(|last| self.entries.get(last as usize));
        last.map_or(0.0, |last| last.sum)
    }
}
