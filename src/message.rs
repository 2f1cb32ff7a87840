//! The forms of a message, and the questions the core asks of one.
//!
//! Whole messages pass through unchanged:
//! - a LangChain dict (`type` and `id`),
//! - an AG-UI message (`role` and `id`),
//! - an instance of a message class with an id.
//!
//! Every other accepted form becomes a LangChain dict:
//! - a string, a `[role, content]` pair, a role dict without an id, a serialised constructor,
//! - a chunk, which becomes the plain kind,
//! - a message without an id, which gets one.

use crate::error::Error;
use crate::value::{Change, Check, Found, Join, Kind, Owned, Plan, Value};

mod kinds;

pub(crate) use kinds::{
    Canonical, canonical, is_ag_ui_role, is_chat, is_on_screen, role_of, type_of_class,
};

/// The id of a removal that removes every message before it.
pub const REMOVE_ALL_MESSAGES: &str = "__remove_all__";

/// The accepted forms, for error messages.
pub(crate) const FORMS: &str =
    "an object with a type or a role, a string or a [role, content] pair";

/// An item of a list of messages.
#[derive(Debug, Clone, PartialEq)]
pub enum Read<V> {
    /// A whole message, used unchanged.
    Whole,
    /// A message newly made from another form.
    Made(V),
    /// A removal of the message with this id, or of all ([`REMOVE_ALL_MESSAGES`]).
    Remove(String),
}

/// Whether a message without an id gets one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ids {
    /// It gets a uuid v4, as in LangGraph's reducer.
    Assign,
    /// It stays without an id.
    Keep,
}

/// Whether a list may have messages of kinds that are not known here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kinds {
    /// It may not: they are errors, as in LangGraph's reducer.
    Known,
    /// It may: a server knows its own messages. They stay as they are.
    Any,
}

/// Reads one item of a list of messages; the module's documentation lists the accepted forms.
///
/// # Errors
/// `INVALID_MESSAGE` with the reason, for any other form.
pub fn read<V: Value>(item: &V, ids: Ids) -> Result<Read<V>, Error> {
    read_any(item, ids, Kinds::Known)
}

/// Does the same as [`read`] with messages of these kinds.
pub(crate) fn read_any<V: Value>(item: &V, ids: Ids, kinds: Kinds) -> Result<Read<V>, Error> {
    match item.kind() {
        Kind::String => Ok(Read::Made(identified(human(item), ids)?.0)),
        Kind::Array => {
            let (2, Some(role), Some(content)) = (item.len(), item.at(0), item.at(1)) else {
                return Err(Error::message_field("", FORMS));
            };
            let role = role.text().ok_or_else(|| Error::message_field("[0]", "a role"))?;
            if content.kind() != Kind::String && content.kind() != Kind::Array {
                return Err(Error::message_field("[1]", "a string or a list of blocks"));
            }
            from_role(V::object().with("content", content.into_owned()), "[0]", &role, ids, kinds)
        }
        Kind::Object => read_object(item, ids, kinds),
        Kind::Null | Kind::Other => Err(Error::message_field("", FORMS)),
    }
}

/// The name of the check for whole messages.
pub const WHOLE: &str = "whole";

/// Returns the positions of items that may not be whole messages with an id, which [`read`] must
/// check. One pass; it may return too many, never too few.
pub(crate) fn odd<V: Value>(list: &V) -> Vec<u32> {
    list.failing(&Check { name: WHOLE, of: is_plain })
}

/// The name of the change that adds text to a message.
pub const TEXT: &str = "text";

/// Adds `text` to the content of the message at `index`, or to its last block, and returns the
/// list. May change an `owned` list in place.
///
/// # Errors
/// Returns the unchanged list when the message's content takes no text.
pub(crate) fn append_text<V: Value>(list: V, index: u32, text: &V, owned: Owned) -> Result<V, V> {
    list.change(index, &Change { name: TEXT, of: with_text }, text, owned)
}

fn with_text<V: Value>(mut message: V, text: &V) -> Result<V, V> {
    if message.kind() != Kind::Object || text.kind() != Kind::String {
        return Err(message);
    }
    let content = message.take("content").unwrap_or_else(V::null);
    match content.kind() {
        Kind::Null => Ok(message.with("content", text.clone())),
        Kind::String => Ok(message.with("content", content.concat(text))),
        Kind::Array => Ok(message.with("content", with_block(content, text))),
        Kind::Object | Kind::Other => Err(message.with("content", content)),
    }
}

/// Adds `text` to the last block if that is text, or in a new block.
fn with_block<V: Value>(mut blocks: V, text: &V) -> V {
    let is_text = |block: &V| {
        block.text_of("type").as_deref() == Some("text")
            && block.get("text").is_some_and(|text| text.kind() == Kind::String)
    };
    let end = blocks.len();
    let last = end.checked_sub(1).filter(|at| blocks.at(*at).is_some_and(|it| is_text(&it)));
    if let Some(at) = last
        && let Some(mut block) = blocks.take_at(at)
    {
        let own = block.take("text").unwrap_or_else(V::null);
        return blocks.splice(at, 1, Some(block.with("text", own.concat(text))));
    }
    let block = V::object().with("type", V::string("text")).with("text", text.clone());
    blocks.splice(end, 0, Some(block))
}

/// Whether an item is, at first sight, a whole message and no removal. On `false`, [`read`] must
/// check it.
pub(crate) fn is_plain<V: Value>(item: &V) -> bool {
    let is_text = |key| item.get(key).is_some_and(|value| value.kind() == Kind::String);
    if !is_text("id") {
        return false;
    }
    let kind = item.get("type");
    if item.get("role").is_some() {
        return kind.is_none() && is_ag_ui(item);
    }
    match kind.as_ref().and_then(|kind| kind.text()).as_deref() {
        Some("human" | "system" | "function") => true,
        Some("tool") => is_text("tool_call_id"),
        Some("ai") => !has_openai_calls(item),
        _ => false,
    }
}

fn is_ag_ui<V: Value>(item: &V) -> bool {
    item.text_of("role").is_some_and(|role| is_ag_ui_role(&role))
}

/// Returns a list in which serialised messages, as JSON has instances, are plain ones. The others
/// stay as they are.
pub(crate) fn revived<V: Value>(list: V) -> V {
    let mut plan = Plan::default();
    let mut made = Vec::new();
    for at in odd(&list) {
        if let Some(message) = list.at(at as usize).and_then(|item| plain(&*item)) {
            plan.replaced.push([at, u32::try_from(made.len()).unwrap_or(Join::NONE)]);
            made.push(message);
        }
    }
    if made.is_empty() { list } else { V::assemble(list, V::array(made), &plan, false) }
}

/// Returns a serialised message as a plain one; `None` for all others.
pub(crate) fn plain<V: Value>(item: &V) -> Option<V> {
    item.get("lc")?;
    match read_any(item, Ids::Assign, Kinds::Any) {
        Ok(Read::Made(message)) => Some(message),
        _ => None,
    }
}

fn read_object<V: Value>(item: &V, ids: Ids, kinds: Kinds) -> Result<Read<V>, Error> {
    if let Some(kind) = item.instance_kind() {
        return whole(item.clone(), kind == "remove", ids);
    }
    if let Some((kind, fields)) = serialised_constructor(item) {
        return from_role(fields, ".id", &kind, ids, kinds);
    }
    let kind = item.text_of("type");
    let role = item.text_of("role");
    let name = kind.as_ref().or(role.as_ref());
    if kinds == Kinds::Any && name.is_some_and(|name| canonical(name).is_none()) {
        return whole(item.clone(), false, ids);
    }
    // As in the reference, a role takes precedence over a type.
    if let Some(role) = role {
        if kind.is_none() && has_id(item) && is_ag_ui_role(&role) {
            return Ok(Read::Whole);
        }
        return from_role(item.clone().without("role"), ".role", &role, ids, kinds);
    }
    let Some(kind) = kind else { return Err(Error::message_field("", FORMS)) };
    let canonical = canonical(&kind).is_some_and(|canonical| canonical.kind == kind);
    if !canonical || kind == "remove" || (kind == "ai" && has_openai_calls(item)) {
        return from_role(item.clone(), ".type", &kind, ids, kinds);
    }
    if kind == "tool" && item.get("tool_call_id").is_none_or(|id| id.is_null()) {
        return Err(unanswered());
    }
    whole(item.clone(), false, ids)
}

/// Reads a message that is in its own form: only its id may be missing.
fn whole<V: Value>(item: V, removal: bool, ids: Ids) -> Result<Read<V>, Error> {
    let (message, changed) = identified(item, ids)?;
    if removal {
        return Ok(Read::Remove(message.text_of("id").unwrap_or_default()));
    }
    Ok(if changed { Read::Made(message) } else { Read::Whole })
}

fn whole_anew<V: Value>(item: V, ids: Ids) -> Result<Read<V>, Error> {
    Ok(Read::Made(identified(item, ids)?.0))
}

/// Makes a LangChain dict from fields and their role or type, which `field` held.
fn from_role<V: Value>(
    fields: V,
    field: &'static str,
    role: &str,
    ids: Ids,
    kinds: Kinds,
) -> Result<Read<V>, Error> {
    let Some(Canonical { kind, developer }) = canonical(role) else {
        if kinds == Kinds::Any {
            let kind = if role.starts_with("ChatMessage") { "chat" } else { role };
            return whole_anew(first("type", V::string(kind), fields), ids);
        }
        let expected = "human, user, ai, assistant, system, developer, tool, function or remove";
        return Err(Error::message_field(field, &[expected, ", not '", role, "'"].concat()));
    };
    if kind == "tool" && fields.get("tool_call_id").is_none_or(|id| id.is_null()) {
        return Err(unanswered());
    }
    if kind == "remove" {
        let id = fields.text_of("id");
        return id.map(Read::Remove).ok_or_else(|| Error::message_field(".id", "a string"));
    }
    let mut message = first("type", V::string(kind), fields);
    if developer {
        let extra = message.get("additional_kwargs").map_or_else(V::object, Found::into_owned);
        let extra = if extra.kind() == Kind::Object { extra } else { V::object() };
        message = message
            .with("additional_kwargs", extra.with("__openai_role__", V::string("developer")));
    }
    if kind == "ai" && has_openai_calls(&message) {
        message = langchain_calls(message);
    }
    whole_anew(message, ids)
}

fn unanswered() -> Error {
    Error::message_field(".tool_call_id", "the id of the call that it answers")
}

fn human<V: Value>(content: &V) -> V {
    V::object().with("type", V::string("human")).with("content", content.clone())
}

/// Returns the object with `key` first, where a reader looks for it.
fn first<V: Value>(key: &str, value: V, fields: V) -> V {
    if fields.get(key).is_some() {
        return fields.with(key, value);
    }
    V::headed(key, &value, &fields)
}

/// Returns a message's plain kind, in any form.
pub(crate) fn kind_of<V: Value>(message: &V) -> Option<&'static str> {
    let name = message.instance_kind().or_else(|| message.text_of("type"));
    let name = name.or_else(|| message.text_of("role"));
    name.as_deref().and_then(canonical).map(|canonical| canonical.kind)
}

/// Whether a message is of this plain kind, in any form.
pub(crate) fn is_kind<V: Value>(message: &V, kind: &str) -> bool {
    kind_of(message) == Some(kind)
}

/// Returns the call that a tool message answers: `tool_call_id` in LangChain's form, `toolCallId`
/// in AG-UI's.
pub(crate) fn answered_call<V: Value>(message: &V) -> Option<V> {
    let call = message.get_owned("tool_call_id").or_else(|| message.get_owned("toolCallId"));
    call.filter(|call| call.kind() == Kind::String)
}

/// Returns the text of a message's content: itself, or that of its blocks.
pub(crate) fn text_in<V: Value>(content: &V) -> String {
    if let Some(text) = content.text() {
        return text.into_owned();
    }
    let mut all = String::new();
    for block in content.items() {
        all.push_str(&block.text_of("text").unwrap_or_default());
    }
    all
}

fn has_id<V: Value>(item: &V) -> bool {
    item.get("id").is_some_and(|id| id.kind() == Kind::String)
}

/// Returns the message with an id, and whether it needed a new one.
fn identified<V: Value>(message: V, ids: Ids) -> Result<(V, bool), Error> {
    match message.get("id").map_or(Kind::Null, |id| id.kind()) {
        Kind::String => Ok((message, false)),
        Kind::Null if ids == Ids::Keep => Ok((message, false)),
        Kind::Null => Ok((message.with("id", V::new_id()), true)),
        _ => Err(Error::message_field(".id", "a string")),
    }
}

/// Makes the removal of the message `id`, in LangChain's form.
pub(crate) fn removal<V: Value>(id: &str) -> V {
    V::object().with("type", V::string("remove")).with("id", V::string(id))
}

/// Whether a type, a role or a class names a known kind of message.
pub(crate) fn is_known_kind(name: &str) -> bool {
    canonical(name).is_some()
}

/// Returns the plain kind that a type, a role or a class names.
pub(crate) fn kind_named(name: &str) -> Option<&'static str> {
    canonical(name).map(|canonical| canonical.kind)
}

/// Reads LangChain's serialised form `{ lc: 1, type: "constructor", id: [.., class], kwargs }`.
pub(crate) fn serialised_constructor<V: Value>(item: &V) -> Option<(String, V)> {
    item.get("lc")?;
    let path = item.get("id")?;
    let class = path.at(path.len().checked_sub(1)?)?.text()?.into_owned();
    let fields = item.get("kwargs")?;
    (fields.kind() == Kind::Object).then(|| (class, fields.into_owned()))
}

/// Whether a message has tool calls in `OpenAI`'s form: `{ function: { name, arguments } }`.
fn has_openai_calls<V: Value>(message: &V) -> bool {
    message.get("tool_calls").is_some_and(|calls| calls.items().any(|call| is_openai_call(&*call)))
}

fn is_openai_call<V: Value>(call: &V) -> bool {
    call.get("function").is_some_and(|function| {
        function.text_of("name").is_some() && function.text_of("arguments").is_some()
    })
}

/// Returns the message with its tool calls in LangChain's form: `{ name, args, id, type }`. A call
/// whose arguments are not JSON stays unchanged.
fn langchain_calls<V: Value>(message: V) -> V {
    let Some(calls) = message.get("tool_calls") else { return message };
    let calls =
        calls.items().map(|call| langchain_call(&*call).unwrap_or_else(|| call.into_owned()));
    let calls = V::array(calls);
    message.with("tool_calls", calls)
}

/// A tool call's meaning, whichever of the two forms it came in.
#[derive(Debug)]
pub(crate) struct Called<V> {
    id: Option<String>,
    name: Option<String>,
    args: V,
}

impl<V: Value> Called<V> {
    pub(crate) fn agrees(&self, other: &Self) -> bool {
        self.id == other.id && self.name == other.name && self.args.equals(&other.args)
    }
}

/// Reads a tool call in `OpenAI`'s form, which is AG-UI's too, or in LangChain's.
pub(crate) fn call<V: Value>(call: &V) -> Option<Called<V>> {
    let id = call.text_of("id");
    let Some(function) = call.get("function") else {
        let args = call.get("args")?.into_owned();
        return Some(Called { id, name: call.text_of("name"), args });
    };
    let text = function.get("arguments")?.into_owned();
    let args = text.text().and_then(|text| V::parse_json(&text)).unwrap_or(text);
    Some(Called { id, name: function.text_of("name"), args })
}

fn langchain_call<V: Value>(call: &V) -> Option<V> {
    let function = call.get("function")?;
    let args = V::parse_json(&function.text_of("arguments")?)?;
    let id = call.get("id").map_or_else(V::null, Found::into_owned);
    Some(
        V::object()
            .with("name", function.get("name")?.into_owned())
            .with("args", args)
            .with("id", id)
            .with("type", V::string("tool_call")),
    )
}
