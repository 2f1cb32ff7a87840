//! A thread's checkpoints: looking back, branches, updates from outside.

use std::num::NonZeroUsize;
use std::sync::Arc;

use serde_json::json;
use threadfold::graph::{
    Checkpoint, Checkpointer, END, Graph, GraphError, MemorySaver, OnThread, Outcome, START,
    Saving, StateGraph,
};
use threadfold::unstable::checkpoint::{Naming, PlannedTask};

use super::log::{Log, LogUpdate, Texts, asks, joined, named, say};

fn savers() -> [Arc<dyn Checkpointer<Log>>; 2] {
    [Arc::new(MemorySaver::new()), Arc::new(Texts::default())]
}

/// `a`, then `b`, then `c`.
fn chain(saver: Arc<dyn Checkpointer<Log>>) -> StateGraph<Log> {
    let nodes = StateGraph::<Log>::new().node("a", named).node("b", named).node("c", named);
    nodes.edge(START, "a").edge("a", "b").edge("b", "c").checkpointer(saver)
}

async fn seen(thread: OnThread<'_, Log>) -> Vec<String> {
    let mut all = Vec::new();
    for id in thread.checkpoints().await.unwrap() {
        let outcome = thread.at(&id).outcome().await.unwrap().unwrap();
        assert_eq!(outcome.checkpoint.as_ref(), Some(&id));
        all.push(format!("{} -> {}", joined(&outcome.state), outcome.next.join(" ")));
    }
    all
}

fn at(outcome: &Outcome<Log>) -> &str {
    outcome.checkpoint.as_deref().unwrap()
}

#[tokio::test]
async fn a_thread_has_a_checkpoint_for_each_step() {
    for saver in savers() {
        let graph = chain(saver).compile().unwrap();
        graph.on("1").invoke(say("in")).await.unwrap();
        let all = ["in a b c -> ", "in a b -> c", "in a -> b", "in -> a", " -> __start__"];
        assert_eq!(seen(graph.on("1")).await, all);
        assert!(seen(graph.on("2")).await.is_empty());
        let unknown = graph.on("1").at("nowhere").resume(()).await.unwrap_err();
        assert!(matches!(unknown, GraphError::UnknownCheckpoint(id) if id == "nowhere"));
        graph.on("1").delete().await.unwrap();
        assert!(graph.on("1").outcome().await.unwrap().is_none());
        assert!(seen(graph.on("1")).await.is_empty());
    }
}

#[tokio::test]
async fn a_thread_branches_at_a_checkpoint() {
    for saver in savers() {
        let graph = chain(saver).compile().unwrap();
        let thread = graph.on("1");
        let first = thread.invoke(say("in")).await.unwrap();
        let before_b = thread.checkpoints().await.unwrap()[2].clone();
        let again = thread.at(&before_b).resume(()).await.unwrap();
        assert_eq!(joined(&again.state), "in a b c");
        // One where it begins, and those after `b` and `c`.
        assert_eq!(thread.checkpoints().await.unwrap().len(), 5 + 3);
        assert_ne!(at(&again), at(&first));
        // It is the thread's last, and the first branch is still there.
        assert_eq!(thread.outcome().await.unwrap().unwrap().checkpoint, again.checkpoint);
        let more = thread.at(at(&first)).invoke(say("more")).await.unwrap();
        assert_eq!(joined(&more.state), "in a b c more a b c");
        // Two branches at a time are two runs of the thread.
        let one = thread.at(at(&first)).stream(say("one")).await.unwrap();
        thread.at(at(&again)).stream(say("two")).await.unwrap();
        assert!(matches!(one.finish().await, Err(GraphError::Conflict(_))));
    }
}

#[tokio::test]
async fn a_question_is_answered_again_in_a_branch() {
    for saver in savers() {
        let graph = StateGraph::<Log>::new().node("ask", asks).edge(START, "ask");
        let graph = graph.checkpointer(saver).compile().unwrap();
        let thread = graph.on("1");
        let first = thread.invoke(say("in")).await.unwrap();
        let second = thread.resume(json!(1)).await.unwrap();
        thread.resume(json!(2)).await.unwrap();
        let other = thread.at(at(&second)).resume(json!(3)).await.unwrap();
        assert_eq!(joined(&other.state), "in ask: 1 3");
        let asked = thread.at(at(&first)).resume(json!(4)).await.unwrap();
        assert_eq!(asked.interrupts[0].value, json!("second?"));
        assert_eq!(joined(&thread.resume(json!(5)).await.unwrap().state), "in ask: 4 5");
    }
}

#[tokio::test]
async fn an_update_from_outside_is_a_nodes() {
    for saver in savers() {
        let graph = chain(saver).interrupt_before(["b"]).compile().unwrap();
        let thread = graph.on("1");
        let stopped = thread.invoke(say("in")).await.unwrap();
        assert_eq!(stopped.next.join(" "), "b");
        // As `a`, which ran last: `b` is next, as before.
        let updated = thread.update_state(say("noted"), None).await.unwrap();
        assert_eq!(
            (joined(&updated.state), updated.next.join(" ")),
            ("in a noted".into(), "b".into())
        );
        // As `b`, which then does not run.
        let updated = thread.update_state(say("b by hand"), Some("b")).await.unwrap();
        assert_eq!(updated.next.join(" "), "c");
        let done = thread.resume(()).await.unwrap();
        assert_eq!(joined(&done.state), "in a noted b by hand c");
        assert!(done.is_ended());
        // A branch of it: what was is still there.
        let past = thread.at(at(&stopped)).update_state(say("else"), Some("c")).await.unwrap();
        assert_eq!((joined(&past.state), past.is_ended()), ("in a else".into(), true));
        let unknown = thread.update_state(say("x"), Some("nowhere")).await.unwrap_err();
        assert!(matches!(unknown, GraphError::UnknownNode(name) if name == "nowhere"));
        // A new thread begins at the start.
        let begun = graph.on("2").update_state(say("begun"), None).await.unwrap();
        assert_eq!((joined(&begun.state), begun.next.join(" ")), ("begun".into(), "a".into()));
        assert_eq!(joined(&graph.on("2").resume(()).await.unwrap().state), "begun a");
    }
}

/// An update is a step, and drops input that was not merged yet.
#[tokio::test]
async fn an_update_is_a_step_of_its_own() {
    let saver = Arc::new(MemorySaver::new());
    let graph = chain(saver.clone()).compile().unwrap();
    let thread = graph.on("1");
    drop(thread.stream(say("in")).await.unwrap());
    let updated = thread.update_state(say("noted"), Some("a")).await.unwrap();
    assert_eq!((joined(&updated.state), updated.next.join(" ")), ("noted".into(), "b".into()));
    let kept = saver.get("1", None).await.unwrap().unwrap().delta;
    assert_eq!((kept.plan.step, kept.input.is_none()), (0, true));
    let mut run = thread.stream_resumed(()).await.unwrap();
    assert_eq!(run.next().await.unwrap().unwrap().step, 1);
    assert_eq!(joined(&run.finish().await.unwrap().state), "noted b c");
}

#[tokio::test]
async fn an_update_follows_branches_and_finished_nodes() {
    let graph = || -> Graph<Log> {
        let path = |log: &Log| if joined(log).contains("go") { "c" } else { END };
        StateGraph::<Log>::new()
            .node("ask", asks)
            .node("beside", named)
            .node("c", named)
            .edge(START, "ask")
            .edge(START, "beside")
            .branch("ask", path)
            .checkpointer(MemorySaver::new())
            .compile()
            .unwrap()
    };
    for (text, next) in [("go", "c"), ("stay", "")] {
        let graph = graph();
        let thread = graph.on("1");
        thread.invoke(say("in")).await.unwrap();
        let updated = thread.update_state(say(text), Some("ask")).await.unwrap();
        // The update of `beside` counts, and the question is dropped.
        assert_eq!(joined(&updated.state), format!("in beside {text}"));
        assert_eq!((updated.next.join(" ").as_str(), updated.interrupts.len()), (next, 0));
        let done = thread.resume(()).await.unwrap();
        assert!(done.is_ended());
    }
    // Two nodes ran last.
    let both = StateGraph::<Log>::new().node("a", named).node("b", named);
    let both = both.edge(START, "a").edge(START, "b").checkpointer(MemorySaver::new());
    let both = both.compile().unwrap();
    both.on("1").invoke(LogUpdate::default()).await.unwrap();
    let ambiguous = both.on("1").update_state(say("z"), None).await.unwrap_err();
    assert!(matches!(ambiguous, GraphError::AmbiguousNode));
}

#[tokio::test]
async fn memory_keeps_as_many_as_it_is_told() {
    let saver = Arc::new(MemorySaver::new().limit(NonZeroUsize::new(2).unwrap()));
    let graph = chain(saver).compile().unwrap();
    graph.on("1").invoke(say("in")).await.unwrap();
    assert_eq!(seen(graph.on("1")).await, ["in a b c -> ", "in a b -> c"]);
}

/// The first checkpoint after a long input has all of it as its update.
#[tokio::test]
async fn memory_copies_no_updates() {
    let saver = Arc::new(MemorySaver::<Log>::new());
    chain(saver.clone()).compile().unwrap().on("1").invoke(say("in")).await.unwrap();
    let updates = async || saver.get("1", None).await.unwrap().unwrap().delta.updates;
    assert_eq!(updates().await.len(), 1);
    assert!(Arc::ptr_eq(&updates().await, &updates().await));
}

/// A saver that names checkpoints itself: by their number, and by the step that comes next.
#[derive(Default)]
struct Numbered(MemorySaver<Log>);

impl Naming for Numbered {
    fn checkpoint(&self, last: Option<&str>, step: i64) -> String {
        let last = last.and_then(|last| last.split_once(':')?.0.parse().ok());
        format!("{}:{step}", last.map_or(0, |last: u32| last + 1))
    }

    fn interrupt(&self, task: &PlannedTask<'_>, answers: usize) -> String {
        format!("{} {} {answers}", task.checkpoint, task.names.node(task.node).unwrap())
    }
}

impl Checkpointer<Log> for Numbered {
    fn get<'a>(
        &'a self,
        thread: &'a str,
        id: Option<&'a str>,
    ) -> Saving<'a, Option<Checkpoint<Log>>> {
        self.0.get(thread, id)
    }

    fn put<'a>(
        &'a self,
        thread: &'a str,
        last: Option<String>,
        checkpoint: Checkpoint<Log>,
    ) -> Saving<'a, bool> {
        self.0.put(thread, last, checkpoint)
    }

    fn list<'a>(&'a self, thread: &'a str) -> Saving<'a, Vec<String>> {
        self.0.list(thread)
    }

    fn delete<'a>(&'a self, thread: &'a str) -> Saving<'a, ()> {
        self.0.delete(thread)
    }

    fn naming(&self) -> Option<&dyn Naming> {
        Some(self)
    }
}

/// As in LangGraph, whose ids `crates/checkpoint` makes.
#[tokio::test]
async fn a_saver_names_checkpoints_and_a_branch_begins_with_one_of_its_own() {
    let graph = chain(Arc::new(Numbered::default())).interrupt_before(["c"]).compile().unwrap();
    let thread = graph.on("1");
    thread.invoke(say("in")).await.unwrap();
    assert_eq!(thread.checkpoints().await.unwrap(), ["3:3", "2:2", "1:1", "0:0"]);
    thread.resume(()).await.unwrap();
    assert_eq!(thread.checkpoints().await.unwrap().len(), 5);
    thread.at("2:2").resume(()).await.unwrap();
    let all = ["6:4", "5:3", "4:4", "3:3", "2:2", "1:1", "0:0"];
    assert_eq!(thread.checkpoints().await.unwrap(), all);
}

#[tokio::test]
async fn a_checkpoint_tells_an_edge_from_a_node_that_chose_the_next() {
    let saver = Arc::new(MemorySaver::new());
    let nodes = StateGraph::<Log>::new().node("a", named).node("edge", named);
    let graph = nodes.node("choice", named).edge(START, "a").edge("a", "edge");
    let graph = graph.branch("a", |_: &Log| "choice").interrupt_before(["choice"]);
    let graph = graph.checkpointer(saver.clone()).compile().unwrap();
    graph.on("1").invoke(say("in")).await.unwrap();
    let delta = saver.get("1", None).await.unwrap().unwrap().delta;
    let named = |(channel, node)| {
        let chose = Option::and_then(node, |node| delta.names.node(node));
        (delta.names.channel(channel).unwrap(), chose)
    };
    let held: Vec<_> = delta.held.iter().copied().map(named).collect();
    let expected = [("branch:to:edge", None), ("branch:to:choice", Some("a"))];
    assert_eq!(held, expected.map(|(channel, chose)| (channel.to_owned(), chose)));
}
