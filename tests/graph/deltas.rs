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

/// A checkpoint's id, its parent's, whether it is whole, and its text.
type Row = (String, Option<String>, bool, String);

/// Each thread's rows.
#[derive(Default)]
struct Rows(Mutex<HashMap<String, Vec<Row>>>);

/// Every so many checkpoints, one is whole.
const WHOLE: usize = 8;

impl Rows {
    /// Reads a checkpoint: from the last whole one before it, along the deltas between.
    fn read(&self, thread: &str, id: Option<&str>) -> Result<Option<Checkpoint<Chat>>, BoxError> {
        let rows = self.0.lock().unwrap();
        let Some(rows) = rows.get(thread) else { return Ok(None) };
        let mut wanted = id.map(str::to_owned).or_else(|| rows.last().map(|row| row.0.clone()));
        let mut deltas: Vec<Delta<Chat>> = Vec::new();
        for (own, parent, is_whole, text) in rows.iter().rev() {
            if Some(own) != wanted.as_ref() {
                continue;
            }
            if *is_whole {
                let whole: Checkpoint<Chat> = serde_json::from_str(text)?;
                let after = |parent, delta: Delta<Chat>| delta.after(&parent);
                return Ok(Some(deltas.into_iter().rev().try_fold(whole, after)?));
            }
            deltas.push(serde_json::from_str(text)?);
            wanted.clone_from(parent);
        }
        Ok(None)
    }
}

impl Checkpointer<Chat> for Rows {
    fn get<'a>(
        &'a self,
        thread: &'a str,
        id: Option<&'a str>,
    ) -> Saving<'a, Option<Checkpoint<Chat>>> {
        Box::pin(ready(self.read(thread, id)))
    }

    fn put<'a>(
        &'a self,
        thread: &'a str,
        last: Option<String>,
        checkpoint: Checkpoint<Chat>,
    ) -> Saving<'a, bool> {
        let mut all = self.0.lock().unwrap();
        let rows = all.entry(thread.to_owned()).or_default();
        let follows = rows.last().map(|row| &row.0) == last.as_ref();
        if follows {
            let is_whole = rows.len().is_multiple_of(WHOLE);
            let text = if is_whole {
                serde_json::to_string(&checkpoint).unwrap()
            } else {
                serde_json::to_string(&checkpoint.delta).unwrap()
            };
            rows.push((checkpoint.delta.id, checkpoint.delta.parent, is_whole, text));
        }
        Box::pin(ready(Ok(follows)))
    }

    fn list<'a>(&'a self, thread: &'a str) -> Saving<'a, Vec<String>> {
        let all = self.0.lock().unwrap();
        let rows = all.get(thread).into_iter().flatten();
        Box::pin(ready(Ok(rows.rev().map(|row| row.0.clone()).collect())))
    }

    fn delete<'a>(&'a self, thread: &'a str) -> Saving<'a, ()> {
        self.0.lock().unwrap().remove(thread);
        Box::pin(ready(Ok(())))
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
        rows["1"].iter().skip(2).partition(|(_, _, is_whole, _)| *is_whole);
    assert!(whole.iter().all(|(.., text)| text.len() > 100_000));
    let longest = deltas.iter().map(|(.., text)| text.len()).max();
    assert!(longest.is_some_and(|longest| longest < 1_024), "{longest:?}");
}

#[tokio::test]
async fn a_delta_follows_its_parent_only() {
    let rows = Arc::new(Rows::default());
    graph(rows.clone()).on("1").invoke(ChatUpdate::default()).await.unwrap();
    let texts: Vec<_> = rows.0.lock().unwrap()["1"].iter().map(|row| row.3.clone()).collect();
    let first: Checkpoint<Chat> = serde_json::from_str(&texts[0]).unwrap();
    let read = |at: usize| serde_json::from_str::<Delta<Chat>>(&texts[at]).unwrap();
    let second = read(1).after(&first).unwrap();
    let refused = read(3).after(&second).unwrap_err();
    assert!(matches!(refused, GraphError::Delta { error: None, .. }));
    // An update that does not fit the state is refused, too.
    let mut third = read(2);
    Arc::make_mut(&mut third.updates)
        .push(ChatUpdate { messages: Some(vec![Message::remove("gone")]), n: None });
    let refused = third.after(&second).unwrap_err();
    assert!(matches!(refused, GraphError::Delta { error: Some(_), .. }));
}

/// Branches of a thread share what they have in common.
#[tokio::test]
async fn each_checkpoint_is_made_of_its_deltas() {
    let rows = Arc::new(Rows::default());
    let graph = graph(rows.clone());
    let thread = graph.on("1");
    let asked = thread.invoke(ChatUpdate::default()).await.unwrap();
    let question = asked.checkpoint.clone().unwrap();
    let one = thread.resume(json!("one")).await.unwrap();
    let two = thread.at(&question).resume(json!("two")).await.unwrap();
    let said = |chat: &Chat, text: &str| chat.messages.iter().any(|one| one.text() == text);
    assert!(said(&one.state, "\"one\"") && !said(&one.state, "\"two\""));
    assert!(said(&two.state, "\"two\"") && !said(&two.state, "\"one\""));
    for outcome in [asked, one, two] {
        let past = thread.at(outcome.checkpoint.as_deref().unwrap()).state().await.unwrap();
        assert_eq!(past, Some(outcome.state));
    }
}
