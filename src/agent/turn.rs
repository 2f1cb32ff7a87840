//! Reads the last turn of a conversation: the model's message, and the results after it.

use std::collections::HashSet;

use crate::id::new_id;
use crate::typed::{Message, MessageKind, MessageList, ToolCall, ToolMessage};

/// The model's last message, and the results after it.
pub(super) struct Turn<'m> {
    pub message: Option<&'m Message>,
    pub results: Vec<&'m ToolMessage>,
}

impl<'m> Turn<'m> {
    pub fn last(messages: &'m MessageList<Message>) -> Self {
        let mut results = Vec::new();
        for message in messages.iter().rev() {
            match &message.kind {
                MessageKind::Assistant(_) => {
                    results.reverse();
                    return Self { message: Some(message), results };
                }
                MessageKind::Tool(result) => results.push(result),
                _ => {}
            }
        }
        Self { message: None, results: Vec::new() }
    }

    /// Returns the calls of the message.
    pub fn calls(&self) -> &'m [ToolCall] {
        self.message.map(Message::tool_calls).unwrap_or_default()
    }

    /// Returns the calls that no result answers.
    pub fn open_calls(&self) -> Vec<&'m ToolCall> {
        let answered: HashSet<&str> =
            self.results.iter().map(|result| &*result.tool_call_id).collect();
        let is_open = |call: &&ToolCall| call.id.as_deref().is_none_or(|id| !answered.contains(id));
        self.calls().iter().filter(is_open).collect()
    }
}

/// Gives an id of its own to each call of a model's message that has none, or that of a call before it.
/// Decisions and results find their call by its id.
pub(super) fn with_own_ids(mut message: Message) -> Message {
    if let MessageKind::Assistant(own) = &mut message.kind {
        let mut seen = HashSet::new();
        for call in &mut own.tool_calls {
            let id = call.id.take().filter(|id| !id.is_empty() && !seen.contains(id));
            let id = id.unwrap_or_else(new_id);
            seen.insert(id.clone());
            call.id = Some(id);
        }
    }
    message
}

/// Makes the answer to a call, without the tool's name.
pub(super) fn answer(call: &ToolCall, text: impl Into<crate::Content>, is_error: bool) -> Message {
    let mut message = ToolMessage::new(text, call.id.clone().unwrap_or_default());
    message.extra.insert("status", if is_error { "error" } else { "success" }.into());
    Message::from(MessageKind::Tool(message))
}
