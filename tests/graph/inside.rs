//! A graph inside a node: it goes on where the node was cut off, and asks through it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};
use serde_json::json;
use threadfold::State;
use threadfold::graph::{
    BoxError, Command, Ctx, Graph, GraphError, MemorySaver, MessageChunk, Node, Resume, RunPart,
    START, StateGraph,
};

#[derive(Debug, Clone, Default, Serialize, Deserialize, State)]
#[state(derive(Clone, Serialize, Deserialize))]
struct Log {
    #[reducer(|mut all: Vec<String>, more: Vec<String>| { all.extend(more); all })]
    lines: Vec<String>,
}

type Ran = Arc<Mutex<Vec<&'static str>>>;

/// A node that records its runs, and hangs if the flag is set.
struct Noted(&'static str, Ran, bool);

impl Node<Log> for Noted {
    async fn run(&self, _: &Log, ctx: Ctx) -> Result<Command<Log>, BoxError> {
        self.1.lock().unwrap().push(self.0);
        ctx.message(MessageChunk::text("m", self.0));
        if self.2 {
            std::future::pending::<()>().await;
        }
        let line = match self.0 {
            "ask" => {
                let answers = (ctx.interrupt(json!("One?"))?, ctx.interrupt(json!("Two?"))?);
                if answers.1.is_null() {
                    return Err("no answer".into());
                }
                format!("{} {}", answers.0, answers.1)
            }
            name => name.to_owned(),
        };
        Ok(Command::update(LogUpdate { lines: Some(vec![line]) }))
    }
}

struct Inside(Graph<Log>);

impl Node<Log> for Inside {
    async fn run(&self, _: &Log, ctx: Ctx) -> Result<Command<Log>, BoxError> {
        let inner = ctx.run(&self.0, LogUpdate { lines: Some(vec!["in".into()]) }).await?;
        Ok(Command::update(LogUpdate { lines: Some(inner.state.lines) }))
    }
}

/// A process: its second node hangs if it `is_to_die`.
fn process(saver: &Arc<MemorySaver<Log>>, ran: &Ran, is_to_die: bool) -> Graph<Log> {
    let node = |name, hangs| Noted(name, ran.clone(), hangs);
    let inner = StateGraph::new()
        .node("first", node("first", false))
        .node("second", node("second", is_to_die))
        .node("ask", node("ask", false))
        .edge(START, "first")
        .edge("first", "second")
        .edge("second", "ask")
        .checkpointer(saver.clone())
        .compile()
        .unwrap();
    let outer = StateGraph::new().node("inside", Inside(inner)).edge(START, "inside");
    outer.checkpointer(saver.clone()).compile().unwrap()
}

#[tokio::test]
async fn a_graph_inside_goes_on_where_it_was_cut_off_and_asks_through_its_node() {
    let (saver, ran) = (Arc::new(MemorySaver::new()), Ran::default());
    let killed = process(&saver, &ran, true);
    let mut parts = killed.on("1").stream(LogUpdate::default()).await.unwrap().parts();
    let mut told = Vec::new();
    while told.len() < 3 {
        match parts.next().await {
            Some(RunPart::Message(task, chunk)) => {
                told.push(format!("{} {}", task.node, chunk.text));
            }
            Some(RunPart::Inside(_, update)) => told.push(update.to_string()),
            _ => {}
        }
    }
    assert_eq!(told, ["inside first", r#"{"lines":["first"]}"#, "inside second"]);
    drop(parts);

    let graph = process(&saver, &ran, false);
    let thread = graph.on("1");
    let asked = thread.resume(()).await.unwrap();
    assert_eq!(asked.interrupts[0].value, json!("One?"));
    let asked = thread.resume(json!(1)).await.unwrap();
    assert_eq!(asked.interrupts[0].value, json!("Two?"));
    // An answer that the inner node fails with is asked for again, of the same question.
    for unfit in [json!(null).into(), Resume::GoOn] {
        let asked = asked.interrupts.clone();
        thread.resume(unfit).await.unwrap_err();
        assert_eq!(thread.outcome().await.unwrap().unwrap().interrupts, asked);
    }
    let done = thread.resume(json!(2)).await.unwrap();
    assert_eq!(done.state.lines, ["in", "first", "second", "1 2"]);
    let ran = ran.lock().unwrap().clone();
    assert_eq!(ran.iter().filter(|name| **name == "first").count(), 1);
    assert_eq!(ran.iter().filter(|name| **name == "second").count(), 2);
    // The next turn's task has a thread of its own.
    let again = thread.invoke(LogUpdate::default()).await.unwrap();
    assert_eq!(again.interrupts[0].value, json!("One?"));
}

#[tokio::test]
async fn without_a_thread_a_graph_inside_has_none_either() {
    async fn say(_: &Log, _: Ctx) -> Result<LogUpdate, BoxError> {
        Ok(LogUpdate { lines: Some(vec!["said".into()]) })
    }
    let inner = StateGraph::new().node("say", say).edge(START, "say").compile().unwrap();
    let outer = StateGraph::new().node("inside", Inside(inner)).edge(START, "inside");
    let done = outer.compile().unwrap().invoke(Log::default()).await.unwrap();
    assert_eq!(done.state.lines, ["in", "said"]);
}

/// A node that sends a value of its own.
async fn report(_: &Log, ctx: Ctx) -> Result<LogUpdate, BoxError> {
    ctx.custom("halfway");
    Ok(LogUpdate { lines: Some(vec!["done".into()]) })
}

#[tokio::test]
async fn what_a_graph_two_levels_inside_sends_comes_from_the_outermost_node() {
    let graph = StateGraph::new().node("report", report).edge(START, "report").compile().unwrap();
    let middle = StateGraph::new().node("middle", Inside(graph)).edge(START, "middle");
    let outer = StateGraph::new().node("outer", Inside(middle.compile().unwrap()));
    let outer = outer.edge(START, "outer").compile().unwrap();
    let mut parts = outer.stream(Log::default()).parts();
    let mut sent = Vec::new();
    while let Some(part) = parts.next().await {
        match part {
            RunPart::Custom(task, value) => sent.push(format!("{} {value}", task.node)),
            RunPart::Inside(task, update) => sent.push(format!("{} {update}", task.node)),
            _ => {}
        }
    }
    let updates = [r#"{"lines":["done"]}"#, r#"{"lines":["in","done"]}"#];
    let all = [r#"outer "halfway""#.to_owned()].into_iter();
    let all: Vec<_> = all.chain(updates.map(|update| format!("outer {update}"))).collect();
    assert_eq!(sent, all);
}

/// A node that asks under its name.
fn asking(name: &'static str, saver: &Arc<MemorySaver<Log>>) -> Graph<Log> {
    let ask = move |log: &Log, ctx: Ctx| {
        let lines = log.lines.join(",");
        async move {
            let line = format!("{name} {lines} {}", ctx.interrupt(name)?);
            Ok::<_, BoxError>(LogUpdate { lines: Some(vec![line]) })
        }
    };
    let graph = StateGraph::new().node("ask", ask).edge(START, "ask");
    graph.checkpointer(saver.clone()).compile().unwrap()
}

/// A node that runs two graphs, one after the other or at once.
struct Both {
    graphs: [Graph<Log>; 2],
    at_once: bool,
}

impl Node<Log> for Both {
    async fn run(&self, _: &Log, ctx: Ctx) -> Result<Command<Log>, BoxError> {
        let [first, second] = &self.graphs;
        let input = |line: &str| LogUpdate { lines: Some(vec![line.to_owned()]) };
        let (one, two) = if self.at_once {
            let (one, two) = (ctx.run(first, input("one")), ctx.run(second, input("two")));
            let (two, one) = tokio::join!(two, one);
            (one?, two?)
        } else {
            (ctx.run(first, input("one")).await?, ctx.run(second, input("two")).await?)
        };
        let lines = [one, two].into_iter().flat_map(|inner| inner.state.lines).collect();
        Ok(Command::update(LogUpdate { lines: Some(lines) }))
    }
}

/// Graphs that share a saver need threads of other names. Those of two savers ask under the same ids.
#[tokio::test]
async fn each_of_two_graphs_inside_one_node_runs_and_is_answered_alone() {
    for (shared, at_once) in [(true, false), (false, false), (true, true), (false, true)] {
        let saver = Arc::new(MemorySaver::new());
        let other = if shared { saver.clone() } else { Arc::new(MemorySaver::new()) };
        let both = Both { graphs: [asking("A", &saver), asking("B", &other)], at_once };
        let outer = StateGraph::new().node("both", both).edge(START, "both");
        let graph = outer.checkpointer(Arc::new(MemorySaver::new())).compile().unwrap();
        let thread = graph.on("1");
        let asked = thread.invoke(LogUpdate::default()).await.unwrap();
        assert_eq!(asked.interrupts[0].value, json!("A"));
        let forwarded = asked.interrupts[0].forwarded().unwrap();
        assert!(
            forwarded.starts_with("1|both:") && forwarded.ends_with(":0:1:ask::0"),
            "{forwarded}"
        );
        let asked = thread.resume(json!("yes")).await.unwrap();
        assert_eq!(asked.interrupts[0].value, json!("B"), "{shared} {at_once}");
        let done = thread.resume(json!("no")).await.unwrap();
        assert_eq!(done.state.lines, ["one", "A one \"yes\"", "two", "B two \"no\""]);
    }
}

/// A graph that asks, and never returns with the answer `"wait"`.
fn waiting(saver: &Arc<MemorySaver<Log>>) -> Graph<Log> {
    let ask = |_: &Log, ctx: Ctx| async move {
        let answer = ctx.interrupt("Sure?")?;
        if answer == "wait" {
            std::future::pending::<()>().await;
        }
        Ok::<_, BoxError>(LogUpdate { lines: Some(vec![answer.to_string()]) })
    };
    let graph = StateGraph::new().node("ask", ask).edge(START, "ask");
    graph.checkpointer(saver.clone()).compile().unwrap()
}

/// The process dies or the run is stopped while the graph inside is at work with an answer.
#[tokio::test]
async fn a_graph_inside_takes_the_answer_of_its_node_after_a_kill_and_after_a_stop() {
    for is_stopped in [false, true] {
        let (own, outer) = (Arc::new(MemorySaver::new()), Arc::new(MemorySaver::new()));
        let graph = |inner: Graph<Log>| {
            let graph = StateGraph::new().node("inside", Inside(inner)).edge(START, "inside");
            graph.checkpointer(outer.clone()).compile().unwrap()
        };
        let killed = graph(waiting(&own));
        let first = killed.on("1").invoke(LogUpdate::default()).await.unwrap().interrupts;
        let mut parts = killed.on("1").stream_resumed(json!("wait")).await.unwrap().parts();
        while !matches!(parts.next().await, Some(RunPart::Started(_))) {}
        // The inner run has saved its answer, and is at work.
        for _ in 0..100 {
            let poll = std::future::poll_fn(|context| {
                let polled = std::pin::pin!(parts.next()).poll(context);
                std::task::Poll::Ready(polled.is_ready())
            });
            assert!(!poll.await);
        }
        if is_stopped {
            parts.stop();
            assert_eq!(parts.finish().await.unwrap().interrupts, first);
            let done = killed.on("1").resume(json!("yes")).await.unwrap();
            assert_eq!(done.state.lines, ["in", "\"yes\""]);
            continue;
        }
        drop(parts);
        let late = killed.on("1").resume(json!("yes")).await.unwrap_err();
        assert!(matches!(late, GraphError::UnknownInterrupt(None)));
        let done = graph(asking("again", &own)).on("1").resume(()).await.unwrap();
        assert_eq!(done.state.lines, ["in", "again in \"wait\""]);
    }
}

#[tokio::test]
async fn a_deleted_thread_leaves_no_answer_to_a_new_one() {
    let saver = Arc::new(MemorySaver::new());
    let inner = asking("a", &saver);
    let outer = StateGraph::new().node("inside", Inside(inner)).edge(START, "inside");
    let outer = outer.checkpointer(saver).compile().unwrap();
    for thread in ["1", "12"] {
        outer.on(thread).invoke(LogUpdate::default()).await.unwrap();
        outer.on(thread).resume(json!("old")).await.unwrap();
    }
    outer.on("1").delete().await.unwrap();
    let asked = outer.on("1").invoke(LogUpdate::default()).await.unwrap();
    assert_eq!(asked.interrupts.len(), 1);
    let done = outer.on("1").resume(json!("new")).await.unwrap();
    assert_eq!(done.state.lines, ["in", r#"a in "new""#]);
    let other = outer.on("12").state().await.unwrap().unwrap();
    assert_eq!(other.lines, ["in", r#"a in "old""#]);
}

/// A graph inside with a checkpointer of its own: the thread is deleted in each.
#[tokio::test]
async fn a_thread_is_deleted_where_a_graph_inside_keeps_its_own() {
    let saver = Arc::new(MemorySaver::new());
    let (own, inner) = (asking("a", &saver), asking("a", &saver));
    let outer = StateGraph::new().node("inside", Inside(inner)).edge(START, "inside");
    let outer = outer.checkpointer(MemorySaver::new()).compile().unwrap();
    outer.on("1").invoke(LogUpdate::default()).await.unwrap();
    outer.on("1").resume(json!("old")).await.unwrap();
    outer.on("1").delete().await.unwrap();
    own.on("1").delete().await.unwrap();
    let asked = outer.on("1").invoke(LogUpdate::default()).await.unwrap();
    assert_eq!(asked.interrupts.len(), 1);
}

/// Once a node inside has ended with the answer, no later answer seems to count that does not: a tool
/// would run that was rejected.
#[tokio::test]
async fn a_question_that_a_graph_inside_has_gone_on_from_is_not_asked_again() {
    for is_stopped in [false, true] {
        let saver = Arc::new(MemorySaver::new());
        let tries = Arc::new(AtomicUsize::new(0));
        let counted = tries.clone();
        let act = move |_: &Log, _: Ctx| {
            let nth = counted.fetch_add(1, Ordering::Relaxed);
            async move {
                match nth {
                    0 if is_stopped => std::future::pending().await,
                    0 => Err(BoxError::from("The bank is closed.")),
                    _ => Ok(LogUpdate { lines: Some(vec!["paid".into()]) }),
                }
            }
        };
        let inner = StateGraph::new()
            .node("ask", async |_: &Log, ctx: Ctx| {
                let answer = ctx.interrupt("Pay?")?;
                Ok::<_, BoxError>(LogUpdate { lines: Some(vec![answer.to_string()]) })
            })
            .node("act", act)
            .edge(START, "ask")
            .edge("ask", "act")
            .checkpointer(saver.clone())
            .compile()
            .unwrap();
        // Also where it is deeper inside.
        let middle = StateGraph::new().node("middle", Inside(inner)).edge(START, "middle");
        let middle = middle.checkpointer(saver.clone()).compile().unwrap();
        let graph = StateGraph::new().node("inside", Inside(middle)).edge(START, "inside");
        let graph = graph.checkpointer(saver).compile().unwrap();
        let thread = graph.on("1");
        let asked = thread.invoke(LogUpdate::default()).await.unwrap().interrupts;
        if is_stopped {
            let mut parts = thread.stream_resumed(json!("yes")).await.unwrap().parts();
            while tries.load(Ordering::Relaxed) == 0 {
                let next = std::pin::pin!(parts.next());
                drop(tokio::time::timeout(std::time::Duration::from_millis(1), next).await);
            }
            parts.stop();
            assert_eq!(parts.finish().await.unwrap().interrupts, []);
        } else {
            thread.resume(json!("yes")).await.unwrap_err();
        }
        let left = thread.outcome().await.unwrap().unwrap();
        assert!(!left.is_ended() && left.interrupts.is_empty());
        let late = thread.resume(vec![(asked[0].id.clone(), json!("no"))]).await.unwrap_err();
        assert!(matches!(late, GraphError::UnknownInterrupt(_)));
        assert_eq!(tries.load(Ordering::Relaxed), 1);
        let done = thread.resume(()).await.unwrap();
        assert_eq!(done.state.lines, ["in", "in", "\"yes\"", "paid"]);
    }
}

/// Asks what its input says, and returns that with the answer.
fn repeating(saver: &Arc<MemorySaver<Log>>) -> Graph<Log> {
    let ask = |state: &Log, ctx: Ctx| {
        let asked = state.lines.last().cloned().unwrap_or_default();
        async move {
            let answer = ctx.interrupt(json!(asked))?;
            Ok::<_, BoxError>(LogUpdate { lines: Some(vec![format!("{asked}: {answer}")]) })
        }
    };
    let graph = StateGraph::new().node("ask", ask).edge(START, "ask");
    graph.checkpointer(saver.clone()).compile().unwrap()
}

/// Passes its last line to the graph inside, and returns the last one of that.
struct Last(Graph<Log>);

impl Node<Log> for Last {
    async fn run(&self, state: &Log, ctx: Ctx) -> Result<Command<Log>, BoxError> {
        let lines = state.lines.last().cloned().map(|line| vec![line]);
        let inner = ctx.run(&self.0, LogUpdate { lines }).await?;
        let lines = inner.state.lines.last().cloned().map(|line| vec![line]);
        Ok(Command::update(LogUpdate { lines }))
    }
}

/// A branch found the graph inside of the one before: an approval of "5" was one of "90000".
#[tokio::test]
async fn a_branch_has_graphs_inside_of_its_own() {
    let saver = Arc::new(MemorySaver::new());
    let outer = StateGraph::new().node("last", Last(repeating(&saver))).edge(START, "last");
    let graph = outer.checkpointer(saver).compile().unwrap();
    let thread = graph.on("1");
    let input = |line: &str| LogUpdate { lines: Some(vec![line.into()]) };
    thread.invoke(input("first")).await.unwrap();
    let first = thread.resume(json!(true)).await.unwrap().checkpoint.unwrap();

    let asked = thread.at(&first).invoke(input("refund 90000")).await.unwrap();
    assert_eq!(asked.interrupts[0].value, json!("refund 90000"));
    let question = asked.checkpoint.unwrap();
    let asked = thread.at(&first).invoke(input("refund 5")).await.unwrap();
    assert_eq!(asked.interrupts[0].value, json!("refund 5"));
    let done = thread.resume(json!(true)).await.unwrap();
    assert_eq!(done.state.lines.last().unwrap(), "refund 5: true");

    // The answer to a question of an older checkpoint is asked for anew.
    for answer in [true, false] {
        let asked = thread.at(&question).resume(json!(answer)).await.unwrap();
        assert_eq!(asked.interrupts[0].value, json!("refund 90000"));
        let done = thread.resume(json!(answer)).await.unwrap();
        assert_eq!(done.state.lines.last().unwrap(), &format!("refund 90000: {answer}"));
    }
}

/// An edge and a `Send` lead to one node in one step: each task's graph inside is a thread of its own.
#[tokio::test]
async fn a_sent_task_and_one_by_an_edge_have_graphs_inside_of_their_own() {
    let saver = Arc::new(MemorySaver::new());
    let line = |line: &str| vec![line.to_owned()];
    let split = move |_: &Log, _: Ctx| async move {
        let sent = Command::update(LogUpdate { lines: Some(line("by an edge")) });
        Ok::<_, BoxError>(
            sent.send("last", Log { lines: line("sent first") })
                .send("last", Log { lines: line("sent second") }),
        )
    };
    let graph = StateGraph::new()
        .node("split", split)
        .node("last", Last(repeating(&saver)))
        .edge(START, "split")
        .edge("split", "last");
    let graph = graph.checkpointer(saver).compile().unwrap();
    let thread = graph.on("1");
    let mut asked = thread.invoke(LogUpdate::default()).await.unwrap().interrupts;
    let mut questions: Vec<_> = asked.iter().map(|one| one.value.clone()).collect();
    questions.sort_by_key(ToString::to_string);
    assert_eq!(questions, ["by an edge", "sent first", "sent second"]);
    asked.reverse();
    let answers =
        asked.into_iter().map(|one| (one.id, json!(["to", one.value]))).collect::<Vec<_>>();
    let mut lines = thread.resume(answers).await.unwrap().state.lines;
    lines.remove(0);
    lines.sort();
    let told = |line: &str| format!("{line}: [\"to\",\"{line}\"]");
    assert_eq!(lines, ["by an edge", "sent first", "sent second"].map(told));
}
