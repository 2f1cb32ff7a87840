//! Messages between a state, where they are plain dicts, and savers of langgraph.js, where they are
//! records of instances.

use serde_json::{Value, json};

use crate::row::Object;

/// The key under which a saved message says that it was a dict, as npm's threadfold writes it.
const WAS_DICT: &str = "threadfold";

/// Fields that an instance always has. A dict gets them back only if it had them.
const DEFAULTS: [&str; 4] =
    ["additional_kwargs", "response_metadata", "tool_calls", "invalid_tool_calls"];

/// A dict's type, and its class; the types of instances come first.
const CLASSES: [(&str, &str); 10] = [
    ("human", "HumanMessage"),
    ("ai", "AIMessage"),
    ("system", "SystemMessage"),
    ("tool", "ToolMessage"),
    ("function", "FunctionMessage"),
    ("HumanMessageChunk", "HumanMessage"),
    ("AIMessageChunk", "AIMessage"),
    ("SystemMessageChunk", "SystemMessage"),
    ("ToolMessageChunk", "ToolMessage"),
    ("FunctionMessageChunk", "FunctionMessage"),
];

/// Makes records of a list's dicts.
pub fn to_records(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(to_record).collect(),
        other => other,
    }
}

fn to_record(message: Value) -> Value {
    let Value::Object(mut kwargs) = message else { return message };
    let kind = kwargs.get("type").and_then(Value::as_str);
    let class = CLASSES.iter().find(|(name, _)| Some(*name) == kind);
    let Some((name, class)) = class else { return Value::Object(kwargs) };
    kwargs.remove("type");
    let given = DEFAULTS.iter().filter(|key| kwargs.contains_key(**key));
    let mark: Vec<Value> = [name].into_iter().chain(given).map(|key| json!(key)).collect();
    kwargs.insert(WAS_DICT.to_owned(), Value::Array(mark));
    let id = ["langchain_core", "messages", class];
    json!({ "lc": 1, "type": "constructor", "id": id, "kwargs": kwargs })
}

/// Makes dicts of the records in a list, or of one.
pub fn from_records(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(from_record).collect(),
        other => from_record(other),
    }
}

fn from_record(message: Value) -> Value {
    let Value::Object(mut record) = message else { return message };
    let class = record.get("id").and_then(Value::as_array).and_then(|id| id.last()?.as_str());
    let kind = CLASSES.iter().find(|(_, name)| Some(*name) == class).map(|(kind, _)| *kind);
    let is_record = record.get("lc") == Some(&json!(1));
    let (Some(kind), true) = (kind, is_record) else { return Value::Object(record) };
    let Some(Value::Object(mut kwargs)) = record.remove("kwargs") else {
        return Value::Object(record);
    };
    let mark = kwargs.remove(WAS_DICT);
    let mark = mark.as_ref().and_then(Value::as_array);
    let given: Vec<&str> = mark.into_iter().flatten().filter_map(Value::as_str).collect();
    let kind = given.first().copied().filter(|kind| !kind.is_empty()).unwrap_or(kind);
    let mut dict = Object::new();
    dict.insert("type".to_owned(), json!(kind));
    let is_default = |key: &str, value: &Value| {
        let is_empty = value.as_array().is_some_and(Vec::is_empty)
            || value.as_object().is_some_and(Object::is_empty);
        DEFAULTS.contains(&key) && is_empty && !given.contains(&key)
    };
    dict.extend(kwargs.into_iter().filter(|(key, value)| !is_default(key, value)));
    Value::Object(dict)
}
