//! A node merges by itself: it takes the whole state and gives the whole state back.

use threadfold::reducer::AddMessages;
use threadfold::{Message, State};

#[derive(Debug, Clone, Default, State)]
struct Chat {
    #[reducer(AddMessages)]
    messages: Vec<Message>,
    #[reducer(|sum, more| sum + more)]
    turns: u32,
}

fn answer(state: Chat) -> Chat {
    let heard = state.messages.last().map(|last| last.text().into_owned()).unwrap_or_default();
    let answer = Message::assistant(format!("You said: {heard}"));
    state.merge(ChatUpdate { messages: Some(vec![answer]), turns: Some(1) })
}

fn main() {
    let state = Chat { messages: vec![Message::user("hello")], turns: 0 };
    let state = answer(answer(state));
    let said = state.messages.last().map(Message::text);
    assert_eq!(said.as_deref(), Some("You said: You said: hello"));
    assert_eq!(state.turns, 2);
}
