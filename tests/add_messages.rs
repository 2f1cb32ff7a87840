//! Every known case of LangGraph's `add_messages`, over JSON and over typed messages.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};
use threadfold::reducer::{Reducer, TryReducer};
use threadfold::{Error, Message, MessageRules, REMOVE_ALL_MESSAGES, add_json_messages};

use MessageRules::{DeepAgents, LangGraph};

fn human(content: &str, id: &str) -> Value {
    json!({ "type": "human", "content": content, "id": id })
}

fn remove(id: &str) -> Value {
    json!({ "type": "remove", "id": id })
}

fn remove_all() -> Value {
    remove(REMOVE_ALL_MESSAGES)
}

/// a#1, b#2
fn left() -> Value {
    json!([human("a", "1"), human("b", "2")])
}

/// Adds in both ways, which must agree: contents and ids, or the error.
fn added(left: Value, right: Value, rules: MessageRules) -> Result<Vec<String>, Error> {
    let typed = |list: &Value| -> Vec<Message> { serde_json::from_value(list.clone()).unwrap() };
    let of_structs = rules.try_merge(typed(&left), typed(&right));
    let of_json = add_json_messages(left, right, rules);
    match (&of_json, &of_structs) {
        (Ok(json), Ok(structs)) => assert_eq!(shown(json), shown(&json!(structs))),
        (json, structs) => assert_eq!(json.as_ref().err(), structs.as_ref().err()),
    }
    of_json.map(|list| shown(&list))
}

/// `content#id` of each message.
fn shown(list: &Value) -> Vec<String> {
    let text = |message: &Value, key: &str| message[key].as_str().unwrap_or_default().to_owned();
    let messages = list.as_array().unwrap();
    messages.iter().map(|each| text(each, "content") + "#" + &text(each, "id")).collect()
}

/// Asserts both rules' results for a list added to a#1, b#2.
fn assert_added(right: &Value, langgraph: &[&str], deepagents: &[&str]) {
    assert_eq!(added(left(), right.clone(), LangGraph).unwrap(), langgraph, "LangGraph's");
    assert_eq!(added(left(), right.clone(), DeepAgents).unwrap(), deepagents, "DeepAgents'");
}

fn unknown(id: &str) -> String {
    format!("Attempting to delete a message with an ID that doesn't exist ('{id}')")
}

#[test]
fn a_new_id_is_appended() {
    assert_added(&json!([human("c", "3")]), &["a#1", "b#2", "c#3"], &["a#1", "b#2", "c#3"]);
}

#[test]
fn a_known_id_is_replaced_in_its_place() {
    assert_added(&json!([human("A", "1")]), &["A#1", "b#2"], &["A#1", "b#2"]);
}

#[test]
fn a_placeholder_replaced_again_and_again_stays_one_message() {
    let mut list = left();
    for text in ["", "Hel", "Hello", "Hello there"] {
        list = add_json_messages(list, human(text, "s"), LangGraph).unwrap();
    }
    assert_eq!(shown(&list), ["a#1", "b#2", "Hello there#s"]);
}

#[test]
fn a_missing_id_is_assigned_on_both_sides() {
    let without = json!([{ "type": "human", "content": "a" }]);
    let list = add_json_messages(without.clone(), without, LangGraph).unwrap();
    let ids: Vec<_> = list.as_array().unwrap().iter().map(|m| m["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 2);
    assert_ne!(ids[0], ids[1]);
    for id in ids {
        assert_eq!(uuid::Uuid::parse_str(id).unwrap().get_version_num(), 4);
    }
    let typed = LangGraph.merge(vec![Message::user("a")], vec![Message::user("b")]);
    assert!(typed.iter().all(|message| message.id.as_ref().is_some_and(|id| id.len() == 36)));
}

#[test]
fn deepagents_assigns_no_ids() {
    let without = json!([{ "type": "human", "content": "a" }]);
    let list = add_json_messages(without.clone(), without, DeepAgents).unwrap();
    assert!(list.as_array().unwrap().iter().all(|message| message.get("id").is_none()));
    let typed = DeepAgents.merge(vec![Message::user("a")], vec![Message::user("b")]);
    assert_eq!(typed, [Message::user("a"), Message::user("b")]);
}

#[test]
fn a_removal_removes() {
    assert_added(&json!([remove("1")]), &["b#2"], &["b#2"]);
}

#[test]
fn a_removal_of_an_unknown_id_is_an_error_or_ignored() {
    let right = json!([remove("zz")]);
    assert_eq!(added(left(), right.clone(), LangGraph).unwrap_err().to_string(), unknown("zz"));
    assert_eq!(added(left(), right, DeepAgents).unwrap(), ["a#1", "b#2"]);
}

#[test]
fn removed_and_sent_again_it_keeps_its_place_or_comes_last() {
    assert_added(&json!([remove("1"), human("a2", "1")]), &["a2#1", "b#2"], &["b#2", "a2#1"]);
}

#[test]
fn sent_and_then_removed_it_is_gone() {
    assert_added(&json!([human("a2", "1"), remove("1")]), &["b#2"], &["b#2"]);
}

#[test]
fn removed_twice_is_removed() {
    assert_added(&json!([remove("1"), remove("1")]), &["b#2"], &["b#2"]);
}

#[test]
fn removed_again_after_it_came_back_it_is_gone() {
    let right = json!([remove("1"), human("a2", "1"), remove("1"), human("c", "3")]);
    assert_added(&right, &["b#2", "c#3"], &["b#2", "c#3"]);
}

#[test]
fn only_messages_after_the_last_remove_all_stay() {
    let right = json!([human("x", "8"), remove_all(), human("y", "9")]);
    assert_added(&right, &["y#9"], &["y#9"]);
    let right = json!([remove_all(), human("x", "8"), remove_all(), human("y", "9")]);
    assert_added(&right, &["y#9"], &["y#9"]);
    assert_added(&json!([remove_all()]), &[], &[]);
}

#[test]
fn before_a_remove_all_nothing_can_be_wrong() {
    assert_added(&json!([remove("zz"), remove_all()]), &[], &[]);
}

#[test]
fn after_a_remove_all_langgraph_keeps_two_of_one_id_and_deepagents_the_last() {
    let right = json!([remove_all(), human("x", "9"), human("y", "9")]);
    assert_added(&right, &["x#9", "y#9"], &["y#9"]);
}

/// The one deliberate difference: Python returns the removal itself as a message.
#[test]
fn a_removal_after_a_remove_all_is_carried_out() {
    let right = json!([remove_all(), human("x", "8"), human("y", "9"), remove("8")]);
    assert_added(&right, &["y#9"], &["y#9"]);
    let right = json!([remove_all(), remove("1")]);
    assert_eq!(
        added(left(), right.clone(), LangGraph).unwrap_err().to_string(),
        unknown("1") + " after all messages were removed"
    );
    assert_eq!(added(left(), right, DeepAgents).unwrap(), Vec::<String>::new());
}

#[test]
fn after_a_remove_all_a_removed_message_may_come_again() {
    let right =
        json!([remove_all(), human("x", "8"), remove("8"), human("y", "9"), human("z", "8")]);
    assert_added(&right, &["y#9", "z#8"], &["y#9", "z#8"]);
}

#[test]
fn removed_twice_it_takes_nobody_elses_place() {
    assert_added(&json!([remove("1"), remove("1"), remove("2")]), &[], &[]);
    assert_added(&json!([remove("2"), remove("1"), remove("2")]), &[], &[]);
    let right = json!([human("c", "3"), remove("3"), remove("3"), human("d", "4"), remove("1")]);
    assert_added(&right, &["b#2", "d#4"], &["b#2", "d#4"]);
}

#[test]
fn of_two_new_messages_with_one_id_the_last_wins() {
    let right = json!([human("x", "9"), human("y", "9")]);
    assert_added(&right, &["a#1", "b#2", "y#9"], &["a#1", "b#2", "y#9"]);
}

#[test]
fn new_and_removed_is_nothing() {
    assert_added(&json!([human("x", "9"), remove("9")]), &["a#1", "b#2"], &["a#1", "b#2"]);
}

#[test]
fn new_removed_and_sent_again_keeps_its_first_place_or_comes_last() {
    let right = json!([human("x", "8"), remove("8"), human("y", "9"), human("z", "8")]);
    assert_added(&right, &["a#1", "b#2", "z#8", "y#9"], &["a#1", "b#2", "y#9", "z#8"]);
}

#[test]
fn of_duplicates_in_left_the_last_is_replaced() {
    let left = json!([human("a", "1"), human("b", "1"), human("c", "2")]);
    for rules in [LangGraph, DeepAgents] {
        let list = added(left.clone(), json!([human("x", "1")]), rules).unwrap();
        assert_eq!(list, ["a#1", "x#1", "c#2"]);
    }
}

#[test]
fn of_duplicates_in_left_a_removal_takes_all_or_the_last() {
    let left = json!([human("a", "1"), human("b", "1"), human("c", "2")]);
    assert_eq!(added(left.clone(), json!([remove("1")]), LangGraph).unwrap(), ["c#2"]);
    assert_eq!(added(left, json!([remove("1")]), DeepAgents).unwrap(), ["a#1", "c#2"]);
}

#[test]
fn a_removal_in_left_is_an_item_like_another() {
    let left = json!([remove("7"), human("a", "1")]);
    for rules in [LangGraph, DeepAgents] {
        assert_eq!(added(left.clone(), json!([human("x", "7")]), rules).unwrap(), ["x#7", "a#1"]);
        assert_eq!(added(left.clone(), json!([remove("7")]), rules).unwrap(), ["a#1"]);
        assert_eq!(added(left.clone(), json!([]), rules).unwrap(), ["#7", "a#1"]);
    }
}

#[test]
fn an_empty_id_is_an_id() {
    let left = json!([human("a", "")]);
    assert_eq!(added(left.clone(), json!([human("x", "")]), LangGraph).unwrap(), ["x#"]);
    assert_eq!(added(left, json!([remove("")]), LangGraph).unwrap(), Vec::<String>::new());
}

#[test]
fn null_on_one_side_is_an_error() {
    for (left, right, received) in [
        (Value::Null, left(), "right"),
        (left(), Value::Null, "left"),
        (Value::Null, json!([]), "right"),
    ] {
        let error = add_json_messages(left, right, LangGraph).unwrap_err();
        assert_eq!(error.code(), "INVALID_ARGUMENT");
        assert_eq!(
            error.to_string(),
            format!(
                "Must specify non-null arguments for both 'left' and 'right'. Only received: '{received}'."
            )
        );
    }
}

#[test]
fn for_deepagents_a_null_state_is_an_empty_one() {
    assert_eq!(shown(&add_json_messages(Value::Null, left(), DeepAgents).unwrap()), ["a#1", "b#2"]);
}

#[test]
fn every_accepted_form_becomes_a_langchain_dict() {
    let forms = [
        (json!("hi"), "human"),
        (json!(["user", "hi"]), "human"),
        (json!({ "role": "assistant", "content": "hi" }), "ai"),
        (json!({ "role": "developer", "content": "hi" }), "system"),
        (json!({ "type": "AIMessageChunk", "content": "hi", "id": "1" }), "ai"),
        (json!({ "type": "tool", "content": "hi", "tool_call_id": "c" }), "tool"),
    ];
    for (form, kind) in forms {
        let list = add_json_messages(json!([]), json!([form.clone()]), LangGraph).unwrap();
        let dict = json!({ "type": kind, "content": "hi" });
        for (key, value) in dict.as_object().unwrap() {
            assert_eq!(&list[0][key], value, "{key} of {form}");
        }
        assert!(list[0]["id"].is_string(), "{form}");
        let typed: Message = serde_json::from_value(form.clone()).unwrap();
        assert_eq!(json!(typed)["type"], kind, "{form}");
        assert_eq!(typed.text(), "hi");
    }
}

#[test]
fn one_message_is_a_list_of_one() {
    assert_eq!(added_alone(human("c", "3")), ["a#1", "b#2", "c#3"]);
    assert_eq!(added_alone(remove("1")), ["b#2"]);
}

fn added_alone(message: Value) -> Vec<String> {
    shown(&add_json_messages(left(), message, LangGraph).unwrap())
}

#[test]
fn a_serialised_removal_removes() {
    let serialised = json!({
        "lc": 1,
        "type": "constructor",
        "id": ["langchain_core", "messages", "RemoveMessage"],
        "kwargs": { "id": "1" },
    });
    assert_added(&json!([serialised]), &["b#2"], &["b#2"]);
}

#[test]
fn an_invalid_message_is_an_error() {
    for garbage in
        [json!([7]), json!([null]), json!([{}]), json!([["user"]]), json!([{ "type": "robot" }])]
    {
        let error = add_json_messages(left(), garbage.clone(), LangGraph).unwrap_err();
        assert_eq!(error.code(), "INVALID_MESSAGE", "{garbage}");
        // A struct has a form for kinds that are not known yet.
        let robot = garbage[0]["type"].is_string();
        assert_eq!(serde_json::from_value::<Vec<Message>>(garbage).is_ok(), robot);
    }
}
