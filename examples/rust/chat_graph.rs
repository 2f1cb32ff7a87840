//! A chat agent: a model that calls tools until it knows enough.

use std::env;

use serde_json::json;
use threadfold::graph::{BoxError, Ctx, END, START, StateGraph};
use threadfold::reducer::AddMessages;
use threadfold::{Message, MessageKind, State, ToolCall};

#[derive(Debug, Clone, Default, State)]
#[state(derive(Clone))]
struct Chat {
    #[reducer(AddMessages)]
    messages: Vec<Message>,
}

async fn model(chat: &Chat, _: Ctx) -> Result<ChatUpdate, BoxError> {
    Ok(ChatUpdate { messages: Some(vec![answer(&chat.messages)]) })
}

async fn tools(chat: &Chat, _: Ctx) -> Result<ChatUpdate, BoxError> {
    let results = calls(chat)
        .iter()
        .map(|call| Message::tool("4 degrees", call.id.clone().unwrap_or_default()));
    Ok(ChatUpdate { messages: Some(results.collect()) })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let agent = StateGraph::<Chat>::new()
        .node("model", model)
        .node("tools", tools)
        .edge(START, "model")
        .edge("tools", "model")
        .branch("model", |chat: &Chat| if calls(chat).is_empty() { END } else { "tools" })
        .compile()?;
    let question = env::args().nth(1).unwrap_or_else(|| "How cold is it in Oslo?".to_owned());
    let chat = agent.invoke(Chat { messages: vec![Message::user(question)] }).await?.state;
    for message in &chat.messages {
        println!("{}: {}", message.kind.name(), message.text());
    }
    assert_eq!(chat.messages.len(), 4);
    Ok(())
}

/// Stands for a model: it calls a tool, and answers once it has the result.
fn answer(messages: &[Message]) -> Message {
    if let Some(last @ Message { kind: MessageKind::Tool(_), .. }) = messages.last() {
        return Message::assistant(format!("It is {} in Oslo.", last.text()));
    }
    let call = ToolCall::new("1", "weather", json!({ "city": "Oslo" }));
    Message::assistant("").with_tool_calls([call])
}

/// The calls of the last message.
fn calls(chat: &Chat) -> &[ToolCall] {
    chat.messages.last().map_or(&[], Message::tool_calls)
}
