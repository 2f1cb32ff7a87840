//! Long results of tools go to files, by the rules of deepagents.

use serde_json::Value;

use crate::agent::files::{Clock, now, write};
use crate::agent::state::AgentUpdate;
use crate::agent::tool::ToolOutput;
use crate::agent::turn::answer;
use crate::context::{OffloadOptions, offload};
use crate::graph::BoxError;
use crate::typed::{Content, Message, MessageKind, ToolCall};
use crate::value::{Bulk as _, Json, Value as _};

/// deepagents' estimate.
pub(super) const CHARS_PER_TOKEN: usize = 4;

/// Moves the results in what a tool returned that have more than so many tokens to files; a note and
/// a preview stay.
pub(super) fn without_large(
    output: ToolOutput,
    call: &ToolCall,
    files: &Json,
    tokens: usize,
    clock: &Clock,
) -> Result<ToolOutput, BoxError> {
    let update = match output {
        ToolOutput::Update(update) => update,
        ToolOutput::Message(message) => message.into(),
        ToolOutput::Content(content) => answer(call, content, false).with_name(&call.name).into(),
    };
    let AgentUpdate { messages, files: own, .. } = &update;
    let mut written = own.clone().unwrap_or_else(Json::object);
    let mut moved = Vec::new();
    for message in messages.iter().flatten() {
        let Some((short, path, text)) = short_of(message, tokens)? else {
            moved.push(message.clone());
            continue;
        };
        let made = write(files, &path, &text, &now(clock)).files;
        written = written.overlay(&made.unwrap_or_default(), false);
        moved.push(short);
    }
    let files = if written.keys().is_empty() { update.files.clone() } else { Some(written) };
    Ok(AgentUpdate { messages: update.messages.is_some().then_some(moved), files, ..update }.into())
}

/// Returns a result without its long text, the path of its file, and the text.
fn short_of(
    message: &Message,
    tokens: usize,
) -> Result<Option<(Message, String, String)>, BoxError> {
    if !matches!(&message.kind, MessageKind::Tool(result) if may_be_long(&result.content, tokens)) {
        return Ok(None);
    }
    let whole = Value::Array(vec![serde_json::to_value(message)?]);
    let options = OffloadOptions {
        tool_tokens: Some(tokens),
        human_tokens: None,
        exclude_tools: &[],
        ..OffloadOptions::default()
    };
    let moved = offload(&whole, options)?;
    let Some((path, text)) = moved.files.into_iter().next() else { return Ok(None) };
    let short = match moved.messages {
        Value::Array(messages) => messages.into_iter().next(),
        _ => None,
    };
    Ok(short.map(Message::try_from).transpose()?.map(|short| (short, path, text)))
}

/// Whether a content has as many bytes as a long one has characters: its blocks are joined by
/// newlines.
fn may_be_long(content: &Content, tokens: usize) -> bool {
    let joints = match content {
        Content::Text(_) => 0,
        Content::Blocks(blocks) => blocks.len(),
    };
    content.text().len() + joints > CHARS_PER_TOKEN.saturating_mul(tokens)
}
