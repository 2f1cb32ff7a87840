//! Updates that are shown but not confirmed yet.

use std::borrow::Cow;

use crate::error::Error;
use crate::message;
use crate::message_list::MessageList;
use crate::reducer::messages::{MessageRules, read_list};
use crate::value::{Kind, Plan, Value};

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
    pub(super) edits: Vec<Edit<V>>,
    pub(super) writes: Vec<Write<V>>,
    /// Whether the confirmed state held all of it at some time in this run.
    pub(super) seen: bool,
}

/// What a pending update does to one message.
#[derive(Clone)]
pub(super) struct Edit<V> {
    pub id: V,
    /// Nothing for a removal.
    pub message: Option<V>,
    /// Whether there was a message with this id before.
    pub replaces: bool,
    pub held: bool,
}

impl<V: Value> Edit<V> {
    fn removal(id: V) -> Self {
        Self { id, message: None, replaces: true, held: false }
    }

    /// A new message is held by its id, a changed one by its content, a removal by its absence.
    fn is_held_by(&self, confirmed: &MessageList<V>) -> bool {
        let found = confirmed.find(&self.id).and_then(|at| confirmed.item(at));
        match (&self.message, found) {
            (Some(own), Some(found)) if self.replaces => {
                match (own.get("content"), found.get("content")) {
                    (Some(own), Some(found)) => own.equals(&found),
                    (own, found) => own.is_none() && found.is_none(),
                }
            }
            (Some(_), found) => found.is_some() || self.replaces,
            (None, found) => found.is_none(),
        }
    }
}

/// What a pending update writes to one field.
#[derive(Clone)]
pub(super) struct Write<V> {
    pub key: String,
    pub value: V,
    pub held: bool,
    /// The field's value when it was folded last, and what it came to: folded anew only for another.
    pub folded: Option<(Option<V>, V)>,
}

impl<V: Value> Pending<V> {
    /// An update of what `view` shows, its messages made whole.
    pub(super) fn new(id: String, update: V, view: &V, after: Option<V>) -> Result<Self, Error> {
        let mut update = update;
        let mut own = Vec::new();
        if let Some(messages) = update.get(MESSAGES).map(Cow::into_owned) {
            if messages.is_null() {
                return Err(Error::NullArgument { received: Some("left") });
            }
            let (list, removals) = read_list(messages.own_list(), MessageRules::LangGraph)?;
            own = edits(&list, &removals, view)?;
            update = update.with(MESSAGES, list);
        }
        let keys = update.keys();
        let values = keys.iter().filter(|key| *key != MESSAGES).filter_map(|key| {
            let value = update.get(key)?.into_owned();
            Some(Write { key: key.clone(), value, held: false, folded: None })
        });
        let writes = values.collect();
        let (status, error, seen) = (Status::Pending, None, false);
        Ok(Self { id, update, status, error, after, edits: own, writes, seen })
    }

    pub(super) fn is_held(&self) -> bool {
        self.edits.iter().all(|edit| edit.held) && self.writes.iter().all(|write| write.held)
    }

    /// Looks for its messages among the confirmed ones.
    pub(super) fn look_for_messages(&mut self, confirmed: &MessageList<V>) {
        for edit in &mut self.edits {
            edit.held = edit.is_held_by(confirmed);
        }
        self.seen |= self.is_held();
    }

    /// The first message it adds that the confirmed state does not hold and that says what
    /// `message` says: the same one, when a server gave it an id of its own.
    pub(super) fn take_renamed(&mut self, message: &V, named: &dyn Fn(&V) -> bool) -> bool {
        let content = message.get("content");
        let alike = |edit: &&mut Edit<V>| match (&edit.message, &content) {
            (Some(own), Some(content)) if !edit.held && !named(&edit.id) => {
                own.get("content").is_some_and(|own| own.equals(content))
                    && ["human", "ai", "system", "tool"]
                        .iter()
                        .any(|kind| message::is_kind(own, kind) && message::is_kind(message, kind))
            }
            _ => false,
        };
        let Some(edit) = self.edits.iter_mut().find(alike) else { return false };
        edit.held = true;
        if let Some(id) = message.get("id") {
            edit.id = id.into_owned();
        }
        self.seen |= self.is_held();
        true
    }
}

/// The edits of an update's messages: a whole list with ids, and its removals by position.
fn edits<V: Value>(list: &V, removals: &[(u32, String)], view: &V) -> Result<Vec<Edit<V>>, Error> {
    let mut edits: Vec<Edit<V>> = Vec::new();
    let mut removals = removals.iter().peekable();
    for (position, item) in (0..).zip(list.items()) {
        let Some(id) = item.get("id").map(Cow::into_owned) else { continue };
        match removals.next_if(|(at, _)| *at == position) {
            None => {
                let replaces = has(view, &id);
                let message = Some(item.into_owned());
                edits.push(Edit { id, message, replaces, held: false });
            }
            Some((_, all)) if all == message::REMOVE_ALL_MESSAGES => {
                edits.clear();
                let ids = view.items().filter_map(|item| item.get("id").map(Cow::into_owned));
                edits.extend(ids.map(Edit::removal));
            }
            Some((_, name)) => {
                let own = edits.iter().any(|edit| edit.message.is_some() && edit.id.same(&id));
                if !own && !has(view, &id) {
                    return Err(Error::UnknownMessageRemoved { id: name.clone() });
                }
                edits.retain(|edit| !edit.id.same(&id));
                edits.push(Edit::removal(id));
            }
        }
    }
    Ok(edits)
}

fn has<V: Value>(list: &V, id: &V) -> bool {
    list.items().any(|item| item.get("id").is_some_and(|it| it.same(id)))
}

/// A message that no confirmed one is.
struct Extra<V> {
    id: V,
    message: V,
    /// It comes before the confirmed message at this position.
    before: usize,
}

/// The confirmed messages with the pending edits over them.
pub(super) fn weave<V: Value>(confirmed: &mut MessageList<V>, pending: &[Pending<V>]) -> V {
    let mut items = Vec::new();
    let mut plan = Plan::default();
    let mut extras: Vec<Extra<V>> = Vec::new();
    for update in pending {
        let mut after = update.after.clone();
        for edit in &update.edits {
            let place = confirmed.find(&edit.id);
            match (&edit.message, place) {
                _ if edit.held => {}
                (Some(message), Some(at)) => {
                    plan.removed.retain(|removed| *removed != at);
                    plan.replaced.push((at, number(items.len())));
                    items.push(message.clone());
                }
                (Some(message), None) => {
                    if let Some(extra) = extras.iter_mut().find(|extra| extra.id.same(&edit.id)) {
                        extra.message = message.clone();
                    } else {
                        let before = place_behind(after.as_ref(), confirmed, &extras);
                        let (id, message) = (edit.id.clone(), message.clone());
                        // Kept in order, each behind those of its place that were there before it.
                        let at = extras.partition_point(|extra| extra.before <= before);
                        extras.insert(at, Extra { id, message, before });
                    }
                }
                (None, Some(at)) => {
                    if let Err(place) = plan.removed.binary_search(&at) {
                        plan.removed.insert(place, at);
                    }
                }
                (None, None) => extras.retain(|extra| !extra.id.same(&edit.id)),
            }
            if edit.message.is_some() {
                after = Some(edit.id.clone());
            }
        }
    }
    let mut list = confirmed.snapshot();
    let len = list.len();
    let inner = extras.partition_point(|extra| extra.before < len);
    for extra in extras.drain(inner..) {
        plan.appended.push(number(items.len()));
        items.push(extra.message);
    }
    // Insertions move what is behind them: from the last to the first, and before anything goes.
    let shift = |at: u32| at + number(extras.partition_point(|extra| extra.before <= at as usize));
    for at in plan.removed.iter_mut().chain(plan.replaced.iter_mut().map(|(at, _)| at)) {
        *at = shift(*at);
    }
    for extra in extras.iter().rev() {
        list = list.splice(extra.before, 0, Some(extra.message.clone()));
    }
    if plan.is_empty() { list } else { V::assemble(list, V::array(items), &plan, false) }
}

/// Where a new message goes that was written behind another: before which confirmed position.
fn place_behind<V: Value>(
    after: Option<&V>,
    confirmed: &MessageList<V>,
    extras: &[Extra<V>],
) -> usize {
    let Some(after) = after else { return 0 };
    if let Some(at) = confirmed.find(after) {
        return at as usize + 1;
    }
    extras.iter().find(|extra| extra.id.same(after)).map_or(confirmed.len(), |extra| extra.before)
}

fn number(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

/// Whether a value is an object that an update may be.
pub(super) fn update_of<V: Value>(update: &V, what: &str) -> Result<(), Error> {
    if update.kind() == Kind::Object {
        Ok(())
    } else {
        Err(Error::value(what, "an object of fields"))
    }
}
