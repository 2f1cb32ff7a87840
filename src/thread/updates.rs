//! All updates of a thread, found by their ids and by those of their messages.

use super::ids::{Address, ByText};
use super::pending::{Edit, PendingUpdate, UpdateStatus};
use crate::value::{Join, Symbols, Value};

#[cfg(test)]
mod tests;

/// All updates in order, indexed by their ids and by the ids of their messages. Those done are kept
/// only to be sent again, and are not found.
pub(super) struct Updates<V: Value> {
    /// By number, in creation order; `None` for one that is gone.
    slots: Vec<Option<Box<PendingUpdate<V>>>>,
    /// How many are not gone.
    pub kept: usize,
    /// The numbers of at least those that have not failed: a run sends and ends no others.
    live: Vec<u32>,
    /// Whether the server may have got one whole since the last run's start.
    pub found: bool,
    /// Numbers for the updates' ids.
    ops: V::Symbols,
    /// The edits of each message, by its id.
    edits: ByText<V>,
    /// The number of edits and writes of open updates.
    pub edit_count: usize,
    pub write_count: usize,
    /// How often they were renumbered.
    pub turns: u32,
}

impl<V: Value> Default for Updates<V> {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            kept: 0,
            live: Vec::new(),
            found: true,
            ops: V::Symbols::default(),
            edits: ByText::default(),
            edit_count: 0,
            write_count: 0,
            turns: 0,
        }
    }
}

impl<V: Value> Updates<V> {
    pub(super) fn iter(&self) -> impl Iterator<Item = &PendingUpdate<V>> {
        self.all().filter(|update| !update.over)
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut PendingUpdate<V>> {
        self.all_mut().filter(|update| !update.over)
    }

    /// Includes those done.
    pub(super) fn all(&self) -> impl Iterator<Item = &PendingUpdate<V>> {
        self.slots.iter().filter_map(Option::as_deref)
    }

    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut PendingUpdate<V>> {
        self.slots.iter_mut().filter_map(Option::as_deref_mut)
    }

    /// Returns those that have not failed.
    pub(super) fn live(&self) -> impl Iterator<Item = &PendingUpdate<V>> {
        let live = self.live.iter().filter_map(|number| self.get(*number));
        live.filter(|update| update.status != UpdateStatus::Failed)
    }

    /// Notes that one has not failed any more.
    pub(super) fn revive(&mut self, number: u32) {
        self.live.push(number);
    }

    /// Changes each of those that have not failed.
    pub(super) fn each_live(&mut self, change: &mut dyn FnMut(&mut PendingUpdate<V>)) {
        let mut live = std::mem::take(&mut self.live);
        live.retain(|number| {
            let update =
                self.get_mut(*number).filter(|update| update.status != UpdateStatus::Failed);
            let Some(update) = update else { return false };
            change(update);
            update.status != UpdateStatus::Failed
        });
        self.live = live;
    }

    /// Returns the number of the update with this id.
    pub(super) fn number(&self, id: &str) -> Option<u32> {
        let number = self.ops.find(&V::string(id))?;
        self.get(number).map(|_| number)
    }

    /// Whether an update has, or had, this id.
    pub(super) fn knows(&self, id: &str) -> bool {
        self.ops.find(&V::string(id)).is_some()
    }

    pub(super) fn get(&self, number: u32) -> Option<&PendingUpdate<V>> {
        self.slots.get(number as usize)?.as_deref().filter(|update| !update.over)
    }

    pub(super) fn get_mut(&mut self, number: u32) -> Option<&mut PendingUpdate<V>> {
        self.slots.get_mut(number as usize)?.as_deref_mut().filter(|update| !update.over)
    }

    /// Appends an update. The number of its id is that of its slot, as each id is new.
    pub(super) fn push(&mut self, mut update: Box<PendingUpdate<V>>) {
        let number = self.ops.intern(&V::string(&update.id));
        let Some(number) = number.filter(|number| *number as usize == self.slots.len()) else {
            return;
        };
        for (at, edit) in (0..).zip(&mut update.edits) {
            edit.number = self.edits.add(&edit.id, [number, at]).unwrap_or(Join::NONE);
        }
        if !update.over {
            self.edit_count += update.edits.len();
            self.write_count += update.writes.len();
        }
        self.kept += 1;
        if update.status != UpdateStatus::Failed {
            self.live.push(number);
        }
        self.slots.push(Some(update));
    }

    /// Removes an update.
    pub(super) fn remove(&mut self, number: u32) -> Option<Box<PendingUpdate<V>>> {
        let gone = self.take(number);
        self.found = true;
        self.tidy();
        gone
    }

    /// Removes those chosen, which the server has, if it may have one. Returns whether any may be
    /// gone since the last time.
    pub(super) fn drop_had(&mut self, chosen: &dyn Fn(&PendingUpdate<V>) -> bool) -> bool {
        if !std::mem::take(&mut self.found) {
            return false;
        }
        for number in 0..u32::try_from(self.slots.len()).unwrap_or(u32::MAX) {
            let update = self.slots.get(number as usize).and_then(Option::as_deref);
            if update.is_some_and(chosen) {
                self.take(number);
            }
        }
        self.tidy();
        true
    }

    fn take(&mut self, number: u32) -> Option<Box<PendingUpdate<V>>> {
        let gone = self.slots.get_mut(number as usize)?.take()?;
        self.kept -= 1;
        if !gone.over {
            self.edit_count -= gone.edits.len();
            self.write_count -= gone.writes.len();
        }
        for edit in &gone.edits {
            self.edits.take(&edit.id, &|[update, _]| update == number);
        }
        Some(gone)
    }

    /// Renumbers the updates once most are gone.
    fn tidy(&mut self) {
        if self.slots.len() > 2 * self.kept + 64 || (self.kept == 0 && !self.slots.is_empty()) {
            let turns = self.turns.wrapping_add(1);
            for update in std::mem::take(self).slots.into_iter().flatten() {
                self.push(update);
            }
            self.turns = turns;
        }
    }

    /// Marks those done of the ones that have not failed, if chosen.
    pub(super) fn end(&mut self, chosen: &dyn Fn(&PendingUpdate<V>) -> bool) {
        let (mut edits, mut writes, mut found) = (self.edit_count, self.write_count, self.found);
        self.each_live(&mut |update| {
            update.over = chosen(update);
            if update.over {
                (edits, writes) = (edits - update.edits.len(), writes - update.writes.len());
                found = true;
            }
        });
        (self.edit_count, self.write_count, self.found) = (edits, writes, found);
    }

    /// Takes back what a run has done: none is over, any may not have failed, and no message was
    /// sent again.
    pub(super) fn reopen(&mut self, run: u32) {
        for update in self.slots.iter_mut().filter_map(Option::as_deref_mut) {
            if std::mem::take(&mut update.over) {
                self.edit_count += update.edits.len();
                self.write_count += update.writes.len();
            }
            for edit in &mut update.edits {
                edit.again = edit.again.filter(|again| *again != run);
            }
        }
        self.live = (0..u32::try_from(self.slots.len()).unwrap_or(u32::MAX)).collect();
    }

    /// Returns the updates with the numbers that index their edits.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (u32, &PendingUpdate<V>)> {
        let slots = (0..).zip(&self.slots);
        let all = slots.filter_map(|(number, slot)| Some((number, slot.as_deref()?)));
        all.filter(|(_, update)| !update.over)
    }

    pub(super) fn numbered_mut(&mut self) -> impl Iterator<Item = (u32, &mut PendingUpdate<V>)> {
        let slots = (0..).zip(&mut self.slots);
        let all = slots.filter_map(|(number, slot)| Some((number, slot.as_deref_mut()?)));
        all.filter(|(_, update)| !update.over)
    }

    /// Gives a message the server's id, in all that was done with it.
    pub(super) fn rename(&mut self, old: &V, id: &V) {
        for address in self.edits.of(old).to_vec() {
            self.rename_edit(address, id);
        }
    }

    fn rename_edit(&mut self, address: Address, id: &V) -> Option<()> {
        let [number, at] = address;
        let update = self.slots.get_mut(number as usize)?.as_deref_mut()?;
        let edit = update.edits.get_mut(at as usize)?;
        (update.renamed, update.told) = (true, None);
        self.edits.take(&edit.id, &|one| one == address);
        edit.number = self.edits.add(id, address)?;
        edit.id = id.clone();
        edit.message = edit.message.take().map(|message| message.with("id", id.clone()));
        Some(())
    }

    /// Returns the addresses of the edits of the message with this id, in the updates' order.
    pub(super) fn edits_of(&self, id: &V) -> &[Address] {
        if self.edit_count == 0 { &[] } else { self.edits.of(id) }
    }

    pub(super) fn edit(&self, [update, at]: Address) -> Option<&Edit<V>> {
        self.get(update)?.edits.get(at as usize)
    }

    pub(super) fn edit_mut(&mut self, [update, at]: Address) -> Option<&mut Edit<V>> {
        self.get_mut(update)?.edits.get_mut(at as usize)
    }
}
