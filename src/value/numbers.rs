//! Maps by small numbers.

use super::Join;

/// A map by the numbers that stand for ids: they are dense, so that it is a list. What it costs
/// to make is what is put in, when it is made once and emptied by [`ByNumber::remove`].
/// [`Join::NONE`] is neither a number nor a value.
#[derive(Debug, Clone, Default)]
pub(crate) struct ByNumber(Vec<u32>);

impl ByNumber {
    pub(crate) fn get(&self, number: u32) -> Option<u32> {
        self.0.get(number as usize).copied().filter(|value| *value != Join::NONE)
    }

    /// Sets a number's value; gives the one it had.
    pub(crate) fn insert(&mut self, number: u32, value: u32) -> Option<u32> {
        let at = number as usize;
        if at >= self.0.len() && number != Join::NONE {
            self.0.resize(at.saturating_add(1), Join::NONE);
        }
        self.replace(number, value)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn remove(&mut self, number: u32) -> Option<u32> {
        self.replace(number, Join::NONE)
    }

    fn replace(&mut self, number: u32, value: u32) -> Option<u32> {
        let slot = self.0.get_mut(number as usize)?;
        Some(std::mem::replace(slot, value)).filter(|value| *value != Join::NONE)
    }
}

/// The positions of these keys in ascending order of the keys, equal ones as they stand: a merge
/// sort of its own, as the standard library's is larger in WebAssembly than a reducer, for each
/// type anew.
pub(crate) fn ascending(keys: &[u32]) -> Vec<u32> {
    let key = |at: &u32| keys.get(*at as usize).copied().unwrap_or(Join::NONE);
    let mut order: Vec<u32> = (0..).zip(keys).map(|(at, _)| at).collect();
    let mut width = 1;
    while width < order.len() && !order.is_sorted_by_key(key) {
        let mut merged = Vec::with_capacity(order.len());
        for pair in order.chunks(2 * width) {
            let (left, right) = pair.split_at(width.min(pair.len()));
            let mut right = right.iter().peekable();
            for at in left {
                while let Some(other) = right.next_if(|other| key(other) < key(at)) {
                    merged.push(*other);
                }
                merged.push(*at);
            }
            merged.extend(right);
        }
        order = merged;
        width *= 2;
    }
    order
}
