//! `RunAgentInput`: read, written, and made of a thread, as `js-tests/unit/ag-ui/run-input.test.ts`
//! holds the package to it.

use std::sync::Arc;

use serde_json::{Value, json};
use threadfold::ag_ui::{Fold, ResumeEntry, RunAgentInput};
use threadfold::{CustomReducer, Field, FieldReducer, Json, Prefer, Schema, Thread, ThreadEvent};

use super::recording::empty_thread;

fn input(thread: &mut Thread<Json>) -> RunAgentInput {
    RunAgentInput::of(thread, "t").unwrap()
}

fn shown(thread: &mut Thread<Json>, update: Value) -> String {
    thread.optimistic(update.into()).unwrap()
}

fn user(id: &str) -> Value {
    json!({ "id": id, "role": "user", "content": id })
}

#[test]
fn an_input_is_written_as_it_was_read() {
    let body = json!({
        "threadId": "t", "runId": "r", "messages": [user("q")], "state": [1], "tools": [{ "name": "a" }],
        "context": [{ "description": "d", "value": "v" }], "forwardedProps": { "x": 1 },
        "resume": [{ "interruptId": "i", "status": "cancelled" }], "later": true,
    });
    let read: RunAgentInput = serde_json::from_value(body.clone()).unwrap();
    assert_eq!(read.resume, [ResumeEntry::cancelled("i")]);
    assert_eq!(serde_json::to_value(&read).unwrap(), body);
}

#[test]
fn an_input_that_cannot_be_read_names_its_field() {
    let cases = [
        (json!([]), None),
        (json!({ "runId": "r", "messages": [] }), Some("threadId")),
        (json!({ "threadId": "t", "runId": "r", "messages": [{ "id": 1 }] }), Some("messages")),
        (json!({ "threadId": "t", "runId": "r", "messages": [], "tools": [1] }), Some("tools")),
        (
            json!({ "threadId": "t", "runId": "r", "messages": [], "resume": [{ "interruptId": "i" }] }),
            Some("resume"),
        ),
    ];
    for (body, field) in cases {
        let error = RunAgentInput::try_from(Json::from(body.clone())).unwrap_err();
        assert_eq!((error.code(), error.field()), ("INVALID_ARGUMENT", field), "{body}");
    }
}

#[test]
fn the_messages_are_whole_and_in_ag_ui_form() {
    let mut thread = empty_thread();
    let mut fold = Fold::new();
    for event in [
        json!({ "type": "RUN_STARTED", "runId": "r" }),
        json!({ "type": "TEXT_MESSAGE_START", "messageId": "half" }),
        json!({ "type": "ACTIVITY_SNAPSHOT", "messageId": "p", "activityType": "A", "content": {} }),
    ] {
        fold.json(&mut thread, &event.to_string()).unwrap();
    }
    let called = json!({ "type": "ai", "id": "a", "content": [{ "type": "text", "text": "Hm" }],
        "tool_calls": [{ "id": "c", "name": "f", "args": { "x": 1 }, "type": "tool_call" }] });
    let result = json!({ "type": "tool", "id": "r", "tool_call_id": "c", "content": "1", "status": "error" });
    shown(&mut thread, json!({ "messages": [user("q"), called, result] }));
    let call = json!({ "id": "c", "type": "function", "function": { "name": "f", "arguments": "{\"x\":1}" } });
    let expected = json!([
        user("q"),
        { "id": "a", "role": "assistant", "content": "Hm", "toolCalls": [call] },
        { "id": "r", "role": "tool", "content": "1", "toolCallId": "c", "error": "error" },
    ]);
    assert_eq!(serde_json::to_value(input(&mut thread).messages).unwrap(), expected);

    let media = json!({ "type": "human", "id": "m", "content": [{ "type": "image_url" }] });
    shown(&mut thread, json!({ "messages": [media] }));
    let error = RunAgentInput::of(&mut thread, "t").unwrap_err();
    assert_eq!(error.code(), "INVALID_MESSAGE");
}

#[test]
fn a_server_that_keeps_its_threads_gets_only_new_messages() {
    let mut thread = empty_thread();
    let mut fold = Fold::new();
    for event in [
        json!({ "type": "RUN_STARTED", "runId": "r" }),
        json!({ "type": "MESSAGES_SNAPSHOT", "messages": [user("1"), user("2")] }),
        json!({ "type": "RUN_FINISHED" }),
    ] {
        fold.json(&mut thread, &event.to_string()).unwrap();
    }
    shown(
        &mut thread,
        json!({ "messages": [{ "id": "2", "role": "user", "content": "edited" }, user("3")] }),
    );
    let mut new = input(&mut thread);
    assert_eq!(new.messages.len(), 3);
    new.only_new_messages(&thread);
    let ids: Vec<_> = new.messages.iter().map(|message| message["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["2", "3"]);
}

#[test]
fn an_update_that_failed_waits_for_its_retry() {
    let mut thread = empty_thread();
    let failed = shown(&mut thread, json!({ "messages": [user("1")], "mood": "bad" }));
    shown(&mut thread, json!({ "messages": [user("2")] }));
    shown(&mut thread, json!({ "messages": [{ "type": "remove", "id": "1" }] }));
    assert!(thread.fail(&failed, "no".into()));
    let sent = input(&mut thread);
    assert_eq!(serde_json::to_value(&sent.messages).unwrap(), json!([user("2")]));
    assert_eq!(sent.state, json!({}));
}

#[test]
fn a_field_is_sent_as_the_update_that_leads_to_its_value() {
    let field = |reducer| Field::new(reducer);
    let hidden = Field::new(FieldReducer::Replace).private();
    let longer =
        CustomReducer { name: "longer".into(), id: 1, merge: Arc::new(|_, update| Ok(update)) };
    let schema = Schema::new(vec![
        ("log".into(), field(FieldReducer::Append)),
        ("facts".into(), field(FieldReducer::Merge)),
        ("files".into(), field(FieldReducer::Files)),
        ("todos".into(), field(FieldReducer::Todos)),
        ("skills".into(), field(FieldReducer::Tools(Prefer::First))),
        ("own".into(), field(FieldReducer::Custom(longer))),
        ("mood".into(), field(FieldReducer::Replace)),
        ("hidden".into(), hidden),
    ])
    .unwrap();
    let mut thread = Thread::<Json>::new(Some(schema), &json!({ "todos": [] }).into()).unwrap();
    let values = json!({ "log": ["a"], "facts": { "x": 1 }, "files": { "f": { "content": "1" } },
        "todos": [], "skills": [{ "name": "walk" }], "mood": "calm", "hidden": 5 });
    thread.receive(ThreadEvent::State { values: values.into(), own: None }).unwrap();
    assert_eq!(thread.unsent_fields().unwrap(), json!({}));

    shown(
        &mut thread,
        json!({ "log": ["b"], "facts": { "x": 1, "y": 2 }, "files": { "f": null },
            "skills": [{ "name": "swim" }], "own": 1 }),
    );
    let unsent = json!({ "log": ["b"], "facts": { "y": 2 }, "files": { "f": null },
        "skills": [{ "name": "swim" }], "own": 1 });
    assert_eq!(thread.unsent_fields().unwrap(), unsent);

    shown(&mut thread, json!({ "own": 2 }));
    let error = thread.unsent_fields().unwrap_err();
    assert_eq!(error.code(), "INVALID_ARGUMENT");
    assert!(error.to_string().starts_with("own "), "{error}");
}

#[test]
fn the_fields_of_an_update_count_whose_message_to_remove_failed() {
    let mut thread = empty_thread();
    let failed = shown(&mut thread, json!({ "messages": [user("1")] }));
    shown(&mut thread, json!({ "messages": [{ "type": "remove", "id": "1" }], "mood": "calm" }));
    assert!(thread.fail(&failed, "no".into()));
    assert_eq!(input(&mut thread).state, json!({ "mood": "calm" }));
}
