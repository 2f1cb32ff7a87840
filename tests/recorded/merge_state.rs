//! `langgraph_default_merge_state` of ag-ui-langgraph.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use threadfold::Error;
use threadfold::ag_ui::{Compat, langgraph_default_merge_state};

use super::records::{Record, fields, normal_list, replay};

fn ours(given: &Value, compat: Compat) -> Result<Value, Error> {
    let part = |key: &str| given[key].clone();
    langgraph_default_merge_state(part("state"), part("messages"), part("input"), compat)
}

/// The state with its messages as the reducers see them.
fn normal(state: &Value) -> Value {
    let mut state = state.clone();
    state["messages"] = json!(normal_list(&state["messages"]));
    state
}

/// Where Python stumbles over null, ours takes it for what is empty.
fn without_nulls(given: &Value) -> Value {
    let mut given = given.clone();
    for key in ["messages", "tools", "copilotkit"] {
        if given["state"].get(key).is_some_and(Value::is_null) {
            given["state"].as_object_mut().unwrap().shift_remove(key);
        }
    }
    if given["input"]["tools"].is_null() {
        given["input"]["tools"] = json!([]);
    }
    given
}

fn compare(record: &Record, compat: Compat) {
    let wanted = match &record.answer {
        Some(answer) => normal(answer),
        None => normal(&ours(&without_nulls(&record.given), compat).unwrap()),
    };
    assert_eq!(normal(&ours(&record.given, compat).unwrap()), wanted);
}

#[test]
fn current_answers_as_0_0_47() {
    replay("default-merge-state", |record| compare(record, Compat::Current));
}

#[test]
fn v0_0_answers_as_0_0_25() {
    replay("default-merge-state-0.0.x", |record| compare(record, Compat::V0_0));
}

#[test]
fn accumulated_are_the_states_messages_and_then_those_of_0_0_25() {
    replay("default-merge-state-0.0.x", |record| {
        let Some(answer) = &record.answer else { return };
        let existing = record.given["state"].get("messages").filter(|it| !it.is_null());
        let mut wanted = normal(answer);
        let mut messages = existing.map(normal_list).unwrap_or_default();
        messages.extend(normal_list(&answer["messages"]));
        wanted["messages"] = json!(messages);
        assert_eq!(normal(&ours(&record.given, Compat::default()).unwrap()), wanted);
    });
}

/// The npm package merges in TypeScript: `js-tests/unit/ag-ui/merge-state.test.ts` asks it for the
/// same.
#[test]
fn answers_as_recorded_and_as_typescript_does() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("js-tests/unit/ag-ui/merge-state.json");
    let cases: Vec<Value> = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    assert!(cases.len() >= 300, "only {} cases", cases.len());
    for case in cases {
        let compat = match case["compat"].as_str().unwrap() {
            "accumulate" => Compat::Accumulate,
            "0.0.x" => Compat::V0_0,
            _ => Compat::Current,
        };
        match ours(&case, compat) {
            Ok(merged) => assert_eq!(Some(&merged), case.get("out"), "{case}"),
            Err(error) => {
                let said = format!("{} {error}", error.code());
                assert_eq!(Some(said.as_str()), case["error"].as_str(), "{case}");
            }
        }
    }
}

fn messages(texts: &[(&str, Value)]) -> Value {
    texts.iter().map(|(id, content)| json!({ "type": "tool", "id": id, "content": content, "tool_call_id": "c" })).collect()
}

/// Just what reads as the stand-in for a result is one, as by the reference's expression
/// `^Tool call '.+' with id '.+' was interrupted before completion\.$`.
#[test]
fn a_stand_in_is_recognised_by_its_whole_line() {
    let stands_in = |content: &str| {
        let human = json!({ "type": "human", "id": "h", "content": "" });
        let stand_in = messages(&[("old", json!(content))])[0].clone();
        let given = json!({
            "state": { "messages": [human, stand_in] },
            "messages": messages(&[("new", json!("real"))]),
            "input": {},
        });
        let merged = ours(&given, Compat::Current).unwrap();
        let list = merged["messages"].as_array().unwrap();
        assert_eq!(list.len(), 1);
        assert_eq!(list[0]["content"], "real");
        list[0]["id"] == "old"
    };
    for line in [
        "Tool call 'f' with id 'c' was interrupted before completion.",
        "Tool call 'f' with id 'c' was interrupted before completion.\n",
        "Tool call 'it's' with id 'c' with id 'd' was interrupted before completion.",
    ] {
        assert!(stands_in(line), "{line:?}");
    }
    for line in [
        "Tool call '' with id '' was interrupted before completion.",
        "Tool call 'f' with id '' was interrupted before completion.",
        "Tool call '' with id 'c' was interrupted before completion.",
        "Tool call 'f' with id 'c' was interrupted before completion",
        "Tool call 'f' with id 'c' was interrupted before completion.\n\n",
        "Tool call 'f\n' with id 'c' was interrupted before completion.",
        "tool call 'f' with id 'c' was interrupted before completion.",
        "Tool call 'f' and id 'c' was interrupted before completion.",
        "",
    ] {
        assert!(!stands_in(line), "{line:?}");
    }
}

#[test]
fn an_invalid_state_is_refused() {
    let whole = json!({ "state": {}, "messages": [], "input": {} });
    for (key, value, what) in [
        ("state", json!([]), "state"),
        ("input", json!("x"), "input"),
        ("input", json!({ "tools": 7 }), "input.tools"),
        ("input", json!({ "context": {} }), "input.context"),
        ("state", json!({ "tools": "x" }), "state.tools"),
        ("state", json!({ "copilotkit": [] }), "state.copilotkit"),
    ] {
        let mut given = whole.clone();
        given[key] = value;
        let error = ours(&given, Compat::Current).unwrap_err();
        assert_eq!(error.code(), "INVALID_ARGUMENT");
        assert!(error.to_string().starts_with(&format!("{what} should be ")), "{error}");
    }
    let mut given = whole;
    given["messages"] = json!([7]);
    assert_eq!(ours(&given, Compat::Current).unwrap_err().code(), "INVALID_MESSAGE");
}

/// Only the current version knows of CopilotKit and of A2UI.
#[test]
fn what_only_the_current_version_writes() {
    let schema = "A2UI Component Schema — available components for generating UI surfaces. Use these component names and properties when creating A2UI operations.";
    let given = json!({
        "state": {}, "messages": [],
        "input": {
            "tools": [{ "name": "a" }],
            "context": [{ "description": schema, "value": "old" }, { "description": "x", "value": 1 }, { "description": schema, "value": "new" }],
            "forwardedProps": { "injectA2UITool": true },
        },
    });
    let current = ours(&given, Compat::Current).unwrap();
    assert_eq!(
        current["ag-ui"],
        json!({
            "tools": [{ "name": "a" }], "context": [{ "description": "x", "value": 1 }],
            "a2ui_schema": "new", "inject_a2ui_tool": true,
        })
    );
    assert_eq!(current["copilotkit"], json!({ "actions": [{ "name": "a" }] }));
    for compat in [Compat::V0_0, Compat::Accumulate] {
        let older = ours(&given, compat).unwrap();
        assert_eq!(
            older["ag-ui"],
            json!({ "tools": [{ "name": "a" }], "context": given["input"]["context"] })
        );
        assert!(!fields(&older).contains_key("copilotkit"));
    }
}
