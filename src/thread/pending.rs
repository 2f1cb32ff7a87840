//! The updates that the server does not have yet, and their parts.

use super::MESSAGES;
use super::ids::{ByText, Place};
use super::object::with;
use crate::message_list::MessageList;
use crate::value::{Found, Holds, Join, Plan, Symbols, Value};

#[cfg(test)]
mod tests;

/// The status of an optimistic update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// No run has sent it.
    Pending,
    /// A run has sent it and has not ended.
    Sent,
    /// The run that sent it failed, or you marked it failed.
    Failed,
}

impl Status {
    /// Returns `pending`, `sent` or `failed`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Sent => "sent",
            Self::Failed => "failed",
        }
    }

    pub(super) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "pending" => Self::Pending,
            "sent" => Self::Sent,
            "failed" => Self::Failed,
            _ => return None,
        })
    }
}

/// An optimistic update: shown over the confirmed state as far as that lacks it.
#[derive(Clone)]
#[allow(clippy::struct_excessive_bools)] // Each has its own meaning.
pub struct Pending<V> {
    /// Its id.
    pub id: String,
    /// The fields that it writes; its messages are whole and have ids.
    pub update: V,
    /// Its status.
    pub status: Status,
    /// Why it failed.
    pub error: Option<V>,
    /// Whether a separate call sends it: no run sends it or ends it.
    pub manual: bool,
    /// The number of the run that sent it last.
    pub(super) sent_by: Option<u32>,
    /// Whether the server has it for good, unless that run is joined again.
    pub(super) over: bool,
    /// The messages that the server had when it was sent, as a list's number.
    pub(super) anchor: Option<u32>,
    /// One for each message that it adds, changes or removes.
    pub(super) edits: Vec<Edit<V>>,
    /// One for each other field that it writes.
    pub(super) writes: Vec<Write<V>>,
    /// Whether `update` lacks the ids that the server assigned.
    pub(super) renamed: bool,
    /// Its object for callers, while that holds.
    pub(super) told: Option<V>,
}

/// The server's value under the key of a part when a run sent it; inside, `None` if the server had
/// none.
pub(super) type Base<V> = Option<Option<V>>;

/// An update's change of one message.
#[derive(Clone)]
pub(super) struct Edit<V> {
    pub id: V,
    /// The number of its id among those of all parts.
    pub number: u32,
    /// Its position among the update's messages.
    pub at: u32,
    /// Its place in the order of all edits.
    pub seat: u32,
    pub does: Does,
    /// `None` for a removal.
    pub message: Option<V>,
    pub base: Base<V>,
    /// For a sent removal: the number of the run in which the server sent the message again.
    pub again: Option<u32>,
    /// Whether the server has it, as of the last read.
    pub acknowledged: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    /// Neither the thread nor the server had a message with its id.
    Add,
    /// It was shown.
    Change,
    /// It was removed before and has a new place.
    Move,
    Remove,
}

impl Does {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Change => "change",
            Self::Move => "move",
            Self::Remove => "remove",
        }
    }

    /// Parses a name; only some names come with a message.
    pub(super) fn of(name: &str, message: bool) -> Option<Self> {
        Some(match (name, message) {
            ("add", true) => Self::Add,
            ("change", true) => Self::Change,
            ("move", true) => Self::Move,
            ("remove", false) => Self::Remove,
            _ => return None,
        })
    }
}

/// An update's write to one field.
#[derive(Clone)]
pub(super) struct Write<V> {
    pub key: String,
    pub value: V,
    pub base: Base<V>,
    /// Whether the server has it, as of the last read.
    pub acknowledged: bool,
    /// The value last folded into, and the result: folded again only into another value.
    pub folded: Option<(Option<V>, Option<V>)>,
}

impl<V: Value> Pending<V> {
    /// Makes an update without edits of messages.
    pub(super) fn new(id: String, update: V, manual: bool) -> Self {
        let keys = update.keys();
        let values = keys.into_iter().filter(|key| key != MESSAGES).filter_map(|key| {
            let value = update.get(&key)?.into_owned();
            Some(Write { key, value, base: None, acknowledged: false, folded: None })
        });
        let writes = values.collect();
        Self {
            id,
            update,
            status: Status::Pending,
            error: None,
            manual,
            sent_by: None,
            over: false,
            anchor: None,
            edits: Vec::new(),
            writes,
            renamed: false,
            told: None,
        }
    }

    /// Whether the server has all of it.
    pub(super) fn is_acknowledged(&self) -> bool {
        self.edits.iter().all(|edit| edit.acknowledged)
            && self.writes.iter().all(|write| write.acknowledged)
    }

    /// Whether this run sent it, and has not ended it.
    pub(super) fn is_sent_by(&self, run: u32) -> bool {
        self.sent_by == Some(run) && self.status == Status::Sent
    }

    pub(super) fn mark(&mut self, status: Status, error: Option<V>) {
        let same = match (&self.error, &error) {
            (Some(one), Some(other)) => one.same(other),
            (one, other) => one.is_none() && other.is_none(),
        };
        if !same || self.status != status {
            (self.status, self.error, self.told) = (status, error, None);
        }
    }

    /// Stores the server's value under each part's key.
    pub(super) fn note_bases(&mut self, messages: &MessageList<V>, fields: &V) {
        for edit in &mut self.edits {
            let here = messages.find(&edit.id);
            edit.base = Some(here.and_then(|at| messages.item(at)));
        }
        for write in &mut self.writes {
            write.base = Some(fields.get(&write.key).map(Found::into_owned));
        }
    }

    /// Resets it to before a run sent it.
    pub(super) fn unsend(&mut self) {
        self.anchor = None;
        self.edits.iter_mut().for_each(|edit| (edit.base, edit.again) = (None, None));
        self.writes.iter_mut().for_each(|write| write.base = None);
    }

    /// Puts the ids that the server assigned into the update.
    pub(super) fn with_new_ids(&mut self) {
        if !std::mem::take(&mut self.renamed) {
            return;
        }
        let Some(list) = self.update.get(MESSAGES).map(Found::into_owned) else { return };
        let mut plan = Plan::default();
        let messages = self.edits.iter().filter_map(|edit| {
            let own = || Some(list.at(edit.at as usize)?.into_owned().with("id", edit.id.clone()));
            let message = edit.message.clone().or_else(own)?;
            plan.replaced.push([edit.at, u32::try_from(plan.replaced.len()).ok()?]);
            Some(message)
        });
        let messages = V::array(messages);
        let list = V::assemble(list, messages, &plan, false);
        self.update = self.update.clone().with(MESSAGES, list);
        self.told = None;
    }

    /// Returns the rest that the server does not have, as an update.
    pub(super) fn rest(self) -> V {
        let held = self.writes.iter().filter(|write| write.acknowledged);
        let rest = held.fold(self.update.without(MESSAGES), |rest, write| rest.without(&write.key));
        if self.edits.iter().all(|edit| edit.acknowledged) {
            return rest;
        }
        let edits = self.edits.into_iter().filter(|edit| !edit.acknowledged);
        let messages = edits.map(|edit| {
            let removal = || V::object().with("type", V::string("remove")).with("id", edit.id);
            edit.message.unwrap_or_else(removal)
        });
        rest.with(MESSAGES, V::array(messages))
    }

    /// Returns it as an object: `{ id, status, update, error?, manual? }`.
    #[cfg_attr(not(all(target_arch = "wasm32", feature = "bindings")), allow(dead_code))]
    pub(super) fn tell(&mut self) -> V {
        self.with_new_ids();
        if let Some(told) = &self.told {
            return told.clone();
        }
        let told = V::object()
            .with("id", V::string(&self.id))
            .with("status", V::string(self.status.name()))
            .with("update", self.update.clone());
        let manual = if self.manual { V::parse_json("true") } else { None };
        let told = with(with(told, "error", self.error.as_ref()), "manual", manual.as_ref());
        self.told = Some(told.clone());
        told
    }
}

/// All updates in order, indexed by their ids and by the ids of their messages. Those done are kept
/// only to be sent again, and are not found.
pub(super) struct Updates<V: Value> {
    /// By number, in creation order; `None` for one that is gone.
    slots: Vec<Option<Box<Pending<V>>>>,
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
    pub(super) fn iter(&self) -> impl Iterator<Item = &Pending<V>> {
        self.all().filter(|update| !update.over)
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Pending<V>> {
        self.all_mut().filter(|update| !update.over)
    }

    /// Includes those done.
    pub(super) fn all(&self) -> impl Iterator<Item = &Pending<V>> {
        self.slots.iter().filter_map(Option::as_deref)
    }

    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut Pending<V>> {
        self.slots.iter_mut().filter_map(Option::as_deref_mut)
    }

    /// Returns those that have not failed.
    pub(super) fn live(&self) -> impl Iterator<Item = &Pending<V>> {
        let live = self.live.iter().filter_map(|number| self.get(*number));
        live.filter(|update| update.status != Status::Failed)
    }

    /// Notes that one has not failed any more.
    pub(super) fn revive(&mut self, number: u32) {
        self.live.push(number);
    }

    /// Notes that any may not have failed.
    pub(super) fn revive_all(&mut self) {
        self.live = (0..u32::try_from(self.slots.len()).unwrap_or(u32::MAX)).collect();
    }

    /// Changes each of those that have not failed.
    pub(super) fn each_live(&mut self, change: &mut dyn FnMut(&mut Pending<V>)) {
        let mut live = std::mem::take(&mut self.live);
        live.retain(|number| {
            let update = self.get_mut(*number).filter(|update| update.status != Status::Failed);
            let Some(update) = update else { return false };
            change(update);
            update.status != Status::Failed
        });
        self.live = live;
    }

    /// Returns the number of an update's id.
    pub(super) fn place(&self, id: &str) -> Option<u32> {
        let number = self.ops.find(&V::string(id))?;
        self.get(number).map(|_| number)
    }

    /// Whether an update has, or had, this id.
    pub(super) fn knows(&self, id: &str) -> bool {
        self.ops.find(&V::string(id)).is_some()
    }

    pub(super) fn get(&self, number: u32) -> Option<&Pending<V>> {
        self.slots.get(number as usize)?.as_deref().filter(|update| !update.over)
    }

    pub(super) fn get_mut(&mut self, number: u32) -> Option<&mut Pending<V>> {
        self.slots.get_mut(number as usize)?.as_deref_mut().filter(|update| !update.over)
    }

    /// Appends an update. The number of its id is that of its slot, as each id is new.
    pub(super) fn push(&mut self, mut update: Box<Pending<V>>) {
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
        if update.status != Status::Failed {
            self.live.push(number);
        }
        self.slots.push(Some(update));
    }

    /// Removes an update.
    pub(super) fn remove(&mut self, number: u32) -> Option<Box<Pending<V>>> {
        let gone = self.take(number);
        self.tidy();
        gone
    }

    /// Removes those chosen, which the server has, if it may have one.
    pub(super) fn drop_had(&mut self, chosen: &dyn Fn(&Pending<V>) -> bool) {
        if !std::mem::take(&mut self.found) {
            return;
        }
        for number in 0..u32::try_from(self.slots.len()).unwrap_or(u32::MAX) {
            let update = self.slots.get(number as usize).and_then(Option::as_deref);
            if update.is_some_and(chosen) {
                self.take(number);
            }
        }
        self.tidy();
    }

    fn take(&mut self, number: u32) -> Option<Box<Pending<V>>> {
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
    pub(super) fn end(&mut self, chosen: &dyn Fn(&Pending<V>) -> bool) {
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

    /// Takes back that some are done.
    pub(super) fn reopen(&mut self) {
        for update in self.slots.iter_mut().filter_map(Option::as_deref_mut) {
            if std::mem::take(&mut update.over) {
                self.edit_count += update.edits.len();
                self.write_count += update.writes.len();
            }
        }
    }

    /// Returns the updates with the numbers that index their edits.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (u32, &Pending<V>)> {
        let slots = (0..).zip(&self.slots);
        let all = slots.filter_map(|(number, slot)| Some((number, slot.as_deref()?)));
        all.filter(|(_, update)| !update.over)
    }

    /// Gives a message the server's id, in all that was done with it; returns its seat.
    pub(super) fn rename(&mut self, place: Place, id: &V) -> Option<u32> {
        let edit = self.edit(place)?;
        let (seat, old) = (edit.seat, edit.id.clone());
        for place in self.edits.of(&old).to_vec() {
            self.rename_edit(place, id);
        }
        Some(seat)
    }

    fn rename_edit(&mut self, place: Place, id: &V) -> Option<()> {
        let [number, at] = place;
        let update = self.slots.get_mut(number as usize)?.as_deref_mut()?;
        let edit = update.edits.get_mut(at as usize)?;
        (update.renamed, update.told) = (true, None);
        self.edits.take(&edit.id, &|one| one == place);
        edit.number = self.edits.add(id, place)?;
        edit.id = id.clone();
        edit.message = edit.message.take().map(|message| message.with("id", id.clone()));
        Some(())
    }

    /// Returns the places of the edits of the message with this id, in the updates' order.
    pub(super) fn edits_of(&self, id: &V) -> &[Place] {
        if self.edit_count == 0 { &[] } else { self.edits.of(id) }
    }

    pub(super) fn edit(&self, [update, at]: Place) -> Option<&Edit<V>> {
        self.get(update)?.edits.get(at as usize)
    }

    pub(super) fn edit_mut(&mut self, [update, at]: Place) -> Option<&mut Edit<V>> {
        self.get_mut(update)?.edits.get_mut(at as usize)
    }
}

/// The last list of pending updates returned.
pub(super) struct Told<V> {
    list: V,
    /// The numbers of its updates, and which numbering that was.
    numbers: Vec<u32>,
    turns: u32,
    /// Whether it still holds, but for the touched one.
    pub fresh: bool,
    /// The number of the one update that may have changed since.
    touched: Option<u32>,
}

impl<V: Value> Told<V> {
    pub(super) fn nothing() -> Self {
        Self { list: V::null(), numbers: Vec::new(), turns: 0, fresh: false, touched: None }
    }

    /// Notes that the update of this edit may have changed. More than one are looked at with all.
    pub(super) fn touch(&mut self, [number, _]: Place) {
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
            return listed && update.told.is_some() && !update.renamed;
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
        for (number, update) in (0..).zip(&mut updates.slots) {
            let Some(update) = update.as_deref_mut() else { continue };
            if update.over || update.is_acknowledged() {
                continue;
            }
            self.numbers.push(number);
            while known.get(next).is_some_and(|one| *one < number) {
                plan.removed.push(place(next));
                next += 1;
            }
            if known.get(next) == Some(&number) {
                if update.told.is_none() || update.renamed {
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
            self.list = V::array(all.map(Pending::tell));
        } else if !plan.is_empty() {
            let list = std::mem::replace(&mut self.list, V::null());
            self.list = V::assemble(list, V::array(items), &plan, false);
        }
        self.list.clone()
    }
}

impl<V: Value> Holds<V> for Told<V> {
    fn held(&mut self, visit: &mut dyn FnMut(&mut V)) {
        let Self { list, numbers: _, turns: _, fresh: _, touched: _ } = self;
        visit(list);
    }
}

fn place(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
