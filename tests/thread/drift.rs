//! Drift: snapshots that contradict a prediction, and those that don't.

use serde_json::{Value, json};
use threadfold::{Field, FieldReducer, Lifetime, MessageRules, Schema, Thread, ThreadEvent};

use super::{ai, hear, message, snapshot, started, streamed, text, thread_of};

/// Returns the drift of a snapshot with this message, where that one was predicted.
fn between(own: Value, said: Value) -> Option<Value> {
    let mut thread = thread_of(&[]);
    hear(&mut thread, [message(own)]);
    thread.receive(snapshot(&[said])).unwrap()
}

fn with(key: &str, value: Value) -> Value {
    let mut message = ai("1", "");
    message[key] = value;
    message
}

#[test]
fn tool_calls_are_compared_by_meaning() {
    let text = |arguments: &str| {
        with(
            "toolCalls",
            json!([{ "id": "c", "function": { "name": "f", "arguments": arguments } }]),
        )
    };
    assert_eq!(between(text("{\"a\": 1}"), text("{\"a\":1}")), None);
    assert!(between(text("{\"a\": 1}"), text("{\"a\": 2}")).is_some());
    let call = |id: &str, name: &str| {
        with("tool_calls", json!([{ "id": id, "name": name, "args": { "a": 1 } }]))
    };
    assert!(between(call("c", "f"), call("d", "f")).is_some());
    assert!(between(call("c", "f"), call("c", "g")).is_some());
    let two =
        json!([{ "id": "c", "name": "f", "args": {} }, { "id": "d", "name": "f", "args": {} }]);
    let one = json!([two[0]]);
    let drift = between(with("tool_calls", one), with("tool_calls", two.clone()));
    let told = json!([{ "op": "replace", "path": "/messages/0/tool_calls", "value": two }]);
    assert_eq!(drift, Some(told));
}

#[test]
fn blocks_are_compared_whether_they_are_numbered_or_not() {
    let block = |text: &str| json!({ "type": "text", "text": text });
    let numbered = |text: &str| json!({ "type": "text", "text": text, "index": 0 });
    let blocks = |blocks: Value| with("content", blocks);
    assert_eq!(between(blocks(json!([numbered("a")])), blocks(json!([block("a")]))), None);
    assert!(between(blocks(json!([numbered("a")])), blocks(json!([block("b")]))).is_some());
    assert_eq!(between(blocks(json!(["a"])), blocks(json!(["a"]))), None);
    assert!(between(blocks(json!(["a", 1])), blocks(json!(["a", 2]))).is_some());
}

#[test]
fn a_text_and_blocks_are_compared_by_their_texts() {
    let blocks = |text: &str| with("content", json!([{ "type": "text", "text": text }]));
    assert_eq!(between(ai("1", "a"), blocks("a")), None);
    assert_eq!(between(blocks("a"), ai("1", "a")), None);
    assert!(between(ai("1", "a"), blocks("b")).is_some());
    assert!(between(ai("1", "a"), with("content", json!([]))).is_some());
    assert!(between(ai("1", "a"), ai("1", "b")).is_some());
    // Two values other than lists are compared as they are.
    assert!(
        between(with("content", json!({ "a": 1 })), with("content", json!({ "a": 2 }))).is_some()
    );
}

#[test]
fn what_a_node_adds_is_a_prediction() {
    let mut thread = thread_of(&[]);
    let update = json!({ "messages": [ai("1", "a")] });
    hear(&mut thread, [ThreadEvent::Update { update }]);
    assert!(thread.receive(snapshot(&[ai("1", "b")])).unwrap().is_some());
    let update = json!({ "messages": ai("2", "a") });
    hear(&mut thread, [ThreadEvent::Update { update }]);
    assert!(thread.receive(snapshot(&[ai("1", "b"), ai("2", "b")])).unwrap().is_some());
}

#[test]
fn a_streaming_message_does_not_count_as_a_prediction() {
    let mut thread = thread_of(&[]);
    hear(&mut thread, [started("r"), streamed("1"), text("1", "a"), snapshot(&[ai("1", "b")])]);
}

#[test]
fn what_one_run_predicted_is_forgotten_when_another_starts() {
    let mut thread = open();
    hear(&mut thread, [started("r"), message(ai("1", "a")), update(json!({ "log": [1] }))]);
    hear(&mut thread, [ThreadEvent::run_finished(), started("s")]);
    hear(
        &mut thread,
        [
            snapshot(&[ai("1", "b")]),
            ThreadEvent::State { values: json!({ "log": [2] }), own: None },
        ],
    );
}

#[test]
fn only_fields_that_a_known_reducer_keeps_are_predicted() {
    let mut thread = open();
    hear(&mut thread, [update(json!({ "log": [1], "note": [1] }))]);
    let said = ThreadEvent::State { values: json!({ "log": [2], "note": [2] }), own: None };
    let log = json!([{ "op": "replace", "path": "/log/0", "value": 2 }]);
    assert_eq!(thread.receive(said).unwrap(), Some(log));
    let mut thread = thread_of(&[]);
    hear(&mut thread, [update(json!({ "files": { "/a": { "content": "1" } }, "topic": "a" }))]);
    let said = json!({ "files": { "/a": { "content": "2" } }, "topic": "b" });
    let files = json!([{ "op": "replace", "path": "/files/~1a/content", "value": "2" }]);
    let drift = thread.receive(ThreadEvent::State { values: said, own: None }).unwrap();
    assert_eq!(
        drift,
        Some(files),
        "without a schema the reducers of todos, files and tools are known"
    );
}

fn update(update: Value) -> ThreadEvent<Value> {
    ThreadEvent::Update { update }
}

/// Makes a thread with one field that is kept, and one that is not.
fn open() -> Thread<Value> {
    let fields = vec![
        ("messages".to_owned(), Field::new(FieldReducer::Messages(MessageRules::LangGraph))),
        ("log".to_owned(), Field::new(FieldReducer::Append)),
        ("note".to_owned(), Field::new(FieldReducer::Append).lasting(untracked())),
    ];
    Thread::new(Some(Schema::new(fields).unwrap()), &json!({})).unwrap()
}

fn untracked() -> Lifetime {
    Lifetime::Untracked { guard: false }
}
