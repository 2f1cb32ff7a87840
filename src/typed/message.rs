//! The typed message.

use std::borrow::Cow;

use serde_json::{Map, Value as Json, json};

use super::Streamed;
use crate::error::Error;
use crate::message::REMOVE_ALL_MESSAGES;
use crate::reducer::list::Identified;

mod json;

/// A message of a thread.
///
/// Serializes as LangChain's dict (`{ "type": "human", "id", "content", … }`), and deserializes
/// from every form listed in [`crate::message`], with AG-UI's `toolCallId` and `toolCalls`. An
/// unknown type or role is [`MessageKind::Other`]. Keeps unknown fields both ways: see [`Extra`].
///
/// # Errors
/// Reading fails without a type or a role. It fails for a known kind with a field of the wrong
/// shape, such as a number for its content.
///
/// ```
/// use threadfold::Message;
///
/// let message: Message = serde_json::from_str(r#"{ "role": "user", "id": "1", "content": "hi" }"#)?;
/// assert_eq!(message, Message::user("hi").with_id("1"));
/// assert_eq!(serde_json::to_string(&message)?, r#"{"type":"human","id":"1","content":"hi"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// The id by which a later message replaces or removes this one.
    pub id: Option<String>,
    /// The speaker and the content.
    pub kind: MessageKind,
}

/// The speaker of a message, and its content.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum MessageKind {
    /// Instructions for the model.
    System {
        /// The content.
        content: Content,
        /// The speaker's name.
        name: Option<String>,
        /// Every other field.
        extra: Extra,
    },
    /// The user's message: LangChain's `human`.
    User {
        /// The content.
        content: Content,
        /// The speaker's name.
        name: Option<String>,
        /// Every other field.
        extra: Extra,
    },
    /// The model's message: LangChain's `ai`.
    Assistant {
        /// The content.
        content: Content,
        /// The speaker's name.
        name: Option<String>,
        /// The tool calls it makes.
        tool_calls: Vec<ToolCall>,
        /// Every other field.
        extra: Extra,
    },
    /// A tool's result.
    Tool {
        /// The content.
        content: Content,
        /// The tool's name.
        name: Option<String>,
        /// The id of the call that this answers.
        tool_call_id: String,
        /// Every other field: `status`, `artifact`, …
        extra: Extra,
    },
    /// Not a message: the removal of the one with this id, or of all ([`REMOVE_ALL_MESSAGES`]).
    Remove,
    /// An unknown kind, as it came: AG-UI's `activity` and `reasoning`, LangChain's `function` and
    /// `chat`, and future ones.
    Other {
        /// Every field except the id, including its `type` or `role`.
        fields: Extra,
    },
}

/// A message's content.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Text.
    Text(String),
    /// Content blocks: `{ "type": "text", "text" }`, `{ "type": "image_url", … }`, …
    Blocks(Vec<Json>),
}

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

/// Unknown fields, in their order.
///
/// Includes known fields that came empty (`"name": null`, `"tool_calls": []`); they are written as
/// they came, unless the field has a value by then.
///
/// Most messages have none: it is a pointer, so that a list of messages stays compact.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Extra(Option<Box<Map<String, Json>>>);

impl Message {
    /// Makes a message with instructions for the model.
    pub fn system(content: impl Into<Content>) -> Self {
        let content = content.into();
        MessageKind::System { content, name: None, extra: Extra::default() }.into()
    }

    /// Makes a user's message.
    pub fn user(content: impl Into<Content>) -> Self {
        let content = content.into();
        MessageKind::User { content, name: None, extra: Extra::default() }.into()
    }

    /// Makes a model's message.
    pub fn assistant(content: impl Into<Content>) -> Self {
        let (content, tool_calls) = (content.into(), Vec::new());
        MessageKind::Assistant { content, name: None, tool_calls, extra: Extra::default() }.into()
    }

    /// Makes a tool's result for the call `tool_call_id`.
    pub fn tool(content: impl Into<Content>, tool_call_id: impl Into<String>) -> Self {
        let (content, tool_call_id) = (content.into(), tool_call_id.into());
        MessageKind::Tool { content, name: None, tool_call_id, extra: Extra::default() }.into()
    }

    /// Makes the removal of the message `id`.
    pub fn remove(id: impl Into<String>) -> Self {
        Self::from(MessageKind::Remove).with_id(id)
    }

    /// Makes the removal of every message before it.
    #[must_use]
    pub fn remove_all() -> Self {
        Self::remove(REMOVE_ALL_MESSAGES)
    }

    /// Returns this message under `id`.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Returns this message with these tool calls if it is an assistant's; other kinds have none.
    #[must_use]
    pub fn with_tool_calls(mut self, calls: impl IntoIterator<Item = ToolCall>) -> Self {
        if let MessageKind::Assistant { tool_calls, .. } = &mut self.kind {
            *tool_calls = calls.into_iter().collect();
        }
        self
    }

    /// Returns its content; `None` for a removal and for an unknown kind.
    #[must_use]
    pub fn content(&self) -> Option<&Content> {
        match &self.kind {
            MessageKind::System { content, .. }
            | MessageKind::User { content, .. }
            | MessageKind::Assistant { content, .. }
            | MessageKind::Tool { content, .. } => Some(content),
            MessageKind::Remove | MessageKind::Other { .. } => None,
        }
    }

    /// Returns the text of its content, without other kinds of blocks.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match &self.kind {
            MessageKind::Other { fields } => {
                Cow::Borrowed(fields.get("content").and_then(Json::as_str).unwrap_or_default())
            }
            _ => self.content().map_or(Cow::Borrowed(""), Content::text),
        }
    }
}

impl MessageKind {
    /// Returns LangChain's name of its kind: `system`, `human`, `ai`, `tool`, `remove`; an unknown
    /// kind's own.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::System { .. } => "system",
            Self::User { .. } => "human",
            Self::Assistant { .. } => "ai",
            Self::Tool { .. } => "tool",
            Self::Remove => "remove",
            Self::Other { fields } => ["role", "type"]
                .iter()
                .find_map(|key| fields.get(key)?.as_str())
                .unwrap_or_default(),
        }
    }
}

impl From<MessageKind> for Message {
    fn from(kind: MessageKind) -> Self {
        Self { id: None, kind }
    }
}

impl Identified for Message {
    const IS_MESSAGE: bool = true;

    fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    fn set_id(&mut self, id: String) {
        self.id = Some(id);
    }

    fn is_removal(&self) -> bool {
        self.kind == MessageKind::Remove
    }
}

/// The content that text can be added to.
const TAKES_TEXT: &str = "text or a list of blocks, to have text added";

impl Streamed for Message {
    fn append(&mut self, text: &str) -> Result<(), Error> {
        match &mut self.kind {
            MessageKind::System { content, .. }
            | MessageKind::User { content, .. }
            | MessageKind::Assistant { content, .. }
            | MessageKind::Tool { content, .. } => content.append(text),
            MessageKind::Other { fields } => {
                let content = Content::of(fields.take("content")).map(|mut content| {
                    content.append(text);
                    Json::from(content)
                });
                let takes_text = content.is_ok();
                fields.insert("content", content.unwrap_or_else(|given| given));
                if !takes_text {
                    return Err(Error::value("content", TAKES_TEXT));
                }
            }
            MessageKind::Remove => return Err(Error::value("content", TAKES_TEXT)),
        }
        Ok(())
    }
}

impl Content {
    /// Reads content from JSON; returns the given value if it is something else.
    fn of(content: Json) -> Result<Self, Json> {
        match content {
            Json::String(text) => Ok(Self::Text(text)),
            Json::Array(blocks) => Ok(Self::Blocks(blocks)),
            Json::Null => Ok(Self::Text(String::new())),
            other => Err(other),
        }
    }

    /// Appends text: to the last block if that is text, or in a new one.
    pub fn append(&mut self, text: &str) {
        match self {
            Self::Text(content) => content.push_str(text),
            Self::Blocks(blocks) => match blocks.last_mut().and_then(text_of_block) {
                Some(block) => block.push_str(text),
                None => blocks.push(json!({ "type": "text", "text": text })),
            },
        }
    }

    /// Returns its text, without other kinds of blocks.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Blocks(blocks) => Cow::Owned(blocks.iter().filter_map(block_text).collect()),
        }
    }
}

fn block_text(block: &Json) -> Option<&str> {
    block.as_str().or_else(|| block.get("text")?.as_str())
}

/// Returns the text of a text block.
fn text_of_block(block: &mut Json) -> Option<&mut String> {
    if block.get("type")?.as_str() != Some("text") {
        return None;
    }
    match block.get_mut("text")? {
        Json::String(text) => Some(text),
        _ => None,
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Content> for Json {
    fn from(content: Content) -> Self {
        match content {
            Content::Text(text) => Json::String(text),
            Content::Blocks(blocks) => Json::Array(blocks),
        }
    }
}

impl TryFrom<Json> for Content {
    type Error = Error;

    /// Null is empty text; [`Error::InvalidMessage`] for anything but text or a list.
    fn try_from(content: Json) -> Result<Self, Error> {
        Self::of(content).map_err(|_| Error::message("content is a string or a list of blocks"))
    }
}

impl From<Vec<Json>> for Content {
    fn from(blocks: Vec<Json>) -> Self {
        Self::Blocks(blocks)
    }
}

impl ToolCall {
    /// Makes a call of the tool `name`.
    pub fn new(id: impl Into<String>, name: impl Into<String>, args: Json) -> Self {
        let (id, name) = (Some(id.into()), name.into());
        Self { name, args, id, kind: TOOL_CALL.to_owned(), extra: Extra::default() }
    }
}

/// LangChain's marker of a tool call.
const TOOL_CALL: &str = "tool_call";

impl Extra {
    /// Returns the field's value, if there is one.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.0.as_ref()?.get(key)
    }

    /// Sets a field; returns its old value.
    pub fn insert(&mut self, key: impl Into<String>, value: Json) -> Option<Json> {
        self.0.get_or_insert_default().insert(key.into(), value)
    }

    /// Takes the field's value, leaving null in its place.
    fn take(&mut self, key: &str) -> Json {
        self.0.as_mut().and_then(|fields| fields.get_mut(key)).map(Json::take).unwrap_or_default()
    }

    /// Iterates over the fields, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &Json)> {
        self.0.iter().flat_map(|fields| fields.iter())
    }
}

impl From<Map<String, Json>> for Extra {
    fn from(fields: Map<String, Json>) -> Self {
        Self((!fields.is_empty()).then(|| Box::new(fields)))
    }
}
