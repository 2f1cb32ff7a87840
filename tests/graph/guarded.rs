//! Nodes with further attempts, a time limit, and a handler of their errors.

use std::future::pending;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::json;
use threadfold::State;
use threadfold::graph::{
    BoxError, Command, Ctx, Graph, GraphError, MemorySaver, Node, NodeTimeout, RetryPolicy,
    RunPart, START, StateGraph, Unhandled,
};
use threadfold::reducer::Append;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, State)]
#[state(derive(Clone, Serialize, Deserialize))]
struct Log {
    #[reducer(Append)]
    #[update(Vec<String>)]
    lines: Vec<String>,
}

fn logged(what: impl Into<String>) -> LogUpdate {
    LogUpdate { lines: Some(vec![what.into()]) }
}

async fn next(_: &Log, _: Ctx) -> Result<LogUpdate, BoxError> {
    Ok(logged("next"))
}

/// Fails so many times, and says in which attempt it succeeded.
struct Fails(u32);

impl Node<Log> for Fails {
    async fn run(&self, _: &Log, ctx: Ctx) -> Result<Command<Log>, BoxError> {
        if ctx.attempt() <= self.0 {
            return Err(format!("attempt {}", ctx.attempt()).into());
        }
        Ok(Command::update(logged(format!("attempt {}", ctx.attempt()))))
    }
}

fn failing(times: u32) -> StateGraph<Log> {
    StateGraph::new()
        .node("work", Fails(times))
        .node("next", next)
        .edge(START, "work")
        .edge("work", "next")
}

async fn lines(graph: StateGraph<Log>) -> Vec<String> {
    graph.compile().unwrap().invoke(Log::default()).await.unwrap().state.lines
}

async fn error(graph: StateGraph<Log>) -> BoxError {
    match graph.compile().unwrap().invoke(Log::default()).await {
        Err(GraphError::Node { node, error }) if node == "work" => error,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_failed_node_runs_again_up_to_its_attempts() {
    assert_eq!(error(failing(1)).await.to_string(), "attempt 1");
    let policy = RetryPolicy::at_once();
    assert_eq!(lines(failing(2).retry("work", policy.clone())).await, ["attempt 3", "next"]);
    assert_eq!(error(failing(3).retry("work", policy.clone())).await.to_string(), "attempt 3");
    let policy = policy.max_attempts(5);
    assert_eq!(lines(failing(4).retry("work", policy.clone())).await, ["attempt 5", "next"]);
    for few in [0, 1] {
        let policy = policy.clone().max_attempts(few);
        assert_eq!(error(failing(1).retry("work", policy)).await.to_string(), "attempt 1");
    }
}

#[tokio::test]
async fn the_waits_grow_up_to_the_longest() {
    let waits = Arc::new(Mutex::new(Vec::new()));
    let noted = waits.clone();
    let timer = move |time: Duration| {
        noted.lock().unwrap().push(time);
        std::future::ready(())
    };
    let taken = async |times: u32, policy: RetryPolicy| {
        lines(failing(times).timer(timer.clone()).retry("work", policy)).await;
        std::mem::take(&mut *waits.lock().unwrap())
    };
    let policy = RetryPolicy::new().max_attempts(6).max_interval(Duration::from_secs(3));
    let even = taken(4, policy.clone().jitter(false)).await;
    assert_eq!(even, [500, 1000, 2000, 3000].map(Duration::from_millis));
    let mut more = Vec::new();
    for _ in 0..8 {
        let uneven = taken(2, policy.clone()).await;
        assert_eq!(uneven.len(), 2);
        for (wait, least) in uneven.into_iter().zip([500, 1000].map(Duration::from_millis)) {
            more.push(wait.checked_sub(least).unwrap());
        }
    }
    assert!(more.iter().all(|more| *more < Duration::from_secs(1)));
    assert!(more.iter().any(|one| *one != more[0]), "{more:?}");
    let own = policy.jitter(false).initial_interval(Duration::from_millis(7)).backoff_factor(3.0);
    assert_eq!(taken(3, own.clone()).await, [7, 21, 63].map(Duration::from_millis));
    // A wait that no time can be is the longest.
    for factor in [f64::INFINITY, f64::NAN, -1.0] {
        let longest = [Duration::from_millis(7), Duration::from_secs(3)];
        assert_eq!(taken(2, own.clone().backoff_factor(factor)).await, longest, "{factor}");
    }
    assert_eq!(taken(2, RetryPolicy::at_once()).await, []);
}

#[tokio::test]
async fn only_errors_that_are_worth_it_are_retried() {
    let first = RetryPolicy::at_once().retry_on(|error| error.to_string() == "attempt 1");
    assert_eq!(error(failing(3).retry("work", first.clone())).await.to_string(), "attempt 2");
    // The first policy that an error is worth counts.
    let graph =
        failing(9).retry("work", first).retry("work", RetryPolicy::at_once().max_attempts(5));
    assert_eq!(error(graph).await.to_string(), "attempt 5");
    let policy = RetryPolicy::at_once().retry_on(|_| panic!("of the policy"));
    assert_eq!(
        error(failing(1).retry("work", policy)).await.to_string(),
        "Panicked: of the policy"
    );
    for timer in [true, false] {
        let graph = failing(1).retry("work", RetryPolicy::new());
        let graph = if timer {
            graph.timer(|_| async { panic!("of the timer") })
        } else {
            graph.timer(|_| -> std::future::Ready<()> { panic!("of the timer") })
        };
        assert_eq!(error(graph).await.to_string(), "Panicked: of the timer");
    }
}

/// Runs a graph inside that panics, or takes too many steps.
struct Mistaken(Graph<Log>);

impl Node<Log> for Mistaken {
    async fn run(&self, _: &Log, ctx: Ctx) -> Result<Command<Log>, BoxError> {
        assert!(ctx.attempt() > 1 || ctx.thread().is_some(), "a mistake");
        ctx.run(&self.0, logged("inside")).await?;
        Ok(Command::update(logged(format!("attempt {}", ctx.attempt()))))
    }
}

#[tokio::test]
async fn a_mistake_is_not_retried_unless_the_policy_says_so() {
    async fn panics(_: &Log, _: Ctx) -> Result<LogUpdate, BoxError> {
        panic!("inside")
    }
    let looping = || StateGraph::<Log>::new().node("next", next).edge(START, "next");
    let endless = || looping().edge("next", "next").compile().unwrap();
    let panicking =
        StateGraph::<Log>::new().node("panics", panics).edge(START, "panics").compile().unwrap();
    let around = |graph: Graph<Log>| {
        StateGraph::<Log>::new().node("work", Mistaken(graph)).edge(START, "work")
    };
    let failed = error(around(endless()).retry("work", RetryPolicy::at_once())).await;
    assert_eq!(failed.to_string(), "Panicked: a mistake");
    // The second attempt has no mistake of its own: that of the graph inside ends it.
    let all = RetryPolicy::at_once().retry_on(|_| true).max_attempts(2);
    let limit = error(around(endless()).retry("work", all.clone())).await;
    assert!(matches!(limit.downcast_ref(), Some(GraphError::RecursionLimit(_))));
    for graph in [endless(), panicking] {
        let by_default = |failed: &BoxError| RetryPolicy::default_retry_on(&**failed);
        let failed = error(around(graph).retry("work", all.clone())).await;
        assert!(!by_default(&failed), "{failed:?}");
        assert!(by_default(&"503".into()));
    }
}

/// Asks, fails once with the answer, and returns it.
async fn asks(_: &Log, ctx: Ctx) -> Result<LogUpdate, BoxError> {
    let answer = ctx.interrupt("which?")?;
    if ctx.attempt() == 1 {
        return Err("not yet".into());
    }
    Ok(logged(format!("{answer} in attempt {}", ctx.attempt())))
}

#[tokio::test]
async fn a_question_is_no_failure_and_each_attempt_has_its_answer() {
    let graph = StateGraph::<Log>::new()
        .node("work", asks)
        .retry("work", RetryPolicy::at_once())
        .edge(START, "work")
        .checkpointer(MemorySaver::new())
        .compile()
        .unwrap();
    let asked = graph.on("1").invoke(LogUpdate::default()).await.unwrap();
    assert_eq!(asked.interrupts[0].value, json!("which?"));
    let done = graph.on("1").resume(json!(5)).await.unwrap();
    assert_eq!(done.state.lines, ["5 in attempt 2"]);
}

struct Inside(Graph<Log>);

impl Node<Log> for Inside {
    async fn run(&self, _: &Log, ctx: Ctx) -> Result<Command<Log>, BoxError> {
        let inner = ctx.run(&self.0, logged("inside")).await?;
        if ctx.attempt() == 1 {
            return Err("after the graph inside".into());
        }
        Ok(Command::update(LogUpdate { lines: Some(inner.state.lines) }))
    }
}

#[tokio::test]
async fn a_graph_inside_continues_in_the_next_attempt() {
    let [once, tried] = [(); 2].map(|()| Arc::new(AtomicU32::new(0)));
    let (counted, counts) = (once.clone(), tried.clone());
    let inner = StateGraph::<Log>::new()
        .node("once", move |_: &Log, _: Ctx| {
            counted.fetch_add(1, Ordering::Relaxed);
            std::future::ready(Ok::<_, BoxError>(logged("once")))
        })
        .node("work", move |_: &Log, _: Ctx| {
            let is_third = counts.fetch_add(1, Ordering::Relaxed) == 2;
            let result: Result<_, BoxError> =
                if is_third { Ok(logged("third")) } else { Err("no".into()) };
            std::future::ready(result)
        })
        .edge(START, "once")
        .edge("once", "work")
        .checkpointer(MemorySaver::new());
    let graph = StateGraph::<Log>::new()
        .node("inside", Inside(inner.compile().unwrap()))
        .retry("inside", RetryPolicy::at_once().max_attempts(4))
        .edge(START, "inside")
        .checkpointer(MemorySaver::new());
    let done = graph.compile().unwrap().on("1").invoke(LogUpdate::default()).await.unwrap();
    assert_eq!(done.state.lines, ["inside", "once", "third"]);
    assert_eq!([once, tried].map(|count| count.load(Ordering::Relaxed)), [1, 3]);
}

#[tokio::test]
async fn a_graph_inside_that_has_ended_is_not_run_again() {
    let ran = Arc::new(AtomicU32::new(0));
    let counted = ran.clone();
    let inner = StateGraph::<Log>::new()
        .node("once", move |_: &Log, _: Ctx| {
            counted.fetch_add(1, Ordering::Relaxed);
            std::future::ready(Ok::<_, BoxError>(logged("once")))
        })
        .edge(START, "once")
        .checkpointer(MemorySaver::new());
    let graph = StateGraph::<Log>::new()
        .node("inside", Inside(inner.compile().unwrap()))
        .retry("inside", RetryPolicy::at_once())
        .edge(START, "inside")
        .checkpointer(MemorySaver::new())
        .compile()
        .unwrap();
    let done = graph.on("1").invoke(LogUpdate::default()).await.unwrap();
    assert_eq!(done.state.lines, ["inside", "once"]);
    assert_eq!(ran.load(Ordering::Relaxed), 1);
}

fn after(_: Duration) -> std::future::Ready<()> {
    std::future::ready(())
}

fn never(_: Duration) -> std::future::Pending<()> {
    pending()
}

/// Hangs in its first attempts.
struct Hangs(u32);

impl Node<Log> for Hangs {
    async fn run(&self, _: &Log, ctx: Ctx) -> Result<Command<Log>, BoxError> {
        if ctx.attempt() <= self.0 {
            pending::<()>().await;
        }
        Ok(Command::update(logged("in time")))
    }
}

fn hanging(times: u32) -> StateGraph<Log> {
    StateGraph::new().node("work", Hangs(times)).edge(START, "work")
}

const LIMIT: Duration = Duration::from_secs(3);

#[tokio::test]
async fn a_node_whose_time_is_up_fails() {
    let late = error(hanging(1).timer(after).timeout("work", LIMIT)).await;
    let NodeTimeout { node, limit, .. } = late.downcast_ref().unwrap();
    assert_eq!((node.as_str(), *limit), ("work", LIMIT));
    assert_eq!(late.to_string(), "The node 'work' exceeded its run timeout of 3s.");
    // One that is ready at the first look is in time.
    assert_eq!(lines(hanging(0).timer(after).timeout("work", LIMIT)).await, ["in time"]);
    assert_eq!(lines(hanging(0).timer(never).timeout("work", LIMIT)).await, ["in time"]);
    // Each attempt has its own time.
    let graph = hanging(2).timer(after).retry("work", RetryPolicy::at_once());
    assert_eq!(lines(graph.timeout("work", LIMIT)).await, ["in time"]);
    let outside = hanging(1).timer(|_| async { panic!("no runtime") }).timeout("work", LIMIT);
    assert_eq!(error(outside).await.to_string(), "Panicked: no runtime");
}

/// Panics as it is dropped.
struct Fragile;

impl Drop for Fragile {
    fn drop(&mut self) {
        panic!("dropped");
    }
}

#[tokio::test]
async fn a_node_that_panics_as_its_time_is_up_fails_alone() {
    async fn fragile(_: &Log, _: Ctx) -> Result<LogUpdate, BoxError> {
        let _held = Fragile;
        pending().await
    }
    let graph = StateGraph::<Log>::new().node("work", fragile).edge(START, "work");
    let failed = error(graph.timer(after).timeout("work", LIMIT)).await;
    assert_eq!(failed.to_string(), "Panicked: dropped");
}

#[tokio::test]
async fn the_time_begins_before_the_node_does() {
    let begun = Arc::new(Mutex::new(Vec::new()));
    let (by_timer, by_node) = (begun.clone(), begun.clone());
    let graph = StateGraph::<Log>::new()
        .node("work", move |_: &Log, _: Ctx| {
            by_node.lock().unwrap().push("node");
            std::future::ready(Ok::<_, BoxError>(logged("done")))
        })
        .edge(START, "work")
        .timer(move |_| {
            by_timer.lock().unwrap().push("timer");
            pending()
        });
    assert_eq!(lines(graph.timeout("work", LIMIT)).await, ["done"]);
    assert_eq!(*begun.lock().unwrap(), ["timer", "node"]);
}

async fn handle(_: &Log, ctx: Ctx) -> Result<LogUpdate, BoxError> {
    let error = ctx.error().map(ToString::to_string).unwrap_or_default();
    Ok(logged(format!("{} failed: {error}", ctx.node())))
}

#[tokio::test]
async fn a_handler_answers_for_a_node_whose_edges_are_not_taken() {
    assert_eq!(lines(failing(9).error_handler("work", handle)).await, ["work failed: attempt 1"]);
    assert_eq!(lines(failing(0).error_handler("work", handle)).await, ["attempt 1", "next"]);
    let graph = failing(9).retry("work", RetryPolicy::at_once()).error_handler("work", handle);
    assert_eq!(lines(graph).await, ["work failed: attempt 3"]);

    async fn goes(_: &Log, _: Ctx) -> Result<Command<Log>, BoxError> {
        Ok(Command::update(logged("handled")).goto("next"))
    }
    assert_eq!(lines(failing(9).error_handler("work", goes)).await, ["handled", "next"]);

    async fn fails(_: &Log, ctx: Ctx) -> Result<LogUpdate, BoxError> {
        Err(format!("worse than {}", ctx.error().unwrap()).into())
    }
    let worse = error(failing(9).error_handler("work", fails)).await;
    assert_eq!(worse.to_string(), "worse than attempt 1");
}

#[tokio::test]
async fn a_handler_leaves_an_error_alone() {
    async fn leaves(_: &Log, _: Ctx) -> Result<LogUpdate, Unhandled> {
        Err(Unhandled)
    }
    let graph = hanging(1).timer(after).timeout("work", LIMIT).error_handler("work", leaves);
    assert!(error(graph).await.is::<NodeTimeout>());
    // One that keeps its context, and so the error, has it shared.
    let kept = Arc::new(Mutex::new(Vec::new()));
    let keeps = kept.clone();
    let graph = failing(9).error_handler("work", move |_: &Log, ctx: Ctx| {
        keeps.lock().unwrap().push(ctx);
        std::future::ready(Err::<LogUpdate, _>(Unhandled))
    });
    assert_eq!(error(graph).await.to_string(), "attempt 1");
    assert_eq!(kept.lock().unwrap()[0].error().unwrap().to_string(), "attempt 1");
}

struct Recovers(Graph<Log>);

impl Node<Log> for Recovers {
    async fn run(&self, _: &Log, ctx: Ctx) -> Result<Command<Log>, BoxError> {
        let inner = ctx.run(&self.0, logged("recovered")).await?;
        Ok(Command::update(LogUpdate { lines: Some(inner.state.lines) }))
    }
}

#[tokio::test]
async fn a_handlers_graph_has_a_thread_of_its_own() {
    let saver = Arc::new(MemorySaver::new());
    let inner = || {
        let graph = StateGraph::<Log>::new().node("next", next).edge(START, "next");
        graph.checkpointer(saver.clone()).compile().unwrap()
    };
    let graph = StateGraph::<Log>::new()
        .node("inside", Inside(inner()))
        .error_handler("inside", Recovers(inner()))
        .edge(START, "inside")
        .checkpointer(saver.clone());
    let done = graph.compile().unwrap().on("1").invoke(LogUpdate::default()).await.unwrap();
    assert_eq!(done.state.lines, ["recovered", "next"]);
}

#[tokio::test]
async fn a_reader_hears_that_an_attempt_was_given_up() {
    let graph = failing(2).retry("work", RetryPolicy::at_once().max_attempts(2));
    let graph = graph.error_handler("work", handle).compile().unwrap();
    let mut parts = graph.stream(Log::default()).parts();
    let mut names = Vec::new();
    while let Some(part) = parts.next().await {
        names.push(match part {
            RunPart::Retried(task) => format!("retried {}", task.node),
            RunPart::Started(task) => format!("started {}", task.node),
            RunPart::Finished(task, _) => format!("finished {}", task.node),
            RunPart::Failed(task) => format!("failed {}", task.node),
            _ => continue,
        });
    }
    assert_eq!(names, ["started work", "retried work", "retried work", "finished work"]);
}

#[tokio::test]
async fn a_handled_result_is_kept_while_another_node_asks() {
    async fn other(_: &Log, ctx: Ctx) -> Result<LogUpdate, BoxError> {
        Ok(logged(format!("answered {}", ctx.interrupt("well?")?)))
    }
    let ran = Arc::new(AtomicU32::new(0));
    let counted = ran.clone();
    let graph = failing(9)
        .error_handler("work", move |_: &Log, _: Ctx| {
            counted.fetch_add(1, Ordering::Relaxed);
            std::future::ready(Ok::<_, BoxError>(logged("handled")))
        })
        .node("other", other)
        .edge(START, "other")
        .checkpointer(MemorySaver::new())
        .compile()
        .unwrap();
    let asked = graph.on("1").invoke(LogUpdate::default()).await.unwrap();
    assert_eq!(asked.interrupts.len(), 1);
    let done = graph.on("1").resume(json!(1)).await.unwrap();
    assert!(done.is_ended());
    assert_eq!(done.state.lines, ["answered 1", "handled"]);
    assert_eq!(ran.load(Ordering::Relaxed), 1);
}

/// An answer to what a handler asks would be there for the node's own question, when it starts over.
#[tokio::test]
async fn a_handler_cannot_ask() {
    async fn pays(_: &Log, ctx: Ctx) -> Result<LogUpdate, BoxError> {
        let answer = ctx.interrupt("Pay?")?;
        Err(format!("failed with {answer}").into())
    }
    async fn asks(_: &Log, ctx: Ctx) -> Result<LogUpdate, BoxError> {
        Ok(logged(format!("told {}", ctx.interrupt("Go on?")?)))
    }
    let graph = StateGraph::<Log>::new().node("work", pays).edge(START, "work");
    let graph = graph.error_handler("work", asks).checkpointer(MemorySaver::new());
    let graph = graph.compile().unwrap();
    graph.on("1").invoke(LogUpdate::default()).await.unwrap();
    let Err(GraphError::Node { error, .. }) = graph.on("1").resume(json!(true)).await else {
        panic!("the handler got the node's answer");
    };
    let sentence = "The error handler of 'work' asked. Have it go to a node that asks.";
    assert_eq!(error.to_string(), sentence);
}

#[test]
fn guards_of_an_unknown_node_are_refused() {
    for graph in [
        failing(0).retry("wrok", RetryPolicy::at_once()),
        failing(0).timer(never).timeout("wrok", LIMIT),
        failing(0).error_handler("wrok", handle),
    ] {
        assert!(matches!(graph.compile(), Err(GraphError::UnknownNode(name)) if name == "wrok"));
    }
}

#[test]
fn what_waits_needs_a_timer() {
    for graph in [failing(0).retry("work", RetryPolicy::new()), failing(0).timeout("work", LIMIT)] {
        let error = graph.compile().unwrap_err();
        let sentence =
            "The node 'work' needs a timer: give the graph one, as by .timer(tokio::time::sleep).";
        assert_eq!(error.to_string(), sentence);
    }
    let waits = RetryPolicy::new().max_interval(Duration::ZERO).jitter(false);
    assert!(failing(0).retry("work", waits).compile().is_ok());
}
