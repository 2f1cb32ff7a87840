//! The updates that are not the server's yet, and the parts they have.

use crate::value::{Found, Plan, Symbols, Value};

use super::MESSAGES;

/// What became of an optimistic update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// No run has taken it along.
    Pending,
    /// A run has taken it along and has not ended.
    Sent,
    /// The run that took it along failed, or somebody said so.
    Failed,
}

impl Status {
    /// `pending`, `sent` or `failed`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Sent => "sent",
            Self::Failed => "failed",
        }
    }

    pub(super) fn of(name: &str) -> Option<Self> {
        [Self::Pending, Self::Sent, Self::Failed].into_iter().find(|status| status.name() == name)
    }
}

/// An optimistic update: laid over the confirmed state as far as that does not have it.
#[derive(Clone)]
pub struct Pending<V> {
    /// Its own id.
    pub id: String,
    /// What it writes; its messages are whole and have ids.
    pub update: V,
    /// What became of it.
    pub status: Status,
    /// Why it failed.
    pub error: Option<V>,
    /// Whether a call of its own carries it: no run takes it along, and only a hand ends it.
    pub manual: bool,
    /// Its place among all there have been.
    pub(super) serial: u32,
    /// Whether the thread's last run took it along.
    pub(super) taken: bool,
    /// The messages that the server had when it was sent, by the number of the list.
    pub(super) anchor: Option<u32>,
    /// One for each message it adds, changes or removes.
    pub(super) edits: Vec<Edit<V>>,
    /// One for each other field it writes.
    pub(super) writes: Vec<Write<V>>,
    /// Whether `update` lacks the ids that the server gave.
    pub(super) renamed: bool,
    /// What tells of it, as long as that is true.
    pub(super) told: Option<V>,
}

/// The server's value under the key of a part when a run took it along: inside it nothing, when
/// the server had none.
pub(super) type Base<V> = Option<Option<V>>;

/// What an update does to one message.
#[derive(Clone)]
pub(super) struct Edit<V> {
    pub id: V,
    /// The number of the id among those of all parts.
    pub number: u32,
    /// Its position among the update's messages.
    pub at: u32,
    /// Its place in the order of all edits.
    pub seat: u32,
    pub does: Does,
    /// Nothing for a removal.
    pub message: Option<V>,
    pub base: Base<V>,
    /// Whether it is the server's, as found out at the last look.
    pub acknowledged: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    /// Neither the thread nor the server had a message with its id.
    Add,
    /// It was shown.
    Change,
    /// It was removed before: it has a new place.
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

    /// What has this name, and a message or none.
    pub(super) fn of(name: &str, message: bool) -> Option<Self> {
        let all = [Self::Add, Self::Change, Self::Move, Self::Remove];
        all.into_iter().find(|it| it.name() == name && (*it == Self::Remove) != message)
    }
}

/// What an update writes to one field.
#[derive(Clone)]
pub(super) struct Write<V> {
    pub key: String,
    pub value: V,
    pub base: Base<V>,
    /// Whether it is the server's, as found out at the last look.
    pub acknowledged: bool,
    /// The value that it was folded into last, and what came of it: folded anew only for another.
    pub folded: Option<(Option<V>, Option<V>)>,
}

impl<V: Value> Pending<V> {
    /// An update without edits of messages.
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
            serial: 0,
            taken: false,
            anchor: None,
            edits: Vec::new(),
            writes,
            renamed: false,
            told: None,
        }
    }

    /// Whether all of it is the server's.
    pub(super) fn is_acknowledged(&self) -> bool {
        self.edits.iter().all(|edit| edit.acknowledged)
            && self.writes.iter().all(|write| write.acknowledged)
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

    /// As it was before a run took it along.
    pub(super) fn unsend(&mut self) {
        self.anchor = None;
        self.edits.iter_mut().for_each(|edit| edit.base = None);
        self.writes.iter_mut().for_each(|write| write.base = None);
    }

    /// Puts the ids that the server gave into the update.
    pub(super) fn with_new_ids(&mut self) {
        if !std::mem::take(&mut self.renamed) {
            return;
        }
        let Some(list) = self.update.get(MESSAGES).map(Found::into_owned) else { return };
        let mut plan = Plan::default();
        let messages = self.edits.iter().filter_map(|edit| {
            let message = edit.message.clone()?;
            plan.replaced.push([edit.at, u32::try_from(plan.replaced.len()).ok()?]);
            Some(message)
        });
        let messages = V::array(messages);
        let list = V::assemble(list, messages, &plan, false);
        self.update = self.update.clone().with(MESSAGES, list);
        self.told = None;
    }

    /// What of it is not the server's, as an update.
    pub(super) fn rest(self) -> V {
        let held = self.writes.iter().filter(|write| write.acknowledged);
        let rest = held.fold(self.update.without(MESSAGES), |rest, write| rest.without(&write.key));
        if self.edits.is_empty() {
            return rest;
        }
        let edits = self.edits.into_iter().filter(|edit| !edit.acknowledged);
        let messages = edits.map(|edit| {
            let removal = || V::object().with("type", V::string("remove")).with("id", edit.id);
            edit.message.unwrap_or_else(removal)
        });
        rest.with(MESSAGES, V::array(messages))
    }

    /// It as an object: `{ id, status, update, error? }`.
    #[cfg_attr(not(target_arch = "wasm32"), allow(dead_code))]
    pub(super) fn tell(&mut self) -> V {
        self.with_new_ids();
        if let Some(told) = &self.told {
            return told.clone();
        }
        let told = V::object()
            .with("id", V::string(&self.id))
            .with("status", V::string(self.status.name()))
            .with("update", self.update.clone());
        let told = match &self.error {
            Some(error) => told.with("error", error.clone()),
            None => told,
        };
        self.told = Some(told.clone());
        told
    }
}

/// All pending updates in their order, found by their ids and by those of the messages they are about.
pub(super) struct Updates<V: Value> {
    /// By number, in the order in which they were made; nothing for one that is gone.
    slots: Vec<Option<Pending<V>>>,
    live: usize,
    /// Numbers for the updates' ids.
    ops: V::Symbols,
    /// Numbers for the ids of messages.
    names: V::Symbols,
    /// By the number of a message's id: which edits are about it, as update and place in it.
    edits: Vec<Vec<[u32; 2]>>,
    /// How many edits and writes there are.
    pub edit_count: usize,
    pub write_count: usize,
}

impl<V: Value> Default for Updates<V> {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            live: 0,
            ops: V::Symbols::default(),
            names: V::Symbols::default(),
            edits: Vec::new(),
            edit_count: 0,
            write_count: 0,
        }
    }
}

impl<V: Value> Updates<V> {
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &Pending<V>> {
        self.slots.iter().flatten()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Pending<V>> {
        self.slots.iter_mut().flatten()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// The number of an update's id.
    pub(super) fn place(&self, id: &str) -> Option<u32> {
        let number = self.ops.find(&V::string(id))?;
        self.get(number).map(|_| number)
    }

    pub(super) fn get(&self, number: u32) -> Option<&Pending<V>> {
        self.slots.get(number as usize)?.as_ref()
    }

    pub(super) fn get_mut(&mut self, number: u32) -> Option<&mut Pending<V>> {
        self.slots.get_mut(number as usize)?.as_mut()
    }

    /// Adds one behind the others. The number of its id is that of its slot: each id is new.
    pub(super) fn push(&mut self, mut update: Pending<V>) {
        let Some(number) = self.ops.intern(&V::string(&update.id)) else { return };
        for (at, edit) in (0..).zip(&mut update.edits) {
            if let Some(name) = self.names.intern(&edit.id) {
                edit.number = name;
                self.index(name, [number, at]);
            }
        }
        self.edit_count += update.edits.len();
        self.write_count += update.writes.len();
        self.live += 1;
        self.slots.resize_with(number as usize, || None);
        self.slots.push(Some(update));
    }

    fn index(&mut self, name: u32, edit: [u32; 2]) {
        let at = name as usize;
        if at >= self.edits.len() {
            self.edits.resize_with(at + 1, Vec::new);
        }
        if let Some(edits) = self.edits.get_mut(at) {
            edits.push(edit);
        }
    }

    /// Takes one out.
    pub(super) fn remove(&mut self, number: u32) -> Option<Pending<V>> {
        let gone = self.slots.get_mut(number as usize)?.take()?;
        self.live -= 1;
        self.edit_count -= gone.edits.len();
        self.write_count -= gone.writes.len();
        if self.live == 0 {
            *self = Self::default();
        } else if self.slots.len() > 2 * self.live + 64 {
            self.keep(|_| true);
        } else {
            for edit in &gone.edits {
                if let Some(edits) = self.edits.get_mut(edit.number as usize) {
                    edits.retain(|[update, _]| *update != number);
                }
            }
        }
        Some(gone)
    }

    /// Keeps those chosen; gives the others.
    pub(super) fn keep(&mut self, chosen: impl Fn(&Pending<V>) -> bool) -> Vec<Pending<V>> {
        let all = std::mem::take(self);
        let (kept, gone) = all.slots.into_iter().flatten().partition(|update| chosen(update));
        let kept: Vec<_> = kept;
        kept.into_iter().for_each(|update| self.push(update));
        gone
    }

    /// Puts back those that were kept elsewhere, each to its place.
    pub(super) fn put_back(&mut self, others: Vec<Pending<V>>) {
        let mut others = others.into_iter().peekable();
        for update in std::mem::take(self).slots.into_iter().flatten() {
            while let Some(other) = others.next_if(|other| other.serial < update.serial) {
                self.push(other);
            }
            self.push(update);
        }
        others.for_each(|other| self.push(other));
    }

    /// The updates with the numbers by which their edits are found.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (u32, &Pending<V>)> {
        (0..).zip(&self.slots).filter_map(|(number, slot)| Some((number, slot.as_ref()?)))
    }

    /// Gives a message the id that the server has for it; gives its seat.
    pub(super) fn rename(&mut self, place: [u32; 2], id: &V) -> Option<u32> {
        let [number, at] = place;
        let name = self.names.intern(id)?;
        let update = self.slots.get_mut(number as usize)?.as_mut()?;
        (update.renamed, update.told) = (true, None);
        let edit = update.edits.get_mut(at as usize)?;
        let seat = edit.seat;
        let old = std::mem::replace(&mut edit.number, name);
        edit.id = id.clone();
        edit.message = edit.message.take().map(|message| message.with("id", id.clone()));
        if let Some(edits) = self.edits.get_mut(old as usize) {
            edits.retain(|edit| *edit != place);
        }
        self.index(name, place);
        Some(seat)
    }

    /// The edits of the message with this id, in the order of the updates.
    pub(super) fn edits_of(&self, id: &V) -> &[[u32; 2]] {
        let number = if self.edit_count == 0 { None } else { self.names.find(id) };
        number.and_then(|number| self.edits.get(number as usize)).map_or(&[], Vec::as_slice)
    }

    pub(super) fn edit(&self, [update, at]: [u32; 2]) -> Option<&Edit<V>> {
        self.get(update)?.edits.get(at as usize)
    }

    pub(super) fn edit_mut(&mut self, [update, at]: [u32; 2]) -> Option<&mut Edit<V>> {
        self.get_mut(update)?.edits.get_mut(at as usize)
    }
}
