//! The typed message's JSON: LangChain's dict.

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value as Json};

use super::{Content, Extra, Message, MessageKind};
use crate::error::Error;
use crate::message::{Ids, Read, read};

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let (kind, name, extra) = match &self.kind {
            MessageKind::System { name, extra, .. } => ("system", name, Some(extra)),
            MessageKind::User { name, extra, .. } => ("human", name, Some(extra)),
            MessageKind::Assistant { name, extra, .. } => ("ai", name, Some(extra)),
            MessageKind::Tool { name, extra, .. } => ("tool", name, Some(extra)),
            MessageKind::Remove => ("remove", &None, None),
        };
        map.serialize_entry("type", kind)?;
        if let Some(id) = &self.id {
            map.serialize_entry("id", id)?;
        }
        if let Some(content) = self.content() {
            map.serialize_entry("content", content)?;
        }
        if let Some(name) = name {
            map.serialize_entry("name", name)?;
        }
        match &self.kind {
            MessageKind::Assistant { tool_calls, .. } if !tool_calls.is_empty() => {
                map.serialize_entry("tool_calls", tool_calls)?;
            }
            MessageKind::Tool { tool_call_id, .. } => {
                map.serialize_entry("tool_call_id", tool_call_id)?;
            }
            _ => {}
        }
        for (key, value) in extra.into_iter().flat_map(Extra::iter) {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::try_from(Json::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl TryFrom<Json> for Message {
    type Error = Error;

    /// Reads a message: [`Error::InvalidMessage`] when it is none, or of a kind without a typed
    /// form (`function`, and AG-UI's `activity` and `reasoning`).
    fn try_from(value: Json) -> Result<Self, Error> {
        let value = typed_by_role(value);
        let fields = match read(&value, Ids::Keep)? {
            Read::Remove(id) => return Ok(Self::remove(id)),
            Read::Whole => value,
            Read::Made(made) => made,
        };
        match fields {
            Json::Object(fields) => from_fields(fields),
            _ => Err(Error::message("it is no object")),
        }
    }
}

/// An object that has a `role` and no `type`, with its role as type and AG-UI's names of fields
/// as LangChain's. Anything else as it is.
fn typed_by_role(value: Json) -> Json {
    match value {
        Json::Object(mut fields) if !fields.contains_key("type") => {
            let names =
                [("role", "type"), ("toolCallId", "tool_call_id"), ("toolCalls", "tool_calls")];
            for (from, to) in names {
                if !fields.contains_key(to)
                    && let Some(value) = fields.shift_remove(from)
                {
                    fields.insert(to.to_owned(), value);
                }
            }
            Json::Object(fields)
        }
        value => value,
    }
}

/// The message that the fields of a LangChain dict describe.
fn from_fields(mut fields: Map<String, Json>) -> Result<Message, Error> {
    let kind = text(&mut fields, "type")?.unwrap_or_default();
    let id = text(&mut fields, "id")?;
    let content = match fields.shift_remove("content").unwrap_or_default() {
        Json::String(text) => Content::Text(text),
        Json::Array(blocks) => Content::Blocks(blocks),
        Json::Null => Content::Text(String::new()),
        _ => return Err(Error::message("content is a string or a list of blocks")),
    };
    let name = text(&mut fields, "name")?;
    let kind = match kind.as_str() {
        "system" => MessageKind::System { content, name, extra: fields.into() },
        "human" => MessageKind::User { content, name, extra: fields.into() },
        "ai" => {
            let tool_calls = match fields.shift_remove("tool_calls").unwrap_or_default() {
                Json::Null => Vec::new(),
                calls => serde_json::from_value(calls)
                    .map_err(|error| Error::message(format!("tool_calls: {error}")))?,
            };
            MessageKind::Assistant { content, name, tool_calls, extra: fields.into() }
        }
        "tool" => {
            let tool_call_id = text(&mut fields, "tool_call_id")?.unwrap_or_default();
            MessageKind::Tool { content, name, tool_call_id, extra: fields.into() }
        }
        kind => return Err(Error::message(format!("'{kind}' has no typed form"))),
    };
    Ok(Message { id, kind })
}

/// Takes the text of a field out; null is none.
fn text(fields: &mut Map<String, Json>, key: &str) -> Result<Option<String>, Error> {
    match fields.shift_remove(key) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(text)) => Ok(Some(text)),
        Some(_) => Err(Error::message(format!("{key} is a string"))),
    }
}
