//! Updates that are shown but not confirmed yet.

use crate::error::Error;
use crate::message;
use crate::message_list::MessageList;
use crate::reducer::messages::{MessageRules, read_list};
use crate::value::{Found, Kind, Value};

use super::MESSAGES;

/// What became of an optimistic update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// No run has taken it along.
    Pending,
    /// A run that began after it is under way, or has ended without holding it.
    Sent,
    /// The run that should have held it failed.
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

/// An optimistic update: replayed over the confirmed state for as long as that does not hold it.
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
    /// The message that its new ones are placed behind; nothing for the start of the list.
    pub(super) after: Option<V>,
    /// One for each id.
    pub(super) edits: Vec<Edit<V>>,
    pub(super) writes: Vec<Write<V>>,
    /// Whether the confirmed state held all of it at some time in this run.
    pub(super) seen: bool,
    /// Whether it is done with, unless the run is received again from its start.
    pub(super) over: bool,
}

/// What a pending update does to one message.
#[derive(Clone)]
pub(super) struct Edit<V> {
    pub id: V,
    pub does: Does,
    /// Nothing for a removal.
    pub message: Option<V>,
    pub held: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    /// There was no message with its id.
    Add,
    /// There was one.
    Change,
    /// There was one before all were removed: it has a new place.
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

impl<V> Edit<V> {
    fn removal(id: V) -> Self {
        Self { id, does: Does::Remove, message: None, held: false }
    }
}

/// What a pending update writes to one field.
#[derive(Clone)]
pub(super) struct Write<V> {
    pub key: String,
    pub value: V,
    pub held: bool,
    /// Whether it was held when the run began: receiving that again does not undo it.
    pub held_before: bool,
    /// The field's value when it was folded last, and what it came to: folded anew only for another.
    pub folded: Option<(Option<V>, V)>,
    /// The confirmed value that was last asked whether it has this already, and has not.
    pub asked: Option<V>,
}

impl<V: Value> Pending<V> {
    /// An update of what `view` shows, its messages made whole.
    pub(super) fn new(id: String, update: V, view: &V) -> Result<Self, Error> {
        let mut update = update;
        let mut own = Vec::new();
        if let Some(messages) = update.get(MESSAGES).map(Found::into_owned) {
            if messages.is_null() {
                return Err(Error::NullArgument { received: Some("left") });
            }
            let (list, removals) = read_list(messages.own_list(), MessageRules::LangGraph)?;
            own = edits(&list, &removals, view)?;
            update = update.with(MESSAGES, list);
        }
        let last = view.len().checked_sub(1).and_then(|last| view.at(last));
        // A message without an id cannot be found again: then it is behind all that there are.
        let after = last.map(|last| last.get("id").map_or_else(V::null, Found::into_owned));
        Ok(Self { after, edits: own, ..Self::of(id, update) })
    }

    /// An update without edits of messages.
    pub(super) fn of(id: String, update: V) -> Self {
        let keys = update.keys();
        let values = keys.into_iter().filter(|key| key != MESSAGES).filter_map(|key| {
            let value = update.get(&key)?.into_owned();
            let (held, held_before) = (false, false);
            Some(Write { key, value, held, held_before, folded: None, asked: None })
        });
        let writes = values.collect();
        let (status, error, after, edits) = (Status::Pending, None, None, Vec::new());
        Self { id, update, status, error, after, edits, writes, seen: false, over: false }
    }

    pub(super) fn is_held(&self) -> bool {
        self.edits.iter().all(|edit| edit.held) && self.writes.iter().all(|write| write.held)
    }

    /// The id of the first message it adds that nobody has and that says what `message` says: the
    /// same one, when a server gave it an id of its own.
    pub(super) fn find_renamed(&self, message: &V, named: &dyn Fn(&V) -> bool) -> Option<V> {
        let content = message.get("content")?;
        let alike = |edit: &&Edit<V>| {
            let own = edit.message.as_ref().filter(|_| edit.does == Does::Add && !edit.held);
            own.is_some_and(|own| {
                own.get("content").is_some_and(|own| own.equals(&content))
                    && !named(&edit.id)
                    && ["human", "ai", "system", "tool"]
                        .iter()
                        .any(|kind| message::is_kind(own, kind) && message::is_kind(message, kind))
            })
        };
        self.edits.iter().find(alike).map(|edit| edit.id.clone())
    }

    /// Gives a message its new id, wherever it is named.
    pub(super) fn rename(&mut self, old: &V, new: &V) {
        if self.after.as_ref().is_some_and(|after| after.same(old)) {
            self.after = Some(new.clone());
        }
        let Some(edit) = self.edits.iter_mut().find(|edit| edit.id.same(old)) else { return };
        edit.id = new.clone();
        edit.message = edit.message.take().map(|message| message.with("id", new.clone()));
        let Some(list) = self.update.get(MESSAGES).map(Found::into_owned) else { return };
        let items = list.items().map(|item| {
            let named = item.get("id").is_some_and(|id| id.same(old));
            let item = item.into_owned();
            if named { item.with("id", new.clone()) } else { item }
        });
        let items = V::array(items);
        self.update = self.update.clone().with(MESSAGES, items);
    }

    /// What of its fields' writes the confirmed state does not hold, as an update.
    pub(super) fn rest(&self) -> V {
        let held = self.writes.iter().filter(|write| write.held);
        held.fold(self.update.clone().without(MESSAGES), |rest, write| rest.without(&write.key))
    }
}

/// The edits of an update's messages: a whole list with ids, and its removals by position.
fn edits<V: Value>(list: &V, removals: &[(u32, String)], view: &V) -> Result<Vec<Edit<V>>, Error> {
    let mut edits: Vec<Edit<V>> = Vec::new();
    let mut cleared = false;
    let mut removals = removals.iter().peekable();
    for (position, item) in (0..).zip(list.items()) {
        let Some(id) = item.get("id").map(Found::into_owned) else { continue };
        let known = edits.iter().position(|edit| edit.id.same(&id));
        match removals.next_if(|(at, _)| *at == position) {
            None => {
                let message = Some(item.into_owned());
                if let Some(edit) = known.and_then(|at| edits.get_mut(at))
                    && edit.message.is_some()
                {
                    edit.message = message;
                    continue;
                }
                if let Some(at) = known {
                    edits.remove(at);
                }
                let does = match (cleared, known.is_some() || has(view, &id)) {
                    (_, false) => Does::Add,
                    (false, true) => Does::Change,
                    (true, true) => Does::Move,
                };
                edits.push(Edit { id, does, message, held: false });
            }
            Some((_, all)) if all == message::REMOVE_ALL_MESSAGES => {
                edits.clear();
                let ids = view.items().filter_map(|item| item.get("id").map(Found::into_owned));
                edits.extend(ids.map(Edit::removal));
                cleared = true;
            }
            Some((_, name)) => {
                let there = has(view, &id);
                if known.is_none() && !there {
                    return Err(Error::UnknownMessageRemoved { id: name.clone() });
                }
                if let Some(at) = known {
                    edits.remove(at);
                }
                if there {
                    edits.push(Edit::removal(id));
                }
            }
        }
    }
    Ok(edits)
}

fn has<V: Value>(list: &V, id: &V) -> bool {
    list.items().any(|item| item.get("id").is_some_and(|it| it.same(id)))
}

/// Finds out which edits the confirmed messages hold: a new message by its id, a changed one by its
/// content, a removal by its absence. Of several edits of one message the last that is held says
/// that those before it are, too. Whether that changed anything.
pub(super) fn look<V: Value>(pending: &mut [Pending<V>], confirmed: &MessageList<V>) -> bool {
    let flags = |pending: &[Pending<V>]| -> Vec<bool> {
        pending.iter().flat_map(|update| &update.edits).map(|edit| edit.held).collect()
    };
    let was = flags(pending);
    for at in 0..pending.len() {
        let (before, rest) = pending.split_at_mut(at);
        let Some(update) = rest.first_mut().filter(|update| !update.over) else { continue };
        for edit in &mut update.edits {
            let found = confirmed.find(&edit.id).and_then(|at| confirmed.item(at));
            let earlier = |does: fn(Does) -> bool| {
                let edits = before.iter().filter(|it| !it.over).filter_map(|it| it.edit(&edit.id));
                edits.filter(|it| !it.held).any(|it| does(it.does))
            };
            let held = match (edit.does, &edit.message, found) {
                (Does::Add, _, None) | (_, None, Some(_)) => false,
                // What is yet to be added is not gone.
                (_, _, None) => !earlier(|does| does == Does::Add),
                (Does::Add, _, Some(_)) if !earlier(|_| true) => true,
                (_, Some(own), Some(found)) => match (own.get("content"), found.get("content")) {
                    (Some(own), Some(found)) => own.equals(&found),
                    (own, found) => own.is_none() && found.is_none(),
                },
            };
            edit.held = held;
        }
    }
    for at in (1..pending.len()).rev() {
        let (before, rest) = pending.split_at_mut(at);
        let Some(update) = rest.first().filter(|update| !update.over) else { continue };
        for edit in update.edits.iter().filter(|edit| edit.held) {
            for earlier in before.iter_mut().flat_map(|update| &mut update.edits) {
                earlier.held |= earlier.id.same(&edit.id);
            }
        }
    }
    was != flags(pending)
}

impl<V: Value> Pending<V> {
    fn edit(&self, id: &V) -> Option<&Edit<V>> {
        self.edits.iter().find(|edit| edit.id.same(id))
    }
}

/// Whether a value is an object that an update may be.
pub(super) fn update_of<V: Value>(update: &V, what: &str) -> Result<(), Error> {
    if update.kind() == Kind::Object {
        Ok(())
    } else {
        Err(Error::value(what, "an object of fields"))
    }
}
