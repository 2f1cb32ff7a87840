//! Joins the parts of a message, as `AIMessageChunk.concat` of `@langchain/core` does.

use std::mem;

use super::merge::{
    Misfit, Places, is_dict, is_list, merge_content, merge_dicts, merge_lists, merge_usage,
};
use super::tool_calls::ToolCalls;
use super::wire::Wire;
use crate::stream::StreamError;
use crate::value::{DEEPEST, Json, Value};

/// A message that comes in parts, as `AIMessageChunk.concat` of `@langchain/core` joins them.
///
/// It appends text, joins content blocks and tool call chunks by `index`, and sums usage. It reads
/// tool calls from the arguments so far: the text of a part is read once, however long the
/// arguments are.
///
/// ```
/// use serde_json::json;
/// use threadfold::unstable::MessageParts;
///
/// let mut parts = MessageParts::new();
/// for content in ["Hel", "lo"] {
///     parts.push(&json!({ "type": "AIMessageChunk", "id": "a", "content": content }).into())?;
/// }
/// assert_eq!(parts.message()["content"].as_str(), Some("Hello"));
/// assert_eq!(parts.message()["type"].as_str(), Some("ai"));
/// # Ok::<(), threadfold::stream::StreamError>(())
/// ```
#[derive(Debug, Default)]
pub struct MessageParts {
    message: Json,
    calls: ToolCalls,
}

impl MessageParts {
    /// Begins a message.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the message so far; null before the first part.
    #[must_use]
    pub fn message(&self) -> &Json {
        &self.message
    }

    /// Joins a part: an `AIMessageChunk` or its kin, as a dict or a serialised constructor.
    ///
    /// # Errors
    /// `INVALID_MESSAGE` for a part that is not a message. `INVALID_ARGUMENT` for a field that changes
    /// its type, or that would be merged more than 127 deep. The message is then unchanged.
    pub fn push(&mut self, part: &Json) -> Result<(), StreamError> {
        let wire = Wire::read(part).ok_or_else(not_a_message)?;
        let before = self.message.clone();
        self.message = self.calls.joined(Some(&before).filter(|it| !it.is_null()), &wire)?;
        Ok(())
    }
}

pub(super) fn not_a_message() -> StreamError {
    StreamError::new("INVALID_MESSAGE", "messages", "Expected a message with a `type`.")
}

impl ToolCalls {
    /// Joins a message and its next part; a message without one begins.
    pub(super) fn joined(&mut self, left: Option<&Json>, part: &Wire) -> Result<Json, StreamError> {
        let joined = if part.kind == "ai" {
            self.joined_ai(left, &part.fields)
        } else {
            joined_other(left, part, &mut self.blocks)
        };
        joined.map_err(|misfit| {
            let reason = match misfit {
                Misfit::TypeChanged(key) => format!(
                    "field[{key}] already exists in the message chunk, but with a different type."
                ),
                Misfit::TooDeep(key) => format!(
                    "field[{key}] of the message chunk is nested more than {DEEPEST} deep. Send it as text."
                ),
            };
            StreamError::new("INVALID_ARGUMENT", "messages", reason)
        })
    }

    fn joined_ai(&mut self, left: Option<&Json>, right: &Json) -> Result<Json, Misfit> {
        let chunks = list_of(&right["tool_call_chunks"]);
        let Some(left) = left else {
            let fields = begun(right).without("chunk_position").with("type", "ai".into());
            let (calls, invalid) = if chunks.is_empty() {
                (list_of(&right["tool_calls"]), Json::array([]))
            } else {
                self.read(&chunks, &Json::NULL)
            };
            return Ok(fields
                .with("tool_call_chunks", chunks)
                .with("tool_calls", calls)
                .with("invalid_tool_calls", invalid));
        };
        let before = list_of(&left["tool_call_chunks"]);
        let mut touched = Vec::new();
        let mut places = mem::take(&mut self.places);
        let all = merge_lists(&before, &chunks, &mut places, &mut |was, part, joined, at| {
            self.read_on(was, part, joined, at);
            touched.push(at);
        })?;
        self.places = places;
        let mut joined = joined_common(left, right, &mut self.blocks)?;
        let usage = [&left["usage_metadata"], &right["usage_metadata"]];
        if usage.iter().any(|usage| !usage.is_null()) {
            let [left, right] = usage;
            joined = joined.with("usage_metadata", merge_usage(left, right));
        }
        if all.is_empty() {
            let (known, new) = (list_of(&left["tool_calls"]), list_of(&right["tool_calls"]));
            let calls = merge_lists(&known, &new, &mut Places::default(), &mut |_, _, _, _| {})?;
            joined = joined.with("tool_calls", calls).with("invalid_tool_calls", Json::array([]));
        } else if !all.same(&before) {
            let read = self.read_touched(&before, &all, &touched, left);
            let (calls, invalid) = read.unwrap_or_else(|| self.read(&all, left));
            joined = joined.with("tool_calls", calls).with("invalid_tool_calls", invalid);
        }
        Ok(joined.with("tool_call_chunks", all))
    }
}

fn joined_other(left: Option<&Json>, part: &Wire, blocks: &mut Places) -> Result<Json, Misfit> {
    let right = &part.fields;
    let Some(left) = left else {
        return Ok(begun(right).with("type", part.kind.as_str().into()));
    };
    let joined = joined_common(left, right, blocks)?;
    if left["type"].as_str() != Some("tool") {
        return Ok(joined);
    }
    let failed = [left, right].iter().any(|it| it["status"].as_str() == Some("error"));
    let joined = joined.with("status", if failed { "error" } else { "success" }.into());
    let artifact = [&left["artifact"], &right["artifact"]];
    if artifact.iter().all(|artifact| artifact.is_null()) {
        return Ok(joined);
    }
    let [own, new] = artifact.map(|it| Json::from([("artifact", it.clone())]));
    Ok(joined.with("artifact", merge_dicts(&own, &new)?["artifact"].clone()))
}

/// Returns the fields of a first part, with those that every message has.
fn begun(part: &Json) -> Json {
    let or = |key: &str, none: fn() -> Json| match &part[key] {
        value if value.is_null() => none(),
        value => value.clone(),
    };
    part.clone()
        .with("content", or("content", || Json::array([])))
        .with("additional_kwargs", or("additional_kwargs", Json::object))
        .with("response_metadata", or("response_metadata", Json::object))
}

fn joined_common(left: &Json, right: &Json, blocks: &mut Places) -> Result<Json, Misfit> {
    let none = Json::array([]);
    let content = if right["content"].is_null() { &none } else { &right["content"] };
    let dict =
        |of: &Json, key: &str| if is_dict(&of[key]) { of[key].clone() } else { Json::object() };
    let merged = |key: &str| merge_dicts(&dict(left, key), &dict(right, key));
    let mut joined = left
        .clone()
        .with("content", merge_content(&left["content"], content, blocks)?)
        .with("additional_kwargs", merged("additional_kwargs")?)
        .with("response_metadata", merged("response_metadata")?);
    if left["id"].is_null()
        && let Some(id) = right.get("id")
    {
        joined = joined.with("id", id.clone());
    }
    Ok(joined)
}

fn list_of(value: &Json) -> Json {
    if is_list(value) { value.clone() } else { Json::array([]) }
}
