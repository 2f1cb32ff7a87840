//! Ids that a thread keeps by number.

use crate::value::{Holds, Symbols, Value};

/// A set of ids, in the order in which they came.
pub(super) struct IdSet<V: Value> {
    symbols: V::Symbols,
    /// By number; nothing for one that was taken out.
    ids: Vec<Option<V>>,
    live: usize,
}

impl<V: Value> Default for IdSet<V> {
    fn default() -> Self {
        Self { symbols: V::Symbols::default(), ids: Vec::new(), live: 0 }
    }
}

impl<V: Value> IdSet<V> {
    pub(super) fn of(ids: &V) -> Self {
        let mut set = Self::default();
        for id in ids.items() {
            set.insert(&id);
        }
        set
    }

    pub(super) fn insert(&mut self, id: &V) {
        if self.ids.len() > 2 * self.live + 64 {
            let ids = std::mem::take(self).ids;
            for id in ids.iter().flatten() {
                self.insert(id);
            }
        }
        let Some(number) = self.symbols.intern(id) else { return };
        let at = number as usize;
        if at >= self.ids.len() {
            self.ids.resize(at + 1, None);
        }
        if let Some(slot) = self.ids.get_mut(at)
            && slot.is_none()
        {
            *slot = Some(id.clone());
            self.live += 1;
        }
    }

    pub(super) fn remove(&mut self, id: &V) {
        let found = if self.live == 0 { None } else { self.symbols.find(id) };
        let slot = found.and_then(|number| self.ids.get_mut(number as usize));
        if slot.is_some_and(|slot| slot.take().is_some()) {
            self.live -= 1;
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &V> {
        self.ids.iter().flatten()
    }

    pub(super) fn clear(&mut self) {
        if !self.ids.is_empty() {
            *self = Self::default();
        }
    }

    /// The ids as a list.
    pub(super) fn list(&self) -> V {
        V::array(self.iter().cloned())
    }
}

impl<V: Value> Holds<V> for IdSet<V> {
    fn held(&mut self, visit: &mut dyn FnMut(&mut V)) {
        let Self { symbols: _, ids, live: _ } = self;
        ids.held(visit);
    }
}
