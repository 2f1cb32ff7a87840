//! The forms in which a server sends a message, and the one that a thread gets: a plain dict.

use super::merge::{is_dict, is_list};
use crate::message::type_of_class;
use crate::value::{Json, Value};

/// A received message: its fields, its type, and whether it is a part of a message or a whole one.
#[derive(Debug, Clone)]
pub(super) struct Wire {
    pub fields: Json,
    pub kind: String,
    pub part: bool,
}

impl Wire {
    /// Reads a dict with a `type`, or a serialised constructor (`{ lc: 1, … }`).
    pub(super) fn read(value: &Json) -> Option<Self> {
        if is_constructor(value) {
            let name = value["id"].iter().next_back().and_then(Json::as_str).unwrap_or_default();
            return Some(Self::named(&value["kwargs"], name));
        }
        value["type"].as_str().map(|name| Self::named(value, name))
    }

    fn named(fields: &Json, name: &str) -> Self {
        let whole = name.strip_suffix("Chunk").unwrap_or(name);
        let kind = type_of_class(whole).unwrap_or(whole).to_owned();
        // A server written in JavaScript calls a part "ai", too; only a part has tool call chunks.
        let part = whole != name || (kind == "ai" && is_list(&fields["tool_call_chunks"]));
        Self { fields: fields.clone(), kind, part }
    }

    pub(super) fn id(&self) -> Option<&str> {
        self.fields["id"].as_str().filter(|id| !id.is_empty())
    }

    /// Returns the plain dict of a whole message.
    pub(super) fn plain(&self) -> Json {
        if self.fields["type"].as_str() == Some(&*self.kind) {
            return self.fields.clone();
        }
        self.fields.clone().with("type", self.kind.as_str().into())
    }
}

fn is_constructor(value: &Json) -> bool {
    let is_one = value["lc"].as_number().is_some_and(|lc| lc.as_i64() == Some(1));
    is_one && is_list(&value["id"]) && is_dict(&value["kwargs"])
}

/// Returns the messages of a state or an update as plain dicts; the same value if they are plain
/// already.
pub(super) fn plain_messages(messages: &Json) -> Json {
    let plain = |message: &Json| {
        let wire = if is_constructor(message) { Wire::read(message) } else { None };
        wire.map_or_else(|| message.clone(), |wire| wire.plain())
    };
    if !is_list(messages) {
        return plain(messages);
    }
    if !messages.iter().any(is_constructor) {
        return messages.clone();
    }
    messages.iter().map(plain).collect()
}

/// Returns a message as a graph's state has it, without the fields of a message in parts.
pub(super) fn finished(message: Json) -> Json {
    message.without("tool_call_chunks").without("chunk_position")
}
