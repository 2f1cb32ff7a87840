//! `PatchToolCallsMiddleware` of deepagents.

use std::fs;

use serde_json::{Value, json};
use threadfold::context::patch_tool_calls;

use super::records::replay;

#[test]
fn patches_as_deepagents_does() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/js-tests/peers/conformance/records/context/conversations.json"
    );
    let conversations: Vec<Value> =
        serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    replay("context/patch", |record| {
        let given = &record.given["messages"];
        let at = given.as_u64().and_then(|at| usize::try_from(at).ok());
        let messages = at.map_or(given, |at| &conversations[at]);
        let patched = patch_tool_calls(messages).unwrap();
        match record.answer.as_ref().and_then(Value::as_array) {
            None => assert_eq!(&patched, messages),
            Some(told) => assert_eq!(patched, expand(&told[1..], messages)),
        }
    });
}

/// The list that an answer tells of: positions, ranges of them, and new messages. (The first, left
/// out here, removes all messages: it belongs to the state.)
fn expand(told: &[Value], messages: &Value) -> Value {
    let position = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
    let mut list = Vec::new();
    for item in told {
        match item {
            Value::Number(_) => list.push(messages[position(item)].clone()),
            Value::Array(range) => {
                let range = position(&range[0])..position(&range[1]);
                list.extend(range.map(|at| messages[at].clone()));
            }
            _ => list.push(item["new"].clone()),
        }
    }
    json!(list)
}
