//! A checkpointer that keeps deltas, and a whole checkpoint from time to time.

use std::collections::HashMap;
use std::future::ready;
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};
use serde_json::json;
use threadfold::graph::{
    BoxError, Checkpoint, Checkpointer, Ctx, Delta, END, Graph, GraphError, START, Saving,
    StateGraph,
};
use threadfold::reducer::AddMessages;
use threadfold::typed::MessageList;
use threadfold::{Message, State};

#[derive(Debug, Clone, Default, PartialEq, State, Serialize, Deserialize)]
#[state(derive(Clone, Serialize, Deserialize))]
struct Chat {
    #[reducer(AddMessages)]
    #[update(Vec<Message>)]
    messages: MessageList<Message>,
    #[reducer(|sum, more| sum + more)]
    n: usize,
}

/// A checkpoint's id, whether it is whole, and its text.
type Row = (String, bool, String);

/// Each thread's rows.
#[derive(Default)]
struct Rows(Mutex<HashMap<String, Vec<Row>>>);

/// Every so many checkpoints, one is whole.
const WHOLE: usize = 8;

impl Rows {
    fn read(&self, thread: &str) -> Result<Option<Checkpoint<Chat>>, BoxError> {
        let rows = self.0.lock().unwrap();
        let Some(rows) = rows.get(thread) else { return Ok(None) };
        let from = rows.iter().rposition(|(_, is_whole, _)| *is_whole).unwrap_or_default();
        let mut checkpoint: Checkpoint<Chat> = serde_json::from_str(&rows[from].2)?;
        for (_, _, text) in &rows[from + 1..] {
            checkpoint = serde_json::from_str::<Delta<Chat>>(text)?.after(&checkpoint)?;
        }
        Ok(Some(checkpoint))
    }
}

impl Checkpointer<Chat> for Rows {
    fn get<'a>(&'a self, thread: &'a str) -> Saving<'a, Option<Checkpoint<Chat>>> {
        Box::pin(ready(self.read(thread)))
    }

    fn put<'a>(&'a self, thread: &'a str, checkpoint: Checkpoint<Chat>) -> Saving<'a, bool> {
        let mut all = self.0.lock().unwrap();
        let rows = all.entry(thread.to_owned()).or_default();
        let follows = rows.last().map(|(id, ..)| id) == checkpoint.delta.parent.as_ref();
        if follows {
            let is_whole = rows.len().is_multiple_of(WHOLE);
            let text = if is_whole {
                serde_json::to_string(&checkpoint).unwrap()
            } else {
                serde_json::to_string(&checkpoint.delta).unwrap()
            };
            rows.push((checkpoint.delta.id, is_whole, text));
        }
        Box::pin(ready(Ok(follows)))
    }
}

/// Says something without an id, until there are as many messages as the input wants.
async fn speak(chat: &Chat, _: Ctx) -> Result<ChatUpdate, BoxError> {
    let text = format!("message {}", chat.messages.len());
    Ok(ChatUpdate { messages: Some(vec![Message::assistant(text)]), n: Some(1) })
}

fn graph(rows: Arc<Rows>) -> Graph<Chat> {
    StateGraph::<Chat>::new()
        .node("speak", speak)
        .node("ask", |_: &Chat, ctx: Ctx| async move {
            let answer = ctx.interrupt(json!("More?"))?;
            let text = Message::user(answer.to_string());
            Ok::<_, BoxError>(ChatUpdate { messages: Some(vec![text]), n: None })
        })
        .node("beside", speak)
        .edge(START, "speak")
        .branch(
            "speak",
            |chat: &Chat| {
                if chat.n.is_multiple_of(10) { ["ask", "beside"] } else { ["speak", END] }
            },
        )
        .checkpointer(rows)
        .compile()
        .unwrap()
}

fn ids(chat: &Chat) -> Vec<String> {
    chat.messages.iter().map(|message| message.id.clone().unwrap()).collect()
}

#[tokio::test]
async fn a_thread_is_made_of_its_deltas() {
    let rows = Arc::new(Rows::default());
    let hello = ChatUpdate { messages: Some(vec![Message::user("hello")]), n: None };
    let asked = graph(rows.clone()).on("1").invoke(hello).await.unwrap();
    assert_eq!(asked.state.messages.len(), 12);
    // Another process sees the same ids, also of messages that are not merged yet.
    let left = graph(rows.clone()).on("1").outcome().await.unwrap().unwrap();
    assert_eq!(ids(&left.state), ids(&asked.state));
    let done = graph(rows.clone()).on("1").resume(json!("no")).await.unwrap();
    assert!(done.is_ended());
    let after: Vec<_> = ids(&done.state);
    assert!(ids(&asked.state).iter().all(|id| after.contains(id)));
    assert_eq!(graph(rows.clone()).on("1").state().await.unwrap(), Some(done.state));
}

#[tokio::test]
async fn a_delta_does_not_grow_with_its_state() {
    let rows = Arc::new(Rows::default());
    let many = (0..2_000).map(|n| Message::user(format!("message {n}"))).collect();
    let graph = graph(rows.clone());
    graph.on("1").invoke(ChatUpdate { messages: Some(many), n: None }).await.unwrap();
    let rows = rows.0.lock().unwrap();
    // The first is the input; the second merges it.
    let (whole, deltas): (Vec<_>, Vec<_>) =
        rows["1"].iter().skip(2).partition(|(_, whole, _)| *whole);
    assert!(whole.iter().all(|(.., text)| text.len() > 100_000));
    let longest = deltas.iter().map(|(.., text)| text.len()).max();
    assert!(longest.is_some_and(|longest| longest < 1_024), "{longest:?}");
}

#[tokio::test]
async fn a_delta_follows_its_parent_only() {
    let rows = Arc::new(Rows::default());
    graph(rows.clone()).on("1").invoke(ChatUpdate::default()).await.unwrap();
    let texts: Vec<_> = rows.0.lock().unwrap()["1"].iter().map(|row| row.2.clone()).collect();
    let first: Checkpoint<Chat> = serde_json::from_str(&texts[0]).unwrap();
    let read = |at: usize| serde_json::from_str::<Delta<Chat>>(&texts[at]).unwrap();
    let second = read(1).after(&first).unwrap();
    let refused = read(3).after(&second).unwrap_err();
    assert!(matches!(refused, GraphError::Delta { error: None, .. }));
    // An update that does not fit the state is refused, too.
    let mut third = read(2);
    third.updates.push(ChatUpdate { messages: Some(vec![Message::remove("gone")]), n: None });
    let refused = third.after(&second).unwrap_err();
    assert!(matches!(refused, GraphError::Delta { error: Some(_), .. }));
}
