//! The places of a list's items, by id.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::value::Join;

/// The places of a list's items. A removed one keeps its place until they are swept, so that a
/// removal reads no others.
#[derive(Debug, Clone, Default)]
pub(super) struct Places {
    numbers: HashMap<String, u32, RandomState>,
    /// For each number the last place that has it, or [`Join::NONE`].
    last: Vec<u32>,
    /// For each place the number of its id and the previous place with the same.
    items: Vec<Place>,
    gone: usize,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    id: u32,
    before: u32,
    gone: bool,
}

impl Places {
    pub(super) fn len(&self) -> usize {
        self.items.len() - self.gone
    }

    /// Returns the last place of an id.
    pub(super) fn last(&self, id: &str) -> Option<usize> {
        self.all(id).next()
    }

    /// Returns every place of an id, the last one first.
    pub(super) fn all(&self, id: &str) -> impl Iterator<Item = usize> {
        let place = |at: u32| self.items.get(at as usize).map(|_| at);
        let first = self.numbers.get(id).and_then(|number| self.last.get(*number as usize));
        let first = first.copied().and_then(place);
        std::iter::successors(first, move |at| place(self.items.get(*at as usize)?.before))
            .map(|at| at as usize)
    }

    /// Adds a place after all others.
    pub(super) fn push(&mut self, id: Option<&str>) {
        let id = id.map_or(Join::NONE, |id| self.number(id));
        self.put(id);
    }

    fn number(&mut self, id: &str) -> u32 {
        if let Some(number) = self.numbers.get(id) {
            return *number;
        }
        let number = number(self.last.len());
        self.numbers.insert(id.to_owned(), number);
        self.last.push(Join::NONE);
        number
    }

    fn put(&mut self, id: u32) {
        let place = number(self.items.len());
        let before = match self.last.get_mut(id as usize) {
            Some(last) => std::mem::replace(last, place),
            None => Join::NONE,
        };
        self.items.push(Place { id, before, gone: false });
    }

    /// Marks the item at the last place of its id removed.
    pub(super) fn remove(&mut self, at: usize) {
        let Some(place) = self.items.get_mut(at) else { return };
        place.gone = true;
        self.gone += 1;
        if let Some(last) = self.last.get_mut(place.id as usize) {
            *last = place.before;
        }
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(super) fn has_gone(&self) -> bool {
        self.gone > 0
    }

    pub(super) fn mostly_gone(&self) -> bool {
        self.gone > self.len() + 64
    }

    /// Drops the places of removed items; returns for each place whether it stays.
    pub(super) fn sweep(&mut self) -> Vec<bool> {
        let items = std::mem::take(&mut self.items);
        self.last.fill(Join::NONE);
        self.gone = 0;
        for place in items.iter().filter(|place| !place.gone) {
            self.put(place.id);
        }
        self.forget_unused();
        items.iter().map(|place| !place.gone).collect()
    }

    /// Forgets the ids without items, once they are the majority.
    fn forget_unused(&mut self) {
        if self.last.len() <= 2 * self.items.len() + 64 {
            return;
        }
        let mut renumbered = vec![Join::NONE; self.last.len()];
        let mut last = Vec::new();
        self.numbers.retain(|_, id| {
            let place = self.last.get(*id as usize).copied().unwrap_or(Join::NONE);
            let stays = place != Join::NONE;
            if let (true, Some(slot)) = (stays, renumbered.get_mut(*id as usize)) {
                *slot = number(last.len());
                *id = *slot;
                last.push(place);
            }
            stays
        });
        self.last = last;
        for place in &mut self.items {
            place.id = renumbered.get(place.id as usize).copied().unwrap_or(Join::NONE);
        }
    }
}

fn number(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(Join::NONE)
}
