//! An update, its parts, and those that the server has (2).

use super::state::{Change, Field, Local, Message, State, Write, field, find, write};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Pending,
    Sent,
    Failed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    Add,
    Change,
    /// No longer shown when written, though the server has it or all were removed: goes to the end
    /// again.
    Move,
    Remove,
}

/// An update's change under one key, and its base: the server's value under the key when a run sent
/// it.
#[derive(Clone, Debug)]
pub struct Part<W, B> {
    pub write: W,
    pub base: Option<B>,
}

#[derive(Clone, Debug)]
pub struct Edit {
    pub does: Does,
    pub message: Message,
    /// Whether the update names it: not if it only removes all.
    pub named: bool,
    pub(super) seat: usize,
    /// The number of the run in which the server sent the message of a sent removal again, or
    /// removed that of an addition.
    pub(super) again: Option<usize>,
}

impl Edit {
    pub(super) fn of(does: Does, message: Message) -> Self {
        Self { does, message, named: false, seat: 0, again: None }
    }
}

#[derive(Clone, Debug)]
pub struct Update {
    pub serial: usize,
    pub manual: bool,
    pub status: Status,
    pub edits: Vec<Part<Edit, Option<Message>>>,
    pub writes: Vec<Part<Write, Field>>,
    /// Whether the last run sent it.
    pub(super) taken: bool,
    /// The ids that the server had when the update was sent.
    pub(super) had: Option<Vec<String>>,
    /// The number of the run that sent it first.
    pub(super) sent_in: usize,
}

/// Whether the server has an edit. It has an added message when its list has the id. It has any
/// other sent part when its value under the key differs from the base.
pub(super) fn edit_is_acknowledged(part: &Part<Edit, Option<Message>>, confirmed: &State) -> bool {
    let id = &part.write.message.id;
    let now = confirmed.messages.iter().find(|message| message.id == *id);
    match part.write.does {
        _ if part.write.again.is_some() => true,
        Does::Add => now.is_some(),
        _ => part.base.as_ref().is_some_and(|base| base.as_ref() != now),
    }
}

pub(super) fn write_is_acknowledged(part: &Part<Write, Field>, confirmed: &State) -> bool {
    part.base.as_ref().is_some_and(|base| base != field(confirmed, part.write.key))
}

pub(super) fn is_acknowledged(update: &Update, confirmed: &State) -> bool {
    update.edits.iter().all(|part| edit_is_acknowledged(part, confirmed))
        && update.writes.iter().all(|part| write_is_acknowledged(part, confirmed))
}

pub(super) fn note_bases(update: &mut Update, confirmed: &State) {
    for part in &mut update.edits {
        part.base = Some(find(confirmed, &part.write.message.id));
    }
    for part in &mut update.writes {
        part.base = Some(field(confirmed, part.write.key).clone());
    }
}

/// Applies the writes of these updates that the server does not have.
pub(super) fn write_all(state: &mut State, updates: &[Update], confirmed: &State) {
    for part in updates.iter().flat_map(|update| &update.writes) {
        if !write_is_acknowledged(part, confirmed) {
            write(state, &part.write);
        }
    }
}

/// Returns the rest of an update that the server does not have.
pub(super) fn rest_of(update: Update, confirmed: &State) -> Local {
    let edits = update.edits.into_iter().filter(|part| !edit_is_acknowledged(part, confirmed));
    let messages = edits.map(|Part { write: Edit { does, message, .. }, .. }| match does {
        Does::Remove => Change::Remove(message.id),
        _ => Change::Put(message),
    });
    let writes = update.writes.into_iter().filter(|part| !write_is_acknowledged(part, confirmed));
    let fields = writes.map(|part| part.write).collect();
    Local { messages: messages.collect(), fields, settled: true }
}

pub(super) fn removed(id: &str) -> Message {
    Message { id: id.to_owned(), kind: "remove", content: String::new(), call: None }
}
