//! A call that a person has edited: it runs in place of the model's own, and the model is notified.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Next;
use crate::agent::tool::{ToolOutput, ToolRequest};
use crate::graph::BoxError;
use crate::typed::{Content, Message, MessageKind, ToolCall};

/// The field of the state with the edited calls, by the ids of the model's own.
pub(super) const EDITED: &str = "_hitl_edited_tool_calls";

/// Returns what the answers of the turn put in the place of a call.
pub(super) fn edit_of(request: &ToolRequest) -> Option<Value> {
    let id = request.call.id.as_deref().unwrap_or_default();
    request.state.fields.get(EDITED).and_then(|edits| edits.get(id)).cloned()
}

/// Runs the call that a decision put in the place of another.
pub(super) async fn run_edited(
    request: ToolRequest,
    next: Next<ToolRequest, ToolOutput>,
    edit: Value,
    notice: Option<&str>,
) -> Result<ToolOutput, BoxError> {
    let id = request.call.id.clone().unwrap_or_default();
    let name = edit.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let args = edit.get("args").cloned().unwrap_or_default();
    let call = ToolCall { name: name.clone(), args: args.clone(), ..request.call.clone() };
    let request = request.with_call(call);
    // If the tool does not exist, the answer names only that: nothing ran.
    let notice = notice.filter(|_| request.tool.is_some());
    let output = next.call(request).await?;
    let Some(notice) = notice else { return Ok(output) };
    let sentence =
        format!("{notice} Executed instead: {name} with arguments {}.", python_json(&args));
    Ok(match output {
        ToolOutput::Content(content) => ToolOutput::Content(noted(&sentence, content)),
        ToolOutput::Message(message) => ToolOutput::Message(with_note(&sentence, message)),
        ToolOutput::Update(mut update) => {
            let answers = |message: &Message| matches!(&message.kind, MessageKind::Tool(own) if own.tool_call_id == id);
            for message in update.messages.iter_mut().flatten().filter(|message| answers(message)) {
                *message = with_note(&sentence, message.clone());
            }
            ToolOutput::Update(update)
        }
    })
}

fn with_note(sentence: &str, mut message: Message) -> Message {
    if let MessageKind::Tool(own) = &mut message.kind {
        own.content = noted(sentence, std::mem::take(&mut own.content));
    }
    message
}

fn noted(sentence: &str, content: Content) -> Content {
    match content {
        Content::Text(text) if text.is_empty() => sentence.into(),
        Content::Text(text) => format!("{sentence}\n\nTool response:\n{text}").into(),
        Content::Blocks(blocks) => {
            let note = if blocks.is_empty() {
                sentence.to_owned()
            } else {
                [sentence, "\n\nTool response:"].concat()
            };
            let mut all = vec![json!({ "type": "text", "text": note })];
            all.extend(blocks);
            Content::Blocks(all)
        }
    }
}

/// Writes JSON as Python does: with spaces, in ASCII.
fn python_json(value: &Value) -> String {
    let text = match value {
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| {
                format!("{}: {}", Value::from(name.as_str()), python_json(value))
            });
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(python_json).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    };
    let mut ascii = String::with_capacity(text.len());
    for unit in text.encode_utf16() {
        match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii() => ascii.push(char::from(byte)),
            _ => {
                // Writing into a text does not fail.
                let _ = write!(ascii, "\\u{unit:04x}");
            }
        }
    }
    ascii
}
