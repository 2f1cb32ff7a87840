//! A run whose process ends at each attempt to continue it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use threadfold::State;
use threadfold::ag_ui::{RunWork, Service, ServiceRequest};
use threadfold::graph::{
    BoxError, Checkpoint, Checkpointer, Command, Ctx, MemorySaver, Node, RunPart, START, Saving,
    StateGraph,
};
use threadfold::reducer::Append;

use super::served::events;

#[derive(Debug, Clone, Default, Serialize, Deserialize, State)]
#[state(derive(Clone, Serialize, Deserialize))]
struct Log {
    #[reducer(Append)]
    lines: Vec<String>,
}

/// Keeps checkpoints as a database does: through serde.
#[derive(Default)]
struct Texts(MemorySaver<Log>);

impl Checkpointer<Log> for Texts {
    fn get<'a>(
        &'a self,
        thread: &'a str,
        id: Option<&'a str>,
    ) -> Saving<'a, Option<Checkpoint<Log>>> {
        self.0.get(thread, id)
    }

    fn put<'a>(
        &'a self,
        thread: &'a str,
        last: Option<String>,
        checkpoint: Checkpoint<Log>,
    ) -> Saving<'a, bool> {
        let text = serde_json::to_string(&checkpoint).unwrap();
        self.0.put(thread, last, serde_json::from_str(&text).unwrap())
    }

    fn list<'a>(&'a self, thread: &'a str) -> Saving<'a, Vec<String>> {
        self.0.list(thread)
    }

    fn delete<'a>(&'a self, thread: &'a str) -> Saving<'a, ()> {
        self.0.delete(thread)
    }
}

#[derive(Default)]
struct World {
    saver: Arc<Texts>,
    ran: Mutex<Vec<&'static str>>,
    heals: AtomicBool,
}

/// Its second node ends the process, until it heals.
struct Step(&'static str, Arc<World>);

impl Node<Log> for Step {
    async fn run(&self, _: &Log, _: Ctx) -> Result<Command<Log>, BoxError> {
        let Self(name, world) = self;
        world.ran.lock().unwrap().push(name);
        while *name == "second" && !world.heals.load(Ordering::SeqCst) {
            tokio::task::yield_now().await;
        }
        Ok(Command::update(LogUpdate { lines: Some(vec![(*name).to_owned()]) }))
    }
}

/// Asks, and ends the process with the answer `"bad"`.
struct Pay(Arc<World>);

impl Node<Log> for Pay {
    async fn run(&self, _: &Log, ctx: Ctx) -> Result<Command<Log>, BoxError> {
        let answer = ctx.interrupt("Pay?")?;
        self.0.ran.lock().unwrap().push("second");
        if answer == "bad" {
            std::future::pending::<()>().await;
        }
        Ok(Command::update(LogUpdate { lines: Some(vec![answer.to_string()]) }))
    }
}

fn process(world: &Arc<World>) -> Service<Log> {
    let node = |name| Step(name, world.clone());
    let graph = StateGraph::<Log>::new()
        .node("first", node("first"))
        .node("second", node("second"))
        .edge(START, "first")
        .edge("first", "second")
        .checkpointer(world.saver.clone());
    Service::new(graph.compile().unwrap()).unwrap()
}

async fn post(service: &Service<Log>, run: &str) -> threadfold::ag_ui::ServiceResponse {
    let body =
        json!({ "threadId": "t", "runId": run, "messages": [], "state": { "lines": [run] } });
    let body = body.to_string();
    service.answer(ServiceRequest::new("POST", "/").body(body.as_bytes())).await
}

async fn told(mut response: threadfold::ag_ui::ServiceResponse) -> Vec<Value> {
    response.work.take().map(tokio::spawn);
    events(response.body).await
}

/// Works until the second node has run so many times, and ends the process.
async fn killed_at(mut work: RunWork, world: &World, times: usize) {
    for _ in 0..1_000 {
        let ran = world.ran.lock().unwrap().iter().filter(|name| **name == "second").count();
        if ran == times {
            return;
        }
        tokio::select! {
            biased;
            () = &mut work => panic!("the second node waits"),
            () = tokio::task::yield_now() => {}
        }
    }
    panic!("the second node never ran");
}

#[tokio::test]
async fn a_run_that_kills_each_process_is_not_continued_for_ever() {
    let world = Arc::<World>::default();
    let work = post(&process(&world), "r1").await.work.unwrap();
    killed_at(work, &world, 1).await;
    for attempt in 1..=50 {
        let work = process(&world).recover("t").await.unwrap().expect("it goes on");
        killed_at(work, &world, 1 + attempt).await;
    }

    let heard = Arc::<Mutex<Vec<String>>>::default();
    let log = heard.clone();
    let service = process(&world).on_error(move |thread, run, error| {
        log.lock().unwrap().push(format!("{thread} {}: {error}", run.unwrap_or_default()));
    });
    assert!(service.recover("t").await.unwrap().is_none());
    let why = "The run was continued 50 times, and its process ended each time in the step of \
               'second': it does not continue by itself.";
    assert_eq!(*heard.lock().unwrap(), [format!("t r1: {why}")]);
    for service in [service.clone(), service, process(&world)] {
        assert!(service.answer(ServiceRequest::new("GET", "/threads/t")).await.work.is_none());
        let joined = service.answer(ServiceRequest::new("GET", "/threads/t/runs/r1")).await;
        for events in [told(joined).await, told(post(&service, "r1").await).await] {
            let end = events.last().unwrap();
            assert_eq!((&end["type"], &end["code"]), (&json!("RUN_ERROR"), &json!("KILLED")));
            assert_eq!(end["message"], why);
        }
    }
    assert_eq!(world.ran.lock().unwrap().len(), 52);

    // The thread is usable.
    world.heals.store(true, Ordering::SeqCst);
    let next = told(post(&process(&world), "r2").await).await;
    assert_eq!(next.last().unwrap()["type"], "RUN_FINISHED");
    let left = process(&world).graph().on("t").outcome().await.unwrap().unwrap();
    assert_eq!(left.state.lines, ["r1", "first", "r2", "first", "second"]);
    assert!(left.is_ended());
}

#[tokio::test]
async fn attempts_count_from_a_runs_last_progress() {
    let world = Arc::<World>::default();
    // Killed with its input saved and nothing else.
    let mut work = post(&process(&world), "r1").await.work.unwrap();
    for _ in 0..100 {
        if world.saver.0.list("t").await.unwrap().len() == 1 {
            break;
        }
        tokio::select! {
            biased;
            () = &mut work => panic!("the run goes on"),
            () = tokio::task::yield_now() => {}
        }
    }
    drop(work);
    for at in 0..4 {
        let work = process(&world).recover("t").await.unwrap().expect("it goes on");
        killed_at(work, &world, 1 + at).await;
    }
    world.heals.store(true, Ordering::SeqCst);
    process(&world).recover("t").await.unwrap().expect("it goes on").await;
    let left = process(&world).graph().on("t").outcome().await.unwrap().unwrap();
    assert_eq!(left.state.lines, ["r1", "first", "second"]);
    assert!(left.is_ended());
    assert!(process(&world).recover("t").await.unwrap().is_none());
}

/// A run that goes on with its answer is counted, too. Its question is open again once it is given up.
#[tokio::test]
async fn an_answer_that_kills_each_process_can_be_replaced() {
    let world = Arc::<World>::default();
    let process = || {
        let graph = StateGraph::<Log>::new().node("pay", Pay(world.clone())).edge(START, "pay");
        Service::new(graph.checkpointer(world.saver.clone()).compile().unwrap()).unwrap()
    };
    let asked = told(post(&process(), "r1").await).await;
    let id = &asked.last().unwrap()["outcome"]["interrupts"][0]["id"];
    let answer = async |run: &str, payload: &str| {
        let resume = json!([{ "interruptId": id, "status": "resolved", "payload": payload }]);
        let body = json!({ "threadId": "t", "runId": run, "messages": [], "resume": resume });
        process().answer(ServiceRequest::new("POST", "/").body(body.to_string().as_bytes())).await
    };
    killed_at(answer("r2", "bad").await.work.unwrap(), &world, 1).await;
    for attempt in 1..=50 {
        let late = told(answer("r3", "good").await).await;
        assert_eq!(late.last().unwrap()["code"], "NO_QUESTION", "attempt {attempt}");
        let work = process().recover("t").await.unwrap().expect("it goes on");
        killed_at(work, &world, 1 + attempt).await;
    }
    assert!(process().recover("t").await.unwrap().is_none());
    let again = told(answer("r2", "bad").await).await;
    assert_eq!(again.last().unwrap()["code"], "KILLED");
    let left = process().graph().on("t").outcome().await.unwrap().unwrap();
    assert_eq!(json!(left.interrupts[0].id), *id);

    // The next answer has its own attempts.
    killed_at(answer("r3", "bad").await.work.unwrap(), &world, 52).await;
    let work = process().recover("t").await.unwrap().expect("it goes on");
    killed_at(work, &world, 53).await;
    let service = process();
    let mut parts = service.graph().on("t").stream_resumed(()).await.unwrap().parts();
    while parts.next().await.is_some_and(|part| !matches!(part, RunPart::Started(_))) {}
    parts.stop();
    parts.finish().await.unwrap();
    let done = told(answer("r4", "good").await).await;
    assert_eq!(done.last().unwrap()["type"], "RUN_FINISHED");
    let left = process().graph().on("t").outcome().await.unwrap().unwrap();
    assert_eq!((left.is_ended(), left.state.lines), (true, vec!["r1".into(), "\"good\"".into()]));
}
