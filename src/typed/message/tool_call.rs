//! The tool calls of a message.

use serde_json::Value as Json;

use super::Extra;

/// A tool call by the model.
///
/// Its JSON is LangChain's `{ "name", "args", "id", "type": "tool_call" }`; it also reads
/// `OpenAI`'s form, which is AG-UI's.
///
/// ```
/// use serde_json::json;
/// use threadfold::ToolCall;
///
/// let function = json!({ "name": "search", "arguments": r#"{ "q": "ru"# });
/// let call: ToolCall = serde_json::from_value(json!({ "id": "c1", "function": function }))?;
/// assert_eq!(call.args, json!(r#"{ "q": "ru"#)); // still being streamed: the text as it came
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The tool's name.
    pub name: String,
    /// Its arguments: an object, or the streamed text while that is not JSON yet.
    pub args: Json,
    /// The id that the tool's result gives as its `tool_call_id`.
    pub id: Option<String>,
    /// LangChain's marker: `tool_call`.
    pub kind: String,
    /// Every other field.
    pub extra: Extra,
}

impl ToolCall {
    /// Makes a call of the tool `name`.
    pub fn new(id: impl Into<String>, name: impl Into<String>, args: Json) -> Self {
        let (id, name) = (Some(id.into()), name.into());
        Self { name, args, id, kind: TOOL_CALL.to_owned(), extra: Extra::default() }
    }
}

/// LangChain's marker of a tool call.
pub(super) const TOOL_CALL: &str = "tool_call";
