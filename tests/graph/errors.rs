//! Errors of nodes: questions inside them, and their sources.

use std::error::Error;
use std::fmt;
use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use serde_json::json;
use threadfold::graph::{
    BoxError, Ctx, END, GraphError, MemorySaver, START, StateGraph, UpdateAgent,
};

use super::log::{Log, LogUpdate, joined, say};

/// An error that passes for the one inside it, as `#[error(transparent)]` does.
struct Transparent(BoxError);

impl fmt::Debug for Transparent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for Transparent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl Error for Transparent {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

#[tokio::test]
async fn a_question_passes_through_a_nodes_own_errors() {
    type Wrap = fn(BoxError) -> BoxError;
    let wraps: [Wrap; 4] = [
        |error| error,
        |error| Box::new(Transparent(error)),
        |error| anyhow::Error::from_boxed(error).into(),
        |error| anyhow::Error::from_boxed(error).context("It did not work out").into(),
    ];
    for wrap in wraps {
        let graph = StateGraph::<Log>::new()
            .node("ask", move |_: &Log, ctx: Ctx| {
                let answer = ctx.interrupt(json!("Sure?")).map_err(|error| wrap(error.into()));
                ready(answer.map(|answer| say(answer.to_string())))
            })
            .edge(START, "ask")
            .checkpointer(MemorySaver::new())
            .compile()
            .unwrap();
        let asked = graph.on("1").invoke(say("in")).await.unwrap();
        assert_eq!(asked.interrupts[0].value, json!("Sure?"));
        assert_eq!(joined(&graph.on("1").resume(json!(1)).await.unwrap().state), "in 1");
    }
}

#[tokio::test]
async fn a_question_through_anyhows_question_mark() {
    async fn ask(_: &Log, ctx: Ctx) -> anyhow::Result<LogUpdate> {
        let answer = ctx.interrupt(json!("Sure?")).context("while asking")?;
        Ok(say(answer.to_string()))
    }
    let graph = StateGraph::<Log>::new().node("ask", ask).edge(START, "ask").compile().unwrap();
    let asked = graph.invoke(Log::default()).await.unwrap();
    assert_eq!(asked.interrupts[0].value, json!("Sure?"));
}

/// A failure stays one, whatever its text and whatever its node has asked before.
#[tokio::test]
async fn text_is_no_question() {
    for text in [r#"Interrupted: "Sure?""#, "Interrupted", r#"No answer yet to "Sure?""#] {
        let graph = StateGraph::<Log>::new()
            .node("ask", move |_: &Log, ctx: Ctx| {
                let _ = ctx.interrupt(json!("Sure?"));
                ready(Err::<LogUpdate, BoxError>(text.into()))
            })
            .edge(START, "ask")
            .compile()
            .unwrap();
        let failed = graph.invoke(Log::default()).await.unwrap_err();
        assert!(matches!(failed, GraphError::Node { error, .. } if error.to_string() == text));
    }
}

#[tokio::test]
async fn a_question_in_an_error_is_displayed() {
    let graph = StateGraph::<Log>::new()
        .node("ask", |_: &Log, ctx: Ctx| {
            let error = anyhow::Error::from(ctx.interrupt(json!("Sure?")).unwrap_err());
            ready(Ok::<_, BoxError>(say(format!("{error:#}"))))
        })
        .edge(START, "ask");
    let done = graph.compile().unwrap().invoke(Log::default()).await.unwrap();
    assert_eq!(joined(&done.state), r#"Interrupted: No answer yet to "Sure?""#);
}

#[tokio::test]
async fn sources_are_displayed_once() {
    async fn pay(_: &Log, _: Ctx) -> anyhow::Result<LogUpdate> {
        Err(anyhow::anyhow!("no money").context("cannot pay"))
    }
    let graph = StateGraph::<Log>::new().node("pay", pay).edge(START, "pay").compile().unwrap();
    let failed = anyhow::Error::from(graph.invoke(Log::default()).await.unwrap_err());
    assert_eq!(format!("{failed:#}"), "The node 'pay' failed: cannot pay: no money");
}

#[tokio::test]
async fn a_panic_is_its_nodes_failure_and_the_others_are_kept() {
    async fn good(_: &Log, _: Ctx) -> Result<LogUpdate, BoxError> {
        Ok(say("good"))
    }
    // At once, after a wait, and in a branch.
    for place in ["call", "poll", "branch"] {
        let is_mended = Arc::new(AtomicBool::new(false));
        let (mended, branch_mended) = (is_mended.clone(), is_mended.clone());
        let graph = StateGraph::<Log>::new()
            .node("good", good)
            .node("bad", move |_: &Log, _: Ctx| {
                let is_mended = mended.load(Ordering::SeqCst);
                assert!(is_mended || place != "call", "{place}");
                async move {
                    tokio::task::yield_now().await;
                    assert!(is_mended || place != "poll", "{place}");
                    Ok::<_, BoxError>(say("bad"))
                }
            })
            .edge(START, "good")
            .edge(START, "bad")
            .branch("bad", move |_: &Log| {
                assert!(branch_mended.load(Ordering::SeqCst) || place != "branch", "{place}");
                END
            })
            .checkpointer(MemorySaver::new())
            .compile()
            .unwrap();
        let thread = graph.on("1");
        let failed = thread.invoke(say("in")).await.unwrap_err();
        assert_eq!(failed.to_string(), "The node 'bad' failed");
        assert_eq!(failed.source().unwrap().to_string(), format!("Panicked: {place}"));
        let left = thread.outcome().await.unwrap().unwrap();
        assert!(joined(&left.state).contains("good") && !left.is_ended());
        is_mended.store(true, Ordering::SeqCst);
        let done = thread.resume(()).await.unwrap();
        assert_eq!((done.state.log.len(), done.is_ended()), (3, true), "{place}");
    }
}

/// An error whose own functions panic.
#[derive(Debug)]
struct Panics(&'static str);

impl fmt::Display for Panics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        assert_ne!(self.0, "display", "cannot display");
        f.write_str("fails")
    }
}

impl Error for Panics {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        assert_ne!(self.0, "source", "has no source");
        None
    }
}

#[tokio::test]
async fn an_error_that_panics_is_its_nodes_failure_and_the_others_are_kept() {
    for place in ["display", "source"] {
        let is_mended = Arc::new(AtomicBool::new(false));
        let mended = is_mended.clone();
        let graph = StateGraph::<Log>::new()
            .node("good", |_: &Log, _: Ctx| ready(Ok::<_, BoxError>(say("good"))))
            .node("bad", move |_: &Log, _: Ctx| {
                let is_mended = mended.load(Ordering::SeqCst);
                ready(if is_mended { Ok(say("bad")) } else { Err(Panics(place)) })
            })
            .edge(START, "good")
            .edge(START, "bad")
            .checkpointer(MemorySaver::new())
            .compile()
            .unwrap();
        let thread = graph.on("1");
        let failed = thread.invoke(say("in")).await.unwrap_err();
        assert!(matches!(&failed, GraphError::Node { node, .. } if node == "bad"), "{place}");
        assert_eq!(joined(&thread.state().await.unwrap().unwrap()), "in good");
        is_mended.store(true, Ordering::SeqCst);
        assert_eq!(joined(&thread.resume(()).await.unwrap().state), "in bad good");
    }
}

#[tokio::test]
async fn an_agent_that_panics_is_its_nodes_failure_and_the_others_are_kept() {
    /// Panics in its call, or in its future.
    struct Bad(bool);
    impl UpdateAgent for Bad {
        type State = Log;
        type Error = BoxError;
        fn update(&self, _: &Log) -> impl Future<Output = Result<LogUpdate, BoxError>> + Send {
            assert!(!self.0, "in its call");
            async { panic!("in its future") }
        }
    }
    for is_at_once in [true, false] {
        let graph = StateGraph::<Log>::new()
            .node("good", |_: &Log, _: Ctx| ready(Ok::<_, BoxError>(say("good"))))
            .agent("bad", Bad(is_at_once))
            .edge(START, "good")
            .edge(START, "bad")
            .checkpointer(MemorySaver::new())
            .compile()
            .unwrap();
        let thread = graph.on("1");
        let failed = thread.invoke(say("in")).await.unwrap_err();
        assert!(matches!(&failed, GraphError::Node { node, .. } if node == "bad"), "{failed}");
        assert_eq!(joined(&thread.state().await.unwrap().unwrap()), "in good");
    }
}
