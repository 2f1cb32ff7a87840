//! A run, part by part: states, updates, and what nodes send.

use serde_json::json;
use threadfold::State;
use threadfold::graph::{
    BoxError, Ctx, MemorySaver, MessageChunk, Parts, RunPart, START, StateGraph,
};

#[derive(Debug, Clone, Default, State)]
#[state(derive(Clone))]
struct Log {
    #[reducer(|mut all: Vec<String>, more: Vec<String>| { all.extend(more); all })]
    lines: Vec<String>,
}

fn say(line: impl Into<String>) -> LogUpdate {
    LogUpdate { lines: Some(vec![line.into()]) }
}

async fn speak(_: &Log, ctx: Ctx) -> Result<LogUpdate, BoxError> {
    ctx.message(MessageChunk::text("a", "Hel"));
    tokio::task::yield_now().await;
    ctx.message(MessageChunk::text("a", "lo").last());
    ctx.custom(json!({ "run": ctx.run_id() }));
    Ok(say("spoke"))
}

async fn ask(_: &Log, ctx: Ctx) -> Result<LogUpdate, BoxError> {
    Ok(say(format!("answered {}", ctx.interrupt(json!("Sure?"))?)))
}

async fn stuck(_: &Log, _: Ctx) -> Result<LogUpdate, BoxError> {
    std::future::pending().await
}

fn named(part: &RunPart<Log>) -> String {
    match part {
        RunPart::Values(log) => format!("values {}", log.lines.join("+")),
        RunPart::Started(task) => format!("started {} {}", task.node, task.step),
        RunPart::Message(task, chunk) => format!("{}: {}", task.node, chunk.text),
        RunPart::Custom(task, value) => format!("{}: {value}", task.node),
        RunPart::Finished(task, update) => {
            let lines = update.as_ref().and_then(|update| update.lines.clone());
            format!("finished {} {}", task.node, lines.unwrap_or_default().join("+"))
        }
        RunPart::Asked(task, asked) => format!("asked {} {} {}", task.node, asked.id, asked.value),
        other => format!("{other:?}"),
    }
}

async fn all(parts: &mut Parts<'_, Log>) -> Vec<String> {
    let mut names = Vec::new();
    while let Some(part) = parts.next().await {
        names.push(named(&part));
    }
    names
}

#[tokio::test]
async fn a_run_streams_what_its_nodes_do_in_order() {
    let graph = StateGraph::<Log>::new()
        .node("speak", speak)
        .node("ask", ask)
        .edge(START, "speak")
        .edge("speak", "ask")
        .checkpointer(MemorySaver::new())
        .compile()
        .unwrap();
    let thread = graph.on("1");
    let mut parts = thread.run_id("r1").stream(say("in")).await.unwrap().parts();
    let expected = [
        "values in",
        "started speak 1",
        "speak: Hel",
        "speak: lo",
        r#"speak: {"run":"r1"}"#,
        "finished speak spoke",
        "values in+spoke",
        "started ask 2",
        r#"asked ask 1:2:ask::0 "Sure?""#,
    ];
    assert_eq!(all(&mut parts).await, expected);
    let asked = parts.finish().await.unwrap();
    assert_eq!(
        (asked.interrupts[0].id.as_str(), asked.run_id.as_deref()),
        ("1:2:ask::0", Some("r1"))
    );

    let mut parts = thread.run_id("r2").stream_resumed(json!(true)).await.unwrap().parts();
    let resumed = ["values in+spoke", "started ask 2", "finished ask answered true"];
    assert_eq!(all(&mut parts).await, [&resumed[..], &["values in+spoke+answered true"]].concat());
    assert!(parts.finish().await.unwrap().is_ended());
    let left = thread.outcome().await.unwrap().unwrap();
    assert_eq!(left.run_id.as_deref(), Some("r2"));
}

#[tokio::test]
async fn a_stopped_run_keeps_what_other_nodes_of_its_step_have_returned() {
    let graph = StateGraph::<Log>::new()
        .node("speak", speak)
        .node("stuck", stuck)
        .edge(START, "speak")
        .edge(START, "stuck")
        .checkpointer(MemorySaver::new())
        .compile()
        .unwrap();
    let mut parts = graph.on("1").stream(say("in")).await.unwrap().parts();
    while let Some(part) = parts.next().await {
        if let RunPart::Finished(..) = part {
            parts.stop();
        }
    }
    let outcome = parts.finish().await.unwrap();
    assert_eq!((outcome.state.lines.join("+"), outcome.next.len()), ("in+spoke".into(), 1));
    let left = graph.on("1").outcome().await.unwrap().unwrap();
    assert_eq!((left.state.lines.join("+"), &*left.next[0]), ("in+spoke".into(), "stuck"));
}

/// A node may send from a task of its own: that wakes the reader.
#[tokio::test]
async fn a_task_that_a_node_spawns_wakes_the_reader() {
    async fn spawns(_: &Log, ctx: Ctx) -> Result<LogUpdate, BoxError> {
        tokio::spawn(async move {
            tokio::task::yield_now().await;
            ctx.custom("from outside");
        });
        std::future::pending().await
    }
    let builder = StateGraph::<Log>::new().node("spawns", spawns).edge(START, "spawns");
    let graph = builder.compile().unwrap();
    let mut parts = graph.stream(Log::default()).parts();
    let limit = std::time::Duration::from_secs(30);
    let begun = std::time::Instant::now();
    loop {
        let part = tokio::time::timeout(limit, parts.next()).await.unwrap().unwrap();
        // At the timeout, the part is looked for once more.
        assert!(begun.elapsed() < limit, "it wakes");
        if named(&part) == r#"spawns: "from outside""# {
            break;
        }
    }
}

#[test]
fn a_chunk_adds_text_reasoning_and_calls() {
    let chunk = MessageChunk::reasoning("a", "Hm.").with_call(1, "c", "search").last();
    assert_eq!((&*chunk.id, &*chunk.text, &*chunk.reasoning), ("a", "", "Hm."));
    let [call] = &chunk.tool_calls[..] else { panic!("{:?}", chunk.tool_calls) };
    assert_eq!(
        (call.index, call.id.as_deref(), call.name.as_deref()),
        (1, Some("c"), Some("search"))
    );
    assert!(chunk.is_last && call.args.is_empty());
}
