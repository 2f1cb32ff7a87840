//! Random parts of messages join to the messages of the package, which
//! `js-tests/unit/langgraph/chunk-parts.mjs` records.

use std::fs;
use std::path::Path;

use serde_json::Value;
use threadfold::unstable::MessageParts;

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
