//! An answer comes in chunks, each under the answer's id. The cost of a token does not grow with
//! the thread, and earlier states stay as they were.

use std::borrow::Cow;
use std::sync::Arc;

use threadfold::typed::MessageList;
use threadfold::{Error, Message};

fn text(messages: &MessageList<Message>) -> Vec<Cow<'_, str>> {
    messages.iter().map(|message| message.text()).collect()
}

fn main() -> Result<(), Error> {
    let mut thread = MessageList::new(vec![Message::user("Tell me.").with_id("q1")])?;
    thread.update(vec![Message::assistant("").with_id("a1")])?;
    let shown = thread.clone();
    for chunk in ["Once ", "upon ", "a time."] {
        thread.append("a1", chunk)?;
    }
    let now = thread.clone();
    assert_eq!(text(&shown), ["Tell me.", ""]);
    assert_eq!(text(&now), ["Tell me.", "Once upon a time."]);
    // The question is the same in both, not a copy.
    assert!(shown.iter().zip(&now).next().is_some_and(|(then, now)| Arc::ptr_eq(then, now)));

    // The whole message takes its place, under the same id.
    thread.update(vec![Message::assistant("Once upon a time!").with_id("a1")])?;
    assert_eq!(thread.len(), 2);
    assert_eq!(thread.append("a2", "?").map_err(|error| error.code()), Err("UNKNOWN_MESSAGE"));
    Ok(())
}
