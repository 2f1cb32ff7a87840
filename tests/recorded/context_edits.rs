//! Trimming, clearing and truncating a context.

use serde_json::{Map, Value, json};
use threadfold::Error;
use threadfold::context::{ClearOptions, clear_tool_uses};
use threadfold::context::{CountOptions, count_tokens};
use threadfold::context::{Counter, TrimOptions, TrimStrategy, trim_messages};
use threadfold::context::{Cuts, Size, TruncateOptions, truncate_tool_args};
use threadfold::context::{OffloadOptions, offload};

use super::records::{Record, fields, read, replay};

fn usize_of(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

/// A case's messages: in place, or an index of the pool.
fn messages_of(given: &Value, pool: &[Value]) -> Value {
    let messages = &given["messages"];
    if messages.is_number() { pool[usize_of(messages)].clone() } else { messages.clone() }
}

/// What is told of messages: an index, `[from, to]` for all from one up to the other, or a message
/// with other fields.
fn untold(told: &Value, given: &Value) -> Vec<Value> {
    let told = told.as_array().unwrap().iter();
    let messages = told.flat_map(|one| match one {
        Value::Number(_) => vec![given[usize_of(one)].clone()],
        Value::Array(run) => {
            given.as_array().unwrap()[usize_of(&run[0])..usize_of(&run[1])].to_vec()
        }
        changed => {
            let mut message = given[usize_of(&changed["at"])].clone();
            for (key, value) in fields(changed).iter().filter(|(key, _)| *key != "at") {
                message[key] = value.clone();
            }
            vec![message]
        }
    });
    messages.map(|message| normal(&message)).collect()
}

/// Python's classes have each field, and each call its type.
fn normal(message: &Value) -> Value {
    let mut normal: Map<String, Value> = fields(message).clone();
    if normal.get("artifact").is_some_and(Value::is_null) {
        normal.remove("artifact");
    }
    for call in normal.get_mut("tool_calls").and_then(Value::as_array_mut).into_iter().flatten() {
        call["type"] = json!("tool_call");
    }
    Value::Object(normal)
}

fn check(came: Result<Value, Error>, told: &Value, given: &Value) {
    let came: Vec<Value> = came.unwrap().as_array().unwrap().iter().map(normal).collect();
    assert_eq!(came, untold(told, given));
}

/// The texts of a message's content.
fn texts(message: &Value) -> Vec<&str> {
    let blocks = message["content"].as_array();
    let texts = blocks.into_iter().flatten().map(|it| it.as_str().or_else(|| it["text"].as_str()));
    texts.chain([message["content"].as_str()]).flatten().collect()
}

fn names(value: &Value) -> Vec<&str> {
    match value {
        Value::Array(names) => names.iter().map(|name| name.as_str().unwrap()).collect(),
        name => name.as_str().into_iter().collect(),
    }
}

#[test]
fn trim_messages_answers_as_python_does() {
    let pool = read("context/conversations");
    replay("context/trim", |Record { given, answer, error, .. }| {
        let options = &given["options"];
        let messages = messages_of(given, &pool);
        let is = |key: &str| options[key].as_bool().unwrap_or(false);
        let strategy = match options["strategy"].as_str() {
            Some("first") => TrimStrategy::First,
            Some("last") | None => TrimStrategy::Last,
            // What the types do not let anybody ask.
            Some(_) => return assert!(error.is_some()),
        };
        let splitter: Option<fn(&str) -> Vec<String>> = match options["text_splitter"].as_str() {
            Some("characters") => Some(|text| text.chars().map(String::from).collect()),
            Some("spaces") => Some(|text| text.split(' ').map(str::to_owned).collect()),
            _ => None,
        };
        let (start_on, end_on) = (names(&options["start_on"]), names(&options["end_on"]));
        let trim = TrimOptions {
            max_tokens: options["max_tokens"].as_i64().unwrap(),
            strategy,
            start_on: &start_on,
            end_on: &end_on,
            include_system: is("include_system"),
            allow_partial: is("allow_partial"),
            text_splitter: splitter.as_ref().map(|split| split as _),
            cuts: Cuts::AsLangchain,
        };
        let mut len = |list: &[&Value]| Ok(list.len());
        let mut squares = |list: &[&Value]| Ok(list.len() * list.len());
        let mut characters = |list: &[&Value]| {
            Ok(list
                .iter()
                .flat_map(|message| texts(message))
                .map(|text| text.chars().count())
                .sum())
        };
        let counter = match options["token_counter"].as_str() {
            Some("len") => Counter::List(&mut len),
            Some("squares") => Counter::List(&mut squares),
            Some("characters") => Counter::List(&mut characters),
            Some("approximate") => Counter::Approximate,
            _ => return assert!(error.is_some()),
        };
        let came = trim_messages(&messages, trim, counter);
        match answer {
            Some(told) => check(came, told, &messages),
            None => assert_eq!(came.unwrap_err().code(), "INVALID_ARGUMENT"),
        }
    });
}

#[test]
fn clear_tool_uses_answers_as_langchain_does() {
    let pool = read("context/conversations");
    replay("context/clear", |Record { given, answer, .. }| {
        let options = &given["options"];
        let messages = messages_of(given, &pool);
        let usual = ClearOptions::default();
        let number = |key: &str, usual| options.get(key).map_or(usual, usize_of);
        let excluded = names(&options["exclude_tools"]);
        let clear = ClearOptions {
            trigger: number("trigger", usual.trigger),
            clear_at_least: number("clear_at_least", usual.clear_at_least),
            keep: number("keep", usual.keep),
            clear_tool_inputs: options["clear_tool_inputs"].as_bool().unwrap_or(false),
            exclude_tools: &excluded,
            placeholder: options["placeholder"].as_str().unwrap_or(usual.placeholder),
            edited_before: None,
        };
        check(
            clear_tool_uses(&messages, clear, Counter::Approximate),
            answer.as_ref().unwrap(),
            &messages,
        );
    });
}

fn size(given: &Value) -> Option<Size> {
    Some(match given[0].as_str()? {
        "messages" => Size::messages(u32::try_from(usize_of(&given[1])).unwrap()),
        "tokens" => Size::tokens(given[1].as_f64().unwrap()),
        _ => Size::fraction(given[1].as_f64().unwrap()),
    })
}

#[test]
fn truncate_tool_args_answers_as_deepagents_does() {
    let pool = read("context/conversations");
    replay("context/args", |Record { given, answer, .. }| {
        let (options, model) = (&given["truncate_args"], &given["model"]);
        let messages = messages_of(given, &pool);
        let answer = answer.as_ref().unwrap();
        let usual = TruncateOptions::default();
        let truncate = TruncateOptions {
            trigger: size(&options["trigger"]),
            keep: size(&options["keep"]).unwrap_or(usual.keep),
            max_input_tokens: model.get("max_input_tokens").map(usize_of),
            max_length: options.get("max_length").map_or(usual.max_length, usize_of),
            truncation_text: options["truncation_text"].as_str().unwrap_or(usual.truncation_text),
            ..usual
        };
        let is_anthropic = model["llm_type"] == "anthropic-chat";
        let count = CountOptions {
            chars_per_token: if is_anthropic { 3.3 } else { 4.0 },
            ..CountOptions::default()
        };
        let mut counter = |message: &Value| {
            let tokens = count_tokens(&json!([message]), None, &count)?;
            Ok(usize::try_from(tokens).unwrap())
        };
        let came = truncate_tool_args(
            &messages,
            truncate,
            Some(usize_of(&answer["tokens"])),
            Counter::Message(&mut counter),
        );
        check(came, &answer["messages"], &messages);
    });
}

/// Deepagents makes up the names of some files, which is `<uuid>` in the records.
fn masked(value: &Value, messages: &Value) -> Value {
    let ids = messages.as_array().unwrap().iter().filter_map(|message| message["id"].as_str());
    let text = ids.fold(value.to_string(), |text, id| {
        text.replace(&format!("conversation_history/{id}.md"), "conversation_history/<uuid>.md")
            .replace(&format!("large_tool_results/{id}\""), "large_tool_results/<uuid>\"")
            .replace(&format!("large_tool_results/{id}\\n"), "large_tool_results/<uuid>\\n")
    });
    serde_json::from_str(&text).unwrap()
}

#[test]
fn offload_answers_as_deepagents_does() {
    replay("context/offload", |Record { given, answer, .. }| {
        let (messages, answer) = (&given["messages"], answer.as_ref().unwrap());
        let tokens = |key: &str| given[key].as_u64().map(|_| usize_of(&given[key]));
        let options = OffloadOptions {
            tool_tokens: tokens("tool_tokens"),
            human_tokens: tokens("human_tokens"),
            ..OffloadOptions::default()
        };
        let moved = offload(messages, options).unwrap();
        let files: Map<String, Value> =
            moved.files.into_iter().map(|(path, text)| (path, json!(text))).collect();
        assert_eq!(masked(&json!(files), messages), answer["files"]);
        for (came, key) in [(moved.messages, "messages"), (moved.tagged, "tagged")] {
            check(Ok(masked(&came, messages)), &answer[key], messages);
        }
    });
}
