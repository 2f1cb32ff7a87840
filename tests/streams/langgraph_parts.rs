//! Random parts of messages join to the messages of the package, which
//! `js-tests/unit/langgraph/chunk-parts.mjs` records.

use std::fs;
use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use threadfold::unstable::MessageParts;

use crate::seeded;

#[test]
fn random_parts_join_to_the_messages_of_the_package() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("js-tests/unit/langgraph");
    let text = fs::read_to_string(folder.join("chunk-parts.json")).unwrap();
    let cases: Vec<Value> = serde_json::from_str(&text).unwrap();
    for case in &cases {
        let (parts, mut joined) = (&case["parts"], MessageParts::new());
        let messages = case["messages"].as_array().unwrap();
        for (part, message) in parts.as_array().unwrap().iter().zip(messages) {
            let before = joined.message().clone();
            match joined.push(&part.clone().into()) {
                Ok(()) => assert_eq!(*joined.message(), *message, "{parts}"),
                Err(error) => {
                    assert_eq!(message["refused"], error.code(), "{parts}");
                    assert_eq!(*joined.message(), before);
                }
            }
        }
    }
    assert!(cases.len() >= 100);
}

/// A chunk of a tool call: with an index, an id, both or neither, and sometimes of another type.
fn chunk() -> impl Strategy<Value = Value> {
    let index = select(vec![json!(null), json!(0), json!(1), json!("x")]);
    let id = select(vec![json!(null), json!(""), json!("a"), json!("b")]);
    let args = select(vec!["", "{", "{}", "\"k\":1", "}"]);
    let kind = select(vec![
        json!(null),
        json!("tool_call_chunk"),
        json!("tool_call_chunk"),
        json!("note"),
    ]);
    (index, id, args, kind).prop_map(|(index, id, args, kind)| {
        let mut chunk = json!({ "name": "f", "args": args });
        for (key, value) in [("index", index), ("id", id), ("type", kind)] {
            if !value.is_null() {
                chunk[key] = value;
            }
        }
        chunk
    })
}

proptest! {
    #![proptest_config(seeded::config(20_000))]

    #[test]
    fn the_calls_of_joined_chunks_are_those_of_all_chunks_at_once(
        parts in vec(vec(chunk(), 0..3), 1..6),
    ) {
        let part = |chunks: &Value| json!({ "type": "AIMessageChunk", "content": "", "tool_call_chunks": chunks });
        let mut joined = MessageParts::new();
        for chunks in parts {
            joined.push(&part(&json!(chunks)).into()).unwrap();
            let message = joined.message();
            let mut whole = MessageParts::new();
            whole.push(&part(&serde_json::to_value(&message["tool_call_chunks"]).unwrap()).into()).unwrap();
            for list in ["tool_calls", "invalid_tool_calls"] {
                prop_assert_eq!(&message[list], &whole.message()[list], "{}", message);
            }
        }
    }
}
