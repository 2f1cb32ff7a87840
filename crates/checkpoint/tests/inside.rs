//! A graph inside a node, which asks through it: both threads are in one database.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;
use threadfold::State;
use threadfold::graph::{BoxError, Command, Ctx, Graph, Node, START, StateGraph};
use threadfold::reducer::Append;
use threadfold_checkpoint::SqliteSaver;

#[derive(Debug, Clone, Default, State, Serialize, Deserialize)]
#[state(derive(Debug, Clone, Serialize, Deserialize))]
struct Order {
    #[reducer(Append)]
    #[update(Vec<String>)]
    log: Vec<String>,
}

async fn ask(order: &Order, ctx: Ctx) -> Result<OrderUpdate, BoxError> {
    let question = format!("{} after {}?", ctx.node(), order.log.len());
    let answer = ctx.interrupt(question)?;
    Ok(OrderUpdate { log: Some(vec![format!("{} got {answer}", ctx.node())]) })
}

struct Inside(Graph<Order>);

impl Node<Order> for Inside {
    async fn run(&self, _: &Order, ctx: Ctx) -> Result<Command<Order>, BoxError> {
        let name = format!("{} inside", ctx.thread().ok_or("not on a thread")?);
        let thread = self.0.on(&name);
        let mut outcome = match thread.outcome().await? {
            Some(known) => known,
            None => thread.invoke(OrderUpdate::default()).await?,
        };
        while let Some(question) = outcome.interrupts.first() {
            let answer = ctx.forward(question)?;
            outcome = thread.resume(answer).await?;
        }
        let own = ctx.interrupt("All?")?;
        let log = [outcome.state.log, vec![format!("all got {own}")]].concat();
        Ok(Command::update(OrderUpdate { log: Some(log) }))
    }
}

fn graph(saver: &Arc<SqliteSaver>) -> Graph<Order> {
    let inner = StateGraph::<Order>::new().node("a", ask).node("b", ask);
    let inner = inner.edge(START, "a").edge("a", "b").checkpointer(saver.clone()).compile();
    let outer = StateGraph::<Order>::new().node("inside", Inside(inner.unwrap()));
    outer.edge(START, "inside").checkpointer(saver.clone()).compile().unwrap()
}

#[tokio::test]
async fn questions_of_a_graph_inside_are_answered_one_by_one() {
    let saver = Arc::new(SqliteSaver::in_memory().unwrap());
    let mut asked = graph(&saver).on("1").invoke(OrderUpdate::default()).await.unwrap();
    for (turn, question) in ["a after 0?", "b after 1?", "All?"].into_iter().enumerate() {
        assert_eq!(asked.interrupts[0].value, json!(question));
        // As in a process that starts anew.
        let graph = graph(&saver);
        let left = graph.on("1").outcome().await.unwrap().unwrap();
        assert_eq!(left.interrupts, asked.interrupts);
        asked = graph.on("1").resume(json!(turn)).await.unwrap();
    }
    assert_eq!(asked.state.log, ["a got 0", "b got 1", "all got 2"]);
    assert!(asked.is_ended());
}

/// Runs the graph on a thread that is named after the node's.
struct Own(Graph<Order>);

impl Node<Order> for Own {
    async fn run(&self, _: &Order, ctx: Ctx) -> Result<Command<Order>, BoxError> {
        let inner = ctx.run(&self.0, OrderUpdate::default()).await?;
        Ok(Command::update(OrderUpdate { log: Some(inner.state.log) }))
    }
}

#[tokio::test]
async fn threads_are_listed_without_those_inside() {
    let saver = Arc::new(SqliteSaver::in_memory().unwrap());
    let inner = StateGraph::<Order>::new().node("a", ask).edge(START, "a");
    let inner = inner.checkpointer(saver.clone()).compile().unwrap();
    let outer = StateGraph::<Order>::new().node("own", Own(inner)).edge(START, "own");
    let outer = outer.checkpointer(saver.clone()).compile().unwrap();
    for thread in ["one", "two", "three"] {
        outer.on(thread).invoke(OrderUpdate::default()).await.unwrap();
    }
    outer.on("one").resume(json!("yes")).await.unwrap();
    assert_eq!(saver.threads().await.unwrap(), ["one", "three", "two"]);
}

#[tokio::test]
async fn a_deleted_thread_leaves_no_answer_to_a_new_one() {
    let saver = Arc::new(SqliteSaver::in_memory().unwrap());
    let inner = StateGraph::<Order>::new().node("a", ask).edge(START, "a");
    let inner = inner.checkpointer(saver.clone()).compile().unwrap();
    let outer = StateGraph::<Order>::new().node("own", Own(inner)).edge(START, "own");
    let outer = outer.checkpointer(saver.clone()).compile().unwrap();
    // Names beside `one|`, in any order of theirs.
    let others = ["on", "one!", "onetwo", "one}", "one~", "two"];
    for thread in others.into_iter().chain(["one"]) {
        outer.on(thread).invoke(OrderUpdate::default()).await.unwrap();
        outer.on(thread).resume(json!("old")).await.unwrap();
    }
    outer.on("one").delete().await.unwrap();
    let asked = outer.on("one").invoke(OrderUpdate::default()).await.unwrap();
    assert_eq!(asked.interrupts.len(), 1);
    let done = outer.on("one").resume(json!("new")).await.unwrap();
    assert_eq!(done.state.log, [r#"a got "new""#]);
    for thread in others {
        let left = outer.on(thread).state().await.unwrap().unwrap();
        assert_eq!(left.log, [r#"a got "old""#], "{thread}");
    }
    outer.on("one").delete().await.unwrap();
    let mut left = saver.threads().await.unwrap();
    left.sort();
    assert_eq!(left, others);
}

/// Runs the graph on the task's own thread.
struct Task(Graph<Order>);

impl Node<Order> for Task {
    async fn run(&self, _: &Order, ctx: Ctx) -> Result<Command<Order>, BoxError> {
        let outcome = ctx.run(&self.0, OrderUpdate::default()).await?;
        Ok(Command::update(OrderUpdate { log: Some(outcome.state.log) }))
    }
}

async fn side(_: &Order, _: Ctx) -> Result<OrderUpdate, BoxError> {
    Ok(OrderUpdate { log: Some(vec!["side".to_owned()]) })
}

#[tokio::test]
async fn an_inner_thread_is_found_again_whichever_order_the_nodes_have() {
    for [other, asks] in [["a", "b"], ["b", "a"]] {
        let saver = Arc::new(SqliteSaver::in_memory().unwrap());
        let inner = StateGraph::<Order>::new().node("first", ask).node("second", ask);
        let inner = inner.edge(START, "first").edge("first", "second").checkpointer(saver.clone());
        let outer = StateGraph::<Order>::new().node(other, side);
        let outer = outer.node(asks, Task(inner.compile().unwrap()));
        let outer = outer.edge(START, other).edge(START, asks).checkpointer(saver.clone());
        let graph = outer.compile().unwrap();
        let thread = graph.on("1");
        let mut asked = thread.invoke(OrderUpdate::default()).await.unwrap();
        for question in ["first after 0?", "second after 1?"] {
            assert_eq!(asked.interrupts[0].value, json!(question));
            asked = thread.resume(json!("yes")).await.unwrap();
        }
        asked.state.log.sort();
        assert_eq!(asked.state.log, [r#"first got "yes""#, r#"second got "yes""#, "side"]);
    }
}

struct Run(Graph<Order>);

impl Node<Order> for Run {
    async fn run(&self, _: &Order, ctx: Ctx) -> Result<Command<Order>, BoxError> {
        let inner = ctx.run(&self.0, OrderUpdate::default()).await?;
        Ok(Command::update(OrderUpdate { log: Some(inner.state.log) }))
    }
}

/// The next process does not ask again, either.
#[tokio::test]
async fn a_question_that_a_graph_inside_has_gone_on_from_is_not_asked_again() {
    let saver = Arc::new(SqliteSaver::in_memory().unwrap());
    let graph = |is_closed: bool| {
        let act = move |_: &Order, _: Ctx| async move {
            let paid = OrderUpdate { log: Some(vec!["paid".to_owned()]) };
            if is_closed { Err(BoxError::from("The bank is closed.")) } else { Ok(paid) }
        };
        let inner = StateGraph::<Order>::new().node("ask", ask).node("act", act);
        let inner = inner.edge(START, "ask").edge("ask", "act").checkpointer(saver.clone());
        let outer = StateGraph::<Order>::new().node("inside", Run(inner.compile().unwrap()));
        outer.edge(START, "inside").checkpointer(saver.clone()).compile().unwrap()
    };
    graph(true).on("1").invoke(OrderUpdate::default()).await.unwrap();
    graph(true).on("1").resume(json!("yes")).await.unwrap_err();
    let left = graph(true).on("1").outcome().await.unwrap().unwrap();
    assert!(!left.is_ended() && left.interrupts.is_empty());
    graph(true).on("1").resume(json!("no")).await.unwrap_err();
    graph(true).on("1").resume(()).await.unwrap_err();
    assert!(graph(false).on("1").resume(json!("no")).await.is_err());
    let done = graph(false).on("1").resume(()).await.unwrap();
    assert_eq!(done.state.log, ["ask got \"yes\"", "paid"]);
}
