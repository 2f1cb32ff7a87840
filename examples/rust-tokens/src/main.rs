//! A context that counts as the model does: OpenAI's o200k tokens, exactly.

use bpe_openai::{Tokenizer, o200k_base};
use serde_json::{Value, json};
use threadfold::Error;
use threadfold::context::{Policy, Size};
use threadfold::context::{CountTokens, Estimated};
use threadfold::context::Context;

/// The tokens that a chat request adds to each message, for its role and its ends.
const PER_MESSAGE: usize = 4;

struct O200k(&'static Tokenizer);

impl CountTokens<Value> for O200k {
    fn count(&self, message: &Value) -> Result<f64, Error> {
        let text = message["content"].as_str().unwrap_or_default();
        let calls = message["tool_calls"].as_array().into_iter().flatten();
        let calls = calls.map(|call| self.0.count(&format!("{}{}", call["name"], call["args"])));
        Ok((PER_MESSAGE + self.0.count(text) + calls.sum::<usize>()) as f64)
    }
}

fn main() -> Result<(), Error> {
    let history = Value::Array((0..200).flat_map(turn).collect());
    let exact = O200k(o200k_base());

    let policy = Policy {
        trigger: vec![Size::tokens(8_000.0)],
        keep: Some(Size::tokens(2_000.0)),
        ..Policy::default()
    };
    let context = Context::new(policy.clone(), &exact);
    let before = context.view(&history, None)?;
    let estimated = Context::new(policy, &Estimated).view(&history, None)?;
    println!("history: {} tokens, estimated {}", before.tokens, estimated.tokens);

    let due = before.due.expect("8,000 tokens are reached");
    let record = due.record(Some("They went through the weather of many cities."), None);
    let after = context.view(&history, Some(&record))?;
    println!("context: {} tokens, behind message {}", after.tokens, due.cutoff);
    Ok(())
}

/// A question, the call of a tool, its result, and the answer.
fn turn(at: usize) -> [Value; 4] {
    let call = format!("call-{at}");
    let asked = format!("How is the weather in city {at}?");
    let said = format!("In city {at} it is sunny and 21 °C warm.");
    let calls = json!([{ "id": call, "name": "get_weather", "args": { "city": at } }]);
    [
        json!({ "type": "human", "id": format!("q{at}"), "content": asked }),
        json!({ "type": "ai", "id": format!("c{at}"), "content": "", "tool_calls": calls }),
        json!({ "type": "tool", "id": format!("r{at}"), "tool_call_id": call, "content": "21 °C, sunny" }),
        json!({ "type": "ai", "id": format!("a{at}"), "content": said }),
    ]
}
