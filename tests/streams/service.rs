//! A service whose process ends, whose clients ask twice, and whose runs are stopped.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use threadfold::ag_ui::{Service, ServiceRequest, ServiceResponse};
use threadfold::graph::{
    BoxError, Checkpoint, Checkpointer, Command, Ctx, Graph, GraphError, MemorySaver, MessageChunk,
    Node, RetryPolicy, START, Saving, StateGraph,
};
use threadfold::reducer::{AddMessages, Append};
use threadfold::typed::MessageList;
use threadfold::{Message, State};

use super::served::events;

#[derive(Debug, Clone, Default, Serialize, Deserialize, State)]
#[state(derive(Clone, Serialize, Deserialize))]
struct Log {
    #[reducer(Append)]
    lines: Vec<String>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, State)]
#[state(derive(Clone, Serialize, Deserialize))]
struct Chat {
    #[reducer(AddMessages)]
    #[update(Vec<Message>)]
    messages: MessageList<Message>,
}

/// How often each node has run.
#[derive(Default)]
struct World {
    saver: Arc<MemorySaver<Log>>,
    ran: Mutex<Vec<String>>,
    /// Lets the second node return.
    may: AtomicBool,
    fails: AtomicBool,
    panics: AtomicBool,
}

struct Step(&'static str, Arc<World>);

impl Node<Log> for Step {
    async fn run(&self, _: &Log, _: Ctx) -> Result<Command<Log>, BoxError> {
        let Self(name, world) = self;
        world.ran.lock().unwrap().push((*name).to_owned());
        if *name == "second" {
            if world.fails.load(Ordering::SeqCst) {
                return Err("No connection".into());
            }
            let password = "secret";
            assert!(!world.panics.load(Ordering::SeqCst), "no connection with {password}");
            while !world.may.load(Ordering::SeqCst) {
                tokio::task::yield_now().await;
            }
        }
        Ok(Command::update(LogUpdate { lines: Some(vec![(*name).to_owned()]) }))
    }
}

fn nodes(world: &Arc<World>) -> StateGraph<Log> {
    let node = |name| Step(name, world.clone());
    StateGraph::<Log>::new()
        .node("first", node("first"))
        .node("second", node("second"))
        .edge(START, "first")
        .edge("first", "second")
}

fn graph(world: &Arc<World>) -> Graph<Log> {
    nodes(world).checkpointer(world.saver.clone()).compile().unwrap()
}

/// A process that serves the world.
fn process(world: &Arc<World>) -> Service<Log> {
    Service::new(graph(world)).unwrap()
}

fn body(run: &str) -> String {
    json!({ "threadId": "t", "runId": run, "messages": [], "state": { "lines": ["in"] } })
        .to_string()
}

async fn post(service: &Service<Log>, run: &str) -> ServiceResponse {
    let body = body(run);
    service.answer(ServiceRequest::new("POST", "/").body(body.as_bytes())).await
}

async fn get(service: &Service<Log>, path: &str) -> ServiceResponse {
    service.answer(ServiceRequest::new("GET", path)).await
}

async fn json_of(mut response: ServiceResponse) -> Value {
    serde_json::from_str(&response.body.next().await.unwrap()).unwrap()
}

fn types(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["type"].as_str().unwrap()).collect()
}

/// Runs until the second node waits, and returns the work.
async fn until_second(response: &mut ServiceResponse, world: &World) -> threadfold::ag_ui::RunWork {
    let mut work = response.work.take().unwrap();
    for _ in 0..100 {
        let waits = world.ran.lock().unwrap().iter().any(|name| name == "second");
        if waits {
            return work;
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
async fn a_killed_run_goes_on_and_only_what_was_at_work_runs_again() {
    let world = Arc::<World>::default();
    let killed = process(&world);
    let mut response = post(&killed, "r1").await;
    drop(until_second(&mut response, &world).await);
    world.may.store(true, Ordering::SeqCst);

    let service = process(&world);
    tokio::spawn(service.recover("t").await.unwrap().expect("it goes on"));
    let joined = get(&service, "/threads/t/runs/r1").await;
    let told = events(joined.body).await;
    let expected = [
        "RUN_STARTED",
        "STATE_SNAPSHOT",
        "STEP_STARTED",
        "STEP_FINISHED",
        "STATE_DELTA",
        "RUN_FINISHED",
    ];
    assert_eq!(types(&told), expected);
    assert_eq!(*world.ran.lock().unwrap(), ["first", "second", "second"]);
    assert!(service.recover("t").await.unwrap().is_none());

    // The same request again, here or to another process, says how it ended, and nothing runs.
    for service in [service, process(&world)] {
        let mut again = post(&service, "r1").await;
        again.work.take().map(tokio::spawn);
        let told = events(again.body).await;
        assert_eq!(types(&told).last(), Some(&"RUN_FINISHED"));
        let thread = json_of(get(&service, "/threads/t").await).await;
        assert_eq!(thread["state"]["lines"], json!(["in", "first", "second"]));
        assert_eq!((&thread["next"], &thread["run"]), (&json!([]), &Value::Null));
    }
    assert_eq!(world.ran.lock().unwrap().len(), 3);
}

#[tokio::test]
async fn whoever_opens_the_thread_of_a_killed_run_has_it_go_on() {
    let world = Arc::<World>::default();
    let mut response = post(&process(&world), "r1").await;
    drop(until_second(&mut response, &world).await);
    let service = process(&world);
    let mut opened = get(&service, "/threads/t").await;
    tokio::spawn(opened.work.take().expect("it goes on"));
    let thread = json_of(opened).await;
    assert_eq!((&thread["run"]["id"], &thread["next"]), (&json!("r1"), &json!(["second"])));
}

#[tokio::test]
async fn a_run_that_failed_or_was_stopped_does_not_go_on_by_itself() {
    let world = Arc::<World>::default();
    world.fails.store(true, Ordering::SeqCst);
    let service = process(&world);
    let mut response = post(&service, "r1").await;
    response.work.take().map(tokio::spawn);
    let told = events(response.body).await;
    assert_eq!(told.last().unwrap()["message"], "No connection");
    let restarted = process(&world);
    assert!(restarted.recover("t").await.unwrap().is_none());
    let mut joined = get(&restarted, "/threads/t/runs/r1").await;
    joined.work.take().map(tokio::spawn);
    assert_eq!(events(joined.body).await.last().unwrap()["code"], "RUN_ENDED");

    world.fails.store(false, Ordering::SeqCst);
    let mut response = post(&restarted, "r2").await;
    tokio::spawn(until_second(&mut response, &world).await);
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    let stopped = restarted.answer(ServiceRequest::new("DELETE", "/threads/t/runs/r2")).await;
    assert_eq!(stopped.status, 200);
    let told = events(response.body).await;
    assert_eq!(told.last().unwrap()["outcome"], json!({ "type": "cancelled" }));
    assert!(process(&world).recover("t").await.unwrap().is_none());
}

/// A state that a program has written comes from no run: nobody has asked for one.
#[tokio::test]
async fn a_look_at_a_thread_that_a_program_has_written_runs_nothing() {
    let world = Arc::<World>::default();
    let seed = LogUpdate { lines: Some(vec!["seed".to_owned()]) };
    for (thread, node) in [("t", None), ("u", Some("first"))] {
        graph(&world).on(thread).update_state(seed.clone(), node).await.unwrap();
        let service = process(&world);
        assert!(service.recover(thread).await.unwrap().is_none());
        let opened = get(&service, &format!("/threads/{thread}")).await;
        assert!(opened.work.is_none());
        assert_eq!(json_of(opened).await["state"]["lines"], json!(["seed"]));
    }
    assert_eq!(world.ran.lock().unwrap().len(), 0);
}

/// Keeps nothing while the database is gone.
struct Failing(Arc<MemorySaver<Log>>, Arc<AtomicBool>);

impl Checkpointer<Log> for Failing {
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
        if self.1.load(Ordering::SeqCst) {
            return Box::pin(std::future::ready(Err("The database is gone.".into())));
        }
        self.0.put(thread, last, checkpoint)
    }

    fn list<'a>(&'a self, thread: &'a str) -> Saving<'a, Vec<String>> {
        self.0.list(thread)
    }

    fn delete<'a>(&'a self, thread: &'a str) -> Saving<'a, ()> {
        self.0.delete(thread)
    }
}

/// It would go on after a restart: its client and `on_error` get the error.
#[tokio::test]
async fn a_stop_that_cannot_be_saved_is_an_error() {
    let world = Arc::<World>::default();
    let is_gone = Arc::<AtomicBool>::default();
    let heard = Arc::<Mutex<Vec<String>>>::default();
    let log = heard.clone();
    let nodes = nodes(&world).checkpointer(Failing(world.saver.clone(), is_gone.clone()));
    let service = Service::new(nodes.compile().unwrap()).unwrap();
    let service = service.on_error(move |_, _, error| {
        log.lock().unwrap().push(error.to_string());
    });
    let mut response = post(&service, "r1").await;
    tokio::spawn(until_second(&mut response, &world).await);
    is_gone.store(true, Ordering::SeqCst);
    service.answer(ServiceRequest::new("DELETE", "/threads/t/runs/r1")).await;
    let told = events(response.body).await;
    assert_eq!(told.last().unwrap()["type"], "RUN_ERROR");
    assert_eq!(heard.lock().unwrap().len(), 1);
}

/// A panic fails its run: `on_error` gets all of it, a client only the name of the node.
#[tokio::test]
async fn a_run_that_panics_fails_and_does_not_go_on_by_itself() {
    let world = Arc::<World>::default();
    world.panics.store(true, Ordering::SeqCst);
    let heard = Arc::<Mutex<Vec<String>>>::default();
    let log = heard.clone();
    let service = process(&world).on_error(move |thread, run, error| {
        let source = error.source().map(ToString::to_string);
        log.lock().unwrap().push(format!("{thread} {run:?} {error}: {source:?}"));
    });
    let mut response = post(&service, "r1").await;
    response.work.take().map(tokio::spawn);
    let told = events(response.body).await;
    let last = told.last().unwrap();
    assert_eq!((&last["type"], &last["code"]), (&json!("RUN_ERROR"), &json!("PANIC")));
    assert_eq!(last["message"], "The node 'second' panicked.");
    let all = heard.lock().unwrap().clone();
    let full =
        "t Some(\"r1\") The node 'second' failed: Some(\"Panicked: no connection with secret\")";
    assert_eq!(all, [full]);

    for service in [service, process(&world)] {
        assert!(service.recover("t").await.unwrap().is_none());
        assert!(get(&service, "/threads/t").await.work.is_none());
    }
    assert_eq!(world.ran.lock().unwrap().len(), 2);
    // The client asks for it.
    world.panics.store(false, Ordering::SeqCst);
    world.may.store(true, Ordering::SeqCst);
    let mut again = post(&process(&world), "r2").await;
    again.work.take().map(tokio::spawn);
    assert_eq!(types(&events(again.body).await).last(), Some(&"RUN_FINISHED"));
}

/// An answer that its node fails with: the question is open again, for the client and for who joins.
#[tokio::test]
async fn an_answer_that_does_not_fit_leaves_the_question_open() {
    async fn pay(_: &Log, ctx: Ctx) -> Result<LogUpdate, BoxError> {
        let answer = ctx.interrupt("Pay?")?;
        let answer = answer.as_bool().ok_or("Expected true or false")?;
        Ok(LogUpdate { lines: Some(vec![format!("paid {answer}")]) })
    }
    let saver = Arc::new(MemorySaver::new());
    let open = || {
        let graph = StateGraph::<Log>::new().node("pay", pay).edge(START, "pay");
        Service::new(graph.checkpointer(saver.clone()).compile().unwrap()).unwrap()
    };
    let service = open();
    let run = async |service: &Service<Log>, run: &str, resume: Value| {
        let body = json!({ "threadId": "t", "runId": run, "messages": [], "resume": resume });
        let body = body.to_string();
        let request = ServiceRequest::new("POST", "/").body(body.as_bytes());
        let mut response = service.answer(request).await;
        response.work.take().map(tokio::spawn);
        events(response.body).await
    };
    let asked = run(&service, "r1", json!([])).await;
    let id = asked.last().unwrap()["outcome"]["interrupts"][0]["id"].clone();
    let answer =
        |payload: Value| json!([{ "interruptId": id, "status": "resolved", "payload": payload }]);
    for (at, service) in [service.clone(), service, open()].iter().enumerate() {
        let unfit = run(service, &format!("unfit{at}"), answer(json!({}))).await;
        let [.., open, error] = &*unfit else { panic!("{unfit:?}") };
        assert_eq!((&open["value"][0]["id"], &open["name"]), (&id, &json!("open_interrupts")));
        assert_eq!(error["message"], "Expected true or false");
    }
    let service = open();
    let again = run(&service, "unfit2", answer(json!({}))).await;
    let [.., still, error] = &*again else { panic!("{again:?}") };
    assert_eq!((&still["value"][0]["id"], &error["code"]), (&id, &json!("RUN_ENDED")));
    let thread = json_of(get(&service, "/threads/t").await).await;
    assert_eq!(thread["interrupts"][0]["id"], id);
    let done = run(&service, "r2", answer(json!(true))).await;
    assert_eq!(done.last().unwrap()["type"], "RUN_FINISHED");
    let thread = json_of(get(&service, "/threads/t").await).await;
    assert_eq!(thread["state"]["lines"], json!(["paid true"]));
}

/// The process dies in the step that takes an answer: each way to ask for the run continues it.
#[tokio::test]
async fn a_run_that_is_killed_with_an_answer_goes_on_with_it() {
    for way in ["recover", "thread", "run", "request"] {
        let saver = Arc::new(MemorySaver::new());
        let process = |to_die: bool| {
            let pay = move |_: &Log, ctx: Ctx| async move {
                let answer = ctx.interrupt("Pay?")?;
                if to_die {
                    std::future::pending::<()>().await;
                }
                Ok::<_, BoxError>(LogUpdate { lines: Some(vec![format!("paid {answer}")]) })
            };
            let graph = StateGraph::<Log>::new().node("pay", pay).edge(START, "pay");
            Service::new(graph.checkpointer(saver.clone()).compile().unwrap()).unwrap()
        };
        let post = async |service: &Service<Log>, run: &str, resume: Value| {
            let body = json!({ "threadId": "t", "runId": run, "messages": [], "resume": resume });
            let body = body.to_string();
            service.answer(ServiceRequest::new("POST", "/").body(body.as_bytes())).await
        };
        let killed = process(true);
        let mut asked = post(&killed, "r1", json!([])).await;
        asked.work.take().map(tokio::spawn);
        let asked = events(asked.body).await;
        let id = &asked.last().unwrap()["outcome"]["interrupts"][0]["id"];
        let yes = json!([{ "interruptId": id, "status": "resolved", "payload": true }]);
        let mut cut = post(&killed, "r2", yes.clone()).await;
        let work = tokio::spawn(cut.work.take().unwrap());
        while !cut.body.next().await.unwrap().contains("STEP_STARTED") {}
        work.abort();
        work.await.unwrap_err();

        let service = process(false);
        let work = match way {
            "recover" => service.recover("t").await.unwrap(),
            "thread" => get(&service, "/threads/t").await.work,
            "run" => get(&service, "/threads/t/runs/r2").await.work,
            _ => post(&service, "r2", yes).await.work,
        };
        work.unwrap_or_else(|| panic!("{way}: it goes on")).await;
        let thread = json_of(get(&service, "/threads/t").await).await;
        assert_eq!(thread["state"]["lines"], json!(["paid true"]), "{way}");
        assert_eq!(thread["interrupts"], json!([]), "{way}");
    }
}

#[tokio::test]
async fn a_run_is_told_from_where_its_client_left() {
    let world = Arc::<World>::default();
    let service = process(&world);
    world.may.store(true, Ordering::SeqCst);
    let mut response = post(&service, "r1").await;
    response.work.take().map(tokio::spawn);
    let mut all = response.body;
    let mut ids = Vec::new();
    while let Some(part) = all.next().await {
        ids.push(part.lines().next().unwrap().strip_prefix("id: ").unwrap().to_owned());
    }
    let rest = |id: String| {
        let service = service.clone();
        async move {
            let request = ServiceRequest::new("GET", "/threads/t/runs/r1").last_event_id(Some(&id));
            events(service.answer(request).await.body).await.len()
        }
    };
    assert_eq!(rest(ids[ids.len() - 3].clone()).await, 2);
    // Another process has sent it.
    assert_eq!(rest("00000000-3".to_owned()).await, ids.len());
}

/// Its body ends, and its thread is free.
#[tokio::test]
async fn a_run_whose_work_was_dropped_goes_on_in_the_same_service() {
    let world = Arc::<World>::default();
    let service = process(&world);
    // Before its first poll: nothing of it is saved.
    let mut unborn = post(&service, "r1").await;
    drop(unborn.work.take());
    assert!(events(unborn.body).await.is_empty());
    assert!(service.recover("t").await.unwrap().is_none());

    let mut cut = post(&service, "r1").await;
    drop(until_second(&mut cut, &world).await);
    let first = cut.body.next().await.unwrap();
    let id = first.lines().next().unwrap().strip_prefix("id: ").unwrap().to_owned();
    while cut.body.next().await.is_some() {}

    world.may.store(true, Ordering::SeqCst);
    drop(service.recover("t").await.unwrap().unwrap());
    tokio::spawn(service.recover("t").await.unwrap().unwrap());
    let again = post(&service, "r1").await;
    assert!(again.work.is_none());
    let told = events(again.body).await;
    assert_eq!(types(&told).last(), Some(&"RUN_FINISHED"));
    // Ids of the cut log do not count in this one.
    let request = ServiceRequest::new("GET", "/threads/t/runs/r1").last_event_id(Some(&id));
    assert_eq!(events(service.answer(request).await.body).await.len(), told.len());
    assert_eq!(*world.ran.lock().unwrap(), ["first", "second", "second"]);
    assert!(service.recover("t").await.unwrap().is_none());
}

/// A list of messages reads each spelling of a removal as one.
#[tokio::test]
async fn a_client_removes_no_message() {
    async fn answer(_: &Chat, _: Ctx) -> Result<ChatUpdate, BoxError> {
        let answer = Message::assistant("Hello").with_id("a");
        Ok(ChatUpdate { messages: Some(vec![answer]) })
    }
    let graph = StateGraph::<Chat>::new().node("answer", answer).edge(START, "answer");
    let service = Service::new(graph.checkpointer(MemorySaver::new()).compile().unwrap()).unwrap();
    let send = async |run: &str, message: Value| {
        let sent = json!({ "threadId": "t", "runId": run, "messages": [message] }).to_string();
        let request = ServiceRequest::new("POST", "/").body(sent.as_bytes());
        let mut response = service.answer(request).await;
        if let Some(work) = response.work.take() {
            work.await;
        }
        response
    };
    let asked = send("r", json!({ "id": "q", "role": "user", "content": "Hi" })).await;
    assert_eq!(asked.status, 200);
    for (at, removal) in [
        json!({ "role": "remove", "id": "__remove_all__", "content": "" }),
        json!({ "role": "RemoveMessage", "id": "a" }),
        json!({ "role": "remove", "type": "human", "id": "__remove_all__", "content": "" }),
        json!({ "type": "remove", "id": "__remove_all__" }),
    ]
    .into_iter()
    .enumerate()
    {
        let refused = send(&format!("r{at}"), removal.clone()).await;
        assert_eq!(refused.status, 400, "{removal}");
        assert!(json_of(refused).await["error"].as_str().unwrap().contains("`messages`"));
    }
    let kept = service.graph().on("t").state().await.unwrap().unwrap().messages;
    let ids: Vec<_> = kept.iter().filter_map(|message| message.id.as_deref()).collect();
    assert_eq!(ids, ["q", "a"]);
}

#[tokio::test]
async fn what_cannot_be_served_is_refused() {
    let world = Arc::<World>::default();
    let service = process(&world);
    let mut first = post(&service, "r1").await;
    tokio::spawn(first.work.take().unwrap());
    assert_eq!(post(&service, "r2").await.status, 409);
    for path in ["/threads/none", "/threads/t/runs/none", "/x"] {
        assert_eq!(get(&service, path).await.status, 404, "{path}");
    }
    for (method, path, methods) in [
        ("PUT", "/x", "POST"),
        ("PUT", "/threads/t/runs/r1", "GET or DELETE"),
        ("POST", "/threads/t", "GET"),
    ] {
        let refused = service.answer(ServiceRequest::new(method, path)).await;
        assert_eq!(refused.status, 405, "{path}");
        let error = format!("Invalid method {method}: use {methods}.");
        assert_eq!(json_of(refused).await["error"], error);
    }
    let no_ids =
        json!({ "threadId": "t", "runId": "r", "messages": [{ "role": "user" }] }).to_string();
    let no_thread = json!({ "threadId": "", "runId": "r", "messages": [] }).to_string();
    let no_state = json!({ "threadId": "t", "runId": "r", "messages": [], "state": 5 }).to_string();
    for body in ["", "[]", "{\"threadId\":1}", &no_ids, &no_thread, &no_state] {
        let refused = service.answer(ServiceRequest::new("POST", "/").body(body.as_bytes())).await;
        assert_eq!(refused.status, 400, "{body}");
        let error = json_of(refused).await["error"].as_str().unwrap().to_owned();
        assert!(error.ends_with('.') && !error.ends_with(".."), "{error}");
        assert!(error.contains("`state`") == (body == no_state), "{error}");
    }
    let service = process(&Arc::default());
    let body = json!({ "threadId": "t", "runId": "r", "messages": [], "state": { "lines": 5 } });
    let body = body.to_string();
    let mut response = service.answer(ServiceRequest::new("POST", "/").body(body.as_bytes())).await;
    response.work.take().map(tokio::spawn);
    let error = events(response.body).await.pop().unwrap();
    let expected = "RunAgentInput: Invalid field `lines` of the state `Log`: \
                    invalid type: integer `5`, expected a sequence.";
    assert_eq!(error["message"], expected);
    let capabilities = json_of(get(&service, "/agent/capabilities").await).await;
    assert_eq!(capabilities["transport"]["resumable"], true);
}

#[tokio::test]
async fn a_client_reaches_no_thread_of_a_graph_inside() {
    async fn ask(_: &Log, ctx: Ctx) -> Result<LogUpdate, BoxError> {
        Ok(LogUpdate { lines: Some(vec![ctx.interrupt("Sure?")?.to_string()]) })
    }
    let saver = Arc::new(MemorySaver::new());
    let graph = || StateGraph::<Log>::new().node("ask", ask).edge(START, "ask");
    let inner = Arc::new(graph().checkpointer(saver.clone()).compile().unwrap());
    let outer = StateGraph::<Log>::new().node("inside", move |_: &Log, ctx: Ctx| {
        let inner = inner.clone();
        async move {
            ctx.run(&inner, LogUpdate::default()).await?;
            Ok::<_, BoxError>(LogUpdate::default())
        }
    });
    let outer = outer.edge(START, "inside").checkpointer(saver).compile().unwrap();
    let service = Service::new(outer).unwrap();
    let post = async |thread: &str| {
        let body = json!({ "threadId": thread, "runId": "r1", "messages": [] }).to_string();
        let mut response =
            service.answer(ServiceRequest::new("POST", "/").body(body.as_bytes())).await;
        response.work.take().map(tokio::spawn);
        response
    };
    let asked = events(post("alice").await.body).await;
    assert_eq!(asked.last().unwrap()["outcome"]["type"], "interrupt");
    let mut thread = String::new();
    for began_at in service.graph().on("alice").checkpoints().await.unwrap() {
        thread = format!("alice|inside:{began_at}:0");
        if service.graph().on(&thread).outcome().await.unwrap().is_some() {
            break;
        }
    }
    let thread = &thread;
    // A program may look at it, and not run it.
    let inner = service.graph().on(thread);
    assert!(inner.outcome().await.unwrap().is_some());
    for refused in [
        inner.invoke(LogUpdate::default()).await,
        inner.resume(json!(true)).await,
        inner.update_state(LogUpdate::default(), None).await,
    ] {
        assert!(matches!(refused, Err(GraphError::InvalidThread(id)) if id == *thread));
    }
    let refused = post(thread).await;
    assert_eq!(refused.status, 422);
    let why = format!(
        "Invalid thread id '{thread}': a '|' names the threads of graphs inside. Choose another id."
    );
    assert_eq!(json_of(refused).await["error"], why);
    for path in [thread.replace('|', "%7C"), format!("{thread}/runs/r1")] {
        let path = format!("/threads/{path}");
        let request = ServiceRequest::new("GET", &path);
        assert_eq!(service.answer(request).await.status, 422);
    }
}

/// The client may not append the second attempt's text to the first's: it gets the message with the list.
#[tokio::test]
async fn what_a_failed_attempt_streamed_ends_with_it() {
    async fn model(_: &Chat, ctx: Ctx) -> Result<ChatUpdate, BoxError> {
        let text = if ctx.attempt() == 1 { "Hel" } else { "Hello" };
        ctx.message(MessageChunk::text("a", text));
        if ctx.attempt() == 1 {
            return Err("The connection broke.".into());
        }
        ctx.message(MessageChunk::text("b", "!"));
        let messages = ["a", "b"]
            .map(|id| Message::assistant(if id == "a" { "Hello" } else { "!" }).with_id(id));
        Ok(ChatUpdate { messages: Some(messages.to_vec()) })
    }
    let graph = StateGraph::<Chat>::new().node("model", model).edge(START, "model");
    let graph = graph.retry("model", RetryPolicy::at_once()).checkpointer(MemorySaver::new());
    let service = Service::new(graph.compile().unwrap()).unwrap();
    let body = json!({ "threadId": "t", "runId": "r", "messages": [], "state": {} }).to_string();
    let request = ServiceRequest::new("POST", "/").body(body.as_bytes());
    let mut response = service.answer(request).await;
    tokio::spawn(response.work.take().unwrap());
    let events = events(response.body).await;
    let of = |id: &str| -> Vec<String> {
        let own = events.iter().filter(|event| event["messageId"] == id);
        own.map(|event| format!("{} {}", event["type"], event["delta"])).collect()
    };
    let start = "\"TEXT_MESSAGE_START\" null";
    let end = "\"TEXT_MESSAGE_END\" null";
    assert_eq!(of("a"), [start, "\"TEXT_MESSAGE_CONTENT\" \"Hel\"", end]);
    assert_eq!(of("b"), [start, "\"TEXT_MESSAGE_CONTENT\" \"!\"", end]);
    let last = events.iter().rfind(|event| event["type"] == "MESSAGES_SNAPSHOT").unwrap();
    assert_eq!(last["messages"][0]["content"], "Hello");
}

/// The events of its runs, which have its messages, were still served.
#[tokio::test]
async fn a_deleted_thread_is_gone_with_its_runs() {
    let world = Arc::new(World::default());
    let service = process(&world);
    let get = async |path: &str| service.answer(ServiceRequest::new("GET", path)).await.status;
    world.may.store(true, Ordering::SeqCst);
    post(&service, "r1").await.work.take().unwrap().await;
    world.may.store(false, Ordering::SeqCst);
    let mut second = post(&service, "r2").await;
    let going = tokio::spawn(second.work.take().unwrap());
    assert_eq!(get("/threads/t").await, 200);
    assert_eq!(get("/threads/t/runs/r1").await, 200);
    service.delete("t").await.unwrap();
    going.await.unwrap();
    for path in ["/threads/t", "/threads/t/runs/r1", "/threads/t/runs/r2"] {
        assert_eq!(get(path).await, 404, "{path}");
    }
    world.may.store(true, Ordering::SeqCst);
    post(&service, "r1").await.work.take().unwrap().await;
    assert_eq!(get("/threads/t").await, 200);
}
