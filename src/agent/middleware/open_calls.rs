//! Calls that nobody answered: models refuse them.

use std::collections::HashSet;

use serde_json::Value;

use crate::agent::turn::answer;
use crate::context::missing_results::sentence;
use crate::typed::{Message, MessageKind, MessageList, ToolCall};

/// Answers the open calls, right after the message that makes them, as deepagents'
/// `PatchToolCallsMiddleware` does. Returns nothing if there are none.
pub(super) fn answered(messages: &MessageList<Message>) -> Option<Vec<Message>> {
    let results = messages.iter().filter_map(|message| match &message.kind {
        MessageKind::Tool(result) => Some(&*result.tool_call_id),
        _ => None,
    });
    let results = results.collect::<HashSet<_>>();
    let is_open = |id: Option<&str>| id.is_some_and(|id| !results.contains(id));
    let open = |message: &Message| {
        let calls = message.tool_calls().iter().filter(|call| is_open(call.id.as_deref()));
        let valid = calls.map(|call| said(call, true));
        let calls = invalid_calls(message).filter(|call| is_open(call.id.as_deref()));
        valid.chain(calls.map(|call| said(&call, false))).collect::<Vec<_>>()
    };
    if messages.iter().all(|message| open(message).is_empty()) {
        return None;
    }
    let all = messages
        .iter()
        .flat_map(|message| std::iter::once(Message::clone(message)).chain(open(message)));
    Some(all.collect())
}

fn said(call: &ToolCall, is_valid: bool) -> Message {
    let name = if call.name.is_empty() { "unknown" } else { &call.name };
    let text = sentence(name, call.id.as_deref().unwrap_or_default(), is_valid);
    answer(call, text, true).with_name(name)
}

/// Returns the calls of a message whose arguments could not be read.
fn invalid_calls(message: &Message) -> impl Iterator<Item = ToolCall> {
    let calls = match &message.kind {
        MessageKind::Assistant(own) => own.extra.get("invalid_tool_calls"),
        _ => None,
    };
    let text = |call: &Value, name: &str| call.get(name).and_then(Value::as_str).map(str::to_owned);
    calls.and_then(Value::as_array).into_iter().flatten().map(move |call| {
        let made = ToolCall::new("", text(call, "name").unwrap_or_default(), Value::Null);
        ToolCall { id: text(call, "id"), ..made }
    })
}
