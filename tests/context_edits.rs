//! Trimming, clearing, truncating and offloading, over both native heaps.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use crate::seeded;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use threadfold::context::{Boundary, Cuts, Size};
use threadfold::context::{ClearOptions, clear_tool_uses};
use threadfold::context::{Counter, TrimOptions, TrimStrategy as Keep, trim_messages};
use threadfold::context::{OffloadOptions, offload};
use threadfold::context::{TruncateOptions, truncate_tool_args};
use threadfold::{Error, Json};

const IDS: [&str; 4] = ["a", "b", "c", "d"];

fn message() -> impl Strategy<Value = Value> {
    let call = select(&IDS[..])
        .prop_map(|id| json!({ "name": "write_file", "args": { "text": "0123456789" }, "id": id }));
    prop_oneof![
        Just(json!({ "type": "human", "content": "h" })),
        prop::collection::vec(call, 0..3)
            .prop_map(|calls| json!({ "type": "ai", "content": "a", "tool_calls": calls })),
        select(&IDS[..])
            .prop_map(|id| json!({ "type": "tool", "content": "result", "tool_call_id": id })),
        select(&IDS[..]).prop_map(|id| json!({ "id": "m", "role": "tool", "content": "r", "toolCallId": id })),
        select(&IDS[..]).prop_map(|id| json!({
            "id": "m", "role": "assistant",
            "toolCalls": [{ "id": id, "function": { "name": "edit_file", "arguments": "{\"a\":\"0123456789\"}" } }],
        })),
    ]
}

fn conversation() -> impl Strategy<Value = Vec<Value>> {
    let numbered = |mut messages: Vec<Value>| {
        for (at, message) in messages.iter_mut().enumerate() {
            message["id"] = json!(at.to_string());
        }
        messages
    };
    prop::collection::vec(message(), 0..14).prop_map(numbered)
}

fn ids(message: &Value) -> Vec<&str> {
    let calls = ["tool_calls", "toolCalls"].iter().filter_map(|key| message[*key].as_array());
    calls.flatten().filter_map(|call| call["id"].as_str()).collect()
}

/// The nearest message before a result that has its call.
fn caller(messages: &[Value], at: usize) -> Option<usize> {
    let id = ["tool_call_id", "toolCallId"].iter().find_map(|key| messages[at][*key].as_str())?;
    (0..at).rfind(|before| ids(&messages[*before]).contains(&id))
}

fn is_result(message: &Value) -> bool {
    message["type"] == "tool" || message["role"] == "tool"
}

/// The most that may be kept, found by trying all.
fn model(messages: &[Value], most: usize, keep: Keep, start_on_human: bool) -> Vec<Value> {
    let splits = |cut: usize| {
        (cut..messages.len()).any(|at| caller(messages, at).is_some_and(|it| it < cut))
    };
    let len = messages.len();
    let (start, end) = match keep {
        Keep::First => (0, (0..=most.min(len)).rfind(|end| !splits(*end)).unwrap_or(0)),
        Keep::Last => {
            let may = |start: &usize| {
                !splits(*start)
                    && (*start == len || !start_on_human || messages[*start]["type"] == "human")
            };
            ((len.saturating_sub(most)..=len).find(may).unwrap_or(len), len)
        }
    };
    let kept =
        (start..end).filter(|at| !is_result(&messages[*at]) || caller(messages, *at).is_some());
    kept.map(|at| messages[at].clone()).collect()
}

/// The answer of both heaps, which is one.
fn both(
    messages: &Value,
    plain: impl Fn(&Value) -> Result<Value, Error>,
    shared: impl Fn(&Json) -> Result<Json, Error>,
) -> Value {
    let came = plain(messages).unwrap();
    assert_eq!(shared(&Json::from(messages.clone())).unwrap(), came);
    came
}

proptest! {
    #![proptest_config(seeded::config(2000))]

    #[test]
    fn trimming_keeps_the_most_that_may_be_and_no_result_without_its_call(
        messages in conversation(), most in 0_usize..16, first: bool, on_human: bool,
    ) {
        let keep = if first { Keep::First } else { Keep::Last };
        let on_human = on_human && !first;
        let options = TrimOptions {
            max_tokens: i64::try_from(most).unwrap(),
            strategy: keep,
            start_on: if on_human { &["human"] } else { &[] },
            ..TrimOptions::default()
        };
        let given = json!(messages);
        let wanted = json!(model(&messages, most, keep, on_human));
        let one = both(
            &given,
            |list| trim_messages(list, options, Counter::Message(&mut |_| Ok(1))),
            |list| trim_messages(list, options, Counter::Message(&mut |_| Ok(1))),
        );
        prop_assert_eq!(&one, &wanted);
        let list = trim_messages(&given, options, Counter::List(&mut |list| Ok(list.len())));
        prop_assert_eq!(list.unwrap(), wanted);
    }

    #[test]
    fn counting_one_by_one_decides_as_counting_lists(
        messages in conversation(), max_tokens in 0_i64..200, first: bool, allow_partial: bool,
    ) {
        let options = TrimOptions {
            max_tokens,
            strategy: if first { Keep::First } else { Keep::Last },
            allow_partial,
            cuts: Cuts::AsLangchain,
            ..TrimOptions::default()
        };
        let given = json!(messages);
        let one = |message: &Value| message.to_string().len();
        let by_one = trim_messages(&given, options, Counter::Message(&mut |message| Ok(one(message))));
        let by_list = trim_messages(
            &given,
            options,
            Counter::List(&mut |list| Ok(list.iter().map(|message| one(message)).sum())),
        );
        prop_assert_eq!(by_one.unwrap(), by_list.unwrap());
    }

    #[test]
    fn before_a_boundary_that_stays_the_context_only_grows_at_its_end(
        messages in conversation(), before in 0_usize..14, inputs: bool,
    ) {
        for edited_before in [Boundary::Index(before), Boundary::Id(before.to_string())] {
            let clear = ClearOptions {
                clear_tool_inputs: inputs,
                edited_before: Some(&edited_before),
                ..ClearOptions::default()
            };
            let truncate = TruncateOptions {
                max_length: 5,
                edited_before: Some(&edited_before),
                ..TruncateOptions::default()
            };
            let edit = |given: &Value| {
                let cleared = both(
                    given,
                    |list| clear_tool_uses(list, clear, Counter::Approximate),
                    |list| clear_tool_uses(list, clear, Counter::Approximate),
                );
                both(
                    &cleared,
                    |list| truncate_tool_args(list, truncate, None, Counter::Approximate),
                    |list| truncate_tool_args(list, truncate, None, Counter::Approximate),
                )
            };
            let whole = edit(&json!(messages));
            // An id that no message has edits nothing.
            let is_id = matches!(edited_before, Boundary::Id(_));
            let edited = if is_id && before >= messages.len() { 0 } else { before.min(messages.len()) };
            for end in before + 1..=messages.len() {
                let part = edit(&json!(messages[..end]));
                prop_assert_eq!(part.as_array().unwrap(), &whole.as_array().unwrap()[..end]);
            }
            for at in before..messages.len() {
                prop_assert_eq!(&whole[at], &messages[at]);
            }
            // Every message before the boundary is edited.
            for at in 0..edited {
                let nearest = (0..at).rfind(|it| messages[*it]["type"] == "ai" || messages[*it]["role"] == "assistant");
                let is_cleared = is_result(&messages[at]) && nearest.is_some() && caller(&messages, at) == nearest;
                prop_assert_eq!(whole[at]["content"] == "[cleared]", is_cleared);
                if !ids(&messages[at]).is_empty() {
                    prop_assert!(!whole[at].to_string().contains("0123456789\""));
                }
            }
        }
    }
}

#[test]
fn what_did_not_change_is_shared() {
    let call = json!({ "name": "search", "args": { "text": "x".repeat(50) }, "id": "c" });
    let messages = Json::from(json!([
        { "type": "human", "content": "h" },
        { "type": "ai", "content": "", "tool_calls": [call] },
        { "type": "tool", "content": "x".repeat(50), "tool_call_id": "c" },
    ]));
    let same = |one: &Json, other: &Json| threadfold::Value::same(one, other);
    let clear =
        ClearOptions { edited_before: Some(&Boundary::Index(3)), ..ClearOptions::default() };
    let cleared = clear_tool_uses(&messages, clear, Counter::Approximate).unwrap();
    assert!(same(&cleared[0], &messages[0]) && same(&cleared[1], &messages[1]));
    assert_eq!(cleared[2]["content"], json!("[cleared]"));
    let none = clear_tool_uses(&messages, ClearOptions::default(), Counter::Approximate).unwrap();
    assert!(same(&none, &messages));
    let moved =
        offload(&messages, OffloadOptions { tool_tokens: Some(3), ..OffloadOptions::default() })
            .unwrap();
    assert!(same(&moved.messages[1], &messages[1]) && moved.files.len() == 1);
    let kept = trim_messages(
        &messages,
        TrimOptions { max_tokens: 1_000_000, ..TrimOptions::default() },
        Counter::Estimate,
    );
    assert!(same(&kept.unwrap()[2], &messages[2]));
}

#[test]
fn a_result_stays_if_its_metadata_says_cleared_by_pythons_truth() {
    let stays = [json!(true), json!(1), json!("yes"), json!([0]), json!({ "a": 0 })];
    let goes = [json!(false), json!(0), json!(null), json!(""), json!([]), json!({})];
    for (said, expected) in
        stays.iter().map(|it| (it, "r")).chain(goes.iter().map(|it| (it, "[cleared]")))
    {
        let messages = json!([
            { "type": "ai", "content": "", "tool_calls": [{ "name": "search", "args": {}, "id": "c" }] },
            { "type": "tool", "content": "r", "tool_call_id": "c",
                "response_metadata": { "context_editing": { "cleared": said } } },
        ]);
        let options = ClearOptions { trigger: 1, keep: 0, ..ClearOptions::default() };
        let cleared = clear_tool_uses(&messages, options, Counter::Approximate).unwrap();
        assert_eq!(cleared[1]["content"], expected, "{said}");
    }
}

#[test]
fn garbage_is_refused_or_answered() {
    let odd = [
        json!(null),
        json!(5),
        json!("x"),
        json!([]),
        json!({}),
        json!({ "type": 5 }),
        json!({ "type": "remove" }),
    ];
    let fields = [
        "type",
        "content",
        "tool_calls",
        "tool_call_id",
        "response_metadata",
        "additional_kwargs",
        "name",
    ];
    let whole = json!([
        { "type": "ai", "content": "", "tool_calls": [{ "name": "write_file", "args": { "a": "0123456789" }, "id": "c" }] },
        { "type": "tool", "content": "x".repeat(50), "tool_call_id": "c" },
        { "type": "human", "content": "y".repeat(50) },
    ]);
    let mut given: Vec<Value> = odd.to_vec();
    for item in &odd {
        given.push(json!([item]));
        for at in 0..3 {
            for field in fields {
                let mut list = whole.clone();
                list[at][field] = item.clone();
                given.push(list);
            }
        }
    }
    for list in given {
        let trim = TrimOptions {
            max_tokens: 20,
            allow_partial: true,
            start_on: &["human"],
            ..TrimOptions::default()
        };
        let clear = ClearOptions {
            trigger: 0,
            keep: 0,
            clear_tool_inputs: true,
            clear_at_least: 1,
            ..ClearOptions::default()
        };
        let truncate = TruncateOptions {
            edited_before: Some(&Boundary::Index(9)),
            max_length: 1,
            ..TruncateOptions::default()
        };
        let move_all = OffloadOptions {
            tool_tokens: Some(1),
            human_tokens: Some(1),
            ..OffloadOptions::default()
        };
        let came = [
            trim_messages(&list, trim, Counter::Estimate).err(),
            clear_tool_uses(&list, clear, Counter::Approximate).err(),
            truncate_tool_args(&list, truncate, None, Counter::Approximate).err(),
            offload(&list, move_all).err(),
        ];
        for error in came.into_iter().flatten() {
            assert!(["INVALID_ARGUMENT", "INVALID_MESSAGE"].contains(&error.code()), "{error}");
        }
    }
}

#[test]
fn a_size_of_two_measures_triggers_by_both_and_keeps_no_more_than_either() {
    let call = json!({ "name": "write_file", "args": { "text": "x".repeat(3000) }, "id": "c" });
    let message = json!({ "type": "ai", "content": "", "tool_calls": [call] });
    let messages = json!(vec![message; 4]);
    let short = |trigger, keep| {
        let options = TruncateOptions { trigger: Some(trigger), keep, ..Default::default() };
        let counter = Counter::Message(&mut |_| Ok(10));
        let list = truncate_tool_args(&messages, options, None, counter).unwrap();
        let all = list.as_array().unwrap().iter();
        all.filter(|it| **it != messages[0]).count()
    };
    let size = |messages, tokens| Size { tokens: Some(tokens), ..Size::messages(messages) };
    assert_eq!(short(size(4, 41.0), Size::messages(1)), 0);
    assert_eq!(short(size(5, 40.0), Size::messages(1)), 0);
    assert_eq!(short(size(4, 40.0), Size::messages(1)), 3);
    assert_eq!(short(Size::messages(4), size(3, 10.0)), 3);
    assert_eq!(short(Size::messages(4), size(1, 30.0)), 3);
    assert_eq!(short(Size::messages(4), size(3, 20.0)), 2);
}

#[test]
fn clears_only_as_many_results_as_save_enough() {
    let asked = |id: &str| json!({ "type": "ai", "content": "", "tool_calls": [{ "name": "f", "args": {}, "id": id }] });
    let result =
        |id: &str| json!({ "type": "tool", "content": "x".repeat(100), "tool_call_id": id });
    let messages =
        json!([asked("a"), result("a"), asked("b"), result("b"), asked("c"), result("c")]);
    let cleared = |at_least| {
        let options =
            ClearOptions { trigger: 0, keep: 0, clear_at_least: at_least, ..Default::default() };
        let chars = |message: &Value| message["content"].as_str().unwrap().len();
        let counter = Counter::Message(&mut |message| Ok(chars(message)));
        let list = clear_tool_uses(&messages, options, counter).unwrap();
        list.as_array().unwrap().iter().filter(|it| it["content"] == "[cleared]").count()
    };
    // A cleared result saves 91 characters.
    assert_eq!([1, 91, 92, 182, 183].map(cleared), [1, 1, 2, 2, 3]);
}

#[test]
fn a_moved_text_of_more_than_ten_lines_is_shown_by_its_first_and_last_five() {
    let note = |lines: usize| {
        let text: Vec<String> =
            (1..=lines).map(|line| format!("line {line} {}", "x".repeat(9))).collect();
        let messages = json!([{ "type": "tool", "content": text.join("\n"), "tool_call_id": "c" }]);
        let options = OffloadOptions { tool_tokens: Some(3), ..OffloadOptions::default() };
        let moved = offload(&messages, options).unwrap();
        moved.messages[0]["content"].as_str().unwrap().to_owned()
    };
    let ten = note(10);
    assert!(ten.contains("Here is a preview of the result:"), "{ten}");
    assert!(
        ten.contains(" 5  line 5 ") && ten.contains(" 6  line 6 ") && !ten.contains("truncated"),
        "{ten}"
    );
    let eleven = note(11);
    assert!(
        eleven.contains("Here is a preview showing the head and tail of the result ("),
        "{eleven}"
    );
    assert!(
        eleven.contains("5  line 5 ") && eleven.contains("... [1 lines truncated] ..."),
        "{eleven}"
    );
    assert!(!eleven.contains("line 6 ") && eleven.contains(" 7  line 7 "), "{eleven}");
}

#[test]
fn a_block_of_another_type_stays_and_its_text_is_not_moved() {
    let other = json!({ "type": "note", "text": "aside" });
    let content = json!([{ "type": "text", "text": "x".repeat(50) }, other]);
    let messages = json!([{ "type": "tool", "content": content, "tool_call_id": "c" }]);
    let options = OffloadOptions { tool_tokens: Some(3), ..OffloadOptions::default() };
    let moved = offload(&messages, options).unwrap();
    assert_eq!(moved.files[0].1, "x".repeat(50));
    assert_eq!(moved.messages[0]["content"][1], other);
}

#[test]
fn a_fraction_of_the_input_tokens_triggers_and_is_one_token_at_least() {
    let call = json!({ "name": "write_file", "args": { "text": "x".repeat(3000) }, "id": "c" });
    let message = json!({ "type": "ai", "content": "", "tool_calls": [call] });
    let messages = json!(vec![message; 4]);
    let short = |fraction, limit| {
        let options = TruncateOptions {
            trigger: Some(Size::fraction(fraction)),
            max_input_tokens: Some(limit),
            keep: Size::messages(1),
            ..Default::default()
        };
        let counter = Counter::Message(&mut |_| Ok(10));
        truncate_tool_args(&messages, options, None, counter).unwrap() != messages
    };
    assert!(short(0.5, 80) && short(0.25, 160) && !short(0.5, 82) && !short(0.25, 164));
    assert!(short(0.1, 1));
}

#[test]
fn without_a_type_to_end_on_nothing_is_kept() {
    let messages =
        json!([{ "type": "human", "content": "h" }, { "type": "human", "content": "i" }]);
    let kept = |end_on| {
        let options = TrimOptions { max_tokens: 9, end_on, ..TrimOptions::default() };
        trim_messages(&messages, options, Counter::Message(&mut |_| Ok(1))).unwrap()
    };
    assert_eq!(kept(&["ai"]), json!([]));
    assert_eq!(kept(&["human"]), messages);
}

#[test]
fn an_ag_ui_message_keeps_in_its_metadata_what_edits_did() {
    let call = json!({ "id": "c", "function": { "name": "f", "arguments": "{\"a\":1}" } });
    let messages = json!([
        { "id": "1", "role": "assistant", "toolCalls": [call] },
        { "id": "2", "role": "tool", "toolCallId": "c", "content": "r" },
        { "id": "3", "role": "user", "content": "x".repeat(50) },
    ]);
    let options =
        ClearOptions { trigger: 0, keep: 0, clear_tool_inputs: true, ..ClearOptions::default() };
    let cleared = clear_tool_uses(&messages, options, Counter::Approximate).unwrap();
    let editing = |at: usize| &cleared[at]["metadata"]["context_editing"];
    assert_eq!(editing(0)["cleared_tool_inputs"], json!(["c"]));
    assert_eq!(editing(1)["cleared"], json!(true));
    let options = OffloadOptions { human_tokens: Some(3), ..OffloadOptions::default() };
    let moved = offload(&messages, options).unwrap();
    assert_eq!(moved.tagged[0]["metadata"]["lc_evicted_to"], json!(moved.files[0].0));
}
