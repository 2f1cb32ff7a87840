//! The typed message's JSON: LangChain's dict.

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value as Json};

use super::tool_call::TOOL_CALL;
use super::{
    AssistantMessage, Content, Extra, Message, MessageKind, SystemMessage, ToolCall, ToolMessage,
    UserMessage,
};
use crate::error::Error;
use crate::message::{Ids, Read, is_known_kind, read};
use crate::value::remove;

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (name, extra) = self.kind.rest();
        let mut map = Written { map: serializer.serialize_map(None)?, keys: Vec::new() };
        if !matches!(self.kind, MessageKind::Other(_)) {
            map.field("type", self.kind.name())?;
        }
        if let Some(id) = &self.id {
            map.field("id", id)?;
        }
        if let Some(content) = self.content() {
            let nothing_yet = matches!(content, Content::Text(text) if text.is_empty());
            if !nothing_yet || extra.is_none_or(|extra| extra.get("content").is_none()) {
                map.field("content", content)?;
            }
        }
        if let Some(name) = name {
            map.field("name", name)?;
        }
        match &self.kind {
            MessageKind::Assistant(message) if !message.tool_calls.is_empty() => {
                map.field("tool_calls", &message.tool_calls)?;
            }
            MessageKind::Tool(message) => map.field("tool_call_id", &message.tool_call_id)?,
            _ => {}
        }
        map.end(extra)
    }
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => text.serialize(serializer),
            Self::Blocks(blocks) => blocks.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Json::deserialize(deserializer)? {
            Json::String(text) => Ok(Self::Text(text)),
            Json::Array(blocks) => Ok(Self::Blocks(blocks)),
            _ => Err(D::Error::custom("content is a string or a list of blocks")),
        }
    }
}

impl Serialize for ToolCall {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = Written { map: serializer.serialize_map(None)?, keys: Vec::new() };
        if !(self.name.is_empty() && self.extra.get("name").is_some()) {
            map.field("name", &self.name)?;
        }
        map.field("args", &self.args)?;
        map.field("id", &self.id)?;
        map.field("type", &self.kind)?;
        map.end(Some(&self.extra))
    }
}

/// An object being written.
struct Written<M> {
    map: M,
    keys: Vec<&'static str>,
}

impl<M: SerializeMap> Written<M> {
    fn field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), M::Error> {
        self.keys.push(key);
        self.map.serialize_entry(key, value)
    }

    /// Writes the other fields: all that are not written yet.
    fn end(mut self, extra: Option<&Extra>) -> Result<M::Ok, M::Error> {
        let fields = extra.into_iter().flat_map(Extra::iter);
        for (key, value) in fields.filter(|(key, _)| !self.keys.contains(&key.as_str())) {
            self.map.serialize_entry(key, value)?;
        }
        self.map.end()
    }
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::try_from(Json::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for ToolCall {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        tool_call(Json::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl TryFrom<Json> for Message {
    type Error = Error;

    /// Reads a message; `INVALID_MESSAGE` for anything else.
    fn try_from(value: Json) -> Result<Self, Error> {
        let mut value = match value {
            Json::Object(fields) if is_other(&fields) => return other(fields),
            Json::Object(fields) if !fields.contains_key("type") => typed_by_role(fields),
            value => value,
        };
        // Reads the calls here, where an incomplete call has a form, too.
        let calls = value.as_object_mut().and_then(|fields| remove(fields, "tool_calls"));
        let mut fields = match read(&value, Ids::Keep)? {
            Read::Remove(id) => return Ok(Self::remove(id)),
            Read::Whole => value,
            Read::Made(made) => made,
        };
        if let (Json::Object(fields), Some(calls)) = (&mut fields, calls) {
            fields.insert("tool_calls".to_owned(), calls);
        }
        match fields {
            Json::Object(fields) => from_fields(fields),
            _ => Err(Error::message("it is not an object")),
        }
    }
}

/// Whether a message is of an unknown kind.
fn is_other(fields: &Map<String, Json>) -> bool {
    let named = |key: &str| fields.get(key).and_then(Json::as_str);
    let serialised = fields.contains_key("lc");
    !serialised && named("role").or_else(|| named("type")).is_some_and(|kind| !is_known_kind(kind))
}

fn other(mut fields: Map<String, Json>) -> Result<Message, Error> {
    let id = text(&mut fields, "id")?;
    Ok(Message { id, kind: MessageKind::Other(fields.into()) })
}

/// Converts an object with a `role` and no `type`: its role becomes the type, and AG-UI's field
/// names become LangChain's.
fn typed_by_role(mut fields: Map<String, Json>) -> Json {
    let names = [("role", "type"), ("toolCallId", "tool_call_id"), ("toolCalls", "tool_calls")];
    for (from, to) in names {
        if !fields.contains_key(to)
            && let Some(value) = remove(&mut fields, from)
        {
            fields.insert(to.to_owned(), value);
        }
    }
    Json::Object(fields)
}

/// Reads a message from the fields of a LangChain dict.
fn from_fields(mut fields: Map<String, Json>) -> Result<Message, Error> {
    if fields.get("type").and_then(Json::as_str) == Some("function") {
        return other(fields);
    }
    let kind = text(&mut fields, "type")?.unwrap_or_default();
    let id = text(&mut fields, "id")?;
    let content = Content::try_from(unless_null(&mut fields, "content").unwrap_or_default())?;
    let name = text(&mut fields, "name")?;
    let kind = match kind.as_str() {
        "system" => MessageKind::System(SystemMessage { content, name, extra: fields.into() }),
        "human" => MessageKind::User(UserMessage { content, name, extra: fields.into() }),
        "ai" => {
            let tool_calls = match unless_null(&mut fields, "tool_calls") {
                None => Vec::new(),
                Some(Json::Array(calls)) => {
                    if calls.is_empty() {
                        fields.insert("tool_calls".to_owned(), Json::Array(Vec::new()));
                    }
                    calls.into_iter().map(tool_call).collect::<Result<_, _>>()?
                }
                Some(_) => return Err(Error::message("tool_calls is a list")),
            };
            let extra = fields.into();
            MessageKind::Assistant(AssistantMessage { content, name, tool_calls, extra })
        }
        "tool" => {
            let tool_call_id = text(&mut fields, "tool_call_id")?.unwrap_or_default();
            let extra = fields.into();
            MessageKind::Tool(ToolMessage { content, name, tool_call_id, extra })
        }
        kind => return Err(Error::message(&["'", kind, "' has no typed form"].concat())),
    };
    Ok(Message { id, kind })
}

/// Reads a call in LangChain's form or in `OpenAI`'s, which is also AG-UI's.
fn tool_call(call: Json) -> Result<ToolCall, Error> {
    let Json::Object(mut fields) = call else {
        return Err(Error::message("a tool call is an object"));
    };
    if let Some(Json::Object(mut function)) = remove(&mut fields, "function") {
        let args = match remove(&mut function, "arguments") {
            Some(Json::String(text)) => serde_json::from_str(&text).unwrap_or(Json::String(text)),
            args => args.unwrap_or_else(no_args),
        };
        fields.insert("args".to_owned(), args);
        fields.insert("type".to_owned(), TOOL_CALL.into());
        fields.extend(function);
    }
    let id = text(&mut fields, "id")?;
    let kind = text(&mut fields, "type")?.unwrap_or_else(|| TOOL_CALL.to_owned());
    // Both are always written, so that null need not be kept.
    remove(&mut fields, "id");
    remove(&mut fields, "type");
    Ok(ToolCall {
        name: text(&mut fields, "name")?.unwrap_or_default(),
        args: remove(&mut fields, "args").unwrap_or_else(no_args),
        id,
        kind,
        extra: fields.into(),
    })
}

fn no_args() -> Json {
    Json::Object(Map::new())
}

/// Takes a field's text out. Null counts as none, and stays.
fn text(fields: &mut Map<String, Json>, key: &str) -> Result<Option<String>, Error> {
    match unless_null(fields, key) {
        None => Ok(None),
        Some(Json::String(text)) => Ok(Some(text)),
        Some(_) => Err(Error::message(&[key, " is a string"].concat())),
    }
}

/// Takes a field's value out, unless it is null.
fn unless_null(fields: &mut Map<String, Json>, key: &str) -> Option<Json> {
    if fields.get(key).is_none_or(Json::is_null) { None } else { remove(fields, key) }
}
