//! Errors of nodes: questions inside them, and their sources.

use std::error::Error;
use std::fmt;
use std::future::ready;

use anyhow::Context;
use serde_json::json;
use threadfold::graph::{BoxError, Ctx, GraphError, MemorySaver, START, StateGraph};

use super::typed::{Log, LogUpdate, joined, say};

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
async fn sources_are_displayed_once() {
    async fn pay(_: &Log, _: Ctx) -> anyhow::Result<LogUpdate> {
        Err(anyhow::anyhow!("no money").context("cannot pay"))
    }
    let graph = StateGraph::<Log>::new().node("pay", pay).edge(START, "pay").compile().unwrap();
    let failed = anyhow::Error::from(graph.invoke(Log::default()).await.unwrap_err());
    assert_eq!(format!("{failed:#}"), "The node 'pay' failed: cannot pay: no money");
}
