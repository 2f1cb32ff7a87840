//! Two async nodes run at once, on tokio; each result is merged as it comes.

use std::time::Duration;

use threadfold::reducer::AddMessages;
use threadfold::{Error, Message, State};
use tokio::task::{JoinSet, yield_now};
use tokio::time::sleep;

#[derive(Debug, Clone, Default, State)]
struct Chat {
    #[reducer(AddMessages)]
    messages: Vec<Message>,
    title: Option<String>,
}

/// Stands for a model that takes its time.
async fn answer(question: String) -> ChatUpdate {
    sleep(Duration::from_millis(20)).await;
    let answer = Message::assistant(format!("An answer to '{question}'")).with_id("a1");
    ChatUpdate { messages: Some(vec![answer]), ..ChatUpdate::default() }
}

async fn name(question: String) -> ChatUpdate {
    yield_now().await;
    ChatUpdate { title: Some(Some(question)), ..ChatUpdate::default() }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let mut state = Chat { messages: vec![Message::user("Why?").with_id("q1")], ..Chat::default() };
    let question = "Why?".to_owned();

    let mut nodes = JoinSet::new();
    nodes.spawn(answer(question.clone()));
    nodes.spawn(name(question));
    while let Some(update) = nodes.join_next().await {
        state.update(update.map_err(Error::reducer)?)?;
    }
    assert_eq!(state.title.as_deref(), Some("Why?"));
    let said: Vec<_> = state.messages.iter().map(Message::text).collect();
    assert_eq!(said, ["Why?", "An answer to 'Why?'"]);
    Ok(())
}
