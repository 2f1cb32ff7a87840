//! An agent as a node of a graph that is served: the events are those of the package's `serveAgUi` over
//! the same graph.

use std::sync::Arc;

use serde_json::{Value, json};
use threadfold::ag_ui::{Service, ServiceRequest};
use threadfold::agent::{
    AgentState, AgentUpdate, HumanInTheLoop, ModelRequest, Tool, create_agent,
};
use threadfold::graph::{
    BoxError, Checkpointer, Command, Ctx, Delta, Graph, MemorySaver, MessageChunk, Node, START,
    StateGraph,
};
use threadfold::{Message, MessageKind, ToolCall};

use super::served::events;

/// Streams what it answers, if its instructions say so.
async fn model(request: ModelRequest) -> Result<Message, std::io::Error> {
    let streams = request.system_prompt.as_deref() == Some("stream");
    let ctx = request.ctx.clone();
    let chunk = |id: &str, text: &str| {
        if streams {
            ctx.message(MessageChunk::text(id, text));
        }
    };
    Ok(match request.messages.last() {
        Some(last) if matches!(last.kind, MessageKind::Tool(_)) => {
            chunk("a2", "It is ");
            chunk("a2", "sent.");
            Message::assistant("It is sent.").with_id("a2")
        }
        _ => {
            chunk("a1", "I will.");
            let call = ToolCall::new("c1", "send", json!({ "to": "Ann" }));
            Message::assistant("I will.").with_id("a1").with_tool_calls([call])
        }
    })
}

struct Inside(Graph<AgentState>);

impl Node<AgentState> for Inside {
    async fn run(&self, state: &AgentState, ctx: Ctx) -> Result<Command<AgentState>, BoxError> {
        let inner = ctx.run(&self.0, messages(state).into()).await?;
        Ok(Command::update(messages(&inner.state).into()))
    }
}

fn messages(state: &AgentState) -> Vec<Message> {
    state.messages.iter().map(|message| Message::clone(message)).collect()
}

fn service(prompt: &str) -> Service<AgentState> {
    let send =
        Tool::new("send", "Sends.", |_: Value, _| async { Ok::<_, std::io::Error>("Done.") });
    let agent = create_agent(model).tool(send).system_prompt(prompt);
    let agent = agent.middleware(HumanInTheLoop::new().ask("send"));
    let agent = agent.checkpointer(MemorySaver::new()).compile().unwrap();
    let graph = StateGraph::new().node("agent", Inside(agent)).edge(START, "agent");
    Service::new(graph.checkpointer(MemorySaver::new()).compile().unwrap()).unwrap()
}

async fn post(service: &Service<AgentState>, run: &str, resume: Value) -> Vec<Value> {
    let question = json!({ "id": "q", "role": "user", "content": "Send it" });
    let body = json!({ "threadId": "t", "runId": run, "messages": [question], "resume": resume });
    let body = body.to_string();
    let mut response = service.answer(ServiceRequest::new("POST", "/").body(body.as_bytes())).await;
    response.work.take().map(tokio::spawn);
    events(response.body).await
}

fn words(events: &[Value]) -> Vec<String> {
    let word = |event: &Value| {
        let ids = ["messageId", "toolCallId", "delta"].map(|name| event[name].as_str());
        let ids = ids.into_iter().flatten();
        let list = event["messages"].as_array().into_iter().flatten();
        let list = list.map(|message| message["role"].as_str().unwrap());
        let kind = event["type"].as_str().unwrap();
        [kind].into_iter().chain(ids).chain(list).collect::<Vec<_>>().join(" ")
    };
    let is_shown = |event: &&Value| event["type"] != "STATE_SNAPSHOT" && event["type"] != "CUSTOM";
    events.iter().filter(is_shown).map(word).collect()
}

/// The client keeps the message whose call waits, though the graph's own list gets it only when the node
/// returns: then the list has it in its place.
#[tokio::test]
async fn an_agent_as_a_node_is_told_as_by_the_package() {
    for (prompt, parts) in [("whole", &["It is sent."][..]), ("stream", &["It is ", "sent."])] {
        let service = service(prompt);
        let asked = post(&service, "r1", json!([])).await;
        let expected = [
            "RUN_STARTED",
            "STEP_STARTED",
            "TEXT_MESSAGE_START a1",
            "TEXT_MESSAGE_CONTENT a1 I will.",
            "TOOL_CALL_START c1",
            "TOOL_CALL_ARGS c1 {\"to\":\"Ann\"}",
            "TEXT_MESSAGE_END a1",
            "TOOL_CALL_END c1",
            "STEP_FINISHED",
            "MESSAGES_SNAPSHOT user assistant",
            "RUN_FINISHED",
        ];
        assert_eq!(words(&asked), expected);
        let id = &asked.last().unwrap()["outcome"]["interrupts"][0]["id"];
        let yes = json!({ "decisions": [{ "type": "approve" }] });
        let yes = json!([{ "interruptId": id, "status": "resolved", "payload": yes }]);
        let done = words(&post(&service, "r2", yes).await);
        assert!(done[2].starts_with("TOOL_CALL_RESULT ") && done[2].ends_with(" c1"), "{done:?}");
        let parts = parts.iter().map(|part| format!("TEXT_MESSAGE_CONTENT a2 {part}"));
        let end = [
            "TEXT_MESSAGE_END a2",
            "STEP_FINISHED",
            "MESSAGES_SNAPSHOT user assistant tool assistant",
            "RUN_FINISHED",
        ];
        let start = ["TEXT_MESSAGE_START a2".to_owned()].into_iter();
        let expected = start.chain(parts).chain(end.map(str::to_owned)).collect::<Vec<_>>();
        assert_eq!(done[3..], expected);
    }
}

type Work = fn(&AgentState) -> Result<AgentUpdate, BoxError>;

/// One or two levels inside: the client gets its error, and the checkpoint has it.
#[tokio::test]
async fn a_graph_inside_that_fails_names_its_cause() {
    let fails: [Work; 2] =
        [|_| Err("No connection".into()), |_| panic!("no connection with secret")];
    let told = [("Error", "No connection"), ("PANIC", "The node 'work' panicked.")];
    let kept = ["No connection", "Panicked: no connection with secret"];
    for ((fail, (code, message)), kept) in fails.into_iter().zip(told).zip(kept) {
        for depth in 1..=2 {
            let work = move |state: &AgentState, _: Ctx| std::future::ready(fail(state));
            let saver = Arc::new(MemorySaver::new());
            let mut builder = StateGraph::new().node("work", work).edge(START, "work");
            for _ in 0..depth {
                let inner = builder.checkpointer(MemorySaver::new()).compile().unwrap();
                builder = StateGraph::new().node("agent", Inside(inner)).edge(START, "agent");
            }
            let graph = builder.checkpointer(saver.clone()).compile().unwrap();
            let ended = post(&Service::new(graph).unwrap(), "r1", json!([])).await;
            let error = ended.last().unwrap();
            assert_eq!((&error["code"], &error["message"]), (&json!(code), &json!(message)));
            let checkpoint = Checkpointer::<AgentState>::get(&*saver, "t", None).await.unwrap();
            let Delta { pending, .. } = checkpoint.unwrap().delta;
            let errors: Vec<_> =
                pending.iter().map(|own| own.error.as_ref().map(ToString::to_string)).collect();
            assert_eq!(errors, [Some(kept.to_owned())]);
        }
    }
}

/// A limit inside has its own code; a run of another thread does not concern the client's.
#[tokio::test]
async fn a_limit_inside_has_the_code_of_a_limit() {
    let turn = |_: &AgentState, _: Ctx| async { Ok::<_, BoxError>(AgentUpdate::default()) };
    let inner = StateGraph::new().node("turn", turn).edge(START, "turn").edge("turn", "turn");
    let inner = inner.recursion_limit(3).checkpointer(MemorySaver::new()).compile().unwrap();
    let graph = StateGraph::new().node("agent", Inside(inner)).edge(START, "agent");
    let service = Service::new(graph.checkpointer(MemorySaver::new()).compile().unwrap()).unwrap();
    let ended = post(&service, "r1", json!([])).await;
    let says = "Recursion limit of 3 reached without hitting a stop condition.";
    assert_eq!(ended.last().unwrap()["message"], says);
    assert_eq!(ended.last().unwrap()["code"], "GraphRecursionError");
}
