//! The list of pending updates that callers see: one object until one of them changes.

use super::ids::Address;
use super::pending::PendingUpdate;
use super::updates::Updates;
use crate::value::{Holds, Plan, Value};

#[cfg(test)]
mod tests;

/// The last list of pending updates returned.
pub(super) struct PendingList<V> {
    list: V,
    /// The numbers of its updates, and which numbering that was.
    numbers: Vec<u32>,
    turns: u32,
    /// Whether it still holds, but for the touched one.
    pub fresh: bool,
    /// The number of the one update that may have changed since.
    touched: Option<u32>,
}

impl<V: Value> PendingList<V> {
    pub(super) fn nothing() -> Self {
        Self { list: V::null(), numbers: Vec::new(), turns: 0, fresh: false, touched: None }
    }

    /// Notes that the update of this edit may have changed. More than one are looked at with all.
    pub(super) fn touch(&mut self, [number, _]: Address) {
        self.fresh &= self.touched.is_none_or(|one| one == number);
        self.touched = Some(number);
    }

    /// Takes the touched update out of the list if the server now has it. Returns false where more
    /// has changed.
    fn take_out(&mut self, updates: &Updates<V>) -> bool {
        let Some(number) = self.touched.take() else { return true };
        let at = self.numbers.partition_point(|one| *one < number);
        let listed = self.numbers.get(at) == Some(&number);
        if let Some(update) = updates.get(number).filter(|update| !update.is_acknowledged()) {
            return listed && update.told.is_some();
        }
        if listed {
            self.numbers.retain(|one| *one != number);
            let plan = Plan { removed: vec![place(at)], ..Plan::default() };
            let list = std::mem::replace(&mut self.list, V::null());
            self.list = V::assemble(list, V::array([]), &plan, false);
        }
        true
    }

    /// Returns the updates that the server does not have as a list: the same one until one of them
    /// changes. Rebuilds only the changed ones.
    pub(super) fn list(&mut self, updates: &mut Updates<V>) -> V {
        if self.fresh && self.turns == updates.turns && self.take_out(updates) {
            return self.list.clone();
        }
        self.fresh = true;
        self.touched = None;
        let before = self.list.clone();
        let mut known = std::mem::take(&mut self.numbers);
        if self.list.is_null() || self.turns != updates.turns {
            (self.list, known) = (V::array([]), Vec::new());
        }
        self.turns = updates.turns;
        let mut plan = Plan::default();
        let mut items = Vec::new();
        // The place in the last list that comes next.
        let mut next = 0;
        let mut between = false;
        for (number, update) in updates.numbered_mut() {
            if update.is_acknowledged() {
                continue;
            }
            self.numbers.push(number);
            while known.get(next).is_some_and(|one| *one < number) {
                plan.removed.push(place(next));
                next += 1;
            }
            if known.get(next) == Some(&number) {
                if update.told.is_none() {
                    plan.replaced.push([place(next), place(items.len())]);
                    items.push(update.tell());
                }
                next += 1;
            } else {
                between |= next < known.len();
                plan.appended.push(place(items.len()));
                items.push(update.tell());
            }
        }
        plan.removed.extend((next..known.len()).map(place));
        if between {
            let all = updates.iter_mut().filter(|update| !update.is_acknowledged());
            self.list = V::array(all.map(PendingUpdate::tell));
        } else if !plan.is_empty() {
            let list = std::mem::replace(&mut self.list, V::null());
            self.list = V::assemble(list, V::array(items), &plan, false);
        }
        // Rebuilt, but maybe equal to the list before.
        if self.list.same_items(&before) {
            self.list = before;
        }
        self.list.clone()
    }
}

impl<V: Value> Holds<V> for PendingList<V> {
    fn held(&mut self, visit: &mut dyn FnMut(&mut V)) {
        let Self { list, numbers: _, turns: _, fresh: _, touched: _ } = self;
        visit(list);
    }
}

fn place(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
