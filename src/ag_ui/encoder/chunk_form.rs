//! Chunks of messages in LangChain's form.

use crate::graph::MessageChunk;
use crate::message::kind_of;
use crate::value::{Json, Value};

/// Returns a chunk as LangChain's `AIMessageChunk`.
pub fn chunk(sent: &MessageChunk) -> Json {
    let block = |kind: &str, text: &str| {
        (!text.is_empty()).then(|| Json::from([("type", kind.into()), (kind, text.into())]))
    };
    let content = [block("reasoning", &sent.reasoning), block("text", &sent.text)];
    let calls = sent.tool_calls.iter().map(|call| {
        Json::from([
            ("index", call.index.into()),
            ("id", call.id.clone().into()),
            ("name", call.name.clone().into()),
            ("args", call.args.as_str().into()),
        ])
    });
    let whole = Json::from([
        ("type", "AIMessageChunk".into()),
        ("id", sent.id.as_str().into()),
        ("content", content.into_iter().flatten().collect()),
        ("tool_call_chunks", calls.collect()),
    ]);
    if sent.is_last { whole.with("chunk_position", "last".into()) } else { whole }
}

/// Whether a value that a node writes is a message.
pub fn is_message(value: &Json) -> bool {
    kind_of(value).is_some_and(|kind| kind != "remove") && value.get("content").is_some()
}

/// The text of a message's content: its text blocks.
pub fn text_of(content: &Json) -> String {
    if let Some(text) = content.as_str() {
        return text.to_owned();
    }
    content.iter().filter_map(|block| block.as_str().or_else(|| block["text"].as_str())).collect()
}

/// The reasoning in a message's content.
pub fn reasoning_of(content: &Json) -> String {
    let own = content.iter().filter_map(|block| match block["type"].as_str() {
        Some("reasoning") => block["reasoning"].as_str(),
        Some("thinking") => block["thinking"].as_str(),
        _ => None,
    });
    own.collect()
}
