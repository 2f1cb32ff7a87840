//! A thread in a process that begins with what is saved, and in a changed graph.

use std::future::ready;
use std::sync::Arc;

use serde_json::json;
use threadfold::graph::{
    BoxError, Checkpoint, Checkpointer, Command, Ctx, GraphError, START, Saving, StateGraph,
};

use super::log::{Log, LogUpdate, Texts, asks, joined, named, say};

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
    texts.replace_last("1", before);
    let found = graph.on("1").outcome().await.unwrap().unwrap();
    assert_eq!(found.interrupts, asked.interrupts);
    let next = graph.on("1").resume(json!(1)).await.unwrap();
    assert_eq!(next.interrupts[0].value, json!("second?"));
}

/// Refuses each graph, as one does that saves a field which the state lacks.
struct Refusing;

impl Checkpointer<Log> for Refusing {
    fn get<'a>(&'a self, _: &'a str, _: Option<&'a str>) -> Saving<'a, Option<Checkpoint<Log>>> {
        Box::pin(ready(Ok(None)))
    }

    fn put<'a>(&'a self, _: &'a str, _: Option<String>, _: Checkpoint<Log>) -> Saving<'a, bool> {
        Box::pin(ready(Ok(false)))
    }

    fn list<'a>(&'a self, _: &'a str) -> Saving<'a, Vec<String>> {
        Box::pin(ready(Ok(Vec::new())))
    }

    fn delete<'a>(&'a self, _: &'a str) -> Saving<'a, ()> {
        Box::pin(ready(Ok(())))
    }

    fn check(&self) -> Result<(), BoxError> {
        Err("no such field".into())
    }
}

#[test]
fn a_checkpointer_may_refuse_a_graph_also_where_several_share_it() {
    let graph = || StateGraph::<Log>::new().node("a", named).edge(START, "a");
    for compiled in [
        graph().checkpointer(Refusing).compile(),
        graph().checkpointer(Arc::new(Refusing)).compile(),
    ] {
        assert!(matches!(compiled, Err(GraphError::Checkpointer(_))));
    }
}
