//! A thread's indexes by ids and other texts.

use crate::value::{Holds, Symbols, Value};

/// A set of ids, in insertion order.
pub(super) struct IdSet<V: Value> {
    symbols: V::Symbols,
    /// By number; `None` for a removed one.
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

    /// Removes the others.
    pub(super) fn keep(&mut self, keeps: &dyn Fn(&V) -> bool) {
        for slot in &mut self.ids {
            if slot.as_ref().is_some_and(|id| !keeps(id)) {
                *slot = None;
                self.live -= 1;
            }
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

    /// Returns the ids as a list.
    pub(super) fn list(&self) -> V {
        V::array(self.iter().cloned())
    }
}

/// Lists by text: the addresses concerned with each text.
pub(super) struct ByText<V: Value> {
    symbols: V::Symbols,
    lists: Vec<Vec<Address>>,
    /// By text, how many of its list's first are over.
    over: Vec<usize>,
}

/// An update's number and the position of an edit in it; or a position in a list, twice.
pub(super) type Address = [u32; 2];

impl<V: Value> Default for ByText<V> {
    fn default() -> Self {
        Self { symbols: V::Symbols::default(), lists: Vec::new(), over: Vec::new() }
    }
}

impl<V: Value> ByText<V> {
    /// Adds to a text's list; returns the text's number, if it has one.
    pub(super) fn add(&mut self, text: &V, address: Address) -> Option<u32> {
        let number = self.symbols.intern(text)?;
        while self.lists.len() <= number as usize {
            self.lists.push(Vec::new());
        }
        self.lists.get_mut(number as usize)?.push(address);
        Some(number)
    }

    /// Returns the list of a text.
    pub(super) fn of(&self, text: &V) -> &[Address] {
        let list = self.symbols.find(text).and_then(|number| self.lists.get(number as usize));
        list.map_or(&[], Vec::as_slice)
    }

    /// Returns the first open match in a text's list. Those at its start that are not open are
    /// never looked at again, until [`ByText::anew`].
    pub(super) fn first(
        &mut self,
        text: &V,
        is_open: &dyn Fn(Address) -> bool,
        is_it: &dyn Fn(Address) -> bool,
    ) -> Option<Address> {
        let number = self.symbols.find(text)? as usize;
        let list = self.lists.get(number)?;
        if self.over.len() < self.lists.len() {
            self.over.resize(self.lists.len(), 0);
        }
        let over = self.over.get_mut(number)?;
        *over += list.iter().skip(*over).take_while(|address| !is_open(**address)).count();
        list.iter().skip(*over).copied().find(|address| is_open(*address) && is_it(*address))
    }

    pub(super) fn anew(&mut self) {
        self.over.clear();
    }

    /// Removes the first match from a text's list.
    pub(super) fn take(&mut self, text: &V, chosen: &dyn Fn(Address) -> bool) -> Option<Address> {
        let list = self.lists.get_mut(self.symbols.find(text)? as usize)?;
        let at = list.iter().position(|address| chosen(*address))?;
        Some(list.remove(at))
    }
}

impl<V: Value> Holds<V> for IdSet<V> {
    fn held(&mut self, visit: &mut dyn FnMut(&mut V)) {
        let Self { symbols: _, ids, live: _ } = self;
        ids.held(visit);
    }
}

#[cfg(test)]
mod tests {
    use super::IdSet;
    use crate::Json;
    use crate::Value as _;

    #[test]
    fn what_is_kept_of_ids_that_were_taken_out_is_bounded_by_those_that_are_there() {
        let mut set = IdSet::<Json>::default();
        let ids: Vec<Json> = (0..400).map(|id: i32| Json::from(id.to_string())).collect();
        for (at, id) in ids.iter().enumerate() {
            set.insert(id);
            set.insert(id);
            // Every tenth stays.
            if at % 10 > 0 {
                set.remove(id);
                set.remove(id);
            }
            let live = set.iter().count();
            assert_eq!((set.live, live), (at / 10 + 1, at / 10 + 1));
            assert!(set.ids.len() <= 2 * live + 65);
        }
        assert!(set.iter().eq(ids.iter().step_by(10)));
    }

    #[test]
    fn ids_that_are_not_kept_count_no_more() {
        let mut set = IdSet::<Json>::default();
        for id in ["1", "2", "3"] {
            set.insert(&Json::string(id));
        }
        set.keep(&|id| *id == Json::string("2"));
        assert_eq!((set.live, set.iter().count()), (1, 1));
    }

    #[test]
    fn ids_are_tidied_only_when_half_of_them_are_gone() {
        let mut set = IdSet::<Json>::default();
        let ids: Vec<Json> = (0..4000).map(|id: i32| Json::from(id.to_string())).collect();
        let mut tidied = 0;
        for (at, id) in ids.iter().enumerate() {
            let before = set.ids.len();
            set.insert(id);
            tidied += usize::from(set.ids.len() <= before);
            if at % 2 > 0 {
                set.remove(id);
            }
        }
        assert!(tidied <= 2, "{tidied}");
        // However many go before the next one comes.
        for id in &ids {
            set.remove(id);
        }
        set.insert(&Json::from("next"));
        assert_eq!(set.ids.len(), 1);
    }
}
