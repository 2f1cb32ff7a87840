//! The facts about a message that a decision needs, read from any [`Value`].

use crate::error::Error;
use crate::message::{FORMS, is_chat, kind_named, serialised_constructor};
use crate::value::{Found, Kind, Symbols, Value};

use super::cut::{Row, Track, index};

/// The facts about a message.
#[derive(Debug, Clone)]
pub(crate) enum Facts<V> {
    /// Its calls with an id, and those of them that could not be parsed.
    Ai {
        calls: Vec<V>,
        invalid: Vec<V>,
    },
    /// The id of the call that it answers; whether it is a chunk, which Python's rules do not take
    /// for a tool message.
    Tool {
        id: Option<V>,
        chunk: bool,
    },
    Other,
}

impl<V: Value> Facts<V> {
    /// Reads a message in any of its forms.
    ///
    /// # Errors
    /// `INVALID_MESSAGE` without a type or a role.
    pub(crate) fn of(message: &V) -> Result<Self, Error> {
        let made = serialised_constructor(message);
        let (name, fields) = match &made {
            Some((class, fields)) => (Some(class.clone()), fields),
            None => (name_of(message), message),
        };
        let name = name.ok_or_else(|| Error::message_field("", FORMS))?;
        Ok(match kind_named(&name) {
            Some("ai") => Self::Ai {
                calls: identified(of_either(fields, "tool_calls", "toolCalls")),
                invalid: identified(fields.get_owned("invalid_tool_calls")),
            },
            Some("tool") => {
                let text = |key| fields.get_owned(key).filter(|id| id.kind() == Kind::String);
                let id = text("tool_call_id").or_else(|| text("toolCallId"));
                Self::Tool { id, chunk: name == "ToolMessageChunk" }
            }
            _ => Self::Other,
        })
    }

    /// Reads all messages of a list.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if `messages` is not a list, and those of [`Facts::of`].
    pub(crate) fn of_all(messages: &V) -> Result<Vec<Self>, Error> {
        if messages.kind() != Kind::Array {
            return Err(Error::value("messages", "a list of messages"));
        }
        let facts = messages.items().enumerate();
        facts.map(|(at, message)| Self::of(&message).map_err(|error| error.at(at))).collect()
    }

    /// Adds the message to a track, with numbers for the ids of its calls.
    pub(crate) fn push_to(&self, track: &mut Track, ids: &mut V::Symbols) {
        let mut numbers = |calls: &[V]| -> Vec<u32> {
            let ids = calls.iter().filter_map(|call| ids.intern(&*call.get("id")?));
            ids.collect()
        };
        match self {
            Self::Ai { calls, invalid } => {
                let (mut calls, invalid) = (numbers(calls), numbers(invalid));
                let valid = index(calls.len());
                calls.extend(invalid);
                track.push(Row::Ai { calls: &calls, valid });
            }
            Self::Tool { id, .. } => {
                track.push(Row::Tool(id.as_ref().and_then(|id| ids.intern(id))));
            }
            Self::Other => track.push(Row::Other),
        }
    }

    /// Returns the call at this position of its row, and whether it could be parsed.
    pub(crate) fn call(&self, position: u32) -> Option<(&V, bool)> {
        let Self::Ai { calls, invalid } = self else { return None };
        let position = position as usize;
        let valid = calls.get(position).map(|call| (call, true));
        valid.or_else(|| invalid.get(position.checked_sub(calls.len())?).map(|call| (call, false)))
    }
}

/// Returns a message's own name for its kind: the class of an instance, else its role, else its
/// type.
fn name_of<V: Value>(message: &V) -> Option<String> {
    match message.kind() {
        Kind::String => Some("human".to_owned()),
        Kind::Array if message.len() == 2 => message.at(0)?.text().map(Into::into),
        Kind::Object => {
            let kind = message.text_of("type");
            let role = || message.text_of("role").filter(|_| !kind.as_deref().is_some_and(is_chat));
            message.instance_kind().or_else(role).or(kind)
        }
        _ => None,
    }
}

/// The fields of a message: of LangChain's serialised form those that it is made of.
pub(crate) fn fields_of<V: Value>(message: &V) -> V {
    serialised_constructor(message).map_or_else(|| message.clone(), |(_, fields)| fields)
}

/// The value under the first of two keys, unless it is null; else under the second.
pub(crate) fn of_either<V: Value>(fields: &V, first: &str, second: &str) -> Option<V> {
    let value = fields.get(first).filter(|value| !value.is_null());
    value.or_else(|| fields.get(second)).map(Found::into_owned)
}

fn identified<V: Value>(calls: Option<V>) -> Vec<V> {
    let Some(calls) = calls else { return Vec::new() };
    let has_id = |call: &V| call.get("id").is_some_and(|id| id.kind() == Kind::String);
    calls.items().filter(|call| has_id(call)).map(Found::into_owned).collect()
}
