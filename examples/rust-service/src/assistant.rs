//! The graph: an agent with a tool and a question, whose cart is the shop's.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use shop::{Item, Shop, ShopUpdate};
use threadfold::Message;
use threadfold::agent::{AgentState, AgentUpdate, HumanInTheLoop, Tool, ToolRequest, create_agent};
use threadfold::graph::{BoxError, Command, Ctx, Graph, Node, START, StateGraph};
use threadfold_checkpoint::SqliteSaver;

use crate::scripted;

pub fn graph(saver: &Arc<SqliteSaver>) -> Result<Graph<Shop>, BoxError> {
    let agent = create_agent(scripted::model)
        .tool(Tool::new("put", "Puts items into the cart.", put))
        .tool(Tool::new("order", "Orders what is in the cart.", order))
        .middleware(HumanInTheLoop::new().ask("order"))
        .checkpointer(saver.clone())
        .compile()?;
    let graph =
        StateGraph::<Shop>::new().node("assistant", Assistant(agent)).edge(START, "assistant");
    Ok(graph.checkpointer(saver.clone()).compile()?)
}

/// Runs the agent on the shop's conversation.
struct Assistant(Graph<AgentState>);

impl Node<Shop> for Assistant {
    async fn run(&self, shop: &Shop, ctx: Ctx) -> Result<Command<Shop>, BoxError> {
        let asked = AgentUpdate::of_messages(shop.messages.iter().cloned());
        let AgentState { messages, fields, .. } = ctx.run(&self.0, asked).await?.state;
        let new = messages.iter().skip(shop.messages.len()).map(|new| Message::clone(new));
        let items = fields.into_iter().filter(|(name, _)| name.starts_with(ITEM));
        let cart = items.map(|(_, item)| Item::deserialize(item)).collect::<Result<Vec<_>, _>>()?;
        Ok(Command::update(ShopUpdate { messages: Some(new.collect()), cart: Some(cart) }))
    }
}

/// Begins the fields of what was put into the cart. Each call has its own: two of one turn do not write
/// the same.
const ITEM: &str = "item-";

async fn put(item: Item, request: ToolRequest) -> Result<AgentUpdate, BoxError> {
    let call = request.call.id.unwrap_or_default();
    let done = Message::tool(format!("{} {}", item.qty, item.sku), call.clone());
    Ok(AgentUpdate::from(done).with_field(format!("{ITEM}{call}"), serde_json::json!(item)))
}

async fn order(_: Value, request: ToolRequest) -> Result<&'static str, BoxError> {
    scripted::effect("order", request.call.id.as_deref());
    Ok("Ordered.")
}
