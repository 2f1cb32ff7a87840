//! Answers to calls of tools that never got a result.

use crate::value::{Kind, Value};

use super::rows::fields_of;

/// Makes the answer to a call of this message, in the message's form.
pub(crate) fn answer<V: Value>(message: &V, call: &V, valid: bool) -> V {
    let id = call.text_of("id").unwrap_or_default();
    let name = name_of(call);
    let content = sentence(&name, &id, valid);
    let fields = fields_of(message);
    let is_dict = fields.get("role").is_none_or(|role| role.kind() != Kind::String);
    let of = |texts: &[(&str, &str)]| {
        let entries = texts.iter().map(|(key, text)| ((*key).to_owned(), V::string(text)));
        V::object().with_all(entries.collect())
    };
    if !is_dict && is_ag_ui(&fields) {
        let own = fields.text_of("id").map(|own| [&own, ":", &id].concat());
        let own = own.as_deref().unwrap_or(&id);
        let error = ("error", "error");
        return of(&[
            ("id", own),
            ("role", "tool"),
            ("content", &content),
            ("toolCallId", &id),
            error,
        ]);
    }
    if !is_dict && call.get("function").is_some() {
        return of(&[("role", "tool"), ("content", &content), ("tool_call_id", &id)]);
    }
    let kind = (if is_dict { "type" } else { "role" }, "tool");
    let status = ("status", "error");
    of(&[kind, ("content", &content), ("name", &name), ("tool_call_id", &id), status])
}

fn is_ag_ui<V: Value>(fields: &V) -> bool {
    let is_there = |key| fields.get(key).is_some_and(|calls| !calls.is_null());
    is_there("toolCalls") && !is_there("tool_calls")
}

/// Returns the tool's name, in `LangChain`'s form or in `OpenAI`'s.
fn name_of<V: Value>(call: &V) -> String {
    let own = call.text_of("name");
    let name = own.or_else(|| call.get("function").and_then(|function| function.text_of("name")));
    name.filter(|name| !name.is_empty()).unwrap_or_else(|| "unknown".to_owned())
}

/// The words of `PatchToolCallsMiddleware`, which models know.
pub(crate) fn sentence(name: &str, id: &str, valid: bool) -> String {
    let why = if valid {
        " did not complete - no result was recorded. It may have been cancelled or interrupted."
    } else {
        " could not be executed - arguments were malformed or truncated."
    };
    ["Tool call ", name, " with id ", id, why].concat()
}
