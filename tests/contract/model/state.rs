//! A thread's state, in the model: messages and two fields, and how an update changes them.
//!
//! Two fields stand for all: updates replace `topic` and append to `log`. A message is an id, a
//! kind and a text.

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub id: String,
    pub kind: &'static str,
    pub content: String,
    /// The id of the call that a tool's result answers.
    pub call: Option<&'static str>,
}

/// A field's value; `None` when it is missing.
pub type Field = Option<Vec<String>>;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    pub messages: Vec<Message>,
    pub topic: Field,
    pub log: Field,
}

#[derive(Clone, Debug)]
pub struct Write {
    pub key: &'static str,
    pub value: String,
}

/// Makes a local, authoritative update.
#[derive(Clone, Debug, Default)]
pub struct Local {
    pub messages: Vec<Change>,
    pub fields: Vec<Write>,
    /// Whether it was a pending update.
    pub settled: bool,
}

#[derive(Clone, Debug)]
pub enum Change {
    Put(Message),
    Remove(String),
    RemoveAll,
}

pub(super) fn find(state: &State, id: &str) -> Option<Message> {
    state.messages.iter().find(|message| message.id == id).cloned()
}

pub(super) fn field<'a>(state: &'a State, key: &str) -> &'a Field {
    if key == "topic" { &state.topic } else { &state.log }
}

/// Applies one write: replaces `topic`, appends to `log`.
pub(super) fn write(state: &mut State, write: &Write) {
    let value = write.value.clone();
    match write.key {
        "topic" => state.topic = Some(vec![value]),
        _ => state.log.get_or_insert_default().push(value),
    }
}

/// Folds a local update, whole or not at all.
pub(super) fn fold(state: &mut State, local: &Local) -> bool {
    let mut next = state.clone();
    for change in &local.messages {
        match change {
            Change::Put(message) => match position(&next.messages, &message.id) {
                Some(at) => next.messages[at] = message.clone(),
                None => next.messages.push(message.clone()),
            },
            Change::Remove(id) => match position(&next.messages, id) {
                Some(at) => drop(next.messages.remove(at)),
                None => return false,
            },
            Change::RemoveAll => next.messages.clear(),
        }
    }
    local.fields.iter().for_each(|one| write(&mut next, one));
    *state = next;
    true
}

pub(super) fn ids(messages: &[Message]) -> Vec<String> {
    messages.iter().map(|message| message.id.clone()).collect()
}

pub(super) fn position(messages: &[Message], id: &str) -> Option<usize> {
    messages.iter().position(|message| message.id == id)
}
