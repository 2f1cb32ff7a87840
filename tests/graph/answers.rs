//! An answer answers the question that was asked, and nothing else.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::json;
use threadfold::graph::{
    BoxError, Command, Ctx, Graph, GraphError, MemorySaver, Node, Outcome, Resume, START,
    StateGraph,
};

use super::typed::{Log, LogUpdate, Texts, asks, joined, named, say};

async fn pay(_: &Log, ctx: Ctx) -> Result<LogUpdate, BoxError> {
    Ok(say(format!("paid {}", ctx.interrupt(json!("Pay 1,000?"))?)))
}

/// `plan` fails as often as `fails` says; `pay` follows, and asks.
fn plan_and_pay(fails: usize) -> Graph<Log> {
    let tries = AtomicUsize::new(0);
    StateGraph::<Log>::new()
        .node("plan", move |_: &Log, _: Ctx| {
            let failed = tries.fetch_add(1, Ordering::SeqCst) < fails;
            async move { if failed { Err("no") } else { Ok(say("plan")) } }
        })
        .node("pay", pay)
        .edge(START, "plan")
        .edge("plan", "pay")
        .checkpointer(MemorySaver::new())
        .compile()
        .unwrap()
}

fn next(outcome: &Outcome<Log>) -> String {
    outcome.next.join(" ")
}

#[tokio::test]
async fn an_answer_to_no_question_is_refused_and_approves_nothing() {
    let graph = plan_and_pay(1);
    let thread = graph.on("1");
    thread.invoke(say("in")).await.unwrap_err();
    let refused = thread.resume(json!(true)).await.unwrap_err();
    assert!(matches!(refused, GraphError::UnknownInterrupt(None)));
    assert_eq!(joined(&thread.state().await.unwrap().unwrap()), "in");
    // It goes on without one, and asks.
    let asked = thread.resume(()).await.unwrap();
    assert_eq!(asked.interrupts[0].value, json!("Pay 1,000?"));
    assert_eq!(joined(&thread.resume(json!(true)).await.unwrap().state), "in plan paid true");
}

/// A node whose question was answered fails, and asks no more when it runs again.
#[tokio::test]
async fn an_answer_outlives_a_failure_and_is_not_for_the_next_node() {
    let works = Arc::new(AtomicBool::new(false));
    let asks = works.clone();
    let graph = StateGraph::<Log>::new()
        .node("first", move |_: &Log, ctx: Ctx| {
            let works = asks.load(Ordering::SeqCst);
            async move {
                let answer = ctx.interrupt(json!("First?"))?;
                if works { Ok(say(answer.to_string())) } else { Err(BoxError::from("no")) }
            }
        })
        .node("pay", pay)
        .edge(START, "first")
        .edge("first", "pay")
        .checkpointer(MemorySaver::new())
        .compile()
        .unwrap();
    let thread = graph.on("1");
    thread.invoke(say("in")).await.unwrap();
    thread.resume(json!(1)).await.unwrap_err();
    works.store(true, Ordering::SeqCst);
    assert!(matches!(thread.resume(json!(2)).await, Err(GraphError::UnknownInterrupt(None))));
    let asked = thread.resume(()).await.unwrap();
    assert_eq!((joined(&asked.state), next(&asked)), ("in 1".to_owned(), "pay".to_owned()));
    assert_eq!(asked.interrupts[0].value, json!("Pay 1,000?"));
}

/// The node that asked has changed: it asks no more, and its answer is for no other.
#[tokio::test]
async fn an_answer_that_nothing_takes_is_dropped() {
    let saver = Arc::new(MemorySaver::new());
    let graph = |asks: bool| {
        let first = move |_: &Log, ctx: Ctx| async move {
            if asks {
                ctx.interrupt(json!("First?"))?;
            }
            Ok::<_, BoxError>(say("first"))
        };
        StateGraph::<Log>::new()
            .node("first", first)
            .node("pay", pay)
            .edge(START, "first")
            .edge("first", "pay")
            .checkpointer(saver.clone())
            .compile()
            .unwrap()
    };
    graph(true).on("1").invoke(say("in")).await.unwrap();
    let asked = graph(false).on("1").resume(json!(true)).await.unwrap();
    assert_eq!(asked.interrupts[0].value, json!("Pay 1,000?"));
}

/// Runs a graph that asks twice, and asks by itself before.
struct Inside(Graph<Log>);

impl Node<Log> for Inside {
    async fn run(&self, _: &Log, ctx: Ctx) -> Result<Command<Log>, BoxError> {
        let own = ctx.interrupt(json!("own?"))?;
        let thread = self.0.on(ctx.thread().unwrap());
        let mut outcome = match thread.outcome().await? {
            Some(asked) if !asked.is_ended() => asked,
            _ => thread.invoke(LogUpdate::default()).await?,
        };
        while let Some(question) = outcome.interrupts.first() {
            outcome = thread.resume(ctx.forward(question)?).await?;
        }
        Ok(Command::update(say(format!("{own}, {}", joined(&outcome.state)))))
    }
}

#[tokio::test]
async fn questions_of_a_graph_inside_get_their_own_answers() {
    let inner = StateGraph::<Log>::new().node("ask", asks).edge(START, "ask");
    let inner = inner.checkpointer(MemorySaver::new()).compile().unwrap();
    let graph = StateGraph::<Log>::new().node("inside", Inside(inner)).edge(START, "inside");
    let graph = graph.checkpointer(Texts::default()).compile().unwrap();
    for thread in ["1", "2"] {
        let thread = graph.on(thread);
        let mut asked = vec![thread.invoke(say("in")).await.unwrap()];
        for answer in 0..2 {
            asked.push(thread.resume(json!(answer)).await.unwrap());
        }
        let questions = asked.iter().map(|outcome| outcome.interrupts[0].value.clone());
        assert_eq!(questions.collect::<Vec<_>>(), ["own?", "first?", "second?"]);
        let done = thread.resume(json!(2)).await.unwrap();
        assert_eq!(joined(&done.state), "in 0, ask: 1 2");
    }
}

#[tokio::test]
async fn an_outcome_tells_the_end_from_a_stop() {
    let graph = plan_and_pay(1);
    let thread = graph.on("1");
    thread.invoke(say("in")).await.unwrap_err();
    let failed = thread.outcome().await.unwrap().unwrap();
    assert_eq!((failed.is_ended(), next(&failed)), (false, "plan".to_owned()));
    let asked = thread.resume(()).await.unwrap();
    assert_eq!((asked.is_ended(), next(&asked)), (false, "pay".to_owned()));
    let done = thread.resume(json!(true)).await.unwrap();
    assert!(done.is_ended() && done.interrupts.is_empty());
    assert!(thread.outcome().await.unwrap().unwrap().is_ended());
    // Nothing is left to answer, and nothing to run.
    assert!(matches!(thread.resume(json!(true)).await, Err(GraphError::UnknownInterrupt(None))));
    let unknown = Resume::Answers(vec![("x".to_owned(), json!(true))]);
    let refused = thread.resume(unknown).await.unwrap_err();
    assert!(matches!(refused, GraphError::UnknownInterrupt(Some(id)) if id == "x"));
    assert_eq!(joined(&thread.resume(()).await.unwrap().state), "in plan paid true");

    for builder in [
        StateGraph::<Log>::new().interrupt_before(["b"]),
        StateGraph::<Log>::new().interrupt_after(["a"]),
    ] {
        let builder = builder.node("a", named).node("b", named).edge(START, "a").edge("a", "b");
        let stopped = builder.compile().unwrap().invoke(Log::default()).await.unwrap();
        assert_eq!((stopped.is_ended(), next(&stopped)), (false, "b".to_owned()));
    }
}
