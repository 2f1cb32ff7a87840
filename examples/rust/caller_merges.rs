//! The caller merges: a node looks at the state and returns its part of it.

use threadfold::reducer::{AddMessages, Append};
use threadfold::{Error, Message, State};

#[derive(Debug, Clone, Default, State)]
struct Chat {
    #[reducer(AddMessages)]
    messages: Vec<Message>,
    #[reducer(Append)]
    #[update(Option<String>)]
    log: Vec<String>,
    title: Option<String>,
}

fn name(state: &Chat) -> ChatUpdate {
    let title = state.messages.first().map(|first| first.text().to_uppercase());
    ChatUpdate { title: Some(title), log: Some(Some("named".to_owned())), ..ChatUpdate::default() }
}

fn main() -> Result<(), Error> {
    let mut state = Chat { messages: vec![Message::user("hello")], ..Chat::default() };
    let update = name(&state);
    state.update(update)?;
    assert_eq!(state.title.as_deref(), Some("HELLO"));
    assert_eq!(state.log, ["named"]);
    assert_eq!(state.messages.len(), 1); // what an update leaves out stays as it is

    // A failed update changes nothing, not even the fields that could have been folded.
    let wrong = ChatUpdate {
        log: Some(Some("never".to_owned())),
        messages: Some(vec![Message::remove("unknown")]),
        ..ChatUpdate::default()
    };
    assert_eq!(state.update(wrong).map_err(|error| error.code()), Err("UNKNOWN_MESSAGE"));
    assert_eq!(state.log, ["named"]);
    Ok(())
}
