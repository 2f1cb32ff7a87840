//! Nodes with further attempts, a time limit, and a handler of their errors.

use std::future::pending;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::json;
use threadfold::State;
use threadfold::graph::{
    BoxError, Command, Ctx, Graph, GraphError, MemorySaver, Node, NodeTimeout, RetryPolicy, START,
    StateGraph,
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
    let policy = RetryPolicy::new();
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
    let policy = RetryPolicy::new().max_attempts(6).max_interval(Duration::from_secs(3)).wait(
        move |time: Duration| {
            noted.lock().unwrap().push(time);
            std::future::ready(())
        },
    );
    lines(failing(4).retry("work", policy.clone().jitter(false))).await;
    let taken = std::mem::take(&mut *waits.lock().unwrap());
    assert_eq!(taken, [500, 1000, 2000, 3000].map(Duration::from_millis));
    lines(failing(2).retry("work", policy.clone())).await;
    let taken = std::mem::take(&mut *waits.lock().unwrap());
    for (wait, least) in taken.into_iter().zip([500, 1000]) {
        let (least, more) = (Duration::from_millis(least), Duration::from_secs(1));
        assert!(wait >= least && wait < least + more, "{wait:?}");
    }
    let own = policy.jitter(false).initial_interval(Duration::from_millis(7)).backoff_factor(3.0);
    lines(failing(3).retry("work", own.clone())).await;
    let taken = std::mem::take(&mut *waits.lock().unwrap());
    assert_eq!(taken, [7, 21, 63].map(Duration::from_millis));
    // A wait that no time can be is the longest.
    for factor in [f64::INFINITY, f64::NAN, -1.0] {
        lines(failing(2).retry("work", own.clone().backoff_factor(factor))).await;
        let taken = std::mem::take(&mut *waits.lock().unwrap());
        assert_eq!(taken, [Duration::from_millis(7), Duration::from_secs(3)], "{factor}");
    }
}

#[tokio::test]
async fn only_errors_that_are_worth_it_are_retried() {
    let policy = RetryPolicy::new().retry_on(|error| error.to_string() == "attempt 1");
    assert_eq!(error(failing(3).retry("work", policy)).await.to_string(), "attempt 2");

    async fn panics(_: &Log, ctx: Ctx) -> Result<LogUpdate, BoxError> {
        assert!(ctx.attempt() > 1, "a mistake");
        Ok(logged("mended"))
    }
    let panicking = || StateGraph::<Log>::new().node("work", panics).edge(START, "work");
    let failed = error(panicking().retry("work", RetryPolicy::new())).await;
    assert_eq!(failed.to_string(), "Panicked: a mistake");
    let policy = RetryPolicy::new().retry_on(|_| true);
    assert_eq!(lines(panicking().retry("work", policy)).await, ["mended"]);
    let policy = RetryPolicy::new().retry_on(|_| panic!("of the policy"));
    assert_eq!(
        error(failing(1).retry("work", policy)).await.to_string(),
        "Panicked: of the policy"
    );
    let policy = RetryPolicy::new().wait(|_| async { panic!("of the timer") });
    assert_eq!(error(failing(1).retry("work", policy)).await.to_string(), "Panicked: of the timer");
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
        .retry("work", RetryPolicy::new())
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
    let ran = Arc::new(AtomicU32::new(0));
    let counted = ran.clone();
    let (first, second) = (MemorySaver::new(), MemorySaver::new());
    let inner = StateGraph::<Log>::new()
        .node("once", move |_: &Log, _: Ctx| {
            counted.fetch_add(1, Ordering::Relaxed);
            std::future::ready(Ok::<_, BoxError>(logged("once")))
        })
        .node("work", Fails(1))
        .edge(START, "once")
        .edge("once", "work")
        .checkpointer(first)
        .compile();
    let graph = StateGraph::<Log>::new()
        .node("inside", Inside(inner.unwrap()))
        .retry("inside", RetryPolicy::new().max_attempts(4))
        .edge(START, "inside")
        .checkpointer(second)
        .compile()
        .unwrap();
    // The inner node fails in each of its runs: the attempts of the outer are not its own.
    let failed = graph.on("1").invoke(LogUpdate::default()).await.unwrap_err();
    assert!(matches!(failed, GraphError::Node { .. }));
    assert_eq!(ran.load(Ordering::Relaxed), 1);
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
        .retry("inside", RetryPolicy::new())
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
    let late = error(hanging(1).timeout("work", LIMIT, after)).await;
    let NodeTimeout { node, limit, .. } = late.downcast_ref().unwrap();
    assert_eq!((node.as_str(), *limit), ("work", LIMIT));
    assert_eq!(late.to_string(), "The node 'work' exceeded its run timeout of 3s.");
    // One that is ready at the first look is in time.
    assert_eq!(lines(hanging(0).timeout("work", LIMIT, after)).await, ["in time"]);
    assert_eq!(lines(hanging(0).timeout("work", LIMIT, never)).await, ["in time"]);
    // Each attempt has its own time.
    let graph = hanging(2).retry("work", RetryPolicy::new()).timeout("work", LIMIT, after);
    assert_eq!(lines(graph).await, ["in time"]);
    let outside = hanging(1).timeout("work", LIMIT, |_| async { panic!("no runtime") });
    assert_eq!(error(outside).await.to_string(), "Panicked: no runtime");
}

async fn handle(_: &Log, ctx: Ctx) -> Result<LogUpdate, BoxError> {
    let error = ctx.error().map(ToString::to_string).unwrap_or_default();
    Ok(logged(format!("{} failed: {error}", ctx.node())))
}

#[tokio::test]
async fn a_handler_answers_for_a_node_whose_edges_are_not_taken() {
    assert_eq!(lines(failing(9).error_handler("work", handle)).await, ["work failed: attempt 1"]);
    assert_eq!(lines(failing(0).error_handler("work", handle)).await, ["attempt 1", "next"]);
    let graph = failing(9).retry("work", RetryPolicy::new()).error_handler("work", handle);
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

#[tokio::test]
async fn a_handler_may_ask() {
    async fn asks(_: &Log, ctx: Ctx) -> Result<LogUpdate, BoxError> {
        let answer = ctx.interrupt(format!("{}: go on?", ctx.error().unwrap()))?;
        Ok(logged(format!("told {answer}")))
    }
    let graph = failing(9).error_handler("work", asks).checkpointer(MemorySaver::new());
    let graph = graph.compile().unwrap();
    let asked = graph.on("1").invoke(LogUpdate::default()).await.unwrap();
    assert_eq!(asked.interrupts[0].value, json!("attempt 1: go on?"));
    let done = graph.on("1").resume(json!("yes")).await.unwrap();
    assert_eq!(done.state.lines, [r#"told "yes""#]);
}

#[test]
fn guards_of_an_unknown_node_are_refused() {
    for graph in [
        failing(0).retry("wrok", RetryPolicy::new()),
        failing(0).timeout("wrok", LIMIT, never),
        failing(0).error_handler("wrok", handle),
    ] {
        assert!(matches!(graph.compile(), Err(GraphError::UnknownNode(name)) if name == "wrok"));
    }
}
