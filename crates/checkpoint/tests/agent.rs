//! An agent whose thread is in SQLite.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use serde_json::{Value, json};
use threadfold::agent::{
    AgentState, AgentUpdate, HumanInTheLoop, ModelRequest, Tool, create_agent,
};
use threadfold::graph::{Graph, GraphError};
use threadfold::{Message, MessageKind, ToolCall};
use threadfold_checkpoint::SqliteSaver;

async fn model(request: ModelRequest) -> Result<Message, std::io::Error> {
    Ok(match request.messages.last() {
        Some(last) if matches!(last.kind, MessageKind::Tool(_)) => Message::assistant("Sent."),
        _ => Message::assistant("").with_tool_calls([
            ToolCall::new("c1", "send", json!({ "to": "Ann" })),
            ToolCall::new("c2", "look", json!({})),
        ]),
    })
}

fn agent(saver: &Arc<SqliteSaver>) -> Graph<AgentState> {
    let tool = |name: &'static str| {
        Tool::new(name, name, |_: Value, _| async { Ok::<_, std::io::Error>("Done.") })
    };
    let agent = create_agent(model).tool(tool("send")).tool(tool("look"));
    let agent = agent.middleware(HumanInTheLoop::new().ask("send"));
    agent.checkpointer(saver.clone()).compile().unwrap()
}

#[tokio::test]
async fn an_agent_waits_for_a_yes_in_a_database() {
    let saver = Arc::new(SqliteSaver::in_memory().unwrap().delta("messages", 20));
    let input = AgentUpdate::from("Send it.").with_field("mood", "good");
    let asked = agent(&saver).on("1").invoke(input).await.unwrap();
    assert_eq!(asked.interrupts[0].value["action_requests"][0]["name"], "send");
    // Decisions that do not fit fail the run; the question is open again.
    let agent = agent(&saver);
    let wrong = agent.on("1").resume(json!({ "decisions": [] })).await.unwrap_err();
    assert!(matches!(wrong, GraphError::Node { .. }));
    let again = agent.on("1");
    let named = again.at(asked.checkpoint.as_deref().unwrap());
    assert_eq!(named.outcome().await.unwrap().unwrap().interrupts, asked.interrupts);
    agent.on("1").resume(()).await.unwrap_err();
    assert_eq!(again.outcome().await.unwrap().unwrap().interrupts, asked.interrupts);
    let yes = json!({ "decisions": [{ "type": "approve" }] });
    let ended = again.resume(yes).await.unwrap();
    assert!(ended.is_ended());
    assert_eq!(ended.state.messages.len(), 5);
    assert_eq!(ended.state.fields["mood"], "good");
    let kept = agent.on("1").state().await.unwrap().unwrap();
    assert_eq!(kept, ended.state);
}
