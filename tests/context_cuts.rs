//! Safe cuts and repaired lists in Rust, over both native heaps: by brute force, and by the rules of
//! a strict provider.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use crate::seeded;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value as Plain, json};
use threadfold::context::{Waiting, patch_tool_calls, repair_tool_calls, safe_cuts};
use threadfold::value::{Json, Value};

fn call(id: &str) -> Plain {
    json!({ "id": id, "name": "f", "args": {} })
}

fn ai(ids: &[&str]) -> Plain {
    let calls: Vec<Plain> = ids.iter().map(|id| call(id)).collect();
    json!({ "type": "ai", "content": "", "tool_calls": calls })
}

fn tool(id: &str) -> Plain {
    json!({ "type": "tool", "content": "r", "tool_call_id": id })
}

fn human() -> Plain {
    json!({ "type": "human", "content": "h" })
}

/// Messages as they come: ids repeat, results come before their calls, twice, or of no call.
fn any_message() -> impl Strategy<Value = Plain> {
    let id = || prop::sample::select(vec!["", "a", "b", "c", "d"]);
    prop_oneof![
        2 => Just(human()),
        4 => id().prop_map(tool),
        3 => vec(id(), 0..3).prop_map(|ids| ai(&ids)),
        1 => (vec(id(), 0..3), vec(id(), 0..2)).prop_map(|(ids, invalid)| {
            let mut message = ai(&ids);
            message["invalid_tool_calls"] = invalid.into_iter().map(call).collect();
            message
        }),
        1 => Just(json!({ "type": "ai", "content": "", "tool_calls": [{ "id": null, "name": "f" }] })),
        1 => Just(json!({ "type": "tool", "content": "r" })),
    ]
}

fn ids_of(message: &Plain) -> Vec<&str> {
    let lists = ["tool_calls", "invalid_tool_calls"].map(|key| message[key].as_array());
    lists.into_iter().flatten().flatten().filter_map(|call| call["id"].as_str()).collect()
}

fn is_result(message: &Plain) -> bool {
    message["type"] == "tool"
}

fn owner(messages: &[Plain], at: usize) -> Option<usize> {
    let id = messages[at]["tool_call_id"].as_str()?;
    (0..at).rev().find(|before| ids_of(&messages[*before]).contains(&id))
}

fn is_safe(messages: &[Plain], cut: usize) -> bool {
    let results = (cut..messages.len()).filter(|at| is_result(&messages[*at]));
    results.filter_map(|at| owner(messages, at)).all(|ai| ai >= cut)
}

fn waiting(messages: &[Plain]) -> Option<usize> {
    let at = messages.iter().rposition(|message| !is_result(message))?;
    let (calls, results) = (messages[at]["tool_calls"].as_array()?, &messages[at + 1..]);
    let mut ids = calls.iter().filter_map(|call| call["id"].as_str());
    ids.any(|id| results.iter().all(|result| result["tool_call_id"] != id)).then_some(at)
}

/// Whether each message with calls is followed at once by one result for each id, and nothing else
/// is a result. The calls of the message at `waiting` may be open.
fn is_accepted(messages: &[Plain], waiting: Option<usize>) -> bool {
    let mut at = 0;
    while at < messages.len() {
        let start = at;
        let mut open = ids_of(&messages[at]);
        open.sort_unstable();
        open.dedup();
        if is_result(&messages[at]) {
            return false;
        }
        at += 1;
        while at < messages.len() && is_result(&messages[at]) {
            let id = messages[at]["tool_call_id"].as_str();
            let Some(found) = open.iter().position(|known| Some(*known) == id) else {
                return false;
            };
            open.remove(found);
            at += 1;
        }
        if !open.is_empty() && waiting != Some(start) {
            return false;
        }
    }
    true
}

proptest! {
    #![proptest_config(seeded::config(2000))]

    #[test]
    fn cuts_are_those_of_brute_force(messages in vec(any_message(), 0..14)) {
        let cuts = safe_cuts(&Plain::from(messages.clone())).unwrap();
        let safe: Vec<usize> = (0..=messages.len()).filter(|cut| is_safe(&messages, *cut)).collect();
        prop_assert_eq!(cuts.all(), safe.clone());
        prop_assert_eq!(cuts.pending(), waiting(&messages));
        let most = waiting(&messages).unwrap_or(messages.len());
        for target in 0..=messages.len() {
            let below = safe.iter().rev().find(|cut| **cut <= target.min(most));
            prop_assert_eq!(Some(cuts.cut(target)), below.copied());
            let above = safe.iter().find(|cut| **cut >= target && **cut <= most);
            prop_assert_eq!(cuts.next_cut(target), above.copied());
        }
    }

    #[test]
    fn repaired_lists_are_accepted(messages in vec(any_message(), 0..14)) {
        let given = Json::from(Plain::from(messages.clone()));
        let repaired = repair_tool_calls(&given, Waiting::Keep).unwrap();
        let list = Plain::try_from(repaired.clone()).unwrap();
        let list = list.as_array().unwrap();
        prop_assert!(is_accepted(list, waiting(list)), "{:?}", list);
        prop_assert_eq!(repaired.same(&given), is_accepted(&messages, waiting(&messages)));
        prop_assert_eq!(waiting(list).is_some(), waiting(&messages).is_some());
        let others = |list: &[Plain]| -> Vec<Plain> {
            list.iter().filter(|message| !is_result(message)).cloned().collect()
        };
        prop_assert_eq!(others(list), others(&messages));
        prop_assert!(repair_tool_calls(&repaired, Waiting::Keep).unwrap().same(&repaired));
        let all = repair_tool_calls(&Plain::from(messages), Waiting::Answer).unwrap();
        prop_assert!(is_accepted(all.as_array().unwrap(), None));
    }
}

#[test]
fn patching_answers_after_the_message_and_changes_nothing_else() {
    let invalid = json!([{ "id": "b", "name": null, "args": "{", "type": "invalid_tool_call" }]);
    let mut broken = ai(&[""]);
    broken["invalid_tool_calls"] = invalid;
    let patched =
        patch_tool_calls(&json!([tool("z"), ai(&["a", "c"]), tool("c"), broken])).unwrap();
    let answers: Vec<&Plain> =
        patched.as_array().unwrap().iter().filter(|message| message["status"] == "error").collect();
    assert_eq!(patched.as_array().map(Vec::len), Some(7));
    assert_eq!(patched[2], *answers[0]);
    assert_eq!(
        *answers[0],
        json!({
            "type": "tool", "name": "f", "tool_call_id": "a", "status": "error",
            "content": "Tool call f with id a did not complete - no result was recorded. \
                        It may have been cancelled or interrupted.",
        })
    );
    assert_eq!(answers[1]["tool_call_id"], "");
    assert_eq!(
        answers[2]["content"],
        "Tool call unknown with id b could not be executed - arguments were malformed or truncated."
    );
    assert_eq!(patch_tool_calls(&patched).unwrap(), patched);
}

#[test]
fn an_answer_has_the_form_of_the_message_with_the_call() {
    let calls =
        json!([{ "id": "c", "type": "function", "function": { "name": "g", "arguments": "" } }]);
    let answer = |message: Plain| patch_tool_calls(&json!([message])).unwrap()[1].clone();
    let content = "Tool call g with id c did not complete - no result was recorded. \
                   It may have been cancelled or interrupted.";
    assert_eq!(
        answer(json!({ "id": "m", "role": "assistant", "toolCalls": calls })),
        json!({ "id": "m:c", "role": "tool", "content": content, "toolCallId": "c", "error": "error" })
    );
    assert_eq!(
        answer(json!({ "role": "assistant", "tool_calls": calls })),
        json!({ "role": "tool", "content": content, "tool_call_id": "c" })
    );
    let made = json!({ "lc": 1, "type": "constructor", "id": ["AIMessage"], "kwargs": { "tool_calls": calls } });
    assert_eq!(
        answer(made),
        json!({ "type": "tool", "content": content, "name": "g", "tool_call_id": "c", "status": "error" })
    );
}

#[test]
fn an_invalid_list_or_message_is_an_error() {
    let code =
        |messages: &Plain| safe_cuts(messages).map(|_| ()).map_err(|error| error.to_string());
    assert_eq!(code(&json!({})), Err("messages should be a list of messages.".into()));
    let forms = "messages[1] should be an object with a type or a role, a string or a [role, content] pair.";
    for odd in
        [json!(4), json!(null), json!({}), json!(["human"]), json!([1, "x"]), json!({ "type": 1 })]
    {
        assert_eq!(code(&json!(["x", odd])), Err(forms.into()));
    }
    assert_eq!(code(&json!(["x", ["tool", "y"], { "role": "nobody" }])), Ok(()));
}
