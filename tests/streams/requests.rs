//! Requests of runs that a service refuses: what is wrong, and what to do instead.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use threadfold::ag_ui::{Service, ServiceRequest};
use threadfold::graph::{BoxError, Ctx, MemorySaver, START, StateGraph};
use threadfold::reducer::AddMessages;
use threadfold::{Error, Message, State};

use super::served::events;

fn at_most_ten(sum: u32, more: u32) -> Result<u32, Error> {
    if sum + more > 10 { Err(Error::reducer("too many")) } else { Ok(sum + more) }
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, State)]
#[state(derive(Clone, Serialize, Deserialize))]
struct Order {
    #[reducer(AddMessages)]
    messages: Vec<Message>,
    #[reducer(at_most_ten)]
    cups: u32,
}

async fn ask(_: &Order, ctx: Ctx) -> Result<OrderUpdate, BoxError> {
    let answer = Message::assistant(format!("You said {}", ctx.interrupt("Sure?")?)).with_id("a");
    Ok(OrderUpdate { messages: Some(vec![answer]), ..OrderUpdate::default() })
}

fn service() -> Service<Order> {
    let graph = StateGraph::<Order>::new().node("ask", ask).edge(START, "ask");
    Service::new(graph.checkpointer(Arc::new(MemorySaver::new())).compile().unwrap()).unwrap()
}

async fn refused(body: Value) -> String {
    let body = body.to_string();
    let mut refused =
        service().answer(ServiceRequest::new("POST", "/").body(body.as_bytes())).await;
    assert_eq!(refused.status, 400, "{body}");
    let error: Value = serde_json::from_str(&refused.body.next().await.unwrap()).unwrap();
    error["error"].as_str().unwrap().to_owned()
}

async fn run(service: &Service<Order>, body: Value) -> Value {
    let body = body.to_string();
    let mut response = service.answer(ServiceRequest::new("POST", "/").body(body.as_bytes())).await;
    response.work.take().map(tokio::spawn);
    events(response.body).await.pop().unwrap()
}

#[tokio::test]
async fn a_refusal_names_the_field_that_is_wrong() {
    for name in ["threadId", "runId"] {
        let mut body = json!({ "threadId": "t", "runId": "r", "messages": [] });
        body[name] = json!("");
        let expected = format!(
            "RunAgentInput: `{name}` is missing or invalid. Expected a string that is not empty."
        );
        assert_eq!(refused(body).await, expected);
    }
    for entry in [
        json!({ "interruptId": "i" }),
        json!({ "interruptId": "i", "status": "done" }),
        json!({ "status": "resolved" }),
        json!("yes"),
    ] {
        let body = json!({ "threadId": "t", "runId": "r", "messages": [], "resume": [entry] });
        let expected = "Invalid input of a run: RunAgentInput: `resume` is missing or invalid. \
                        Expected a list of answers, each with an `interruptId` and the `status` \
                        `resolved` or `cancelled`.";
        assert_eq!(refused(body).await, expected);
    }
}

#[tokio::test]
async fn an_input_that_a_reducer_refuses_is_called_that() {
    let body = json!({ "threadId": "t", "runId": "r", "messages": [], "state": { "cups": 11 } });
    let ended = run(&service(), body).await;
    let says = "The input cannot be merged into the state: The reducer of 'cups' failed: too many";
    assert_eq!(ended["message"], says);
}

fn user(id: &str) -> Value {
    json!({ "id": id, "role": "user", "content": id })
}

/// Runs a thread under an id, with messages and answers.
fn posting(service: &Service<Order>) -> impl AsyncFn(&str, Value, Value) -> Value {
    async move |id: &str, messages: Value, resume: Value| {
        let body = json!({ "threadId": "t", "runId": id, "messages": messages, "resume": resume });
        run(service, body).await
    }
}

#[tokio::test]
async fn two_answers_to_one_question_are_none() {
    let service = service();
    let post = posting(&service);
    let asked = post("r1", json!([user("q")]), json!([])).await;
    let id = asked["outcome"]["interrupts"][0]["id"].clone();
    let answer =
        |is_yes: bool| json!({ "interruptId": id, "status": "resolved", "payload": is_yes });
    let refused = post("r2", json!([]), json!([answer(true), answer(false)])).await;
    let expected = format!("RunAgentInput: Two answers to {id}. Send one.");
    assert_eq!(
        (&refused["code"], &refused["message"]),
        (&json!("INVALID_ARGUMENT"), &json!(expected))
    );
    let done = post("r3", json!([]), json!([answer(true), answer(true)])).await;
    assert_eq!(done["type"], "RUN_FINISHED");
}

/// Answers continue a run with nothing else: what a client has new beside them is not dropped in silence.
#[tokio::test]
async fn a_new_message_beside_an_answer_is_refused() {
    let service = service();
    let post = posting(&service);
    let asked = post("r1", json!([user("q")]), json!([])).await;
    let id = asked["outcome"]["interrupts"][0]["id"].clone();
    let answers = json!([{ "interruptId": id, "status": "resolved", "payload": true }]);
    let late = post("r2", json!([user("q"), user("late")]), answers.clone()).await;
    let expected = "RunAgentInput: `resume` comes with the new message \"late\", which this run would \
                    not see. Send the answers alone, and the message in the next run.";
    assert_eq!(
        (&late["type"], &late["code"], &late["message"]),
        (&json!("RUN_ERROR"), &json!("INVALID_ARGUMENT"), &json!(expected))
    );
    let thread = service.graph().on("t");
    let left = thread.outcome().await.unwrap().unwrap();
    assert_eq!(
        (left.interrupts[0].id.as_str(), left.state.messages.len()),
        (id.as_str().unwrap(), 1)
    );
    // A message that the thread has had before its last one comes back with each request of some clients.
    let done = post("r3", json!([user("removed"), user("q")]), answers).await;
    assert_eq!(done["type"], "RUN_FINISHED");
    let after = post("r4", json!([user("q"), user("late")]), json!([])).await;
    assert_eq!(after["outcome"]["type"], "interrupt");
    let texts: Vec<_> = thread
        .state()
        .await
        .unwrap()
        .unwrap()
        .messages
        .iter()
        .map(Message::text)
        .map(String::from)
        .collect();
    assert_eq!(texts, ["q", "You said true", "late"]);
}
