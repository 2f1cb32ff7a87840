//! The tool calls of a message, in either form: `LangChain`'s, or `OpenAI`'s, which is AG-UI's too.

use std::fmt;

use crate::message::{is_on_screen, kind_named, kind_of, serialised_constructor};
use crate::value::{Found, Kind, Value};

/// The fields of a message: of `LangChain`'s serialised form those that it is made of.
pub(super) fn fields<V: Value>(message: &V) -> V {
    serialised_constructor(message).map_or_else(|| message.clone(), |(_, fields)| fields)
}

/// Returns the message with other fields; `LangChain`'s serialised form stays one.
pub(super) fn with_fields<V: Value>(message: V, change: impl FnOnce(V) -> V) -> V {
    match serialised_constructor(&message) {
        Some((_, fields)) => message.with("kwargs", change(fields)),
        None => change(message),
    }
}

/// A message's id, in any form.
pub(super) fn id_of<V: Value>(message: &V) -> Option<String> {
    fields(message).text_of("id")
}

/// Whether a message is of this plain kind, `LangChain`'s serialised form included.
pub(super) fn is_kind<V: Value>(message: &V, kind: &str) -> bool {
    let own = match serialised_constructor(message) {
        Some((class, _)) => kind_named(&class),
        None => kind_of(message),
    };
    own == Some(kind)
}

/// Whether a message is only for the screen, and never for a model: AG-UI's activities and
/// reasoning.
pub(super) fn is_for_screen<V: Value>(message: &V) -> bool {
    message.kind() == Kind::Object
        && message.get("type").is_none_or(|kind| kind.is_null())
        && message.text_of("role").is_some_and(|role| is_on_screen(&role))
}

/// The field of an assistant message with its calls.
pub(super) fn field<V: Value>(message: &V) -> Option<&'static str> {
    if !is_kind(message, "ai") {
        return None;
    }
    let own = fields(message);
    let is_list = |key| own.get(key).is_some_and(|calls| calls.kind() == Kind::Array);
    ["tool_calls", "toolCalls"].into_iter().find(|key| is_list(key))
}

/// The calls of an assistant message.
pub(super) fn calls<V: Value>(message: &V) -> Vec<V> {
    let calls = field(message).and_then(|key| fields(message).get_owned(key));
    calls.map_or_else(Vec::new, |calls| calls.items().map(Found::into_owned).collect())
}

pub(super) fn name<V: Value>(call: &V) -> Option<String> {
    call.get("function").map_or_else(|| call.text_of("name"), |function| function.text_of("name"))
}

/// A call's arguments, if they are an object by now.
pub(super) fn args<V: Value>(call: &V) -> Option<V> {
    let args = match call.get("function") {
        Some(function) => V::parse_json(&function.text_of("arguments")?)?,
        None => call.get_owned("args")?,
    };
    (args.kind() == Kind::Object).then_some(args)
}

/// Returns the call with other arguments.
pub(super) fn with_args<V: Value + fmt::Display>(call: V, args: V) -> V {
    match call.get_owned("function") {
        Some(function) => {
            let arguments = V::string(&args.to_string());
            call.with("function", function.with("arguments", arguments))
        }
        None => call.with("args", args),
    }
}

/// Whether a message is in AG-UI's form, which has a `metadata` where `LangChain`'s has several fields.
pub(super) fn is_ag_ui<V: Value>(message: &V) -> bool {
    message.get("type").is_none() && message.get("role").is_some() && message.get("lc").is_none()
}
