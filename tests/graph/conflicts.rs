//! Two runs of one thread.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use threadfold::graph::{
    Checkpoint, Checkpointer, GraphError, MemorySaver, START, Saving, StateGraph,
};

use super::log::{Log, LogUpdate, Texts, asks, joined, named, say, yields};

fn chain<C: Checkpointer<Log> + 'static>(saver: C) -> threadfold::graph::Graph<Log> {
    let nodes = StateGraph::<Log>::new().node("a", named).node("b", named);
    nodes.edge(START, "a").edge("a", "b").checkpointer(saver).compile().unwrap()
}

#[tokio::test]
async fn the_second_run_is_told_and_nothing_is_lost() {
    let savers: [Arc<dyn Checkpointer<Log>>; 2] =
        [Arc::new(MemorySaver::new()), Arc::new(Texts::default())];
    for saver in savers {
        let graph = chain(saver);
        let thread = graph.on("1");
        let mut first = thread.stream(say("first")).await.unwrap();
        first.next().await.unwrap().unwrap();
        let second = thread.stream(say("second")).await.unwrap();
        let error = first.next().await.unwrap().unwrap_err();
        assert!(matches!(error, GraphError::Conflict(thread) if thread == "1"));
        assert!(first.next().await.is_none());
        let done = second.finish().await.unwrap();
        assert_eq!(joined(&done.state), "first a second a b");
        assert_eq!(thread.state().await.unwrap(), Some(done.state));
    }
}

#[tokio::test]
async fn one_question_has_one_answer() {
    let graph = StateGraph::<Log>::new().node("ask", asks).edge(START, "ask");
    let graph = graph.checkpointer(MemorySaver::new()).compile().unwrap();
    let thread = graph.on("1");
    thread.invoke(say("in")).await.unwrap();
    let one = thread.stream_resumed(json!("one")).await.unwrap();
    let late = thread.stream_resumed(json!("two")).await.unwrap_err();
    assert!(matches!(late, GraphError::UnknownInterrupt(None)));
    assert_eq!(one.finish().await.unwrap().interrupts[0].value, json!("second?"));
    let done = thread.resume(json!(2)).await.unwrap();
    assert_eq!(joined(&done.state), r#"in ask: "one" 2"#);
}

/// Two answers that are saved at once.
#[tokio::test]
async fn the_first_of_two_answers_to_be_saved_counts() {
    let graph = StateGraph::<Log>::new().node("ask", asks).edge(START, "ask");
    let graph = graph.checkpointer(Slow::default()).compile().unwrap();
    let thread = graph.on("1");
    thread.invoke(say("in")).await.unwrap();
    let (one, two) = tokio::join!(thread.resume(json!("one")), thread.resume(json!("two")));
    let is_lost = |run: &Result<_, _>| matches!(run, Err(GraphError::Conflict(_)));
    assert!(is_lost(&one) != is_lost(&two));
    let kept = if one.is_ok() { "one" } else { "two" };
    let done = thread.resume(json!(2)).await.unwrap();
    assert_eq!(joined(&done.state), format!(r#"in ask: "{kept}" 2"#));
}

/// Two runs begin a new thread at once.
#[tokio::test]
async fn a_new_thread_has_one_beginning() {
    let graph = chain(Slow::default());
    let thread = graph.on("1");
    let (one, two) = tokio::join!(thread.invoke(say("one")), thread.invoke(say("two")));
    let lost =
        [&one, &two].iter().filter(|run| matches!(run, Err(GraphError::Conflict(_)))).count();
    assert_eq!(lost, 1);
    let kept = [one, two].into_iter().find_map(Result::ok).unwrap().state;
    assert_eq!(thread.state().await.unwrap(), Some(kept));
}

/// Yields before and after each put.
#[derive(Default)]
struct Slow {
    texts: Texts,
    puts: Mutex<usize>,
}

impl Checkpointer<Log> for Slow {
    fn get<'a>(
        &'a self,
        thread: &'a str,
        id: Option<&'a str>,
    ) -> Saving<'a, Option<Checkpoint<Log>>> {
        self.texts.get(thread, id)
    }

    fn put<'a>(
        &'a self,
        thread: &'a str,
        last: Option<String>,
        checkpoint: Checkpoint<Log>,
    ) -> Saving<'a, bool> {
        Box::pin(async move {
            yields(1).await;
            *self.puts.lock().unwrap() += 1;
            let put = self.texts.put(thread, last, checkpoint).await;
            tokio::time::sleep(Duration::from_millis(20)).await;
            put
        })
    }

    fn list<'a>(&'a self, thread: &'a str) -> Saving<'a, Vec<String>> {
        self.texts.list(thread)
    }

    fn delete<'a>(&'a self, thread: &'a str) -> Saving<'a, ()> {
        self.texts.delete(thread)
    }
}

/// A dropped future of `next` does not lose the checkpoint that was being saved, and no step.
#[tokio::test]
async fn a_dropped_save_goes_on() {
    let saver = Arc::new(Slow::default());
    let graph = chain(saver.clone());
    let mut run = graph.on("1").stream(LogUpdate::default()).await.unwrap();
    let mut steps = Vec::new();
    loop {
        match tokio::time::timeout(Duration::from_millis(1), run.next()).await {
            Err(_) => {}
            Ok(Some(step)) => steps.push(step.unwrap().step),
            Ok(None) => break,
        }
    }
    assert_eq!((steps, joined(run.state()).as_str()), (vec![1, 2], "a b"));
    assert_eq!(*saver.puts.lock().unwrap(), 4);
}

/// Lets another run save its checkpoints while a branch opens an older one.
struct Meanwhile {
    kept: Arc<MemorySaver<Log>>,
    other: Mutex<Option<threadfold::graph::Graph<Log>>>,
}

impl Checkpointer<Log> for Meanwhile {
    fn get<'a>(
        &'a self,
        thread: &'a str,
        id: Option<&'a str>,
    ) -> Saving<'a, Option<Checkpoint<Log>>> {
        Box::pin(async move {
            let found = self.kept.get(thread, id).await;
            let other = id.and_then(|_| self.other.lock().unwrap().take());
            if let Some(other) = other {
                other.on(thread).invoke(say("other")).await?;
            }
            found
        })
    }

    fn put<'a>(
        &'a self,
        thread: &'a str,
        last: Option<String>,
        checkpoint: Checkpoint<Log>,
    ) -> Saving<'a, bool> {
        self.kept.put(thread, last, checkpoint)
    }

    fn list<'a>(&'a self, thread: &'a str) -> Saving<'a, Vec<String>> {
        self.kept.list(thread)
    }

    fn delete<'a>(&'a self, thread: &'a str) -> Saving<'a, ()> {
        self.kept.delete(thread)
    }
}

/// The branch knows only the versions beside it that are older than that run.
#[tokio::test]
async fn a_branch_that_opens_while_another_run_saves_is_told() {
    let kept = Arc::new(MemorySaver::new());
    let other = chain(kept.clone());
    let first = other.on("1").invoke(say("first")).await.unwrap();
    let saver = Meanwhile { kept, other: Mutex::new(Some(other)) };
    let graph = chain(saver);
    let thread = graph.on("1");
    let at = first.checkpoint.unwrap();
    let error = thread.at(&at).invoke(say("branch")).await.unwrap_err();
    assert!(matches!(error, GraphError::Conflict(thread) if thread == "1"));
    assert_eq!(joined(&thread.state().await.unwrap().unwrap()), "first a b other a b");
}
