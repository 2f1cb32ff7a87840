//! Python's count of tokens, by the answers recorded from langchain-core.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use threadfold::Json;
use threadfold::context::{CountOptions, count_tokens};
use threadfold::unstable::{TOKENS_PER_IMAGE, estimate_message};
use threadfold::unstable::{message_tokens, tool_tokens};

fn records(name: &str) -> Vec<Value> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("js-tests/peers/conformance/records/context");
    serde_json::from_str(&fs::read_to_string(folder.join(name)).unwrap()).unwrap()
}

fn options(given: &Value) -> CountOptions {
    let usual = CountOptions::default();
    let number = |key: &str, usual: f64| given[key].as_f64().unwrap_or(usual);
    let scaling = &given["use_usage_metadata_scaling"];
    CountOptions {
        chars_per_token: number("chars_per_token", usual.chars_per_token),
        extra_tokens_per_message: number(
            "extra_tokens_per_message",
            usual.extra_tokens_per_message,
        ),
        count_name: given["count_name"].as_bool().unwrap_or(usual.count_name),
        tokens_per_image: number("tokens_per_image", usual.tokens_per_image),
        use_usage_metadata_scaling: scaling.as_bool().unwrap_or(usual.use_usage_metadata_scaling),
    }
}

#[test]
fn counts_as_python_does_in_either_heap() {
    let conversations = records("conversations.json");
    let cases = records("count.json");
    assert!(cases.len() > 500);
    for case in &cases {
        let given = &case["in"];
        let at = given["messages"].as_u64().and_then(|at| usize::try_from(at).ok());
        let messages = at.map_or(&given["messages"], |at| &conversations[at]);
        let (tools, options) = (given["options"].get("tools"), options(&given["options"]));
        let counted = count_tokens(messages, tools, &options);
        match case.get("out") {
            Some(count) => {
                assert_eq!(counted.as_ref().map(|it| json!(it)), Ok(count.clone()), "{case}");
            }
            None => {
                assert!(
                    counted.as_ref().is_err_and(|error| error.code().starts_with("INVALID_")),
                    "{case}"
                );
            }
        }
        let tools = tools.cloned().map(Json::from);
        assert_eq!(count_tokens(&Json::from(messages.clone()), tools.as_ref(), &options), counted);
    }
}

#[test]
#[allow(clippy::cast_possible_truncation)]
fn the_messages_by_themselves_and_the_tools_add_up_to_the_count() {
    let options = CountOptions::default();
    let tools = json!([{ "name": "find", "description": "é" }]);
    for messages in records("conversations.json") {
        let all = messages.as_array().unwrap().iter();
        let alone: f64 = all.map(|message| message_tokens(message, &options).unwrap()).sum();
        let sum = alone + tool_tokens(&tools, &options).unwrap();
        assert_eq!(count_tokens(&messages, Some(&tools), &options), Ok(sum as i64));
    }
}

#[test]
fn tells_a_whole_float_from_an_integer_as_python_does() {
    let call = |x: Value| json!({ "type": "ai", "content": "", "tool_calls": [{ "name": "f", "args": { "x": x }, "id": "c" }] });
    let options = CountOptions { chars_per_token: 1.0, ..CountOptions::default() };
    let one = message_tokens(&call(json!(1)), &options).unwrap();
    let float = message_tokens(&call(json!(1.0)), &options).unwrap();
    assert!((float - one - 2.0).abs() < 1e-9);
}

#[test]
fn every_image_counts_however_many_there_are() {
    let image = json!({ "type": "image_url", "image_url": { "url": "https://example.com/a.png" } });
    let counted = |images: usize| {
        let content: Vec<_> = std::iter::repeat_n(image.clone(), images).collect();
        let message = json!({ "type": "human", "content": content });
        let options = CountOptions { tokens_per_image: 85.5, ..CountOptions::default() };
        message_tokens(&message, &options).unwrap()
    };
    let without = counted(0);
    for images in [1, 9_999, 10_000, 10_001, 20_000] {
        let expected = without + 85.5 * f64::from(u32::try_from(images).unwrap());
        assert!((counted(images) - expected).abs() < 1e-6, "{images} images");
    }
}

/// As ag-ui-langgraph makes them for a model.
#[test]
fn ag_uis_parts_count_as_the_blocks_that_langchain_gets() {
    let options = CountOptions { chars_per_token: 1.0, ..CountOptions::default() };
    let counted = |message: Value| message_tokens(&message, &options).unwrap();
    let metadata = json!({ "filename": "a.pdf" });
    for (source, block) in [
        (
            json!({ "type": "file", "value": "file-1" }),
            json!({ "type": "file", "source_type": "id", "id": "file-1", "filename": "a.pdf" }),
        ),
        (
            json!({ "type": "data", "value": "AAAA" }),
            json!({ "type": "file", "base64": "AAAA", "mime_type": "application/octet-stream", "filename": "a.pdf" }),
        ),
        (
            json!({ "type": "data", "value": "AAAA", "mimeType": "text/plain" }),
            json!({ "type": "file", "base64": "AAAA", "mime_type": "text/plain", "filename": "a.pdf" }),
        ),
        (
            json!({ "type": "url", "value": "https://example.com" }),
            json!({ "type": "file", "source_type": "url", "url": "https://example.com", "filename": "a.pdf" }),
        ),
    ] {
        let part = json!({ "type": "document", "source": source, "metadata": metadata });
        let ours = counted(json!({ "role": "user", "id": "1", "content": [part] }));
        let theirs = counted(json!({ "type": "human", "id": "1", "content": [block] }));
        assert!((ours - theirs).abs() < 1e-9, "{part}: {ours} and {theirs}");
    }
}

#[test]
fn counts_no_block_that_has_no_fields() {
    for (kind, block) in [("human", json!(1)), ("ai", json!(null)), ("human", json!(["a"]))] {
        let messages = json!([{ "type": kind, "content": [block] }]);
        let error = count_tokens(&messages, None, &CountOptions::default()).unwrap_err();
        assert_eq!(error.code(), "INVALID_MESSAGE", "{messages}");
    }
}

#[test]
fn objects_are_counted_as_deep_as_lists() {
    let nested = |is_list: bool, depth: usize| {
        (0..depth)
            .fold(json!(1), |value, _| if is_list { json!([value]) } else { json!({ "a": value }) })
    };
    for is_list in [true, false] {
        for (depth, is_counted) in [(999, true), (1_000, false), (1_001, false)] {
            let args = json!({ "x": nested(is_list, depth) });
            let call = json!({ "name": "look", "id": "c", "args": args });
            let message = json!({ "type": "ai", "content": "", "tool_calls": [call] });
            let estimate = estimate_message(&message, TOKENS_PER_IMAGE);
            assert_eq!(estimate.is_ok(), is_counted, "{depth}, {is_list}");
            if depth == 1_000 {
                continue;
            }
            let counted = count_tokens(&json!([message]), None, &CountOptions::default());
            assert_eq!(counted.is_ok(), is_counted, "{depth}, {is_list}");
        }
    }
}

/// Thirty tenths are a little more than three, in Python as here: the total is rounded up.
#[test]
fn fractions_of_images_are_added_one_by_one() {
    let image = json!({ "type": "image_url", "image_url": { "url": "https://a.test/a.png" } });
    let message = json!({ "type": "human", "content": vec![image; 30] });
    let options = CountOptions { tokens_per_image: 0.1, ..CountOptions::default() };
    assert_eq!(count_tokens(&json!([message]), None, &options).unwrap(), 8);
}

#[test]
fn says_which_message_it_cannot_count() {
    let refused = |messages: Value| {
        count_tokens(&messages, None, &CountOptions::default()).unwrap_err().to_string()
    };
    let kinds = "messages[1].type should be human, ai, system, developer, tool, function or chat.";
    assert_eq!(refused(json!(["a", { "type": "remove", "id": "1" }])), kinds);
    let answered = "messages[0].tool_call_id should be the id of the call that it answers.";
    assert_eq!(refused(json!([{ "type": "tool", "content": "" }])), answered);
    assert_eq!(refused(json!({})), "messages should be a list.");
    let mut deep = json!(0);
    for _ in 0..1_100 {
        deep = json!([deep]);
    }
    let too_deep = "a value should be nested no more than 1,000 deep.";
    assert_eq!(
        refused(json!([{ "type": "human", "content": [{ "type": "x", "deep": deep }] }])),
        too_deep
    );
    for options in [
        CountOptions { chars_per_token: 0.0, ..CountOptions::default() },
        CountOptions { tokens_per_image: f64::NAN, ..CountOptions::default() },
    ] {
        let error = count_tokens(&json!([]), None, &options).unwrap_err();
        assert_eq!(error.code(), "INVALID_ARGUMENT");
    }
}

#[test]
fn only_a_chat_message_brings_a_role_of_its_own() {
    let message = |kind: &str| json!({ "type": kind, "role": "critic", "content": "Hm." });
    let count = |kind| count_tokens(&json!([message(kind)]), None, &CountOptions::default());
    assert!(count("chat").is_ok());
    assert_eq!(count("alien").unwrap_err().code(), "INVALID_MESSAGE");
}
