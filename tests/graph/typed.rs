//! Graphs over a typed state.

use std::collections::HashMap;
use std::future::{poll_fn, ready};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use threadfold::State;
use threadfold::graph::{
    BoxError, Checkpoint, Checkpointer, Command, Ctx, END, GraphError, MemorySaver, Resume, START,
    Saving, StateGraph, Target, UpdateAgent,
};
use threadfold::reducer::Append;

#[derive(Debug, Clone, Default, PartialEq, State, Serialize, Deserialize)]
#[state(derive(Clone, Serialize, Deserialize))]
pub(super) struct Log {
    #[reducer(Append)]
    #[update(Vec<String>)]
    pub(super) log: Vec<String>,
}

pub(super) fn say(what: impl Into<String>) -> LogUpdate {
    LogUpdate { log: Some(vec![what.into()]) }
}

pub(super) async fn named(_: &Log, ctx: Ctx) -> Result<LogUpdate, BoxError> {
    Ok(say(ctx.node()))
}

/// Ids and texts.
type Rows = Vec<(String, String)>;

/// Keeps checkpoints as a database does: each thread's ids and texts.
#[derive(Clone, Default)]
pub(super) struct Texts(Arc<Mutex<HashMap<String, Rows>>>);

impl Texts {
    fn last(&self, thread: &str) -> String {
        self.0.lock().unwrap()[thread].last().unwrap().1.clone()
    }
}

impl Checkpointer<Log> for Texts {
    fn get<'a>(
        &'a self,
        thread: &'a str,
        id: Option<&'a str>,
    ) -> Saving<'a, Option<Checkpoint<Log>>> {
        let all = self.0.lock().unwrap();
        let rows = all.get(thread).map_or(&[][..], Vec::as_slice);
        let row = rows.iter().rev().find(|(own, _)| id.is_none_or(|id| id == own));
        let read = row.map(|(_, text)| serde_json::from_str(text)).transpose();
        Box::pin(ready(read.map_err(BoxError::from)))
    }

    fn put<'a>(
        &'a self,
        thread: &'a str,
        last: Option<String>,
        checkpoint: Checkpoint<Log>,
    ) -> Saving<'a, bool> {
        let text = serde_json::to_string(&checkpoint).unwrap();
        let mut all = self.0.lock().unwrap();
        let rows = all.entry(thread.to_owned()).or_default();
        let follows = rows.last().map(|(id, _)| id) == last.as_ref();
        if follows {
            rows.push((checkpoint.delta.id, text));
        }
        Box::pin(ready(Ok(follows)))
    }

    fn list<'a>(&'a self, thread: &'a str) -> Saving<'a, Vec<String>> {
        let all = self.0.lock().unwrap();
        let rows = all.get(thread).into_iter().flatten();
        Box::pin(ready(Ok(rows.rev().map(|(id, _)| id.clone()).collect())))
    }

    fn delete<'a>(&'a self, thread: &'a str) -> Saving<'a, ()> {
        self.0.lock().unwrap().remove(thread);
        Box::pin(ready(Ok(())))
    }
}

/// Asks twice, and logs the answers.
pub(super) async fn asks(_: &Log, ctx: Ctx) -> Result<LogUpdate, BoxError> {
    let first = ctx.interrupt("first?")?;
    let second = ctx.interrupt("second?")?;
    Ok(say(format!("{}: {first} {second}", ctx.node())))
}

pub(super) fn joined(log: &Log) -> String {
    log.log.join(" ")
}

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

/// The checkpoint says that nothing else can run: another process runs the deferred node.
#[tokio::test]
async fn a_deferred_node_runs_in_a_process_that_reads_the_checkpoint() {
    let texts = Texts::default();
    let graph = || {
        let graph = StateGraph::<Log>::new().node("a", named).node("b", named).node("last", named);
        let graph = graph.defer("last").edge(START, "a").edge("a", "b").edge("a", "last");
        graph.interrupt_before(["last"]).checkpointer(texts.clone()).compile().unwrap()
    };
    let stopped = graph().on("1").invoke(LogUpdate::default()).await.unwrap();
    assert_eq!(joined(&stopped.state), "a b");
    assert_eq!(*stopped.next[0], *"last");
    let done = graph().on("1").resume(()).await.unwrap();
    assert_eq!((joined(&done.state), done.next.len()), ("a b last".to_owned(), 0));
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

/// A restarted program has a new graph, and the saved thread.
#[tokio::test]
async fn sends_and_a_join_go_on_in_another_program() {
    let texts = Texts::default();
    let graph = |works: bool| {
        StateGraph::<Log>::new()
            .node("plan", |_: &Log, _: Ctx| async {
                let own = |at: usize| Log { log: vec![at.to_string()] };
                let sends = (0..4).fold(Command::new(), |all, at| all.send("work", own(at)));
                Ok::<_, BoxError>(sends)
            })
            .node("work", move |own: &Log, _: Ctx| {
                let text = own.log.concat();
                let answer = if works || text != "2" { Ok(say(text)) } else { Err("no") };
                async move { answer }
            })
            .node("beside", named)
            .node("end", named)
            .edge(START, "plan")
            .edge(START, "beside")
            .join(["beside", "work"], "end")
            .checkpointer(texts.clone())
            .compile()
            .unwrap()
    };
    graph(false).on("1").invoke(say("in")).await.unwrap_err();
    let done = graph(true).on("1").resume(()).await.unwrap();
    assert_eq!(joined(&done.state), "in beside 0 1 2 3 end");
    // A record of another form is refused.
    let text = texts.last("1").replacen("[4,", "[5,", 1);
    let refused = serde_json::from_str::<Checkpoint<Log>>(&text).unwrap_err();
    assert!(refused.to_string().starts_with("a checkpoint of another form: 5"));
}

/// As in LangGraph: a checkpoint's entries for removed nodes are skipped.
#[tokio::test]
async fn a_changed_graph_continues_its_threads() {
    async fn approve(_: &Log, ctx: Ctx) -> Result<LogUpdate, BoxError> {
        Ok(say(format!("approved {}", ctx.interrupt(json!("Refund?"))?)))
    }
    async fn delete(_: &Log, ctx: Ctx) -> Result<LogUpdate, BoxError> {
        Ok(say(format!("deleted {}", ctx.interrupt(json!("Delete?"))?)))
    }
    let graph = |names: &[&str], texts: &Texts| {
        let mut graph = StateGraph::<Log>::new().checkpointer(texts.clone());
        for name in names {
            graph = match *name {
                "approve" => graph.node("approve", approve),
                "delete" => graph.node("delete", delete),
                other => graph.node(other, named),
            };
        }
        graph.edge(START, "approve").edge(START, "beside").join(["approve", "beside"], "refund")
    };
    let first = ["approve", "beside", "refund", "delete"];
    for names in [
        &first[..],
        &["delete", "refund", "beside", "approve"],
        &["audit", "approve", "beside", "delete", "refund", "more"],
        &["refund", "approve", "beside"],
    ] {
        let texts = Texts::default();
        let asked =
            graph(&first, &texts).compile().unwrap().on("1").invoke(say("in")).await.unwrap();
        assert_eq!(asked.interrupts[0].value, json!("Refund?"));
        let done =
            graph(names, &texts).compile().unwrap().on("1").resume(json!(true)).await.unwrap();
        assert_eq!(joined(&done.state), "in approved true beside refund", "{names:?}");
    }
    // The node that asked is gone: so is its question.
    let texts = Texts::default();
    graph(&first, &texts).compile().unwrap().on("1").invoke(say("in")).await.unwrap();
    let without = StateGraph::<Log>::new().checkpointer(texts).node("beside", named);
    let without = without.edge(START, "beside").compile().unwrap();
    let done = without.on("1").resume(()).await.unwrap();
    assert_eq!((joined(&done.state).as_str(), done.interrupts.len()), ("in beside", 0));
}

/// The numbers of list edges follow their order; their names do not.
#[tokio::test]
async fn a_list_edge_that_half_of_its_nodes_have_reached_is_found_by_its_name() {
    let graph = |texts: &Texts, joins: [([&str; 2], &str); 2]| {
        let nodes = StateGraph::<Log>::new().checkpointer(texts.clone());
        let nodes = nodes.node("a", named).node("b", named).node("ask", asks);
        let nodes = nodes.node("after a", named).node("after b", named);
        let graph = nodes.edge(START, "a").edge(START, "b").edge(START, "ask");
        joins.into_iter().fold(graph, |graph, (from, to)| graph.join(from, to)).compile().unwrap()
    };
    let (a, b) = ((["a", "ask"], "after a"), (["b", "ask"], "after b"));
    for joins in [[a, b], [b, a], [(["ask", "a"], "after a"), b]] {
        let texts = Texts::default();
        graph(&texts, [a, b]).on("1").invoke(say("in")).await.unwrap();
        let changed = graph(&texts, joins);
        changed.on("1").resume(json!(1)).await.unwrap();
        let done = changed.on("1").resume(json!(2)).await.unwrap();
        assert_eq!(joined(&done.state), "in a ask: 1 2 b after a after b", "{joins:?}");
    }
}

/// Its Send is saved as a number: the nodes have others now.
#[tokio::test]
async fn a_send_of_a_step_that_did_not_end_goes_to_its_node_in_a_changed_graph() {
    async fn send(_: &Log, _: Ctx) -> Result<Command<Log>, BoxError> {
        Ok(Command::new().send("work", Log { log: vec!["task".into()] }))
    }
    async fn work(own: &Log, _: Ctx) -> Result<LogUpdate, BoxError> {
        Ok(say(format!("worked on {}", joined(own))))
    }
    let graph = |texts: &Texts, names: &[&str]| {
        let mut graph = StateGraph::<Log>::new().checkpointer(texts.clone());
        for name in names {
            graph = match *name {
                "send" => graph.node("send", send),
                "work" => graph.node("work", work),
                "ask" => graph.node("ask", asks),
                other => graph.node(other, named),
            };
        }
        graph.edge(START, "send").edge(START, "ask").compile().unwrap()
    };
    let first = ["send", "ask", "work"];
    for (names, all) in [
        (&first[..], "in ask: 1 2 worked on task"),
        (&["other", "work", "more", "ask", "send"], "in ask: 1 2 worked on task"),
        (&["send", "ask"], "in ask: 1 2"),
    ] {
        let texts = Texts::default();
        graph(&texts, &first).on("1").invoke(say("in")).await.unwrap();
        let changed = graph(&texts, names);
        changed.on("1").resume(json!(1)).await.unwrap();
        let done = changed.on("1").resume(json!(2)).await.unwrap();
        assert_eq!(joined(&done.state), all, "{names:?}");
    }
}

#[tokio::test]
async fn a_question_that_an_earlier_version_saved_is_open() {
    let texts = Texts::default();
    let graph = StateGraph::<Log>::new().node("ask", asks).edge(START, "ask");
    let graph = graph.checkpointer(texts.clone()).compile().unwrap();
    let asked = graph.on("1").invoke(say("in")).await.unwrap();
    let now = r#"["1:1:ask::0","ask","first?",null,false]"#;
    let text = texts.last("1");
    assert!(text.contains(now));
    let before = text.replace(now, r#"["1:1:ask::0","ask","first?",null]"#);
    texts.0.lock().unwrap().get_mut("1").unwrap().last_mut().unwrap().1 = before;
    let found = graph.on("1").outcome().await.unwrap().unwrap();
    assert_eq!(found.interrupts, asked.interrupts);
    let next = graph.on("1").resume(json!(1)).await.unwrap();
    assert_eq!(next.interrupts[0].value, json!("second?"));
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

/// Gives its executor the word so often, and wakes itself twice each time.
pub(super) async fn yields(times: u32) {
    let mut left = times;
    poll_fn(|context| {
        if left == 0 {
            return Poll::Ready(());
        }
        left -= 1;
        context.waker().wake_by_ref();
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
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
