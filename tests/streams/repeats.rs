//! Requests under the id of a run that is over: the same again, or another.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use threadfold::ag_ui::{Service, ServiceRequest};
use threadfold::graph::{BoxError, Command, Ctx, MemorySaver, Node, START, StateGraph};
use threadfold::reducer::AddMessages;
use threadfold::{Message, State};

use super::served::events;

#[derive(Debug, Clone, Default, Serialize, Deserialize, State)]
#[state(derive(Clone, Serialize, Deserialize))]
struct Chat {
    #[reducer(AddMessages)]
    messages: Vec<Message>,
}

#[derive(Default)]
struct World {
    saver: Arc<MemorySaver<Chat>>,
    ran: AtomicUsize,
}

/// Says how often it has run; asks first, if the user wants to be asked.
struct Answer(Arc<World>);

impl Node<Chat> for Answer {
    async fn run(&self, chat: &Chat, ctx: Ctx) -> Result<Command<Chat>, BoxError> {
        if chat.messages.last().is_some_and(|last| last.text() == "Ask") {
            ctx.interrupt("Sure?")?;
            ctx.interrupt("Really?")?;
        }
        let count = self.0.ran.fetch_add(1, Ordering::SeqCst) + 1;
        let answer = Message::assistant(format!("answer {count}")).with_id(format!("a{count}"));
        Ok(Command::update(ChatUpdate { messages: Some(vec![answer]) }))
    }
}

fn process(world: &Arc<World>) -> Service<Chat> {
    let graph = StateGraph::<Chat>::new().node("answer", Answer(world.clone()));
    let graph = graph.edge(START, "answer").checkpointer(world.saver.clone());
    Service::new(graph.compile().unwrap()).unwrap()
}

fn user(id: &str, content: &str) -> Value {
    json!({ "id": id, "role": "user", "content": content })
}

async fn post(service: &Service<Chat>, run: &str, messages: &[Value], more: Value) -> Vec<Value> {
    let mut body = json!({ "threadId": "t", "runId": run, "messages": messages });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let body = body.to_string();
    let request = ServiceRequest::new("POST", "/").body(body.as_bytes());
    let mut response = service.answer(request).await;
    assert_eq!(response.status, 200);
    response.work.take().map(tokio::spawn);
    events(response.body).await
}

async fn said(service: &Service<Chat>) -> Vec<String> {
    let state = service.graph().on("t").state().await.unwrap().unwrap();
    state.messages.iter().map(|message| message.text().to_string()).collect()
}

#[tokio::test]
async fn a_new_message_under_an_old_id_is_answered() {
    for (q2, others) in [(user("q2", "More"), false), (user("q2", "More"), true)] {
        let world = Arc::<World>::default();
        let service = process(&world);
        let q1 = user("q1", "Hi");
        post(&service, "r", std::slice::from_ref(&q1), json!({})).await;
        let service = if others { process(&world) } else { service };
        // The same again, with the answer of the run.
        let a1 = json!({ "id": "a1", "role": "assistant", "content": "answer 1" });
        for messages in [&[q1.clone()][..], &[q1.clone(), a1.clone()]] {
            let again = post(&service, "r", messages, json!({})).await;
            assert_eq!(again.last().unwrap()["type"], "RUN_FINISHED");
        }
        assert_eq!(world.ran.load(Ordering::SeqCst), 1);
        let more = post(&service, "r", &[q1, a1, q2], json!({})).await;
        assert!(more.iter().any(|event| event.to_string().contains("answer 2")));
        assert_eq!(said(&service).await, ["Hi", "answer 1", "More", "answer 2"]);
        // So is an edited one.
        post(&service, "r", &[user("q1", "Hello")], json!({})).await;
        assert_eq!(said(&service).await, ["Hello", "answer 3"]);
    }
}

/// As CopilotKit answers: under the id of the run that asked.
#[tokio::test]
async fn an_answer_under_the_id_of_the_run_that_asked_is_taken_once() {
    for others in [false, true] {
        let world = Arc::<World>::default();
        let mut service = process(&world);
        let mut other = || {
            if others {
                service = process(&world);
            }
            service.clone()
        };
        let ask = [user("q", "Ask")];
        let id = |events: &[Value]| {
            events.last().unwrap()["outcome"]["interrupts"][0]["id"].as_str().unwrap().to_owned()
        };
        let answer = |id: &str| json!({ "resume": [{ "interruptId": id, "status": "resolved", "payload": true }] });
        let first = id(&post(&other(), "r", &ask, json!({})).await);
        let second = id(&post(&other(), "r", &ask, answer(&first)).await);
        assert_ne!(first, second);
        // The first answer again does not answer the second question.
        assert_eq!(id(&post(&other(), "r", &ask, answer(&first)).await), second);
        assert_eq!(world.ran.load(Ordering::SeqCst), 0);
        for _ in 0..2 {
            let ended = post(&other(), "r", &ask, answer(&second)).await;
            assert!(ended.last().unwrap()["outcome"].is_null());
            assert_eq!(world.ran.load(Ordering::SeqCst), 1);
        }
    }
}

/// Of runs that are over, the service keeps what it may. The state of the thread stands for the last one.
#[tokio::test]
async fn old_runs_make_room() {
    let world = Arc::<World>::default();
    let status = async |service: &Service<Chat>, run: &str| {
        let path = format!("/threads/t/runs/{run}");
        let mut response = service.answer(ServiceRequest::new("GET", &path)).await;
        response.work.take().map(tokio::spawn);
        response.status
    };
    let service = process(&world).keep(2, usize::MAX);
    let mut sizes = Vec::new();
    for run in ["r1", "r2", "r3"] {
        let told = post(&service, run, &[user(run, "Hi")], json!({})).await;
        sizes.push(told.iter().map(|event| event.to_string().len()).sum::<usize>());
    }
    for (run, expected) in [("r1", 404), ("r2", 200), ("r3", 200)] {
        assert_eq!(status(&service, run).await, expected, "{run}");
    }
    // Room for the last alone: an event's id takes less than 40 bytes.
    let service = service.keep(2, sizes[2] + 40 * 20);
    assert_eq!((status(&service, "r2").await, status(&service, "r3").await), (404, 200));
    let service = service.keep(0, 0);
    let again = post(&service, "r3", &[user("r3", "Hi")], json!({})).await;
    assert!(again.iter().any(|event| event.to_string().contains("answer 3")));
    assert_eq!(again.last().unwrap()["type"], "RUN_FINISHED");
    assert_eq!(world.ran.load(Ordering::SeqCst), 3);
}

/// A program that decides by `thread` decides about the thread that runs.
#[tokio::test]
async fn a_request_says_its_thread() {
    let service = process(&Arc::default());
    for body in [
        r#"{ "threadId": "t1", "runId": "r", "messages": [] }"#,
        r#"{ "runId": "r", "messages": [{ "id": "m", "role": "user", "content": "", "threadId": "x" }],
             "threadId": "t2" }"#,
        r#"{ "threadId": "x", "runId": "r", "messages": [], "thread\u0049d": "t3" }"#,
        r#"{ "threadId": 5, "runId": "r", "messages": [], "threadId": "t4" }"#,
    ] {
        let request = ServiceRequest::new("POST", "/").body(body.as_bytes());
        let thread = request.thread().unwrap();
        let mut response = service.answer(request).await;
        response.work.take().map(tokio::spawn);
        assert_eq!(events(response.body).await[0]["threadId"], thread, "{body}");
    }
    for body in
        ["", "[]", "5", r#"{ "threadId": 5 }"#, r#"{ "threadId": "t" "#, r#"{ "runId": "r" }"#]
    {
        let request = ServiceRequest::new("POST", "/").body(body.as_bytes());
        assert_eq!(request.thread(), None, "{body}");
        assert_eq!(service.answer(request).await.status, 400);
    }
    assert_eq!(ServiceRequest::new("GET", "/a/capabilities").thread(), None);
    assert_eq!(ServiceRequest::new("GET", "/a/threads/%C3%A4").thread().as_deref(), Some("ä"));
    assert_eq!(ServiceRequest::new("DELETE", "/threads/t/runs/r").thread().as_deref(), Some("t"));
}
