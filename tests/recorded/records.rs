//! The records, and messages reduced to what the reducers look at.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use serde_json::{Map, Value, json};
use uuid::Uuid;

/// What was asked of the reference, and what it said.
pub struct Record {
    pub given: Value,
    /// Nothing, when it refused.
    pub answer: Option<Value>,
    /// The first line of why it refused.
    pub error: Option<String>,
    /// The class of what it raised.
    raised: Option<String>,
    /// The record itself.
    pub all: Value,
}

impl Record {
    fn of(record: Value) -> Self {
        let text = |key: &str| record[key].as_str().map(str::to_owned);
        Self {
            given: record["in"].clone(),
            answer: record.get("out").cloned(),
            error: text("error"),
            raised: text("raised"),
            all: record,
        }
    }

    /// Whether Python stumbled over the input rather than refusing it.
    pub fn stumbled(&self) -> bool {
        let stumbles = ["TypeError", "KeyError", "AttributeError", "NotImplementedError"];
        self.raised.as_deref().is_some_and(|raised| stumbles.contains(&raised))
    }
}

/// What was recorded of a subject.
pub fn read(subject: &str) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("js-tests/peers/conformance/records");
    let text = fs::read_to_string(folder.join(format!("{subject}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Checks each record of a subject; says which fails.
pub fn replay(subject: &str, check: impl Fn(&Record)) {
    let records = read(subject);
    assert!(records.len() >= 100, "{subject}: only {} records", records.len());
    for record in records.into_iter().map(Record::of) {
        let checked = catch_unwind(AssertUnwindSafe(|| check(&record)));
        assert!(checked.is_ok(), "{subject}: {}", record.all);
    }
}

/// The kind of a message in any form.
fn kind(message: &Value) -> &str {
    let name = message["type"].as_str().or_else(|| message["role"].as_str()).unwrap_or_default();
    match name {
        "user" | "HumanMessageChunk" => "human",
        "assistant" | "AIMessageChunk" => "ai",
        "developer" | "SystemMessageChunk" => "system",
        "ToolMessageChunk" => "tool",
        name => name,
    }
}

/// A message as the reducers see it; an id that was made up is `<uuid>`.
fn normal(message: &Value) -> Value {
    let kind = kind(message);
    let id = &message["id"];
    let made_up = id.as_str().is_some_and(|id| id.len() == 36 && Uuid::parse_str(id).is_ok());
    let content = match &message["content"] {
        _ if kind == "remove" => json!(""),
        Value::Null => json!(""),
        content => content.clone(),
    };
    let mut normal = json!({ "kind": kind, "content": content });
    normal["id"] = if made_up { json!("<uuid>") } else { id.clone() };
    if !message["name"].is_null() {
        normal["name"] = message["name"].clone();
    }
    if kind == "tool" {
        normal["tool_call_id"] = message["tool_call_id"].clone();
    }
    let calls = message["tool_calls"].as_array().into_iter().flatten().map(normal_call);
    let calls: Vec<Value> = calls.collect();
    if !calls.is_empty() {
        normal["tool_calls"] = json!(calls);
    }
    normal
}

fn normal_call(call: &Value) -> Value {
    let Some(function) = call.get("function") else {
        return json!({ "name": call["name"], "args": call["args"], "id": call["id"] });
    };
    let args: Value = serde_json::from_str(function["arguments"].as_str().unwrap()).unwrap();
    json!({ "name": function["name"], "args": args, "id": call["id"] })
}

pub fn normal_list(messages: &Value) -> Vec<Value> {
    messages.as_array().unwrap().iter().map(normal).collect()
}

/// A side of a merge as a list.
pub fn items(side: &Value) -> Vec<Value> {
    side.as_array().cloned().unwrap_or_else(|| vec![side.clone()])
}

pub fn fields(object: &Value) -> &Map<String, Value> {
    object.as_object().unwrap()
}
