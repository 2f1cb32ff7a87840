//! Recorded runs with subagents, folded: the messages of each as its end leaves them, as in
//! `js-tests/peers/recorded/subagents.test.ts`.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use threadfold::ag_ui::{Event, EventKind, Fold};
use threadfold::{Json, Thread};

use super::recording::empty_thread;

fn recorded(file: &str, run: &str) -> Vec<Event> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("js-tests/peers/recorded/subagents");
    let all = fs::read_to_string(folder.join(file)).unwrap();
    let runs: Value = serde_json::from_str(&all).unwrap();
    let event = |event: &Value| Event::try_from(Json::from(event.clone())).unwrap();
    runs[run].as_array().unwrap().iter().map(event).collect()
}

/// The contents of a subagent's messages.
fn contents(thread: &mut Thread<Json>, subagent: Option<&str>) -> Vec<String> {
    let messages = thread.confirmed()["messages"].clone();
    let own = messages.iter().filter(|it| it["subagentRunId"].as_str() == subagent);
    own.map(|it| it["content"].as_str().unwrap_or_default().to_owned()).collect()
}

/// Folds a run. Returns the contents of each subagent's messages at its end.
fn ends(thread: &mut Thread<Json>, events: &[Event]) -> Vec<Vec<String>> {
    let (mut fold, mut ends) = (Fold::new(), Vec::new());
    for event in events {
        fold.event(thread, event).unwrap();
        if matches!(event.kind, EventKind::SubagentFinished { .. }) {
            ends.push(contents(thread, event.subagent_run_id.as_deref()));
        }
    }
    fold.finish(thread);
    ends
}

#[test]
fn the_end_of_a_subagent_has_the_messages_that_a_middleware_changed() {
    let mut thread = empty_thread();
    let events = recorded("served-ag-ui.json", "corrected");
    let expected = [["", "Mail [REDACTED_EMAIL]", "Write to [REDACTED_EMAIL]."]];
    assert_eq!(ends(&mut thread, &events), expected);
}

#[test]
fn a_run_of_two_subagents() {
    let mut thread = empty_thread();
    let found = ends(&mut thread, &recorded("python-ag-ui.json", "trip"));
    assert_eq!(found, [["I wrote about sights."], ["I wrote about food."]]);
}

/// Folds a question of the subagent "s", whose end has these messages.
fn folded(messages: &Value) -> (Vec<String>, Thread<Json>) {
    let mut thread = empty_thread();
    let events = [
        json!({ "type": "RUN_STARTED", "threadId": "t", "runId": "r" }),
        json!({ "type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "look",
            "parentMessageId": "a", "subagentRunId": "s" }),
        json!({ "type": "TOOL_CALL_RESULT", "messageId": "b", "toolCallId": "c",
            "content": "as streamed", "subagentRunId": "s" }),
        json!({ "type": "TEXT_MESSAGE_CHUNK", "messageId": "own", "delta": "Mine." }),
        json!({ "type": "SUBAGENT_FINISHED", "subagentRunId": "s",
            "metadata": { "threadfold": { "messages": messages } } }),
    ];
    let events: Vec<Event> =
        events.into_iter().map(|event| Event::try_from(Json::from(event)).unwrap()).collect();
    let mut ends = ends(&mut thread, &events);
    (ends.remove(0), thread)
}

#[test]
fn a_result_is_found_by_its_call_and_a_new_message_comes_after_the_subagents_last() {
    let changed = json!([
        { "id": "other", "role": "tool", "toolCallId": "c", "content": "changed" },
        { "id": "new", "role": "assistant", "content": "added" },
    ]);
    let (own, mut thread) = folded(&changed);
    assert_eq!(own, ["", "changed", "added"]);
    let messages = thread.state()["messages"].clone();
    let ids: Vec<&str> = messages.iter().filter_map(|it| it["id"].as_str()).collect();
    assert_eq!(ids, ["a", "b", "new", "own"]);
}

#[test]
fn a_message_of_the_agent_itself_is_not_a_subagents_to_change() {
    let (own, mut thread) = folded(&json!([{ "id": "own", "role": "assistant", "content": "" }]));
    assert_eq!(own, ["", "as streamed"]);
    assert_eq!(contents(&mut thread, None), ["Mine."]);
}

#[test]
fn messages_that_are_none_change_nothing() {
    for messages in [json!("none"), json!(null), json!([1, null, {}, { "id": 1 }])] {
        assert_eq!(folded(&messages).0, ["", "as streamed"]);
    }
}
