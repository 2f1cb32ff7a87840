//! The debug form of a graph's parts: names, ids and numbers, no state that cannot be shown.

use std::sync::Arc;

use threadfold::State;
use threadfold::graph::{
    BoxError, Checkpointer, Command, Ctx, MemorySaver, MessageChunk, START, StateGraph,
};

/// A state without a debug form.
#[derive(Clone, Default, State)]
#[state(derive(Clone))]
struct Log {
    #[reducer(|mut all: Vec<String>, more: Vec<String>| { all.extend(more); all })]
    lines: Vec<String>,
}

async fn show(_: &Log, ctx: Ctx) -> Result<LogUpdate, BoxError> {
    ctx.message(MessageChunk::text("m", "Hello"));
    ctx.custom(format!("{ctx:?}"));
    Ok(LogUpdate { lines: Some(vec!["shown".into()]) })
}

async fn ask(_: &Log, ctx: Ctx) -> Result<LogUpdate, BoxError> {
    ctx.interrupt("Sure?")?;
    Ok(LogUpdate::default())
}

#[tokio::test]
async fn a_thread_is_shown_without_its_state() {
    let saver = Arc::new(MemorySaver::<Log>::new());
    assert_eq!(format!("{saver:?}"), "MemorySaver { .. }");
    let graph = StateGraph::<Log>::new()
        .node("show", show)
        .node("ask", ask)
        .edge(START, "show")
        .edge(START, "ask")
        .checkpointer(saver.clone());
    let edges = r#"[("__start__", "show"), ("__start__", "ask")]"#;
    let nodes = r#"["show", "ask"]"#;
    assert_eq!(
        format!("{graph:?}"),
        format!("StateGraph {{ nodes: {nodes}, edges: {edges}, .. }}")
    );
    let graph = graph.compile().unwrap();
    let thread = graph.on("1");
    assert_eq!(format!("{thread:?}"), r#"OnThread { thread: "1", at: None, .. }"#);

    let mut parts = thread.stream(LogUpdate::default()).await.unwrap().parts();
    assert_eq!(format!("{parts:?}"), "Parts { has_ended: false, .. }");
    let mut shown = Vec::new();
    while let Some(part) = parts.next().await {
        shown.push(format!("{part:?}"));
    }
    assert_eq!(format!("{parts:?}"), "Parts { has_ended: true, .. }");
    let of = |name: &str| shown.iter().find(|part| part.starts_with(name)).unwrap();
    let task = r#"TaskName { node: "show", step: 1, place: 1 }"#;
    assert_eq!(of("Values"), "Values");
    assert_eq!(of("Finished"), &format!("Finished({task})"));
    assert!(of("Message").starts_with(&format!("Message({task}, MessageChunk {{ ")));
    let custom = of("Custom");
    assert!(custom.contains("memo: StepMemo") && custom.contains("emitter: Emitter(true)"));

    let saved = saver.get("1", None).await.unwrap().unwrap();
    let id = &saved.delta.id;
    let (whole, delta) = (format!("{saved:?}"), format!("{:?}", saved.delta));
    assert_eq!(whole, format!("Checkpoint {{ delta: {delta}, .. }}"));
    assert!(delta.starts_with(&format!("Delta {{ id: {id:?}, parent: Some(")), "{delta}");
    assert!(delta.contains("Pending { node: 1, interrupt: Some(Interrupt { "), "{delta}");
    let finished = saved.delta.pending.iter().find_map(|pending| pending.finished.as_ref());
    assert_eq!(format!("{:?}", finished.unwrap()), "Finished { writes: [0], .. }");
}

#[tokio::test]
async fn a_command_and_a_run_show_a_state_that_can_be() {
    #[derive(Debug, Clone, Default, State)]
    #[state(derive(Debug, Clone))]
    struct Count {
        n: u32,
    }
    async fn count(_: &Count, _: Ctx) -> Result<CountUpdate, BoxError> {
        Ok(CountUpdate { n: Some(2) })
    }
    let command = Command::<Count>::update(CountUpdate { n: Some(1) }).goto("next");
    let shown = r#"Command { update: Some(CountUpdate { n: Some(1) }), goto: [Node("next")] }"#;
    assert_eq!(format!("{command:?}"), shown);
    assert_eq!(format!("{:?}", command.clone()), shown);
    let graph = StateGraph::new().node("count", count).edge(START, "count").compile().unwrap();
    let mut run = graph.stream(Count::default());
    run.next().await.unwrap().unwrap();
    assert_eq!(format!("{run:?}"), "Running { status: Done, state: Count { n: 2 }, .. }");
}
