//! Messages in the forms in which lists come, and the boundary of edits: as js-tests/unit/context has them for JavaScript.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use serde_json::{Value, json};
use threadfold::Error;
use threadfold::context::Boundary;
use threadfold::context::Context;
use threadfold::context::Counter;
use threadfold::context::Estimated;
use threadfold::context::TrimOptions;
use threadfold::context::{ClearOptions, clear_tool_uses};
use threadfold::context::{OffloadOptions, offload};
use threadfold::context::{Policy, Size};
use threadfold::context::{TruncateOptions, truncate_tool_args};
use threadfold::unstable::Meter;

fn serialised(class: &str, fields: &Value) -> Value {
    json!({ "lc": 1, "type": "constructor", "id": ["langchain_core", "messages", class], "kwargs": fields })
}

fn lists() -> (Value, Value) {
    let call = json!({ "id": "c1", "name": "write_file", "args": { "text": "x".repeat(99) } });
    let all = [
        ("SystemMessage", json!({ "type": "system", "id": "m0", "content": "Be brief." })),
        ("AIMessage", json!({ "type": "ai", "id": "m1", "content": "", "tool_calls": [call] })),
        (
            "ToolMessage",
            json!({ "type": "tool", "id": "m2", "content": "r".repeat(99), "tool_call_id": "c1", "artifact": 1 }),
        ),
        ("HumanMessage", json!({ "type": "human", "id": "m3", "content": "y".repeat(99) })),
    ];
    let made = all.iter().map(|(class, fields)| serialised(class, fields)).collect();
    (made, all.iter().map(|(_, fields)| fields.clone()).collect())
}

/// The fields of each message, in any form.
fn fields(list: &Value) -> Vec<Value> {
    let all = list.as_array().unwrap().iter();
    all.map(|message| message.get("kwargs").unwrap_or(message).clone()).collect()
}

#[test]
fn what_is_serialised_is_edited_as_a_dict_is_and_stays_serialised() {
    let boundary = Boundary::Id("m3".to_owned());
    let edited_before = Some(&boundary);
    let edits: [fn(&Value, Option<&Boundary>) -> Value; 3] = [
        |list, edited_before| {
            let options =
                ClearOptions { edited_before, clear_tool_inputs: true, ..ClearOptions::default() };
            clear_tool_uses(list, options, Counter::Approximate).unwrap()
        },
        |list, edited_before| {
            let options =
                TruncateOptions { edited_before, max_length: 5, ..TruncateOptions::default() };
            truncate_tool_args(list, options, None, Counter::Approximate).unwrap()
        },
        |list, _| {
            let options = OffloadOptions {
                tool_tokens: Some(5),
                human_tokens: Some(5),
                exclude_tools: &[],
                ..OffloadOptions::default()
            };
            offload(list, options).unwrap().messages
        },
    ];
    let (made, plain) = lists();
    for edit in edits {
        let (short, wanted) = (edit(&made, edited_before), edit(&plain, edited_before));
        assert_ne!(short, made);
        assert_eq!(fields(&short), fields(&wanted));
        assert!(short.as_array().unwrap().iter().all(|message| message["lc"] == 1));
    }
}

#[test]
fn messages_for_the_screen_are_not_sent_to_a_model() {
    let policy = Policy {
        trigger: vec![Size::messages(5)],
        keep: Some(Size::messages(2)),
        ..Policy::default()
    };
    let said = |id: &str, role: &str| json!({ "id": id, "role": role, "content": id });
    let roles =
        ["reasoning", "user", "reasoning", "assistant", "user", "activity", "assistant", "user"];
    let list: Value =
        roles.iter().enumerate().map(|(at, role)| said(&format!("m{at}"), role)).collect();
    let context = Context::new(policy.clone(), &Estimated);
    let view = context.view(&list, None).unwrap();
    let ids = |list: &Value| {
        let ids =
            list.as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap_or("").to_owned());
        ids.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(ids(&view.messages), "m1 m3 m4 m6 m7");
    let due = view.due.clone().unwrap();
    assert_eq!(
        (ids(&due.messages), ids(&due.kept), due.cutoff),
        ("m1 m3 m4".into(), "m6 m7".into(), 6)
    );
    let record = due.record(Some("S"), None);
    assert_eq!((record.cutoff_index, record.summarized_id.as_deref()), (6, Some("m4")));
    assert_eq!(ids(&context.view(&list, Some(&record)).unwrap().messages), " m6 m7");
    // And a meter counts as the next view does.
    let mut meter = Meter::new(&view, &policy).unwrap();
    meter.push(&said("m8", "activity")).unwrap();
    meter.text("unseen");
    meter.push(&json!({ "id": "m9", "role": "assistant", "content": "" })).unwrap();
    meter.text("a few words");
    let mut longer = list.as_array().unwrap().clone();
    longer.push(json!({ "id": "m9", "role": "assistant", "content": "a few words" }));
    let now = context.view(&Value::Array(longer), None).unwrap();
    assert!((meter.tokens() - now.tokens).abs() < f64::EPSILON);
    assert!(meter.is_due());
}

#[test]
fn edits_stay_where_the_message_goes_that_they_end_before() {
    let result = "a long result ".repeat(50);
    let all: Vec<Value> = (1..5)
        .flat_map(|at| {
            [
                json!({ "id": format!("a{at}"), "type": "ai", "content": "", "tool_calls": [{ "id": at.to_string(), "name": "f", "args": {} }] }),
                json!({ "id": format!("r{at}"), "type": "tool", "tool_call_id": at.to_string(), "content": &result }),
                json!({ "id": format!("h{at}"), "type": "human", "content": "h" }),
            ]
        })
        .collect();
    let policy = Policy {
        trigger: vec![Size::tokens(600.0)],
        keep: Some(Size::tokens(500.0)),
        ..Policy::default()
    };
    let mut context = Context::new(policy, &Estimated);
    context.clear = Some(ClearOptions { keep: 2, ..ClearOptions::default() });
    let due = context.view(&Value::Array(all.clone()), None).unwrap().due.unwrap();
    let record = due.record(None, None);
    assert_eq!(record.edited_id.as_deref(), Some("a3"));
    for (gone, cleared) in [
        (vec![], 2),
        (vec!["r3"], 2),
        (vec!["a3"], 2),
        (vec!["h1", "r3"], 2),
        (vec!["a1", "r1", "a3"], 1),
    ] {
        let is_left = |message: &&Value| !gone.contains(&message["id"].as_str().unwrap());
        let left = Value::Array(all.iter().filter(is_left).cloned().collect());
        let messages = context.view(&left, Some(&record)).unwrap().messages;
        let count =
            messages.as_array().unwrap().iter().filter(|one| one["content"] == "[cleared]").count();
        assert_eq!(count, cleared, "without {gone:?}");
    }
}

#[test]
fn the_arguments_of_many_calls_of_one_message_are_cleared_at_once() {
    let id = |at: usize| format!("c{at:04}");
    let calls = (0..2000).map(|at| json!({ "id": id(at), "name": "f", "args": { "a": 1 } }));
    let mut list =
        vec![json!({ "type": "ai", "content": "", "tool_calls": calls.collect::<Vec<_>>() })];
    let result = |at| json!({ "type": "tool", "content": "r", "tool_call_id": id(at) });
    list.extend((0..2000).rev().map(result));
    let options = ClearOptions {
        edited_before: Some(&Boundary::Index(1501)),
        clear_tool_inputs: true,
        ..ClearOptions::default()
    };
    let cleared = clear_tool_uses(&Value::Array(list), options, Counter::Approximate).unwrap();
    for (at, call) in cleared[0]["tool_calls"].as_array().unwrap().iter().enumerate() {
        assert_eq!(call["args"] == json!({}), at >= 500);
    }
    let ids: Vec<String> = (500..2000).map(id).collect();
    let editing = &cleared[0]["response_metadata"]["context_editing"];
    assert_eq!(editing["cleared_tool_inputs"], json!(ids));
}

#[test]
fn a_summary_in_the_list_goes_with_the_next_cut_and_a_system_prompt_stays() {
    let said = |at: usize| json!({ "type": "human", "id": format!("m{at}"), "content": at });
    let summary = json!({ "type": "system", "id": "s", "content": "[对话历史摘要]\nSo far." });
    let marked = json!({ "type": "system", "id": "s", "content": "So far.",
        "additional_kwargs": { "lc_source": "summarization" } });
    let prompt = json!({ "type": "system", "id": "p", "content": "Be brief." });
    let policy = Policy {
        trigger: vec![Size::messages(6)],
        keep: Some(Size::messages(2)),
        ..Policy::default()
    };
    let context = Context::new(policy, &Estimated);
    for summary in [summary, marked] {
        let list = json!([prompt, summary, said(1), said(2), said(3), said(4)]);
        let due = context.view(&list, None).unwrap().due.unwrap();
        assert_eq!(due.messages, json!([summary, said(1), said(2)]));
        let record = due.record(Some("All."), None);
        let view = context.view(&list, Some(&record)).unwrap().messages;
        assert_eq!(view[0], prompt);
        assert_eq!(view.as_array().map(Vec::len), Some(4));
    }
}

#[test]
fn a_meter_is_due_from_the_tokens_and_the_messages_of_any_one_trigger_on() {
    let both = Size { tokens: Some(30.0), messages: Some(3), fraction: None };
    let policy = Policy { trigger: vec![both, Size::messages(5)], ..Policy::default() };
    let due_after = |contents: &[&str]| {
        let view = Context::new(policy.clone(), &Estimated).view(&json!([]), None).unwrap();
        let mut meter = Meter::new(&view, &policy).unwrap();
        let due = contents.iter().position(|content| {
            meter.push(&json!({ "type": "human", "content": content })).unwrap();
            meter.is_due()
        });
        due.map(|at| at + 1)
    };
    let long = "some words that count as tokens ".repeat(10);
    assert_eq!(due_after(&[&long, &long, "", ""]), Some(3));
    assert_eq!(due_after(&["", "", "", &long]), Some(4));
    assert_eq!(due_after(&["", "", "", ""]), None);
    assert_eq!(due_after(&["", "", "", "", ""]), Some(5));
}

#[test]
fn a_function_counts_and_a_result_of_no_call_that_it_refuses_counts_nothing() {
    let count = |message: &Value| match message["type"].as_str() {
        Some("tool") => Err(Error::reducer("no call")),
        _ => Ok(2.5),
    };
    let context = Context::new(Policy::default(), &count);
    let human = json!({ "type": "human", "content": "h" });
    let lost = json!({ "type": "tool", "content": "r" });
    let view = context.view(&json!([human, lost, human]), None).unwrap();
    assert!((view.tokens - 5.0).abs() < f64::EPSILON);
    let result = json!({ "type": "tool", "content": "r", "tool_call_id": "1" });
    assert!(context.view(&json!([human, result]), None).is_err());
}

#[test]
fn arguments_are_cut_off_all_but_the_last_twenty_messages_if_the_model_has_no_limit() {
    let call = json!({ "name": "write_file", "args": { "content": "long ".repeat(9) }, "id": "c" });
    let message = json!({ "type": "ai", "content": "", "tool_calls": [call] });
    let all = Value::Array(vec![message; 25]);
    let cut = |keep: Size, max_input_tokens| {
        let options = TruncateOptions {
            trigger: Some(Size::messages(1)),
            keep,
            max_input_tokens,
            max_length: 4,
            ..TruncateOptions::default()
        };
        let cut = truncate_tool_args(&all, options, None, Counter::Estimate).unwrap();
        let pairs = cut.as_array().unwrap().iter().zip(all.as_array().unwrap());
        pairs.filter(|(now, before)| now != before).count()
    };
    assert_eq!(cut(Size::fraction(0.5), None), 5);
    assert_eq!(cut(Size { messages: Some(10), ..Size::fraction(0.5) }, None), 15);
    assert_eq!(cut(Size { messages: Some(22), ..Size::fraction(0.5) }, None), 5);
    assert_eq!(cut(Size::fraction(0.5), Some(1_000_000)), 0);
}

#[test]
fn a_context_is_shown_by_its_policy_and_a_counter_by_its_kind() {
    let policy = Policy::default();
    let context: Context<'_, Value> = Context::new(policy.clone(), &Estimated);
    let shown = format!("Context {{ policy: {policy:?}, .. }}");
    assert_eq!(format!("{context:?}"), shown);
    let conversation = context.conversation();
    assert_eq!(format!("{conversation:?}"), format!("Conversation {{ context: {shown}, .. }}"));
    let trim = TrimOptions { max_tokens: 7, ..TrimOptions::default() };
    assert_eq!(format!("{trim:?}"), "TrimOptions { max_tokens: 7, .. }");
    let mut one = |_: &Value| Ok(1);
    let mut list = |_: &[&Value]| Ok(1);
    let counters = [
        Counter::Approximate,
        Counter::Estimate,
        Counter::Message(&mut one),
        Counter::List(&mut list),
    ];
    let kinds = ["Approximate", "Estimate", "Message", "List"];
    assert_eq!(
        counters.map(|one| format!("{one:?}")),
        kinds.map(|kind| format!("Counter::{kind}"))
    );
}

#[test]
fn what_clearing_saves_is_not_counted_for_the_tokens_to_keep() {
    let text = |words: usize| "word ".repeat(words);
    let round = |id: &str| {
        [
            json!({ "type": "human", "id": format!("h{id}"), "content": text(50) }),
            json!({ "type": "ai", "id": format!("a{id}"), "content": "", "tool_calls": [{ "id": id, "name": "f", "args": {} }] }),
            json!({ "type": "tool", "id": format!("r{id}"), "tool_call_id": id, "content": text(500) }),
        ]
    };
    let list = Value::Array([round("1"), round("2")].concat());
    let due_at = |keep: f64| {
        let policy = Policy {
            trigger: vec![Size::tokens(100.0)],
            keep: Some(Size::tokens(keep)),
            ..Policy::default()
        };
        let clear = Some(ClearOptions { keep: 1, ..ClearOptions::default() });
        let context = Context { clear, ..Context::new(policy, &Estimated) };
        context.view(&list, None).unwrap().due.map(|due| due.cutoff)
    };
    // The second round counts 554; both count 625 without what is cleared, 1,108 with it.
    assert_eq!([560.0, 600.0, 640.0].map(due_at), [Some(3), Some(1), Some(0)]);
}
