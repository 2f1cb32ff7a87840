//! Messages in AG-UI's form.

use crate::error::Error;
use crate::message::{canonical, role_of};
use crate::value::{Json, Kind, Value};

/// Whether a value is a message of AG-UI: with an id, a role, and whole tool calls.
pub(super) fn is_message(message: &Json) -> bool {
    let calls = &message["toolCalls"];
    let are_calls = || calls.kind() == Kind::Array && calls.iter().all(is_tool_call);
    let is_named = message["id"].as_str().is_some() && message["role"].as_str().is_some();
    message.kind() == Kind::Object && is_named && (calls.is_null() || are_calls())
}

fn is_tool_call(call: &Json) -> bool {
    let called = &call["function"];
    [&call["id"], &called["name"], &called["arguments"]].iter().all(|it| it.as_str().is_some())
}

/// Returns a message in AG-UI's form, if it is in LangChain's: its id, role, text, name and tool
/// calls, and the call that it answers.
pub(super) fn to_ag_ui(message: &Json) -> Result<Json, Error> {
    // A message with a role is in AG-UI's form, also with a role of a later version.
    if message["role"].as_str().is_some() {
        return Ok(message.clone());
    }
    let kind = message["type"].as_str().and_then(canonical);
    let role = kind.as_ref().and_then(|kind| role_of(kind.kind));
    let Some(role) = role else {
        return Err(Error::message_field(".type", "a type of LangChain's"));
    };
    let is_developer =
        message["additional_kwargs"]["__openai_role__"].as_str() == Some("developer");
    let role = if role == "system" && is_developer { "developer" } else { role };
    let content = text_of(&message["content"])?;
    let mut own = Json::from([
        ("id", message["id"].clone()),
        ("role", role.into()),
        ("content", content.into()),
    ]);
    if let Some(name) = message["name"].as_str().filter(|_| role != "tool") {
        own = own.with("name", name.into());
    }
    if role == "assistant" && message["tool_calls"].iter().next().is_some() {
        own = own.with("toolCalls", message["tool_calls"].iter().map(call_of).collect());
    }
    if role == "tool" {
        let call = message["tool_call_id"].as_str().or_else(|| message["name"].as_str());
        own = own.with("toolCallId", call.unwrap_or_default().into());
        if message["status"].as_str() == Some("error") {
            own = own.with("error", "error".into());
        }
    }
    Ok(own)
}

fn text_of(content: &Json) -> Result<String, Error> {
    if let Some(text) = content.as_str() {
        return Ok(text.to_owned());
    }
    let text = |block: &Json| {
        let own = if block["type"].as_str() == Some("text") { &block["text"] } else { block };
        own.as_str().map(str::to_owned)
    };
    let all: Option<String> = content.iter().map(text).collect();
    all.ok_or_else(|| Error::message_field(".content", "text, or a message in AG-UI's form"))
}

/// Returns the arguments of a call in LangChain's form as a JSON text.
pub(super) fn arguments_of(call: &Json) -> String {
    if call["args"].is_null() { "{}".to_owned() } else { call["args"].to_string() }
}

fn call_of(call: &Json) -> Json {
    let name = call["name"].as_str().unwrap_or_default();
    let called = Json::from([("name", name.into()), ("arguments", arguments_of(call).into())]);
    Json::from([("id", call["id"].clone()), ("type", "function".into()), ("function", called)])
}
