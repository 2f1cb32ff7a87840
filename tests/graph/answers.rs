//! An answer answers the question that was asked, and nothing else.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::json;
use threadfold::graph::{
    BoxError, Checkpointer, Command, Ctx, Graph, GraphError, MemorySaver, Node, Outcome, Resume,
    RunPart, START, StateGraph,
};

use super::log::{Log, LogUpdate, Texts, asks, joined, named, say};

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

/// `first` asks, and works with answers above 1; `pay` follows, and asks.
fn first_and_pay(works: &Arc<AtomicBool>) -> StateGraph<Log> {
    let works = works.clone();
    StateGraph::<Log>::new()
        .node("first", move |_: &Log, ctx: Ctx| {
            let works = works.load(Ordering::SeqCst);
            async move {
                let answer = ctx.interrupt(json!("First?"))?;
                let fits = works || answer.as_i64().is_some_and(|answer| answer > 1);
                if fits { Ok(say(answer.to_string())) } else { Err(BoxError::from("no")) }
            }
        })
        .node("pay", pay)
        .edge(START, "first")
        .edge("first", "pay")
}

/// A node that fails with an answer has its question open. The next answer replaces that one, a run
/// without one keeps it, and neither is for the next node.
#[tokio::test]
async fn a_node_that_fails_with_an_answer_has_its_question_open() {
    let savers: [Arc<dyn Checkpointer<Log>>; 2] =
        [Arc::new(MemorySaver::new()), Arc::new(Texts::default())];
    for saver in savers {
        let works = Arc::new(AtomicBool::new(false));
        let graph = first_and_pay(&works).checkpointer(saver).compile().unwrap();
        for (thread, more, kept) in [("1", Resume::Answer(json!(2)), "2"), ("2", Resume::GoOn, "1")]
        {
            works.store(false, Ordering::SeqCst);
            let thread = graph.on(thread);
            let first = thread.invoke(say("in")).await.unwrap().interrupts;
            for answer in [Resume::Answer(json!(1)), Resume::Answer(json!(0)), Resume::GoOn] {
                thread.resume(answer).await.unwrap_err();
                let failed = thread.outcome().await.unwrap().unwrap();
                assert_eq!((&failed.interrupts, next(&failed)), (&first, "first".to_owned()));
            }
            thread.resume(json!(1)).await.unwrap_err();
            works.store(true, Ordering::SeqCst);
            let running = thread.stream_resumed(more).await.unwrap();
            assert!(running.interrupts().is_empty());
            let asked = running.finish().await.unwrap();
            assert_eq!((joined(&asked.state), next(&asked)), (format!("in {kept}"), "pay".into()));
            assert_eq!(asked.interrupts[0].value, json!("Pay 1,000?"));
            // The answer is to no question that was asked before.
            let again = Resume::Answers(vec![(first[0].id.clone(), json!(3))]);
            let refused = thread.resume(again).await.unwrap_err();
            assert!(matches!(refused, GraphError::UnknownInterrupt(Some(_))));
        }
    }
}

/// A run that is stopped while the node that was answered is at work.
#[tokio::test]
async fn a_node_that_is_stopped_with_an_answer_has_its_question_open() {
    let graph = StateGraph::<Log>::new()
        .node("slow", |_: &Log, ctx: Ctx| async move {
            let answers = (ctx.interrupt(json!("1?"))?, ctx.interrupt(json!("2?"))?);
            if answers.1 == json!("wait") {
                std::future::pending::<()>().await;
            }
            Ok::<_, BoxError>(say(format!("{} {}", answers.0, answers.1)))
        })
        .edge(START, "slow")
        .checkpointer(MemorySaver::new())
        .compile()
        .unwrap();
    let thread = graph.on("1");
    thread.invoke(say("in")).await.unwrap();
    let second = thread.resume(json!(1)).await.unwrap().interrupts;
    let mut parts = thread.stream_resumed(json!("wait")).await.unwrap().parts();
    while !matches!(parts.next().await, Some(RunPart::Started(_))) {}
    parts.stop();
    assert_eq!(parts.finish().await.unwrap().interrupts, second);
    assert_eq!(thread.outcome().await.unwrap().unwrap().interrupts, second);
    assert_eq!(joined(&thread.resume(json!(2)).await.unwrap().state), "in 1 2");
}

/// A run whose process dies while the node that was answered is at work.
#[tokio::test]
async fn a_killed_run_continues_with_its_answer_and_takes_no_other() {
    let savers: [Arc<dyn Checkpointer<Log>>; 2] =
        [Arc::new(MemorySaver::new()), Arc::new(Texts::default())];
    for saver in savers {
        let graph = |waits: bool| {
            let slow = move |_: &Log, ctx: Ctx| async move {
                let answer = ctx.interrupt(json!("Pay?"))?;
                if waits {
                    std::future::pending::<()>().await;
                }
                Ok::<_, BoxError>(say(format!("paid {answer}")))
            };
            let graph = StateGraph::<Log>::new().node("slow", slow).edge(START, "slow");
            graph.checkpointer(saver.clone()).compile().unwrap()
        };
        let killed = graph(true);
        let id = killed.on("1").invoke(say("in")).await.unwrap().interrupts[0].id.clone();
        let mut parts = killed.on("1").stream_resumed(json!(1)).await.unwrap().parts();
        while !matches!(parts.next().await, Some(RunPart::Started(_))) {}
        drop(parts);
        let graph = graph(false);
        let left = graph.on("1").outcome().await.unwrap().unwrap();
        assert_eq!((left.interrupts.len(), next(&left)), (0, "slow".to_owned()));
        let late = graph.on("1").resume(json!(2)).await.unwrap_err();
        assert!(matches!(late, GraphError::UnknownInterrupt(None)));
        let late = graph.on("1").resume(vec![(id.clone(), json!(2))]).await.unwrap_err();
        assert!(matches!(late, GraphError::UnknownInterrupt(Some(late)) if late == id));
        assert_eq!(joined(&graph.on("1").resume(()).await.unwrap().state), "in paid 1");
    }
}

/// A question that nobody answered stays open if its node fails before it asks again.
#[tokio::test]
async fn a_question_without_an_answer_outlives_a_failure() {
    let fails = Arc::new(AtomicBool::new(false));
    let asks = fails.clone();
    let graph = StateGraph::<Log>::new()
        .node("late", move |_: &Log, ctx: Ctx| {
            let fails = asks.load(Ordering::SeqCst);
            async move {
                let one = ctx.interrupt(json!("1?"))?;
                if fails {
                    return Err(BoxError::from("no"));
                }
                Ok(say(format!("{one} {}", ctx.interrupt(json!("2?"))?)))
            }
        })
        .edge(START, "late")
        .checkpointer(Texts::default())
        .compile()
        .unwrap();
    let thread = graph.on("1");
    thread.invoke(say("in")).await.unwrap();
    let second = thread.resume(json!(1)).await.unwrap().interrupts;
    fails.store(true, Ordering::SeqCst);
    thread.resume(()).await.unwrap_err();
    assert_eq!(thread.outcome().await.unwrap().unwrap().interrupts, second);
    fails.store(false, Ordering::SeqCst);
    assert_eq!(joined(&thread.resume(json!(2)).await.unwrap().state), "in 1 2");
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

/// The checkpoint of the stopped step keeps where the finished node goes.
#[tokio::test]
async fn a_finished_node_beside_a_question_has_its_branch_asked_once() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let graph = StateGraph::<Log>::new()
        .node("a", named)
        .node("ask", asks)
        .node("b", named)
        .edge(START, "a")
        .edge(START, "ask")
        .branch("a", move |_: &Log| {
            count.fetch_add(1, Ordering::SeqCst);
            "b"
        })
        .checkpointer(MemorySaver::new())
        .compile()
        .unwrap();
    let thread = graph.on("1");
    thread.invoke(say("in")).await.unwrap();
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    thread.resume(json!(1)).await.unwrap();
    let done = thread.resume(json!(2)).await.unwrap();
    assert_eq!(joined(&done.state), "in a ask: 1 2 b");
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

/// An answer that reaches another thread is not taken for an answer to the question there.
#[tokio::test]
async fn questions_of_two_threads_have_two_ids() {
    let graph = plan_and_pay(0);
    let one = graph.on("1").invoke(say("in")).await.unwrap().interrupts.remove(0);
    let two = graph.on("2").invoke(say("in")).await.unwrap().interrupts.remove(0);
    assert_eq!(one.value, two.value);
    let answers = vec![(one.id.clone(), json!(true))];
    let refused = graph.on("2").resume(answers.clone()).await.unwrap_err();
    assert!(matches!(refused, GraphError::UnknownInterrupt(Some(id)) if id == one.id));
    assert_eq!(joined(&graph.on("2").state().await.unwrap().unwrap()), "in plan");
    assert_eq!(joined(&graph.on("1").resume(answers).await.unwrap().state), "in plan paid true");
}
