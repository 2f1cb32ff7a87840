//! The typed message.

use std::borrow::Cow;

use serde_json::Value as Json;

use super::Streamed;
use crate::error::Error;
use crate::message::REMOVE_ALL_MESSAGES;
use crate::reducer::list::Identified;

mod content;
mod extra;
mod json;
mod kind;
mod tool_call;

pub use content::Content;
pub use extra::Extra;
pub use kind::{AssistantMessage, MessageKind, SystemMessage, ToolMessage, UserMessage};
pub use tool_call::ToolCall;

/// A message of a thread.
///
/// Serializes as LangChain's dict (`{ "type": "human", "id", "content", … }`), and deserializes
/// from every form of [`add_json_messages`](crate::add_json_messages), with AG-UI's `toolCallId` and `toolCalls`. An
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

impl Message {
    /// Makes a message with instructions for the model.
    pub fn system(content: impl Into<Content>) -> Self {
        MessageKind::System(content.into().into()).into()
    }

    /// Makes a user's message.
    pub fn user(content: impl Into<Content>) -> Self {
        MessageKind::User(content.into().into()).into()
    }

    /// Makes a model's message.
    pub fn assistant(content: impl Into<Content>) -> Self {
        MessageKind::Assistant(content.into().into()).into()
    }

    /// Makes a tool's result for the call `tool_call_id`.
    pub fn tool(content: impl Into<Content>, tool_call_id: impl Into<String>) -> Self {
        MessageKind::Tool(ToolMessage::new(content, tool_call_id)).into()
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

    /// Returns this message with the speaker's name; removals and unknown kinds have none.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        if let Some(speaker) = self.kind.speaker_mut() {
            *speaker = Some(name.into());
        }
        self
    }

    /// Returns this message with these tool calls if it is an assistant's; other kinds have none.
    #[must_use]
    pub fn with_tool_calls(mut self, calls: impl IntoIterator<Item = ToolCall>) -> Self {
        if let MessageKind::Assistant(message) = &mut self.kind {
            message.tool_calls = calls.into_iter().collect();
        }
        self
    }

    /// Returns its content; `None` for a removal and for an unknown kind.
    #[must_use]
    pub fn content(&self) -> Option<&Content> {
        self.kind.content()
    }

    /// Returns the text of its content, without other kinds of blocks.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match &self.kind {
            MessageKind::Other(fields) => {
                Cow::Borrowed(fields.get("content").and_then(Json::as_str).unwrap_or_default())
            }
            _ => self.content().map_or(Cow::Borrowed(""), Content::text),
        }
    }

    /// Returns the tool calls of a model's message; other kinds have none.
    #[must_use]
    pub fn tool_calls(&self) -> &[ToolCall] {
        match &self.kind {
            MessageKind::Assistant(message) => &message.tool_calls,
            _ => &[],
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
        if let Some(content) = self.kind.content_mut() {
            content.append(text);
            return Ok(());
        }
        let MessageKind::Other(fields) = &mut self.kind else {
            return Err(Error::value("content", TAKES_TEXT));
        };
        let content = Content::of(fields.take("content")).map(|mut content| {
            content.append(text);
            Json::from(content)
        });
        let takes_text = content.is_ok();
        fields.insert("content", content.unwrap_or_else(|given| given));
        if takes_text { Ok(()) } else { Err(Error::value("content", TAKES_TEXT)) }
    }
}
