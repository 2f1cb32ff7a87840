//! An update that the server does not have yet, and its parts.

use std::fmt;

use super::MESSAGES;
use super::object::with;
use crate::message_list::JsonMessageList;
use crate::value::{ByNumber, Found, Symbols, Value};

/// The status of an optimistic update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpdateStatus {
    /// No run has sent it.
    Pending,
    /// A run has sent it and has not ended.
    Sent,
    /// The run that sent it failed, or you marked it failed.
    Failed,
}

/// Writes `pending`, `sent` or `failed`.
impl fmt::Display for UpdateStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl UpdateStatus {
    pub(crate) fn name(self) -> &'static str {
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
#[non_exhaustive]
pub struct PendingUpdate<V> {
    /// Its id.
    pub id: String,
    /// The fields that it writes; its messages are whole and have ids.
    pub update: V,
    /// Its status.
    pub status: UpdateStatus,
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
    /// The number of the run in which the server sent the message of a sent removal again, or
    /// removed that of an addition.
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

impl<V: Value> PendingUpdate<V> {
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
            status: UpdateStatus::Pending,
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
        self.sent_by == Some(run) && self.status == UpdateStatus::Sent
    }

    pub(super) fn mark(&mut self, status: UpdateStatus, error: Option<V>) {
        let same = match (&self.error, &error) {
            (Some(one), Some(other)) => one.same(other),
            (one, other) => one.is_none() && other.is_none(),
        };
        if !same || self.status != status {
            (self.status, self.error, self.told) = (status, error, None);
        }
    }

    /// Stores the server's value under each part's key.
    pub(super) fn note_bases(&mut self, messages: &JsonMessageList<V>, fields: &V) {
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
        let numbers = V::Symbols::default().numbers(&list, "id");
        // By number, the place of the edit.
        let mut edits = ByNumber::default();
        for (place, edit) in (0..).zip(&self.edits) {
            numbers.get(edit.at as usize).and_then(|number| edits.insert(*number, place));
        }
        let messages = (0..).zip(list.items()).zip(numbers).map(|((at, item), number)| {
            let edit = edits.get(number).and_then(|place| self.edits.get(place as usize));
            let Some(edit) = edit else { return item.into_owned() };
            let own = edit.message.clone().filter(|_| edit.at == at);
            own.unwrap_or_else(|| item.into_owned().with("id", edit.id.clone()))
        });
        self.update = self.update.clone().with(MESSAGES, V::array(messages));
        self.told = None;
    }

    /// Returns the rest that the server does not have, as an update.
    pub(super) fn rest(&self) -> V {
        let held = self.writes.iter().filter(|write| write.acknowledged);
        let rest = self.update.clone().without(MESSAGES);
        let rest = held.fold(rest, |rest, write| rest.without(&write.key));
        if self.edits.iter().all(|edit| edit.acknowledged) {
            return rest;
        }
        let edits = self.edits.iter().filter(|edit| !edit.acknowledged);
        let messages = edits.map(|edit| {
            let id = || edit.id.clone();
            let removal = || V::object().with("type", V::string("remove")).with("id", id());
            edit.message.clone().unwrap_or_else(removal)
        });
        rest.with(MESSAGES, V::array(messages))
    }

    /// Returns it as an object for the list of pending updates, which then has what it is now.
    pub(super) fn tell(&mut self) -> V {
        let told = self.seen();
        self.told = Some(told.clone());
        told
    }

    /// Returns it as an object: `{ id, status, update, error?, manual? }`.
    pub(super) fn seen(&mut self) -> V {
        self.with_new_ids();
        if let Some(told) = &self.told {
            return told.clone();
        }
        let told = V::object()
            .with("id", V::string(&self.id))
            .with("status", V::string(self.status.name()))
            .with("update", self.update.clone());
        let manual = if self.manual { V::parse_json("true") } else { None };
        with(with(told, "error", self.error.as_ref()), "manual", manual.as_ref())
    }
}
