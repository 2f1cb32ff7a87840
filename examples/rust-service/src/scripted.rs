//! In place of a model: it understands "2 tea" and "order", and streams its answers word by word.

use std::fs::OpenOptions;
use std::io::Write;
use std::time::Duration;

use serde_json::json;
use threadfold::agent::ModelRequest;
use threadfold::graph::{BoxError, MessageChunk};
use threadfold::{Message, MessageKind, ToolCall};

pub async fn model(request: ModelRequest) -> Result<Message, BoxError> {
    let last = request.messages.last().ok_or("no message")?;
    // A message of the conversation has one answer, whichever process gives it.
    let id = format!("answer-{}", last.id.as_deref().unwrap_or_default());
    let text = last.text().into_owned();
    effect("model", Some(&id));
    let call = |name: &str, args| ToolCall::new(format!("call-{id}"), name, args);
    let words: Vec<&str> = text.split_whitespace().collect();
    let (answer, calls) = match (&last.kind, &words[..]) {
        (MessageKind::Tool(_), _) => (format!("Done: {text}"), vec![]),
        (_, [qty, sku]) if qty.parse::<u32>().is_ok() => {
            let args = json!({ "qty": qty.parse::<u32>()?, "sku": sku });
            ("I put it into the cart.".to_owned(), vec![call("put", args)])
        }
        (_, ["order"]) => ("I order it.".to_owned(), vec![call("order", json!({}))]),
        _ => (format!("You said: {text}. Say \"2 tea\", or \"order\"."), vec![]),
    };
    for word in answer.split_inclusive(' ') {
        request.ctx.message(MessageChunk::text(&id, word));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(Message::assistant(answer).with_id(id).with_tool_calls(calls))
}

/// Writes what happens in the world to a file, for the test that kills the service.
pub fn effect(what: &str, of: Option<&str>) {
    let Ok(path) = std::env::var("EFFECTS") else { return };
    let file = OpenOptions::new().create(true).append(true).open(path);
    let written = file.and_then(|mut file| writeln!(file, "{what} {}", of.unwrap_or_default()));
    written.expect("the effects can be written");
}
