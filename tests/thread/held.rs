//! The values that a thread holds between calls: a heap of handles visits each.

use serde_json::{Value, json};
use threadfold::unstable::Holds;
use threadfold::value::Found;
use threadfold::{StreamPosition, Thread, ThreadEvent};

use super::{ai, failed, hear, human, message, started, streamed, text, thread_of};

/// Takes away every value that a thread holds.
fn empty(thread: &mut Thread<Value>) -> Vec<Value> {
    let mut held = Vec::new();
    thread.held(&mut |value| held.push(std::mem::take(value)));
    held
}

/// Makes a thread that holds a value everywhere it can.
fn full() -> Thread<Value> {
    let mut thread = thread_of(&[human("own-0", "own old")]);
    thread.update(json!({ "topic": "own topic" })).unwrap();
    let question = json!({ "messages": [human("own-1", "own question")], "log": ["own write"] });
    thread.optimistic(question).unwrap();
    thread.optimistic(json!({ "messages": [human("own-0", "own edit")] })).unwrap();
    thread.optimistic(json!({ "topic": "own other" })).unwrap();
    hear(&mut thread, [started("own-first"), streamed("own-a"), text("own-a", "own"), failed()]);
    let failing: Vec<_> = thread.pending().map(|update| update.id.clone()).collect();
    for id in &failing {
        thread.fail(id, json!("own error"));
    }
    thread.retry(&failing[0]);
    hear(&mut thread, [started("own-run"), streamed("own-b"), message(ai("own-c", "own"))]);
    hear(
        &mut thread,
        [failed(), ThreadEvent::RunStarted { id: Some(json!("own-s")), joined: None }],
    );
    let part = StreamPosition { id: Some(json!("own-id")), key: Some(json!("own-key")) };
    thread.receive_at(part, streamed("own-d")).unwrap();
    thread
        .update(json!({ "messages": [human("own-2", "own local")], "mood": "own mood" }))
        .unwrap();
    thread.optimistic(json!({ "messages": [human("own-3", "own tail")] })).unwrap();
    thread
}

#[test]
fn every_value_that_is_held_is_visited() {
    let mut thread = full();
    // Earlier views are held, too, and so are the updates that were pending then.
    let (state, confirmed) = (thread.state(), thread.confirmed());
    let record = thread.to_json();
    let held: Vec<String> = empty(&mut thread).iter().map(Value::to_string).collect();
    let (id, update) = (&record["run"]["id"], &record["pending"][0]["update"]);
    for value in [&state, &confirmed, id, update, &json!("own-id"), &json!("own-key")] {
        assert!(held.contains(&value.to_string()), "{value} is held");
    }
    hear(&mut thread, [ThreadEvent::State { values: json!({ "new": 1 }), own: None }]);
    let left = [thread.state(), thread.confirmed(), thread.to_json(), thread.incomplete_ids()];
    for value in left {
        assert!(!value.to_string().contains("own"), "nothing is left in {value}");
    }
}

#[test]
fn what_was_added_since_the_last_look_is_visited() {
    let mut thread = full();
    thread.state();
    thread.optimistic(json!({ "messages": [human("own-4", "own last")] })).unwrap();
    empty(&mut thread);
    hear(&mut thread, [ThreadEvent::State { values: json!({ "new": 1 }), own: None }]);
    assert!(!thread.state().to_string().contains("own"));
}

#[test]
fn a_visit_that_changes_nothing_changes_nothing() {
    let (mut visited, mut own) = (full(), full());
    visited.held(&mut |value| *value = value.clone());
    assert_eq!(visited.to_json(), own.to_json());
    assert_eq!(visited.state(), own.state());
    let list = own.state().get("messages").map(Found::into_owned);
    assert_eq!(visited.state().get("messages").map(Found::into_owned), list);
}
