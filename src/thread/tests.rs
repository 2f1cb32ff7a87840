//! Reads cost only what has changed since the last one.
#![allow(clippy::unwrap_used)]

use serde_json::json;

use crate::{Field, FieldReducer, Json, Schema, Thread, ThreadEvent, Value};

fn add(id: &str) -> Json {
    json!({ "messages": [{ "type": "human", "id": id, "content": id }] }).into()
}

fn hear(thread: &mut Thread<Json>, event: ThreadEvent<Json>) {
    assert!(thread.receive(event).unwrap().is_none());
}

/// Makes a thread whose first message is streaming, with two messages pending.
fn streaming() -> Thread<Json> {
    let mut thread = Thread::new(None, &Json::object()).unwrap();
    thread.optimistic(add("1")).unwrap();
    thread.optimistic(add("2")).unwrap();
    let message = json!({ "type": "ai", "id": "a", "content": "" }).into();
    hear(&mut thread, ThreadEvent::Message { message, after: None, streaming: true });
    thread.state();
    thread
}

fn grow(thread: &mut Thread<Json>) {
    hear(thread, ThreadEvent::Text { id: "a".into(), text: "x".into() });
}

#[test]
fn a_token_has_nothing_woven_anew() {
    let mut thread = streaming();
    for _ in 0..40 {
        grow(&mut thread);
        assert_eq!(thread.woven.as_ref().unwrap().changed, [0]);
    }
    thread.state();
    assert!(thread.woven.as_ref().unwrap().changed.is_empty());
}

#[test]
fn a_message_that_is_only_added_has_nothing_woven_anew() {
    let mut thread = Thread::new(None, &Json::object()).unwrap();
    for id in ["1", "2", "3"] {
        thread.optimistic(add(id)).unwrap();
        assert!(thread.woven.is_some());
        thread.state();
    }
    // Nor is it when nobody looks in between.
    for id in ["4", "5", "6"] {
        thread.optimistic(add(id)).unwrap();
    }
    assert_eq!(thread.woven.as_ref().unwrap().tail.len(), 3);
    // One that changes another does.
    thread.optimistic(add("2")).unwrap();
    assert!(thread.woven.is_none());
}

#[test]
fn of_many_that_grow_nothing_is_remembered() {
    let mut thread = streaming();
    for id in 0..40 {
        let message = json!({ "type": "ai", "id": id.to_string() + "b", "content": "" }).into();
        hear(&mut thread, ThreadEvent::Message { message, after: None, streaming: true });
    }
    thread.state();
    for id in 0..40 {
        let key = (id.to_string() + "b").into();
        hear(&mut thread, ThreadEvent::Text { id: key, text: "x".into() });
        let changed = thread.woven.as_ref().map(|woven| woven.changed.len());
        assert_eq!(changed, Some(id + 1).filter(|count| *count <= 16));
    }
}

#[test]
fn a_settled_update_has_its_own_fields_looked_at_again_and_no_others() {
    let mut thread = Thread::new(None, &Json::object()).unwrap();
    let field = |name: &str| Json::from([(name, Json::from("mine"))]);
    let first = thread.optimistic(field("topic")).unwrap();
    thread.optimistic(field("topic")).unwrap();
    thread.optimistic(field("mood")).unwrap();
    hear(&mut thread, ThreadEvent::RunStarted { id: None, joined: None });
    assert_eq!(thread.pending().count(), 3);
    assert!(thread.settle(&first).unwrap());
    assert!(!thread.stale.writes);
    // Settling one says nothing about the second topic.
    assert_eq!(thread.pending().count(), 2);
}

#[test]
fn what_is_the_servers_is_found_out_again_for_any_number_of_fields() {
    for count in [1_u32, 8, 9, 20] {
        let mut thread = Thread::new(None, &Json::object()).unwrap();
        let fields = || (0..count).map(|at| (at.to_string(), Json::from("mine")));
        let update = || fields().fold(Json::object(), |all, (key, it)| all.with(&key, it));
        let first = thread.optimistic(update()).unwrap();
        thread.optimistic(update()).unwrap();
        hear(&mut thread, ThreadEvent::RunStarted { id: None, joined: None });
        assert!(thread.settle(&first).unwrap());
        // Few are looked at one by one, many on demand: each would be searched for.
        assert_eq!(thread.stale.writes, count > 8);
        assert_eq!(thread.pending().count(), 1);
        hear(&mut thread, ThreadEvent::State { values: Json::object(), own: None });
        assert_eq!(thread.pending().count(), 0);
    }
}

#[test]
fn without_pending_messages_the_view_is_the_confirmed_state() {
    let mut thread = Thread::new(None, &add("1")).unwrap();
    thread.optimistic(Json::from([("topic", Json::from("mine"))])).unwrap();
    let (state, confirmed) = (thread.state(), thread.confirmed());
    let list = |state: &Json| Value::get(state, "messages").cloned().unwrap();
    assert!(list(&state).same(&list(&confirmed)));
    assert!(thread.woven.is_none());
}

#[test]
fn a_result_after_the_last_one_is_inserted_without_a_search() {
    let mut thread = streaming();
    let put = |thread: &mut Thread<Json>, id: u32| {
        let message = json!({ "type": "tool", "id": id.to_string() + "r", "content": "" }).into();
        hear(thread, ThreadEvent::Message { message, after: Some("a".into()), streaming: false });
    };
    let message = json!({ "type": "ai", "id": "b", "content": "" }).into();
    hear(&mut thread, ThreadEvent::Message { message, after: None, streaming: true });
    for id in 1..10 {
        put(&mut thread, id);
        assert_eq!(thread.behind, Some([0, id]));
        grow(&mut thread);
    }
}

#[test]
fn what_was_sent_comes_one_by_one_without_a_search() {
    let mut thread = Thread::new(None, &add("0")).unwrap();
    for id in ["1", "2", "3", "4"] {
        thread.optimistic(add(id)).unwrap();
    }
    hear(&mut thread, ThreadEvent::RunStarted { id: None, joined: None });
    let say = |thread: &mut Thread<Json>, id: &str, after: Option<&str>| {
        let message = json!({ "type": "human", "id": id, "content": id }).into();
        let after = after.map(Json::from);
        hear(thread, ThreadEvent::Message { message, after, streaming: false });
    };
    say(&mut thread, "1", None);
    assert!(thread.places.head.is_some());
    say(&mut thread, "answer", None);
    for id in ["2", "3"] {
        say(&mut thread, id, None);
        assert!(thread.places.head.is_some());
    }
    say(&mut thread, "more", None);
    assert!(thread.places.head.is_some());
    // A message in between moves the place.
    say(&mut thread, "between", Some("0"));
    assert!(thread.places.head.is_none());
    thread.state();
    let ids = |thread: &mut Thread<Json>| {
        let messages = thread.state().get("messages").cloned().unwrap();
        messages.items().map(|it| it.text_of("id").unwrap()).collect::<Vec<_>>()
    };
    let shown = ids(&mut thread);
    say(&mut thread, "4", None);
    assert_eq!(ids(&mut thread), shown);
}

#[test]
fn a_result_at_the_end_keeps_the_places_of_sent_messages() {
    let mut thread = Thread::new(None, &add("0")).unwrap();
    thread.optimistic(add("1")).unwrap();
    hear(&mut thread, ThreadEvent::RunStarted { id: None, joined: None });
    let say = |thread: &mut Thread<Json>, kind: &str, id: &str, after: Option<Json>| {
        let message = json!({ "type": kind, "id": id, "content": id }).into();
        hear(thread, ThreadEvent::Message { message, after, streaming: false });
    };
    say(&mut thread, "ai", "a", None);
    thread.state();
    for id in ["r1", "r2"] {
        say(&mut thread, "tool", id, Some("a".into()));
        assert!(thread.places.head.is_some());
    }
}

#[test]
fn a_read_computes_written_and_hidden_fields() {
    let mut thread = Thread::new(None, &Json::object()).unwrap();
    assert!(!thread.has_to_compute());
    thread.optimistic(add("1")).unwrap();
    assert!(!thread.has_to_compute());
    thread.optimistic(Json::from([("topic", Json::from("mine"))])).unwrap();
    assert!(thread.has_to_compute());
    thread.state();
    assert!(!thread.has_to_compute());
    // A schema may hide fields.
    let schema = Schema::new(vec![("topic".to_owned(), Field::new(FieldReducer::Replace))]);
    let mut thread = Thread::new(Some(schema.unwrap()), &Json::object()).unwrap();
    assert!(thread.has_to_compute());
    thread.state();
    assert!(!thread.has_to_compute());
}

#[test]
fn the_lists_that_updates_were_sent_with_are_dropped_run_after_run() {
    let mut thread = Thread::new(None, &Json::object()).unwrap();
    let failed = thread.optimistic(add("1")).unwrap();
    for _ in 0..100 {
        hear(&mut thread, ThreadEvent::RunStarted { id: None, joined: None });
        hear(&mut thread, ThreadEvent::RunError { error: "down".into() });
        assert!(thread.places.anchors.len() <= 4);
    }
    assert!(thread.status(&failed).is_some());
}

#[test]
fn a_sent_message_that_comes_behind_a_hidden_one_has_nothing_woven_anew() {
    let messages = json!([
        { "type": "human", "id": "0", "content": "" },
        { "type": "human", "id": "1", "content": "" },
    ]);
    let mut thread = Thread::new(None, &json!({ "messages": messages }).into()).unwrap();
    hear(&mut thread, ThreadEvent::RunStarted { id: None, joined: None });
    thread.optimistic(json!({ "messages": [{ "type": "remove", "id": "1" }] }).into()).unwrap();
    thread.optimistic(add("2")).unwrap();
    thread.optimistic(add("3")).unwrap();
    hear(&mut thread, ThreadEvent::RunStarted { id: None, joined: None });
    let ids = |thread: &mut Thread<Json>| {
        let messages = thread.state().get("messages").cloned().unwrap();
        messages.items().map(|it| it.text_of("id").unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&mut thread), ["0", "2", "3"]);
    for id in ["2", "3"] {
        let message = json!({ "type": "human", "id": id, "content": id }).into();
        hear(&mut thread, ThreadEvent::Message { message, after: None, streaming: false });
        assert!(thread.woven.is_some());
        assert_eq!(ids(&mut thread), ["0", "2", "3"]);
    }
}
