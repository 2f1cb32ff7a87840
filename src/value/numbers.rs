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

/// The positions of these keys, each less than `bound`, in ascending order of the keys, equal ones
/// as they stand. By counting, as the standard library's sort is larger in WebAssembly than a reducer.
pub(crate) fn ascending(keys: &[u32], bound: usize) -> Vec<u32> {
    // By a key, first how many there are of the one before it, then the place of its next one.
    let mut places = vec![0_u32; bound + 1];
    for key in keys {
        if let Some(count) = places.get_mut(*key as usize + 1) {
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
        if let Some(place) = places.get_mut(*key as usize) {
            if let Some(slot) = order.get_mut(*place as usize) {
                *slot = at;
            }
            *place += 1;
        }
    }
    order
}
