//! When `LangChain`'s and deepagents' middlewares summarize, and where they cut.

use serde_json::{Map, Value, json};
use threadfold::context::Context;
use threadfold::context::CountOptions;
use threadfold::context::Counter;
use threadfold::context::Record as Event;
use threadfold::context::{Approximate, CountTokens};
use threadfold::context::{Cuts, Policy, Size};
use threadfold::context::{TruncateOptions, truncate_tool_args};
use threadfold::unstable::{summary_message, tool_tokens};

use super::records::{Record, fields, read, replay};

/// A case's messages: in place, or an index of the pool.
fn messages_of(given: &Value, pool: &[Value]) -> Value {
    let messages = &given["messages"];
    match messages.as_u64() {
        Some(index) => pool[usize::try_from(index).unwrap()].clone(),
        None => messages.clone(),
    }
}

/// What is no size cannot be said in Rust.
fn size(given: &Value) -> Option<Size> {
    let pairs: Vec<(&str, &Value)> = match given {
        Value::Array(pair) if pair.len() == 2 => vec![(pair[0].as_str()?, &pair[1])],
        Value::Object(clause) => clause.iter().map(|(key, value)| (key.as_str(), value)).collect(),
        _ => return None,
    };
    pairs.into_iter().try_fold(Size::default(), |size, (kind, value)| {
        Some(match kind {
            "tokens" => Size { tokens: Some(value.as_f64()?), ..size },
            "messages" => Size { messages: Some(u32::try_from(value.as_u64()?).ok()?), ..size },
            "fraction" => Size { fraction: Some(value.as_f64()?), ..size },
            _ => return None,
        })
    })
}

fn triggers(given: &Value) -> Option<Vec<Size>> {
    match given {
        Value::Null => Some(Vec::new()),
        Value::Array(some) if !some[0].is_string() => some.iter().map(size).collect(),
        one => Some(vec![size(one)?]),
    }
}

fn policy(given: &Value) -> Option<Policy> {
    let keep = given["options"].get("keep").unwrap_or(&Value::Null);
    Some(Policy {
        trigger: triggers(&given["options"]["trigger"])?,
        keep: Some(if keep.is_null() { Size::messages(20) } else { size(keep)? }),
        max_input_tokens: given["model"]["max_input_tokens"].as_f64(),
        scaled: true,
        cuts: Cuts::AsLangchain,
        ..Policy::default()
    })
}

fn counter(given: &Value) -> Approximate {
    let model = given["model"]["llm_type"].as_str().unwrap_or_default();
    let chars_per_token = if model.starts_with("anthropic-chat") { 3.3 } else { 4.0 };
    Approximate(CountOptions { chars_per_token, ..CountOptions::default() })
}

fn providers(given: &Value) -> Vec<&str> {
    let own = given["model"]["ls_provider"].as_str();
    let others: &[&str] = match own {
        Some("amazon_bedrock") => &["bedrock", "bedrock_converse"],
        Some("openai-mantle") => &["openai"],
        Some("anthropic-mantle") => &["anthropic"],
        _ => &[],
    };
    own.into_iter().chain(others.iter().copied()).collect()
}

/// A message without what Python's classes add; an id that it makes up is none.
fn normal(message: &Value) -> Value {
    let is_there = |value: &Value| match value {
        Value::Null => false,
        Value::String(text) => text != "<uuid>",
        Value::Array(list) => !list.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        _ => true,
    };
    let kept = fields(message).iter().filter(|(key, value)| *key == "content" || is_there(value));
    let mut normal: Map<String, Value> =
        kept.map(|(key, value)| (key.clone(), value.clone())).collect();
    for key in ["tool_calls", "invalid_tool_calls"] {
        for call in normal.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten() {
            call["type"] = Value::Null;
        }
    }
    Value::Object(normal)
}

fn normal_list(messages: &Value) -> Vec<Value> {
    messages.as_array().unwrap().iter().map(normal).collect()
}

/// The messages that an answer tells of.
fn told(answer: &Value, given: &Value) -> Vec<Value> {
    let at = |index: &Value| usize::try_from(index.as_u64().unwrap()).unwrap();
    let messages = answer.as_array().unwrap().iter().flat_map(|one| match one {
        Value::Number(_) => vec![given[at(one)].clone()],
        Value::Array(run) => given.as_array().unwrap()[at(&run[0])..at(&run[1])].to_vec(),
        made if made.get("new").is_some() => vec![made["new"].clone()],
        changed => {
            let mut message = given[at(&changed["at"])].clone();
            for (key, value) in fields(changed).iter().filter(|(key, _)| *key != "at") {
                message[key] = value.clone();
            }
            vec![message]
        }
    });
    messages.map(|message| normal(&message)).collect()
}

#[test]
fn summarizes_when_and_where_langchain_does() {
    let pool = read("context/conversations");
    replay("context/cutoff", |Record { given, answer, .. }| {
        let Some(policy) = policy(given) else { return assert!(answer.is_none()) };
        let (counter, providers) = (counter(given), providers(given));
        let context = Context { providers: &providers, ..Context::new(policy, &counter) };
        let messages = messages_of(given, &pool);
        let came = context.view(&messages, None);
        let Some(answer) = answer else {
            return assert_eq!(came.unwrap_err().code(), "INVALID_ARGUMENT");
        };
        let view = came.unwrap();
        assert_eq!(Some(view.tokens), answer["tokens"].as_f64());
        let cutoff = answer["cutoff"].as_u64().unwrap();
        let is_due = answer["due"].as_bool().unwrap() && cutoff > 0;
        assert_eq!(view.due.as_ref().map(|due| due.cutoff as u64), is_due.then_some(cutoff));
        let Some(due) = view.due else { return };
        let kept = &messages.as_array().unwrap()[due.cutoff..];
        assert_eq!(told(&answer["update"], &messages)[2..], *normal_list(&json!(kept)));
    });
}

/// What deepagents truncates at each call.
fn truncated(given: &Value, list: &Value, tokens: f64, counter: &Approximate) -> Value {
    let settings = &given["truncate_args"];
    if settings.is_null() {
        return list.clone();
    }
    let usual = TruncateOptions::default();
    let whole = |number: f64| format!("{}", number.floor()).parse::<usize>().unwrap();
    let trigger = &settings["trigger"];
    let options = TruncateOptions {
        trigger: (!trigger.is_null()).then(|| size(trigger).unwrap()),
        keep: settings.get("keep").map_or(usual.keep, |keep| size(keep).unwrap()),
        max_input_tokens: given["model"]["max_input_tokens"].as_f64().map(whole),
        max_length: settings["max_length"]
            .as_u64()
            .map_or(usual.max_length, |most| usize::try_from(most).unwrap()),
        truncation_text: settings["truncation_text"].as_str().unwrap_or(usual.truncation_text),
        ..usual
    };
    let mut count = |message: &Value| Ok(whole(counter.count(message)?));
    truncate_tool_args(list, options, Some(whole(tokens)), Counter::Message(&mut count)).unwrap()
}

#[test]
fn reads_and_writes_the_event_as_deepagents_does() {
    let pool = read("context/conversations");
    replay("context/event", |Record { given, answer, .. }| {
        let event = given.get("event").and_then(Event::read);
        let answer = answer.as_ref().unwrap();
        if given["kind"] == "cutoff" {
            // Only a decision has one: the calls below compare it.
            return;
        }
        let messages = messages_of(given, &pool);
        if given["kind"] == "effective" {
            let policy = Policy { cuts: Cuts::AsLangchain, ..Policy::default() };
            let view =
                Context::new(policy, &Approximate::default()).view(&messages, event.as_ref());
            return assert_eq!(normal_list(&view.unwrap().messages), told(answer, &messages));
        }
        let counter = counter(given);
        let system = given["system"].as_str();
        let system_tokens = system.map_or(0.0, |system| {
            counter.count(&json!({ "type": "system", "content": system })).unwrap()
        });
        let limit = given["model"]["max_input_tokens"].as_f64();
        let output = given["model"]["max_tokens"].as_f64().unwrap_or(0.0);
        let policy = Policy {
            overhead: system_tokens + tool_tokens(&given["tools"], &counter.0).unwrap(),
            apart: u32::from(system.is_some()),
            most: limit.map(|limit| ((limit * 0.95).floor() - output).max(0.0)),
            ..policy(given).unwrap()
        };
        let providers = providers(given);
        let context = Context { providers: &providers, ..Context::new(policy, &counter) };
        let before = context.view(&messages, event.as_ref()).unwrap();
        let list = truncated(given, &before.messages, before.tokens, &counter);
        let due = context.view(&list, None).unwrap().due;
        let request = told(&answer["request"], &messages);
        let Some(due) = due else {
            assert!(answer["event"].is_null());
            return assert_eq!(normal_list(&list), request);
        };
        let written = &answer["event"];
        let cutoff = event.map_or(due.cutoff, |event| event.cutoff_index + due.cutoff - 1);
        assert_eq!(written["cutoff_index"].as_u64(), Some(cutoff as u64));
        assert_eq!(normal_list(&due.kept), request[1..]);
        let (path, first) = (written["file_path"].as_str(), &request[0]);
        let text = |summary| normal(&summary_message::<Value>(summary, path));
        let long = "Previous conversation was too long to summarize.";
        assert!([text("They agreed."), text(long)].contains(first), "{first}");
    });
}
