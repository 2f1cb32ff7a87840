//! The parts of a message that a model receives, in any of the forms that a message may have.
//! `pkg-template/src/context/message-parts.ts` is the same in TypeScript.

use std::borrow::Cow;

use crate::error::Error;
use crate::message::{FORMS, canonical, is_chat, is_on_screen};
use crate::value::{Found, Kind, Scalar, Value};

/// The kinds of messages that a model is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    Human,
    Ai,
    System,
    Tool,
    Function,
    Chat,
}

/// A message, as a model is sent it.
pub(super) struct Parts<'a, V: Value + 'a> {
    pub of: Of,
    /// Text, blocks, or a tool's result; a missing content is not text.
    pub content: Option<V::Found<'a>>,
    /// `OpenAI`'s name of its kind.
    pub role: Cow<'static, str>,
    /// Whether its parts may be AG-UI's.
    pub ag_ui: bool,
    /// All that it has, in the form in which it came.
    fields: Option<V::Found<'a>>,
}

/// A tool call in whichever form: LangChain's, or `OpenAI`'s and AG-UI's, whose arguments are text.
pub(super) struct Call<V> {
    pub name: String,
    pub args: V,
    pub id: V,
}

const KINDS: &str = "human, ai, system, developer, tool, function or chat";

/// Reads a message. Returns nothing for AG-UI's messages that are only for the screen: activities
/// and reasoning.
///
/// # Errors
/// `INVALID_MESSAGE` for anything else that no model is sent.
pub(super) fn read<V: Value>(item: &V) -> Result<Option<Parts<'_, V>>, Error> {
    let whole = V::Found::of(item);
    match item.kind() {
        Kind::String => {
            let (content, role) = (Some(whole), Cow::Borrowed("user"));
            return Ok(Some(Parts { of: Of::Human, content, role, ag_ui: false, fields: None }));
        }
        Kind::Array => {
            let (2, Some(role), content) = (item.len(), item.at(0), item.at(1)) else {
                return Err(Error::message_field("", FORMS));
            };
            let role = role.text().unwrap_or_default();
            return of_name(&role, "[0]", None, content.filter(|it| !it.is_null())).map(Some);
        }
        Kind::Object => {}
        Kind::Null | Kind::Other => return Err(Error::message_field("", FORMS)),
    }
    if let Some(name) = item.instance_kind() {
        return of_fields(&name, ".type", whole).map(Some);
    }
    if let Some((class, fields)) = constructor(item) {
        return of_fields(&class, ".id", fields).map(Some);
    }
    let kind = item.get("type").filter(|kind| !kind.is_null());
    let name = kind.and_then(|kind| kind.text().map(Cow::into_owned));
    let role = item.text_of("role").filter(|_| name.as_deref().is_none_or(|name| !is_chat(name)));
    let Some(role) = role else {
        let name = name.ok_or_else(|| Error::message_field("", FORMS))?;
        return of_fields(&name, ".type", whole).map(Some);
    };
    if kind.is_none() && is_on_screen(&role) {
        return Ok(None);
    }
    let content = item.get("content").filter(|it| !it.is_null());
    // LangChain reads no blocks at all as no text.
    let content = content.filter(|it| it.kind() != Kind::Array || !it.is_empty());
    let mut parts = of_name(&role, ".role", Some(whole), content)?;
    parts.ag_ui = kind.is_none() && item.get("id").is_some_and(|id| id.kind() == Kind::String);
    Ok(Some(parts))
}

/// Reads LangChain's serialised form `{ lc: 1, type: "constructor", id: [.., class], kwargs }`.
fn constructor<V: Value>(item: &V) -> Option<(String, V::Found<'_>)> {
    item.get("lc")?;
    let path = item.get("id").filter(|path| path.kind() == Kind::Array)?;
    let last = path.items().last()?;
    let class = last.text().map(Cow::into_owned);
    let fields = item.get("kwargs").filter(|fields| fields.kind() == Kind::Object)?;
    Some((class.unwrap_or_default(), fields))
}

fn of_fields<'a, V: Value>(
    name: &str,
    field: &'static str,
    fields: V::Found<'a>,
) -> Result<Parts<'a, V>, Error> {
    let content = fields.then(|fields| fields.get("content"));
    let content = content.filter(|content| !content.is_null());
    of_name(name, field, Some(fields), content)
}

fn of_name<'a, V: Value>(
    name: &str,
    field: &'static str,
    fields: Option<V::Found<'a>>,
    content: Option<V::Found<'a>>,
) -> Result<Parts<'a, V>, Error> {
    let text = |key: &str| fields.and_then(|fields| fields.text_of(key));
    let known = canonical(name);
    let (of, role) = match known.as_ref().map(|it| (it.kind, it.developer)) {
        Some(("human", _)) => (Of::Human, "user".into()),
        Some(("ai", _)) => (Of::Ai, "assistant".into()),
        Some(("system", true)) => (Of::System, "developer".into()),
        Some(("system", false)) => (Of::System, role_of_system(fields)?),
        Some(("tool", _)) => (Of::Tool, "tool".into()),
        Some(("function", _)) => (Of::Function, "function".into()),
        None if is_chat(name) => {
            let role = text("role").ok_or_else(|| Error::message_field(".role", "a string"))?;
            (Of::Chat, role.into())
        }
        _ => return Err(Error::message_field(field, KINDS)),
    };
    Ok(Parts { of, content, role, ag_ui: false, fields })
}

fn role_of_system<'a, V: Value, F: Found<'a, V>>(
    fields: Option<F>,
) -> Result<Cow<'static, str>, Error> {
    let extra =
        fields.and_then(|fields| fields.get("additional_kwargs")?.get_owned("__openai_role__"));
    match extra {
        None => Ok("system".into()),
        Some(role) => role
            .text()
            .map(|role| role.into_owned().into())
            .ok_or_else(|| Error::message_field(".additional_kwargs.__openai_role__", "a string")),
    }
}

impl<'a, V: Value> Parts<'a, V> {
    /// Returns a field.
    pub fn field(&self, key: &str) -> Option<V::Found<'a>> {
        self.fields.and_then(|fields| fields.then(|fields| fields.get(key)))
    }

    /// Returns its name, if it has one.
    pub fn name(&self) -> Option<String> {
        self.field("name").and_then(|name| name.text().map(Cow::into_owned))
    }

    /// Returns the calls of an AI message that a model is sent.
    pub fn calls(&self) -> Result<Vec<Call<V>>, Error> {
        if self.of != Of::Ai {
            return Ok(Vec::new());
        }
        if let Some(calls) = self.list("tool_calls").or_else(|| self.list("toolCalls")) {
            return calls.items().map(|call| call_of(&*call)).collect();
        }
        let partly = ["invalid_tool_calls", "tool_call_chunks"];
        if partly.iter().any(|key| self.list(key).is_some()) {
            return Ok(Vec::new());
        }
        Ok(self.raw_calls().unwrap_or_default())
    }

    fn list(&self, key: &str) -> Option<V::Found<'a>> {
        self.field(key).filter(|list| !list.is_empty())
    }

    /// Returns the calls of an older message, which has only `OpenAI`'s own, as LangChain's classes
    /// read them: all, or none.
    fn raw_calls(&self) -> Option<Vec<Call<V>>> {
        let extra = self.field("additional_kwargs")?;
        let mut calls = Vec::new();
        for call in extra.get("tool_calls")?.items() {
            if call.kind() != Kind::Object {
                return None;
            }
            let Some(function) = call.get("function") else { continue };
            let text = function.text_of("arguments")?;
            // Text that is not JSON makes an invalid call, which is not sent to a model.
            if V::parse_json(&text).is_some() {
                calls.push(call_of(&*call).ok()?);
            }
        }
        Some(calls)
    }

    /// Returns the id of the call that a tool message answers.
    pub fn answered(&self) -> Result<String, Error> {
        let id = ["tool_call_id", "toolCallId"].into_iter().filter_map(|key| self.field(key));
        let id = id.into_iter().find(|id| !id.is_null());
        let text = id.and_then(|id| match id.scalar() {
            Some(Scalar::Integer(number)) => Some(number.to_string()),
            _ => id.text().map(Cow::into_owned),
        });
        let expected = "the id of the call that it answers";
        text.ok_or_else(|| Error::message_field(".tool_call_id", expected))
    }
}

fn call_of<V: Value>(call: &V) -> Result<Call<V>, Error> {
    if call.kind() != Kind::Object {
        return Err(Error::message_field(".tool_calls", "a list of tool calls"));
    }
    let function = call.get("function").filter(|function| function.kind() == Kind::Object);
    let (name, args) = match function {
        Some(function) => (function.text_of("name"), function.get_owned("arguments").map(parsed)),
        None => (call.text_of("name"), call.get_owned("args")),
    };
    Ok(Call {
        name: name.unwrap_or_default(),
        args: args.filter(|args| !args.is_null()).unwrap_or_else(V::object),
        id: call.get_owned("id").unwrap_or_else(V::null),
    })
}

/// Parses arguments. Those that are still arriving are the text that they are.
fn parsed<V: Value>(args: V) -> V {
    let value = args.text().and_then(|text| V::parse_json(&text));
    value.unwrap_or(args)
}

/// Makes LangChain's block of a part that only AG-UI has, as ag-ui-langgraph does.
pub(super) fn block_of_ag_ui<V: Value>(part: &V) -> Option<V> {
    let kind = match part.text_of("type")?.as_str() {
        "audio" => "audio",
        "video" => "video",
        "document" => "file",
        _ => return None,
    };
    let source = part.get("source")?;
    let some = |value: &V, key: &str| value.text_of(key).filter(|text| !text.is_empty());
    let (value, mime) = (some(&source, "value")?, some(&source, "mimeType"));
    let filename = part.get("metadata").and_then(|metadata| some(&metadata, "filename"));
    let mut fields = vec![("type", kind.to_owned())];
    match source.text_of("type").as_deref() {
        Some("file") => fields.extend([("source_type", "id".to_owned()), ("id", value)]),
        Some("data") => {
            let mime = mime.clone().unwrap_or_else(|| "application/octet-stream".to_owned());
            fields.extend([("base64", value), ("mime_type", mime)]);
        }
        _ => fields.extend([("source_type", "url".to_owned()), ("url", value)]),
    }
    fields.extend(mime.map(|mime| ("mime_type", mime)));
    fields.extend(filename.map(|filename| ("filename", filename)));
    Some(fields.iter().fold(V::object(), |block, (key, text)| block.with(key, V::string(text))))
}
