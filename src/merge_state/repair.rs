//! Repairs that ag-ui-langgraph 0.0.47 makes when it merges a run's messages into a checkpoint.

use super::known_ids;
use crate::message::{self, is_kind};
use crate::value::{ByNumber, Found, Kind, Symbols, Value};

/// Returns the messages for the graph to add: the checkpoint's repaired ones, then those it does
/// not have.
pub(super) fn new_messages<V: Value>(existing: &V, messages: V) -> V {
    let mut fresh = Vec::new();
    for message in existing.items() {
        fresh.extend(parsed_arguments(&*message));
    }
    let results = Results::of(&messages);
    let answered = results.put_into(existing, &mut fresh);
    let known = known_ids(existing, &messages);
    if fresh.is_empty() && !known.contains(&true) {
        return messages;
    }
    for (message, known) in messages.items().zip(known) {
        let is_answered =
            || results.number(&message).is_some_and(|number| answered.get(number).is_some());
        if !(known || is_answered()) {
            fresh.push(message.into_owned());
        }
    }
    V::array(fresh)
}

/// Returns an assistant message with its tool calls' JSON text parsed into arguments; text that is
/// not JSON becomes empty arguments. `None` when no text could be parsed: the checkpoint's message
/// then prevails.
fn parsed_arguments<V: Value>(message: &V) -> Option<V> {
    let calls = message.get("tool_calls").filter(|_| is_kind(message, "ai"))?;
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

/// The contents of tool results, by the calls they answer.
struct Results<V: Value> {
    calls: V::Symbols,
    /// By a call's number: of two results the last counts.
    contents: Vec<V>,
}

impl<V: Value> Results<V> {
    fn of(messages: &V) -> Self {
        let mut results = Self { calls: V::Symbols::default(), contents: Vec::new() };
        for message in messages.items() {
            let Some(call) = answered_call(&*message) else { continue };
            let Some(content) = message.get_owned("content") else { continue };
            let Some(number) = results.calls.intern(&call) else { continue };
            match results.contents.get_mut(number as usize) {
                Some(known) => *known = content,
                None => results.contents.push(content),
            }
        }
        results
    }

    /// Returns the number of the call that a message answers, if it has a result here.
    fn number(&self, message: &V) -> Option<u32> {
        answered_call(message).and_then(|call| self.calls.find(&call))
    }

    /// Adds the tool messages after the last human one that are placeholders for a result that has
    /// arrived, with its content; returns the answered calls.
    fn put_into(&self, existing: &V, repaired: &mut Vec<V>) -> ByNumber {
        let mut answered = ByNumber::default();
        let is_human = |at: &usize| existing.at(*at).is_some_and(|it| is_kind(&*it, "human"));
        let Some(last_human) = (0..existing.len()).rev().find(is_human) else { return answered };
        for at in last_human + 1..existing.len() {
            let Some(message) = existing.at(at) else { continue };
            let number = self.number(&message).filter(|_| is_interrupted(&*message));
            let content = number.and_then(|number| self.contents.get(number as usize));
            if let (Some(number), Some(content)) = (number, content) {
                repaired.push(message.into_owned().with("content", content.clone()));
                answered.insert(number, 0);
            }
        }
        answered
    }
}

/// Returns the call that a tool result answers.
fn answered_call<V: Value>(message: &V) -> Option<V> {
    if is_kind(message, "tool") { message::answered_call(message) } else { None }
}

/// Whether a tool message says `Tool call '…' with id '…' was interrupted before completion.`
fn is_interrupted<V: Value>(message: &V) -> bool {
    let content = message.get("content").filter(|content| content.kind() == Kind::String);
    let Some(text) = content.as_ref().and_then(|content| content.text()) else { return false };
    // As in the reference's expression, one line break may end the text.
    let line = text.strip_suffix('\n').unwrap_or(&text);
    let Some(named) = line
        .strip_prefix("Tool call '")
        .and_then(|rest| rest.strip_suffix("' was interrupted before completion."))
        .filter(|named| !named.bytes().any(|byte| byte == b'\n'))
    else {
        return false;
    };
    // Any place between the first and the last letter of the two names.
    let between = b"' with id '";
    let inner = named.as_bytes().get(1..named.len().saturating_sub(1)).unwrap_or_default();
    inner.windows(between.len()).any(|window| window == between)
}
