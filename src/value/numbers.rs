//! Maps by small numbers.

use super::Join;

/// A map from the numbers of ids: they are dense, so it is a list. Make it once and empty it by
/// [`ByNumber::remove`]: it then costs only what you put in. [`Join::NONE`] is neither a number nor
/// a value.
#[derive(Debug, Clone, Default)]
pub(crate) struct ByNumber(Vec<u32>);

impl ByNumber {
    pub(crate) fn get(&self, number: u32) -> Option<u32> {
        self.0.get(number as usize).copied().filter(|value| *value != Join::NONE)
    }

    /// Sets a number's value; returns the old one.
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

/// Returns the positions of these keys, each less than `bound`, sorted by key, equal ones in order.
/// Sorts by counting: the standard library's sort is larger in WebAssembly than a reducer.
pub(crate) fn ascending(keys: &[u32], bound: usize) -> Vec<u32> {
    let least = keys.iter().fold(bound, |least, key| least.min(*key as usize));
    // By key, first the count of the key before it, then the place of its next position.
    let mut places = vec![0_u32; bound + 1 - least];
    for key in keys {
        if let Some(count) = places.get_mut(*key as usize + 1 - least) {
            *count += 1;
        }
    }
    let mut smaller = 0;
    for place in &mut places {
        smaller += *place;
        *place = smaller;
    }
    let mut order = vec![0; keys.len()];
    for (at, key) in (0..).zip(keys) {
        if let Some(place) = places.get_mut(*key as usize - least) {
            if let Some(slot) = order.get_mut(*place as usize) {
                *slot = at;
            }
            *place += 1;
        }
    }
    order
}
