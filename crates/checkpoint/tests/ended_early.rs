//! Runs that ended before their graph did, as a service of another process finds them in SQLite.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::path::PathBuf;
use std::sync::Arc;

use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use threadfold::ag_ui::{Service, ServiceRequest, ServiceResponse};
use threadfold::graph::{BoxError, Command, Ctx, RunPart, START, StateGraph};
use threadfold::reducer::{Append, TryReducerFn};
use threadfold::{Error, State};
use threadfold_checkpoint::SqliteSaver;

#[derive(Debug, Clone, Default, State, Serialize, Deserialize)]
#[state(derive(Clone, Serialize, Deserialize))]
struct Shop {
    #[reducer(TryReducerFn(fill))]
    stock: u32,
    #[reducer(Append)]
    log: Vec<String>,
}

fn fill(stock: u32, more: u32) -> Result<u32, Error> {
    let sum = stock.checked_add(more).filter(|sum| *sum < 100);
    sum.ok_or_else(|| Error::reducer("the shelf is full"))
}

/// Works for ever.
async fn work(_: &Shop, _: Ctx) -> Result<ShopUpdate, BoxError> {
    std::future::pending::<()>().await;
    Ok(ShopUpdate::default())
}

async fn overfill(_: &Shop, _: Ctx) -> Result<ShopUpdate, BoxError> {
    Ok(ShopUpdate { stock: Some(500), ..ShopUpdate::default() })
}

async fn turn(_: &Shop, _: Ctx) -> Result<ShopUpdate, BoxError> {
    Ok(ShopUpdate { log: Some(vec!["turn".into()]), ..ShopUpdate::default() })
}

async fn stray(_: &Shop, _: Ctx) -> Result<Command<Shop>, BoxError> {
    Ok(Command::update(ShopUpdate::default()).goto("nowhere"))
}

type Building<'a> = &'a dyn Fn() -> StateGraph<Shop>;

/// A database in a file that is removed at the end.
struct Database(PathBuf);

impl Database {
    fn new(name: &str) -> Self {
        let name = format!("threadfold-{name}-{}.sqlite", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    /// Serves a graph as a process does that has just begun.
    fn process(&self, graph: StateGraph<Shop>) -> Service<Shop> {
        let saver = Arc::new(SqliteSaver::open(&self.0).unwrap());
        Service::new(graph.checkpointer(saver).compile().unwrap()).unwrap()
    }

    /// The errors of tasks, as LangGraph reads them.
    fn errors(&self) -> Vec<Value> {
        let sql = "SELECT value FROM writes WHERE channel = '__error__' AND idx = -1";
        let connection = Connection::open(&self.0).unwrap();
        let mut statement = connection.prepare(sql).unwrap();
        let texts = statement.query_map([], |row| row.get::<_, Vec<u8>>(0)).unwrap();
        texts.map(|text| serde_json::from_slice(&text.unwrap()).unwrap()).collect()
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        for more in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{more}", self.0.display()));
        }
    }
}

async fn post(service: &Service<Shop>, body: &Value) -> ServiceResponse {
    let body = body.to_string();
    service.answer(ServiceRequest::new("POST", "/").body(body.as_bytes())).await
}

/// Runs until a node is at work.
async fn until_work(service: &Service<Shop>, body: &Value) -> tokio::task::JoinHandle<()> {
    let mut response = post(service, body).await;
    let work = tokio::spawn(response.work.take().unwrap());
    while !response.body.next().await.unwrap().contains("STEP_STARTED") {}
    work
}

fn input(stock: u32) -> Value {
    json!({ "threadId": "t", "runId": "r", "messages": [], "state": { "stock": stock, "log": [] } })
}

fn working() -> StateGraph<Shop> {
    StateGraph::new().node("work", work).edge(START, "work")
}

#[tokio::test]
async fn a_run_that_was_stopped_does_not_continue_and_a_killed_one_does() {
    let database = Database::new("stopped");
    let service = database.process(working());
    let work = until_work(&service, &input(1)).await;
    let stopped = service.answer(ServiceRequest::new("DELETE", "/threads/t/runs/r")).await;
    assert_eq!(stopped.status, 200);
    work.await.unwrap();
    assert!(database.process(working()).recover("t").await.unwrap().is_none());
    let error = database.errors().pop().unwrap();
    assert_eq!(
        (&error["name"], &error["message"]),
        (&json!("Error"), &json!("The run was stopped."))
    );

    // A new request begins a new run.
    let service = database.process(working());
    let again = json!({ "threadId": "t", "runId": "r2", "messages": [], "state": { "stock": 2 } });
    let work = until_work(&service, &again).await;
    work.abort();
    work.await.unwrap_err();
    assert!(database.process(working()).recover("t").await.unwrap().is_some());
}

#[tokio::test]
async fn a_run_that_was_stopped_between_its_steps_does_not_continue() {
    let database = Database::new("between");
    let service = database.process(working());
    let mut parts = service.graph().on("t").stream(ShopUpdate::default()).await.unwrap().parts();
    parts.stop();
    assert!(parts.next().await.is_none());
    assert_eq!(parts.finish().await.unwrap().next.join(" "), START);
    assert!(service.recover("t").await.unwrap().is_none());
    // It does if the caller says so.
    let mut parts = service.graph().on("t").stream_resumed(()).await.unwrap().parts();
    while !matches!(parts.next().await.unwrap(), RunPart::Started(task) if &*task.node == "work") {}
}

#[tokio::test]
async fn a_run_that_failed_without_an_error_of_a_node_does_not_continue() {
    let overfilling = || StateGraph::new().node("overfill", overfill).edge(START, "overfill");
    let turning = || StateGraph::new().node("turn", turn).edge(START, "turn").edge("turn", "turn");
    let straying = || StateGraph::new().node("stray", stray).edge(START, "stray");
    let graphs: [(&str, u32, Building<'_>); 4] = [
        ("input", 500, &working),
        ("update", 1, &overfilling),
        ("limit", 1, &turning),
        ("goto", 1, &straying),
    ];
    for (name, stock, graph) in graphs {
        let database = Database::new(name);
        let mut response = post(&database.process(graph()), &input(stock)).await;
        response.work.take().unwrap().await;
        let mut last = String::new();
        while let Some(part) = response.body.next().await {
            last = part;
        }
        assert!(last.contains("RUN_ERROR"), "{name}: {last}");
        let service = database.process(graph());
        assert!(service.recover("t").await.unwrap().is_none(), "{name}");
        let opened = service.answer(ServiceRequest::new("GET", "/threads/t")).await;
        assert!(opened.work.is_none(), "{name}");
        assert_eq!(database.errors().len(), 1, "{name}");
    }
}
