//! What ag-ui-langgraph 0.0.47 mends when it merges a run's messages into a checkpoint.

use super::known_ids;
use crate::message;
use crate::value::{Found, Kind, Value};

/// The messages for the graph to add: those of the checkpoint that were repaired, then those
/// that it does not know.
pub(super) fn new_messages<V: Value>(existing: &V, messages: V) -> V {
    let mut repaired: Vec<V> =
        existing.items().filter_map(|message| parsed_arguments(&*message)).collect();
    let (results, answered) = real_results(existing, &messages);
    repaired.extend(results);
    let known = known_ids(existing, &messages);
    let answered = |message: &V| {
        message::is_kind(message, "tool")
            && message::tool_call_id(message).is_some_and(|id| answered.contains(&id))
    };
    if repaired.is_empty() && !known.contains(&true) {
        return messages;
    }
    let unseen = messages
        .items()
        .zip(known)
        .filter(|(message, known)| !known && !answered(message))
        .map(|(message, _)| message.into_owned());
    V::array(repaired.into_iter().chain(unseen))
}

/// An assistant message whose tool calls have JSON text for arguments, with the arguments
/// parsed; text that is not JSON becomes no arguments. Nothing, when no text could be parsed:
/// the checkpoint's message then stays the authority.
fn parsed_arguments<V: Value>(message: &V) -> Option<V> {
    let calls = message.get("tool_calls").filter(|_| message::is_kind(message, "ai"))?;
    let mut parsed = false;
    let calls = calls.items().map(|call| {
        let Some(text) = call.text_of("args") else { return call.into_owned() };
        let args = V::parse_json(&text);
        parsed |= args.is_some();
        call.into_owned().with("args", args.unwrap_or_else(V::object))
    });
    let calls = V::array(calls);
    parsed.then(|| message.clone().with("tool_calls", calls))
}

/// The tool messages after the last human one that stand in for a result which has now come,
/// with its content; and the tool calls so answered.
fn real_results<V: Value>(existing: &V, messages: &V) -> (Vec<V>, Vec<String>) {
    let mut contents = Vec::new();
    for message in messages.items().filter(|message| message::is_kind(&**message, "tool")) {
        if let (Some(id), Some(content)) =
            (message::tool_call_id(&*message), message.get("content"))
        {
            contents.push((id, content.into_owned()));
        }
    }
    let mut results = Vec::new();
    let mut answered = Vec::new();
    let last_human = (0..existing.len())
        .rev()
        .find(|at| existing.at(*at).is_some_and(|message| message::is_kind(&*message, "human")));
    let Some(last_human) = last_human.filter(|_| !contents.is_empty()) else {
        return (results, answered);
    };
    for message in existing.items().skip(last_human + 1) {
        if !message::is_kind(&*message, "tool") || !is_interrupted(&*message) {
            continue;
        }
        let Some(id) = message::tool_call_id(&*message) else { continue };
        // Of two results for one call the last counts.
        if let Some((_, content)) = contents.iter().rev().find(|(call, _)| *call == id) {
            results.push(message.into_owned().with("content", content.clone()));
            answered.push(id);
        }
    }
    (results, answered)
}

/// Whether a tool message says `Tool call '…' with id '…' was interrupted before completion.`
fn is_interrupted<V: Value>(message: &V) -> bool {
    let content = message.get("content").filter(|content| content.kind() == Kind::String);
    let Some(text) = content.as_ref().and_then(|content| content.text()) else { return false };
    // As in the reference's expression one line break may end the text.
    let line = text.strip_suffix('\n').unwrap_or(&text);
    let Some(named) = line
        .strip_prefix("Tool call '")
        .and_then(|rest| rest.strip_suffix("' was interrupted before completion."))
        .filter(|named| !named.bytes().any(|byte| byte == b'\n'))
    else {
        return false;
    };
    // Some place between the first and the last letter of the two names.
    let between = b"' with id '";
    let inner = named.as_bytes().get(1..named.len().saturating_sub(1)).unwrap_or_default();
    inner.windows(between.len()).any(|window| window == between)
}
