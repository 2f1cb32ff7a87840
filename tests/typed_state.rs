//! The typed state and its update.
#![allow(clippy::unwrap_used)]

use serde_json::json;
use threadfold::reducer::{
    AddMessages, Append, MergeFiles, MergeTools, REPLACE, ReducerFn, ReplaceTodos,
};
use threadfold::{Error, Message, MessageRules, Prefer, State, state};

state! {
    /// What an agent knows.
    #[derive(PartialEq)]
    struct Agent, update AgentUpdate {
        messages: Vec<Message> => AddMessages,
        notes: Vec<Message> => MessageRules::DeepAgents,
        tools: serde_json::Value => MergeTools(Prefer::Last),
        todos: serde_json::Value => ReplaceTodos,
        files: serde_json::Value => MergeFiles,
        log: Vec<String> as Option<String> => Append,
        title: Option<String> => REPLACE,
        #[serde(rename = "turnsTaken")]
        turns: u32 => ReducerFn(add),
    }
}

state! {
    struct Other, update OtherUpdate { x: i32 => REPLACE }
}

fn add(sum: u32, more: u32) -> Result<u32, Error> {
    sum.checked_add(more)
        .ok_or_else(|| Error::ReducerFailed { reason: "too many turns".to_owned() })
}

fn agent() -> Agent {
    Agent { messages: vec![Message::user("hi").with_id("1")], turns: 1, ..Default::default() }
}

#[test]
fn each_field_is_folded_by_its_reducer() {
    let update = AgentUpdate {
        messages: Some(vec![Message::remove("1"), Message::user("hello").with_id("2")]),
        notes: Some(vec![Message::remove("unknown")]),
        tools: Some(json!([{ "name": "search" }])),
        todos: Some(json!([{ "content": "plan", "status": "pending" }])),
        files: Some(json!({ "/a.md": { "content": "a" }, "/b.md": null })),
        log: Some(Some("one".to_owned())),
        title: Some(Some("Title".to_owned())),
        turns: Some(2),
    };
    let state = agent().merge(update).unwrap();
    assert_eq!(state.messages, [Message::user("hello").with_id("2")]);
    assert_eq!(state.notes, []);
    assert_eq!(state.tools, json!([{ "name": "search" }]));
    assert_eq!(state.files, json!({ "/a.md": { "content": "a" } }));
    assert_eq!(
        (state.log, state.title, state.turns),
        (vec!["one".to_owned()], Some("Title".to_owned()), 3)
    );
}

#[test]
fn what_an_update_does_not_write_stays() {
    assert_eq!(agent().merge(AgentUpdate::default()).unwrap(), agent());
    assert_eq!(Other { x: 1 }.merge(OtherUpdate { x: Some(2) }).unwrap().x, 2);
}

#[test]
fn a_failing_update_changes_nothing() {
    let mut state = agent();
    let update = AgentUpdate {
        messages: Some(vec![Message::user("never")]),
        turns: Some(u32::MAX),
        ..Default::default()
    };
    assert_eq!(state.update(update).unwrap_err().to_string(), "A reducer failed: too many turns");
    assert_eq!(state, agent());
}

#[test]
fn as_json_absence_is_no_write_and_null_is_one() {
    let update: AgentUpdate =
        serde_json::from_value(json!({ "title": null, "turnsTaken": 4 })).unwrap();
    assert_eq!(update.title, Some(None));
    assert!(update.messages.is_none());
    assert_eq!(serde_json::to_value(&update).unwrap(), json!({ "title": null, "turnsTaken": 4 }));
    assert!(serde_json::from_value::<AgentUpdate>(json!({ "messages": null })).is_err());
}

#[test]
fn a_state_goes_through_json_and_may_lack_fields() {
    let text = serde_json::to_string(&agent()).unwrap();
    assert_eq!(serde_json::from_str::<Agent>(&text).unwrap(), agent());
    assert_eq!(serde_json::from_str::<Agent>("{}").unwrap(), Agent::default());
}
