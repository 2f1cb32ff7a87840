//! The ids of a list's messages, as numbers: where each one is.

use crate::reducer::messages::Positions;
use crate::value::{Join, Plan, Symbols, Value};

/// The positions of a list's ids.
pub(super) struct Ids<V: Value> {
    pub symbols: V::Symbols,
    /// For each position its id's number.
    pub numbers: Vec<u32>,
    /// For each number the last position that has it, or [`Join::NONE`].
    last: Vec<u32>,
}

impl<V: Value> Clone for Ids<V>
where
    V::Symbols: Clone,
{
    fn clone(&self) -> Self {
        let (symbols, numbers) = (self.symbols.clone(), self.numbers.clone());
        Self { symbols, numbers, last: self.last.clone() }
    }
}

impl<V: Value> Default for Ids<V> {
    fn default() -> Self {
        Self { symbols: V::Symbols::default(), numbers: Vec::new(), last: Vec::new() }
    }
}

impl<V: Value> Ids<V> {
    pub(super) fn of(items: &V) -> Self {
        let mut ids = Self::default();
        ids.numbers = ids.symbols.numbers(items, "id");
        ids.find_last();
        ids
    }

    pub(super) fn change(&mut self, plan: &Plan, appended: impl Iterator<Item = u32>) {
        if plan.cleared {
            self.numbers.clear();
            self.find_last();
        } else if !plan.removed.is_empty() {
            keep(&mut self.numbers, &plan.removed);
            self.find_last();
        }
        self.last.resize(self.symbols.count(), Join::NONE);
        for number in appended {
            let position = u32::try_from(self.numbers.len()).unwrap_or(Join::NONE);
            self.numbers.push(number);
            if let Some(last) = self.last.get_mut(number as usize) {
                *last = position;
            }
        }
    }

    /// Returns the last position of an id.
    pub(super) fn last(&self, id: u32) -> Option<u32> {
        self.last.get(id as usize).copied().filter(|position| *position != Join::NONE)
    }

    fn find_last(&mut self) {
        self.last.clear();
        self.place_from(0);
    }

    /// Finds the last positions of the ids from this position on: only those have moved.
    pub(super) fn place_from(&mut self, first: u32) {
        self.last.resize(self.symbols.count(), Join::NONE);
        for (position, number) in (0..).zip(self.numbers.get(first as usize..).unwrap_or_default())
        {
            if let Some(last) = self.last.get_mut(*number as usize) {
                *last = position + first;
            }
        }
    }

    /// Whether most numbered ids are gone from the list.
    pub(super) fn is_stale(&self) -> bool {
        self.symbols.count() > 2 * self.numbers.len() + 64
    }
}

impl<V: Value> Positions for Ids<V> {
    fn last_positions(&self) -> &[u32] {
        &self.last
    }

    fn all(&self, chosen: &dyn Fn(u32) -> bool) -> Vec<u32> {
        (0..).zip(&self.numbers).filter(|(_, id)| chosen(**id)).map(|(at, _)| at).collect()
    }
}

/// Drops the items at these positions, ascending.
pub(super) fn keep(items: &mut Vec<u32>, removed: &[u32]) {
    if removed.is_empty() {
        return;
    }
    let mut removed = removed.iter().copied().peekable();
    let mut position = 0;
    items.retain(|_| {
        let goes = removed.next_if_eq(&position).is_some();
        position += 1;
        !goes
    });
}

/// Inserts numbers before these positions, ascending.
pub(super) fn insert_all(items: &mut Vec<u32>, places: &[u32], new: &[u32]) {
    let first = places.first().map_or(items.len(), |first| items.len().min(*first as usize));
    let tail = items.split_off(first);
    let mut from = 0;
    for (place, new) in places.iter().zip(new) {
        let to = *place as usize - first;
        items.extend_from_slice(tail.get(from..to).unwrap_or_default());
        items.push(*new);
        from = to;
    }
    items.extend_from_slice(tail.get(from..).unwrap_or_default());
}
