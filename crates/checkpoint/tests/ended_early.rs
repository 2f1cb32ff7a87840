//! Runs that ended before their graph did, as a service of another process finds them in SQLite.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::path::PathBuf;
use std::sync::Arc;

use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use threadfold::ag_ui::{RunWork, Service, ServiceRequest, ServiceResponse};
use threadfold::graph::{BoxError, Command, Ctx, RunPart, START, StateGraph};
use threadfold::reducer::{Append, TryReducerFn};
use threadfold::{Error, State};
use threadfold_checkpoint::SqliteSaver;
use tokio::sync::Notify;

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

/// Asks, fails with the answer `"bad"`, and with `"wait"` works for ever if it is `to_die`.
fn paying(to_die: bool) -> StateGraph<Shop> {
    let pay = move |_: &Shop, ctx: Ctx| async move {
        let answer = ctx.interrupt("Pay?")?;
        if to_die && answer == "wait" {
            std::future::pending::<()>().await;
        }
        if answer == "bad" {
            return Err(BoxError::from("no"));
        }
        Ok(ShopUpdate { log: Some(vec![format!("paid {answer}")]), ..ShopUpdate::default() })
    };
    StateGraph::new().node("pay", pay).edge(START, "pay")
}

/// Asks, and waits for ever with the answer `"wait"`: then it says so.
fn waiting_with(waiting: &Arc<Notify>) -> StateGraph<Shop> {
    let waiting = waiting.clone();
    let pay = move |_: &Shop, ctx: Ctx| {
        let waiting = waiting.clone();
        async move {
            if ctx.interrupt("Pay?")? == "wait" {
                waiting.notify_one();
                std::future::pending::<()>().await;
            }
            Ok::<_, BoxError>(ShopUpdate::default())
        }
    };
    StateGraph::new().node("pay", pay).edge(START, "pay")
}

async fn ended(mut response: ServiceResponse) -> Value {
    response.work.take().map(tokio::spawn);
    let mut last = String::new();
    while let Some(part) = response.body.next().await {
        last = part;
    }
    serde_json::from_str(last.lines().find_map(|line| line.strip_prefix("data: ")).unwrap())
        .unwrap()
}

/// Its answer and its id are saved before the step that takes the answer, also after one that failed.
#[tokio::test]
async fn a_run_that_was_killed_with_an_answer_continues_with_it() {
    let database = Database::new("answered");
    let asked = ended(post(&database.process(paying(true)), &input(1)).await).await;
    let id = &asked["outcome"]["interrupts"][0]["id"];
    let answer = |run: &str, payload: &str| {
        let resume = json!([{ "interruptId": id, "status": "resolved", "payload": payload }]);
        json!({ "threadId": "t", "runId": run, "messages": [], "resume": resume })
    };
    let thread = async |service: &Service<Shop>| -> Value {
        let mut opened = service.answer(ServiceRequest::new("GET", "/threads/t")).await;
        serde_json::from_str(&opened.body.next().await.unwrap()).unwrap()
    };
    let failed = ended(post(&database.process(paying(true)), &answer("bad", "bad")).await).await;
    assert_eq!((&failed["type"], &failed["message"]), (&json!("RUN_ERROR"), &json!("no")));
    let service = database.process(paying(true));
    assert!(service.recover("t").await.unwrap().is_none());
    assert_eq!(thread(&service).await["interrupts"][0]["id"], *id);

    let work = until_work(&service, &answer("killed", "wait")).await;
    work.abort();
    work.await.unwrap_err();
    let service = database.process(paying(false));
    // The question has its answer.
    let late = ended(post(&service, &answer("late", "other")).await).await;
    assert_eq!((&late["type"], &late["code"]), (&json!("RUN_ERROR"), &json!("NO_QUESTION")));
    service.recover("t").await.unwrap().unwrap().await;
    let done = thread(&service).await;
    assert_eq!(
        (&done["interrupts"], &done["state"]["log"]),
        (&json!([]), &json!(["paid \"wait\""]))
    );
    let again = ended(post(&service, &answer("killed", "wait")).await).await;
    assert_eq!(again["type"], "RUN_FINISHED");
    assert_eq!(database.errors().len(), 1);
}

/// The attempts of a run with an answer are beside the answer, and end with it.
#[tokio::test]
async fn attempts_to_continue_with_an_answer_are_counted() {
    let database = Database::new("attempts");
    let asked = ended(post(&database.process(paying(true)), &input(1)).await).await;
    let id = &asked["outcome"]["interrupts"][0]["id"];
    let answer = |run: &str, payload: &str| {
        let resume = json!([{ "interruptId": id, "status": "resolved", "payload": payload }]);
        json!({ "threadId": "t", "runId": run, "messages": [], "resume": resume })
    };
    let killed = async |mut work: RunWork, waiting: &Notify| {
        tokio::select! {
            () = &mut work => panic!("its node waits"),
            () = waiting.notified() => {}
        }
    };
    let waiting = Arc::new(Notify::new());
    let process = || database.process(waiting_with(&waiting));
    let mut cut = post(&process(), &answer("killed", "wait")).await;
    killed(cut.work.take().unwrap(), &waiting).await;
    for _ in 0..50 {
        let work = process().recover("t").await.unwrap().expect("it goes on");
        killed(work, &waiting).await;
    }
    assert!(process().recover("t").await.unwrap().is_none());
    let again = ended(post(&process(), &answer("killed", "wait")).await).await;
    assert_eq!((&again["type"], &again["code"]), (&json!("RUN_ERROR"), &json!("KILLED")));
    let done = ended(post(&process(), &answer("next", "good")).await).await;
    assert_eq!(done["type"], "RUN_FINISHED");
    assert!(database.errors().is_empty());
}
