//! Calls that nobody answered: models refuse them.

use std::collections::HashSet;

use crate::agent::turn::answer;
use crate::context::answer::sentence;
use crate::error::Error;
use crate::typed::{Message, MessageKind, MessageList};

/// Answers the open calls, right after the message that makes them, as deepagents'
/// `PatchToolCallsMiddleware` does. Returns the list itself if there are none.
pub(super) fn answered(messages: &MessageList<Message>) -> Result<MessageList<Message>, Error> {
    let results = messages.iter().filter_map(|message| match &message.kind {
        MessageKind::Tool(result) => Some(&*result.tool_call_id),
        _ => None,
    });
    let results = results.collect::<HashSet<_>>();
    let open = |message: &Message| {
        let calls = message.tool_calls().iter();
        let open = calls.filter(|call| call.id.as_ref().is_some_and(|id| !results.contains(&**id)));
        let answers = open.map(|call| {
            let id = call.id.as_deref().unwrap_or_default();
            answer(call, sentence(&call.name, id, true), true).with_name(&call.name)
        });
        answers.collect::<Vec<_>>()
    };
    if messages.iter().all(|message| open(message).is_empty()) {
        return Ok(messages.clone());
    }
    let all = messages
        .iter()
        .flat_map(|message| std::iter::once(Message::clone(message)).chain(open(message)));
    MessageList::new(all.collect())
}
