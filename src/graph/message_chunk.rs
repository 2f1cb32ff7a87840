//! Parts of a message that a model is still writing.

/// More of an assistant's message, which a node streams with [`Ctx::message`](super::Ctx::message).
///
/// All chunks of a message have its id, and the node returns the whole message under that id.
///
/// ```
/// use threadfold::graph::MessageChunk;
///
/// let chunk = MessageChunk::text("a1", "Hel");
/// let call = MessageChunk::new("a1").with_call(0, "c1", "search").with_args(0, "{\"q\":");
/// assert_eq!((chunk.text.as_str(), call.tool_calls.len()), ("Hel", 2));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MessageChunk {
    /// The message's id.
    pub id: String,
    /// Text to append.
    pub text: String,
    /// Reasoning to append.
    pub reasoning: String,
    /// Tool calls that begin, and more of their arguments.
    pub tool_calls: Vec<ToolCallChunk>,
    /// Whether it is the last: the message is complete.
    pub is_last: bool,
}

/// More of a tool call: LangChain's `tool_call_chunk`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolCallChunk {
    /// The call's place in its message.
    pub index: u32,
    /// The call's id, in its first chunk.
    pub id: Option<String>,
    /// The tool's name, in the call's first chunk.
    pub name: Option<String>,
    /// JSON text to append to the arguments.
    pub args: String,
}

impl MessageChunk {
    /// Makes a chunk that adds nothing yet.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), ..Self::default() }
    }

    /// Makes a chunk of text: a model's token.
    #[must_use]
    pub fn text(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::new(id) }
    }

    /// Makes a chunk of reasoning.
    #[must_use]
    pub fn reasoning(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { reasoning: text.into(), ..Self::new(id) }
    }

    /// Returns this chunk with a tool call that begins.
    #[must_use]
    pub fn with_call(mut self, index: u32, id: impl Into<String>, name: impl Into<String>) -> Self {
        let (id, name) = (Some(id.into()), Some(name.into()));
        self.tool_calls.push(ToolCallChunk { index, id, name, args: String::new() });
        self
    }

    /// Returns this chunk with more of a tool call's arguments.
    #[must_use]
    pub fn with_args(mut self, index: u32, args: impl Into<String>) -> Self {
        self.tool_calls.push(ToolCallChunk { index, id: None, name: None, args: args.into() });
        self
    }

    /// Returns this chunk as the last of its message.
    #[must_use]
    pub fn last(mut self) -> Self {
        self.is_last = true;
        self
    }
}
