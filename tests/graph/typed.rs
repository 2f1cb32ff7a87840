//! Graphs over a typed state.

use std::future::{poll_fn, ready};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use serde_json::{Value, json};
use threadfold::graph::{
    BoxError, Command, Ctx, END, GraphError, MemorySaver, Resume, START, StateGraph, Target,
    UpdateAgent,
};

use super::log::{Log, LogUpdate, Texts, asks, joined, named, say, yields};

#[tokio::test]
async fn runs_as_langgraph_does() {
    let graph = StateGraph::<Log>::new()
        .node("b", named)
        .node("a", named)
        .node("c", named)
        .node("last", named)
        .defer("last")
        .edge(START, "a")
        .edge(START, "b")
        .edge("a", "last")
        .join(["a", "b"], "c")
        .branch("c", |log: &Log| if log.log.len() < 5 { "c" } else { END })
        .compile()
        .unwrap();
    let mut running = graph.stream(Log::default());
    let mut steps = Vec::new();
    while let Some(step) = running.next().await {
        let step = step.unwrap();
        steps.push(format!("{} {}", step.step, step.nodes.join("+")));
    }
    assert_eq!(steps, ["1 a+b", "2 c", "3 c", "4 c", "5 last"]);
    assert_eq!(joined(running.state()), "a b c c c last");
}

#[tokio::test]
async fn a_node_knows_the_step_that_it_runs_in() {
    async fn step(_: &Log, ctx: Ctx) -> Result<LogUpdate, BoxError> {
        Ok(say(format!("{} {}", ctx.node(), ctx.step())))
    }
    let graph = StateGraph::<Log>::new().node("a", step).node("b", step).node("c", step);
    let graph = graph.edge(START, "a").edge("a", "b").edge("a", "c").edge("b", "c");
    let state = graph.compile().unwrap().invoke(Log::default()).await.unwrap().state;
    assert_eq!(joined(&state), "a 1 b 2 c 2 c 3");
}

#[tokio::test]
async fn commands_and_sends_go_besides_edges() {
    async fn plan(_: &Log, _: Ctx) -> Result<Command<Log>, BoxError> {
        let task = |n: usize| Target::Send("work".into(), Log { log: vec!["x".into(); n] });
        Ok(Command::update(say("plan")).goto(vec![task(3), task(1)]).goto("b"))
    }
    async fn work(own: &Log, _: Ctx) -> Result<LogUpdate, BoxError> {
        Ok(say(format!("work {}", own.log.len())))
    }
    let graph = StateGraph::<Log>::new()
        .node("plan", plan)
        .node("work", work)
        .node("b", named)
        .node("a", named)
        .edge(START, "plan")
        .edge("plan", "a")
        .compile()
        .unwrap();
    let state = graph.invoke(Log::default()).await.unwrap().state;
    assert_eq!(joined(&state), "plan a b work 3 work 1");
}

#[tokio::test]
async fn each_send_brings_its_own_state_step_after_step() {
    async fn halve(own: &Log, _: Ctx) -> Result<Command<Log>, BoxError> {
        let size = own.log.len();
        let half = |size| Log { log: vec![String::new(); size] };
        let said = Command::update(say(size.to_string()));
        Ok(if size < 2 {
            said
        } else {
            said.send("halve", half(size / 2)).send("halve", half(size - size / 2))
        })
    }
    let first = |_: &Log| Target::Send("halve".into(), Log { log: vec![String::new(); 5] });
    let graph =
        StateGraph::<Log>::new().node("halve", halve).branch(START, first).compile().unwrap();
    let state = graph.invoke(Log::default()).await.unwrap().state;
    assert_eq!(joined(&state), "5 2 3 1 1 1 2 1 1");
}

#[tokio::test]
async fn a_branch_sees_its_own_nodes_update_only() {
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let sees = seen.clone();
    let graph = StateGraph::<Log>::new()
        .node("a", named)
        .node("b", named)
        .edge(START, "a")
        .edge(START, "b")
        .branch("b", move |log: &Log| {
            sees.lock().unwrap().push(joined(log));
            END
        })
        .compile()
        .unwrap();
    graph.invoke(Log { log: vec!["in".into()] }).await.unwrap();
    assert_eq!(*seen.lock().unwrap(), ["in b"]);
}

#[tokio::test]
async fn nodes_of_a_step_run_at_once() {
    async fn slow(_: &Log, ctx: Ctx) -> Result<LogUpdate, BoxError> {
        // The first by name ends last.
        let wait = if ctx.node() == "a" { 80 } else { 40 };
        tokio::time::sleep(Duration::from_millis(wait)).await;
        Ok(say(ctx.node()))
    }
    let mut builder = StateGraph::<Log>::new();
    for name in ["d", "c", "b", "a"] {
        builder = builder.node(name, slow).edge(START, name);
    }
    let graph = builder.compile().unwrap();
    let work = graph.invoke(Log::default());
    let state =
        tokio::time::timeout(Duration::from_millis(150), work).await.unwrap().unwrap().state;
    assert_eq!(joined(&state), "a b c d");
}

#[tokio::test]
async fn a_thread_continues_where_it_was_interrupted() {
    let graph = StateGraph::<Log>::new()
        .node("ask", asks)
        .node("beside", named)
        .node("end", named)
        .edge(START, "ask")
        .edge(START, "beside")
        .join(["ask", "beside"], "end")
        .checkpointer(Texts::default())
        .compile()
        .unwrap();
    let thread = graph.on("1");
    let asked = thread.invoke(say("in")).await.unwrap();
    assert_eq!(asked.interrupts.len(), 1);
    assert_eq!(
        (asked.interrupts[0].node.as_str(), &asked.interrupts[0].value),
        ("ask", &json!("first?"))
    );
    assert_eq!(joined(&asked.state), "in beside");
    assert_eq!(thread.state().await.unwrap().as_ref(), Some(&asked.state));
    let asked = thread.resume(json!(1)).await.unwrap();
    assert_eq!(asked.interrupts[0].value, json!("second?"));
    let done = thread.resume(json!(2)).await.unwrap();
    assert!(done.interrupts.is_empty());
    // `beside` ran once, at the first try.
    assert_eq!(joined(&done.state), "in ask: 1 2 beside end");
    assert_eq!(thread.state().await.unwrap().as_ref(), Some(&done.state));
    assert_eq!(graph.on("2").state().await.unwrap(), None);
    for unknown in [().into(), Resume::Answer(json!(1)), Resume::Answers(Vec::new())] {
        let error = graph.on("2").resume(unknown).await.unwrap_err();
        assert!(matches!(error, GraphError::UnknownThread(name) if name == "2"));
    }
    let again = thread.invoke(say("more")).await.unwrap();
    assert_eq!(again.interrupts.len(), 1);
}

#[tokio::test]
async fn several_interrupts_are_answered_by_their_ids() {
    let graph = StateGraph::<Log>::new()
        .node("x", asks)
        .node("y", asks)
        .edge(START, "x")
        .edge(START, "y")
        .checkpointer(Texts::default())
        .compile()
        .unwrap();
    let thread = graph.on("1");
    let mut asked = thread.invoke(say("in")).await.unwrap().interrupts;
    assert_eq!(asked.len(), 2);
    let refused = thread.resume(json!(1)).await.unwrap_err();
    assert!(matches!(refused, GraphError::SeveralInterrupts(ids) if ids.len() == 2));
    // An id that nothing open has: a typo, or a second click. Nothing is answered.
    let known = (asked[0].id.clone(), json!("a"));
    let refused = thread.resume(vec![known, ("other".to_owned(), json!(1))]).await.unwrap_err();
    assert!(matches!(refused, GraphError::UnknownInterrupt(Some(id)) if id == "other"));
    // A process that opens the thread again can ask again, and nothing runs for it.
    let left = thread.outcome().await.unwrap().unwrap();
    assert_eq!((left.interrupts, joined(&left.state)), (asked.clone(), "in".to_owned()));
    assert!(graph.on("none").outcome().await.unwrap().is_none());
    let told = json!({ "id": asked[0].id, "node": "x", "value": "first?" });
    assert_eq!(serde_json::to_value(&asked[0]).unwrap(), told);
    // One is answered, and asks again; then both are.
    asked = thread.resume(vec![(asked[1].id.clone(), json!("y1"))]).await.unwrap().interrupts;
    assert_eq!(asked.iter().map(|one| &one.value).collect::<Vec<_>>(), ["first?", "second?"]);
    let mut answers: Vec<(String, Value)> =
        asked.iter().map(|one| (one.id.clone(), json!(one.node))).collect();
    // A question has one answer.
    answers.push((asked[0].id.clone(), json!("again")));
    asked = thread.resume(answers).await.unwrap().interrupts;
    assert_eq!(asked.len(), 1);
    let done = thread.resume(json!("x2")).await.unwrap();
    assert_eq!(joined(&done.state), r#"in x: "x" "x2" y: "y1" "y""#);
}

#[tokio::test]
async fn an_error_keeps_its_siblings_results() {
    let tries = Arc::new(AtomicUsize::new(0));
    let beside = Arc::new(AtomicUsize::new(0));
    let (own, others) = (tries.clone(), beside.clone());
    let graph = StateGraph::<Log>::new()
        .node("fails", move |_: &Log, _: Ctx| {
            let first = own.fetch_add(1, Ordering::Relaxed) == 0;
            async move { if first { Err("no".to_owned()) } else { Ok(say("works")) } }
        })
        .node("beside", move |_: &Log, ctx: Ctx| {
            others.fetch_add(1, Ordering::Relaxed);
            async move { Ok::<_, BoxError>(say(ctx.node())) }
        })
        .edge(START, "fails")
        .edge(START, "beside")
        .checkpointer(Texts::default())
        .compile()
        .unwrap();
    let failed = graph.on("1").invoke(say("in")).await.unwrap_err();
    assert_eq!(failed.to_string(), "The node 'fails' failed");
    assert_eq!(std::error::Error::source(&failed).unwrap().to_string(), "no");
    let done = graph.on("1").resume(()).await.unwrap();
    assert_eq!(joined(&done.state), "in beside works");
    assert_eq!((tries.load(Ordering::Relaxed), beside.load(Ordering::Relaxed)), (2, 1));
}

#[tokio::test]
async fn an_agent_is_a_node_and_a_graph_may_begin_with_a_list_edge() {
    struct Counts;
    impl UpdateAgent for Counts {
        type State = Log;
        type Error = BoxError;
        async fn update(&self, log: &Log) -> Result<LogUpdate, BoxError> {
            Ok(say(log.log.len().to_string()))
        }
    }
    let graph = StateGraph::<Log>::new().agent("counts", Counts).join([START], "counts");
    let done = graph.compile().unwrap().invoke(Log { log: vec!["in".into()] }).await.unwrap();
    assert_eq!(joined(&done.state), "in 1");
}

#[tokio::test]
async fn a_dropped_step_is_repeated_without_its_finished_tasks() {
    let (paid, slow) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(1)));
    let counted = paid.clone();
    let slowly = slow.clone();
    let graph = StateGraph::<Log>::new()
        .node("pay", move |_: &Log, _: Ctx| {
            counted.fetch_add(1, Ordering::SeqCst);
            ready(Ok::<_, BoxError>(say("paid")))
        })
        .node("ask", move |_: &Log, ctx: Ctx| {
            let answer = ctx.interrupt(json!("Sure?"));
            let wait = slowly.load(Ordering::SeqCst) == 2;
            async move {
                if wait {
                    tokio::time::sleep(Duration::from_secs(3600)).await;
                }
                Ok::<_, BoxError>(say(format!("sure {}", answer?)))
            }
        })
        .edge(START, "pay")
        .edge(START, "ask")
        .checkpointer(MemorySaver::new())
        .compile()
        .unwrap();
    let thread = graph.on("1");
    let asked = thread.invoke(LogUpdate::default()).await.unwrap();
    assert_eq!((asked.interrupts.len(), paid.load(Ordering::SeqCst)), (1, 1));
    slow.store(2, Ordering::SeqCst);
    let mut run = thread.stream_resumed(json!(true)).await.unwrap();
    for _ in 0..2 {
        let dropped = tokio::time::timeout(Duration::from_millis(20), run.next()).await;
        assert!(dropped.is_err());
    }
    slow.store(1, Ordering::SeqCst);
    let done = run.finish().await.unwrap();
    assert_eq!((joined(&done.state).as_str(), done.interrupts.len()), ("sure true paid", 0));
    assert_eq!(paid.load(Ordering::SeqCst), 1);

    // One that finishes beside it in the same step does not run again either.
    paid.store(0, Ordering::SeqCst);
    slow.store(2, Ordering::SeqCst);
    let mut run = graph.stream(Log::default());
    assert!(tokio::time::timeout(Duration::from_millis(20), run.next()).await.is_err());
    slow.store(1, Ordering::SeqCst);
    let asked = run.finish().await.unwrap();
    assert_eq!((asked.interrupts.len(), paid.load(Ordering::SeqCst)), (1, 1));
}

#[tokio::test]
async fn breakpoints_and_limits_stop_a_run() {
    let graph = || {
        StateGraph::<Log>::new()
            .node("a", named)
            .node("b", named)
            .edge(START, "a")
            .edge("a", "b")
            .checkpointer(MemorySaver::new())
    };
    let before = graph().interrupt_before(["b"]).compile().unwrap();
    assert_eq!(joined(&before.on("1").invoke(say("in")).await.unwrap().state), "in a");
    assert_eq!(joined(&before.on("1").resume(Resume::GoOn).await.unwrap().state), "in a b");
    let after = graph().interrupt_after(["a"]).compile().unwrap();
    assert_eq!(joined(&after.on("1").invoke(say("in")).await.unwrap().state), "in a");
    assert_eq!(joined(&after.on("1").resume(()).await.unwrap().state), "in a b");
    // A chain of two needs three.
    let limited = graph().recursion_limit(2).compile().unwrap();
    assert!(matches!(limited.invoke(Log::default()).await, Err(GraphError::RecursionLimit(2))));
    assert!(graph().recursion_limit(3).compile().unwrap().invoke(Log::default()).await.is_ok());
}

#[tokio::test]
async fn errors_of_a_graph_are_reported() {
    let graph = || StateGraph::<Log>::new().node("a", named).edge(START, "a");
    let wrong = [
        graph().node("a", named),
        graph().node("a|b", named),
        graph().node(START, named),
        graph().node(END, named),
    ];
    for graph in wrong {
        assert!(matches!(graph.compile(), Err(GraphError::InvalidName(_))));
    }
    let unknown = [
        graph().edge("a", "b"),
        graph().edge("b", "a"),
        graph().edge("a", START),
        graph().join(["a", "b"], "a"),
        graph().defer("b"),
        graph().interrupt_before(["b"]),
        graph().branch("b", |_: &Log| END),
    ];
    for graph in unknown {
        assert!(matches!(graph.compile(), Err(GraphError::UnknownNode(_))));
    }
    assert!(matches!(graph().join([], "a").compile(), Err(GraphError::EmptyJoin(_))));
    for graph in [StateGraph::<Log>::new(), StateGraph::new().node("a", named).edge("a", END)] {
        assert!(matches!(graph.compile(), Err(GraphError::NoStart)));
    }
    for nowhere in ["nowhere", START] {
        let lost = graph().branch("a", move |_: &Log| nowhere).compile().unwrap();
        let error = lost.invoke(Log::default()).await.unwrap_err();
        assert_eq!(error.to_string(), format!("There is no node '{nowhere}'."));
    }
    let bare = graph().compile().unwrap();
    assert!(matches!(bare.on("1").invoke(say("in")).await, Err(GraphError::NoCheckpointer)));
}

/// A run may move between threads: its future is `Send`.
#[test]
fn a_run_may_go_to_another_thread() {
    fn sent<T: Send>(value: T) -> T {
        value
    }
    let graph = StateGraph::<Log>::new().node("a", named).edge(START, "a").compile().unwrap();
    drop(sent(graph.invoke(Log::default())));
    drop(sent(graph.on("1").resume(())));
}

#[test]
fn a_node_that_yields_gives_its_executor_the_word() {
    static POLLED: AtomicUsize = AtomicUsize::new(0);
    async fn spins(_: &Log, _: Ctx) -> Result<LogUpdate, BoxError> {
        let mut spinning = Box::pin(yields(20));
        poll_fn(|context| {
            POLLED.fetch_add(1, Ordering::SeqCst);
            spinning.as_mut().poll(context)
        })
        .await;
        Ok(say("spun"))
    }
    let graph = StateGraph::<Log>::new()
        .node("spins", spins)
        .node("a", named)
        .edge(START, "spins")
        .edge(START, "a")
        .compile()
        .unwrap();
    let mut run = Box::pin(graph.invoke(Log::default()));
    let mut turns = 0;
    let outcome = loop {
        turns += 1;
        match run.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(outcome) => break outcome.unwrap(),
            Poll::Pending => {}
        }
    };
    assert_eq!(outcome.state.log, ["a", "spun"]);
    // Each turn of the executor is one of the node's.
    assert_eq!((turns, POLLED.load(Ordering::SeqCst)), (21, 21));
}
