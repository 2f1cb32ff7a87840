//! The speaker of a message, and what it holds.

use serde_json::Value as Json;

use super::{Content, Extra, ToolCall};

/// The speaker of a message, and what it holds.
///
/// Each is made from text:
///
/// ```
/// use threadfold::typed::ToolMessage;
/// use threadfold::{Message, MessageKind};
///
/// let question = MessageKind::User("How cold is it?".into());
/// let answer = MessageKind::Tool(ToolMessage::new("4 degrees", "call-1"));
/// let thread = [question, answer].map(Message::from);
/// let MessageKind::Tool(tool) = &thread[1].kind else { panic!() };
/// assert_eq!((&*tool.content.text(), &*tool.tool_call_id), ("4 degrees", "call-1"));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum MessageKind {
    /// Instructions for the model.
    System(SystemMessage),
    /// The user's message: LangChain's `human`.
    User(UserMessage),
    /// The model's message: LangChain's `ai`.
    Assistant(AssistantMessage),
    /// A tool's result.
    Tool(ToolMessage),
    /// Not a message: the removal of the one with this id, or of all
    /// ([`REMOVE_ALL_MESSAGES`](crate::REMOVE_ALL_MESSAGES)).
    Remove,
    /// An unknown kind, as it came: AG-UI's `activity` and `reasoning`, LangChain's `function` and
    /// `chat`, and future ones. Every field except the id, including its `type` or `role`.
    Other(Extra),
}

/// Instructions for the model.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct SystemMessage {
    /// The content.
    pub content: Content,
    /// The speaker's name.
    pub name: Option<String>,
    /// Every other field.
    pub extra: Extra,
}

/// A user's message.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct UserMessage {
    /// The content.
    pub content: Content,
    /// The speaker's name.
    pub name: Option<String>,
    /// Every other field.
    pub extra: Extra,
}

/// A model's message.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct AssistantMessage {
    /// The content.
    pub content: Content,
    /// The speaker's name.
    pub name: Option<String>,
    /// The tool calls it makes.
    pub tool_calls: Vec<ToolCall>,
    /// Every other field.
    pub extra: Extra,
}

/// A tool's result.
///
/// One that is made from text alone answers no call yet: set its `tool_call_id`, or use
/// [`ToolMessage::new`].
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ToolMessage {
    /// The content.
    pub content: Content,
    /// The tool's name.
    pub name: Option<String>,
    /// The id of the call that this answers.
    pub tool_call_id: String,
    /// Every other field: `status`, `artifact`, …
    pub extra: Extra,
}

impl ToolMessage {
    /// Makes a tool's result for the call `tool_call_id`.
    pub fn new(content: impl Into<Content>, tool_call_id: impl Into<String>) -> Self {
        Self { tool_call_id: tool_call_id.into(), ..Self::from(content.into()) }
    }
}

macro_rules! made_from {
    ($($Message:ident: $($Given:ty),*;)*) => { $($(
        impl From<$Given> for $Message {
            fn from(content: $Given) -> Self {
                Self { content: content.into(), ..Self::default() }
            }
        }
    )*)* };
}

made_from! {
    SystemMessage: &str, String, Vec<Json>, Content;
    UserMessage: &str, String, Vec<Json>, Content;
    AssistantMessage: &str, String, Vec<Json>, Content;
    ToolMessage: &str, String, Vec<Json>, Content;
}

impl MessageKind {
    /// Returns LangChain's name of its kind: `system`, `human`, `ai`, `tool`, `remove`; an unknown
    /// kind's own.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::System(_) => "system",
            Self::User(_) => "human",
            Self::Assistant(_) => "ai",
            Self::Tool(_) => "tool",
            Self::Remove => "remove",
            Self::Other(fields) => ["role", "type"]
                .iter()
                .find_map(|key| fields.get(key)?.as_str())
                .unwrap_or_default(),
        }
    }

    /// Returns its content; `None` for a removal and for an unknown kind.
    pub(super) fn content(&self) -> Option<&Content> {
        Some(match self {
            Self::System(message) => &message.content,
            Self::User(message) => &message.content,
            Self::Assistant(message) => &message.content,
            Self::Tool(message) => &message.content,
            Self::Remove | Self::Other(_) => return None,
        })
    }

    /// Returns its content, to be changed.
    pub(super) fn content_mut(&mut self) -> Option<&mut Content> {
        Some(match self {
            Self::System(message) => &mut message.content,
            Self::User(message) => &mut message.content,
            Self::Assistant(message) => &mut message.content,
            Self::Tool(message) => &mut message.content,
            Self::Remove | Self::Other(_) => return None,
        })
    }

    /// Returns the speaker's name, to be changed.
    pub(super) fn speaker_mut(&mut self) -> Option<&mut Option<String>> {
        Some(match self {
            Self::System(message) => &mut message.name,
            Self::User(message) => &mut message.name,
            Self::Assistant(message) => &mut message.name,
            Self::Tool(message) => &mut message.name,
            Self::Remove | Self::Other(_) => return None,
        })
    }

    /// Returns the speaker's name, and every field that has none here.
    pub(super) fn rest(&self) -> (Option<&String>, Option<&Extra>) {
        let (name, extra) = match self {
            Self::System(message) => (&message.name, &message.extra),
            Self::User(message) => (&message.name, &message.extra),
            Self::Assistant(message) => (&message.name, &message.extra),
            Self::Tool(message) => (&message.name, &message.extra),
            Self::Other(fields) => return (None, Some(fields)),
            Self::Remove => return (None, None),
        };
        (name.as_ref(), Some(extra))
    }
}
