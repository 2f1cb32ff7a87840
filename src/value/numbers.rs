//! Maps by small numbers.

use super::Join;

/// A map by the numbers that stand for ids: they are dense, so that it is a list. What it costs
/// to make is what is put in, when it is made once and emptied by [`ByNumber::remove`].
#[derive(Debug, Clone)]
pub(crate) struct ByNumber<T>(Vec<Option<T>>);

impl<T> Default for ByNumber<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> ByNumber<T> {
    pub(crate) fn get(&self, number: u32) -> Option<&T> {
        self.0.get(number as usize)?.as_ref()
    }

    /// Sets a number's value; [`Join::NONE`] has none.
    pub(crate) fn insert(&mut self, number: u32, value: T) {
        if number == Join::NONE {
            return;
        }
        let at = number as usize;
        if at >= self.0.len() {
            self.0.resize_with(at.saturating_add(1), || None);
        }
        if let Some(slot) = self.0.get_mut(at) {
            *slot = Some(value);
        }
    }

    pub(crate) fn remove(&mut self, number: u32) -> Option<T> {
        self.0.get_mut(number as usize)?.take()
    }
}
