//! Finds the message that has a tool call, however long the thread is.

use std::collections::HashMap;

use crate::thread::Thread;
use crate::value::{Json, Kind, Value};

/// A tool call with its place.
#[derive(Debug)]
pub(super) struct PlacedCall {
    pub message: Json,
    pub call: Json,
    at: usize,
}

impl PlacedCall {
    /// Returns the call's place in the message.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Returns the message with another call in its place.
    pub(super) fn with(&self, call: Json) -> Json {
        let calls = self.message["toolCalls"].clone().splice(self.at, 1, Some(call));
        self.message.clone().with("toolCalls", calls)
    }
}

#[derive(Debug, Default)]
struct Entry {
    /// The message that has the call, and its place there when last seen.
    owner: Option<(String, usize)>,
    /// The message with its result.
    result: Option<String>,
}

/// The calls of a thread's messages. Built in one pass when first needed, and kept up to date by
/// folding. It is built again after the messages changed in another way.
#[derive(Debug, Default)]
pub(super) struct CallIndex {
    entries: Option<HashMap<String, Entry>>,
}

impl CallIndex {
    /// Forgets all: the messages changed by something else than single events.
    pub(super) fn forget(&mut self) {
        self.entries = None;
    }

    /// Returns the tool call with this id, in the first message that has it.
    pub(super) fn find(&mut self, thread: &mut Thread<Json>, call: &str) -> Option<PlacedCall> {
        self.look(thread, call).unwrap_or_else(|Stale| {
            self.forget();
            self.look(thread, call).unwrap_or_default()
        })
    }

    /// Returns the message with a call's result.
    pub(super) fn result(&mut self, thread: &mut Thread<Json>, call: &str) -> Option<Json> {
        let id = self.known(thread).get(call)?.result.clone()?;
        thread.message(&id.as_str().into()).filter(|message| answers(message) == Some(call))
    }

    /// Notes a call that was added to a message.
    pub(super) fn note_call(&mut self, call: &str, owner: &str, at: usize) {
        if let Some(entries) = &mut self.entries {
            entries.entry(call.to_owned()).or_default().own(owner, at);
        }
    }

    /// Notes a message that was added.
    pub(super) fn note_message(&mut self, message: &Json) {
        if let Some(entries) = &mut self.entries {
            enter(entries, message);
        }
    }

    fn look(&mut self, thread: &mut Thread<Json>, call: &str) -> Result<Option<PlacedCall>, Stale> {
        let owner = self.known(thread).get(call).and_then(|entry| entry.owner.as_ref());
        let Some((owner, at)) = owner else { return Ok(None) };
        let at = *at;
        let message = thread.message(&owner.as_str().into()).ok_or(Stale)?;
        let found = message["toolCalls"][at].clone();
        let is_it = found["id"].as_str() == Some(call);
        if is_it { Ok(Some(PlacedCall { message, call: found, at })) } else { Err(Stale) }
    }

    fn known(&mut self, thread: &mut Thread<Json>) -> &HashMap<String, Entry> {
        self.entries.get_or_insert_with(|| {
            let mut entries = HashMap::new();
            for message in &thread.confirmed()["messages"] {
                enter(&mut entries, message);
            }
            entries
        })
    }
}

/// A call is not where it was.
struct Stale;

impl Entry {
    /// The first message that has a call is its owner.
    fn own(&mut self, owner: &str, at: usize) {
        self.owner.get_or_insert_with(|| (owner.to_owned(), at));
    }
}

fn enter(entries: &mut HashMap<String, Entry>, message: &Json) {
    let Some(id) = message["id"].as_str() else { return };
    for (at, call) in message["toolCalls"].iter().enumerate() {
        if let Some(call) = call["id"].as_str() {
            entries.entry(call.to_owned()).or_default().own(id, at);
        }
    }
    if let Some(call) = answers(message) {
        let entry = entries.entry(call.to_owned()).or_default();
        entry.result.get_or_insert_with(|| id.to_owned());
    }
}

/// Returns the call that a tool's message answers.
fn answers(message: &Json) -> Option<&str> {
    let is_result = message["role"].as_str() == Some("tool");
    message["toolCallId"].as_str().filter(|_| is_result && message.kind() == Kind::Object)
}
