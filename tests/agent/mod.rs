//! Agents beside LangChain's: the same scripts give the messages that Python's agents gave.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::pedantic)]

use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use threadfold::agent::{AgentState, ModelRequest, Tool};
use threadfold::typed::MessageList;
use threadfold::{Message, MessageKind, ToolCall};

mod approval;
mod deep;
mod files;
mod hooks;
mod limits;
mod stacks;
mod structured;
mod sub_agent_approvals;
mod subagents;
mod summaries;
mod todos;

/// The recorded runs of a subject.
fn records(subject: &str) -> Vec<Value> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("js-tests/peers/conformance/records/agent");
    let text = std::fs::read_to_string(folder.join(format!("{subject}.json"))).expect("records");
    serde_json::from_str(&text).expect("JSON")
}

/// Checks each record; all are checked before the test fails.
fn replay(subject: &str, check: impl Fn(&Value) -> Result<(), String>) {
    let records = records(subject);
    assert!(records.len() > 90);
    let differing: Vec<String> = records
        .iter()
        .filter_map(|record| check(record).err().map(|why| format!("{why}\n{record}")))
        .collect();
    println!("{subject}: {} records, {} differ", records.len(), differing.len());
    let first: Vec<_> = differing.iter().take(3).cloned().collect();
    assert!(differing.is_empty(), "{} differ:\n{}", differing.len(), first.join("\n\n"));
}

fn equal(own: &Value, recorded: &Value, what: &str) -> Result<(), String> {
    if own == recorded { Ok(()) } else { Err(format!("{what}\nis    {own}\nwhere {recorded}")) }
}

/// An error of a script.
#[derive(Debug)]
struct Raised(String);

impl std::fmt::Display for Raised {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ValueError: {}", self.0)
    }
}

impl std::error::Error for Raised {}

/// A model that plays a script, then says `done`.
fn scripted(
    replies: &Value,
) -> impl Fn(ModelRequest) -> std::future::Ready<Result<Message, Raised>> + Send + Sync + 'static {
    let replies = replies.as_array().cloned().unwrap_or_default();
    let at = Mutex::new(0);
    move |_| {
        let mut at = at.lock().expect("a number");
        let reply = replies.get(*at).cloned().unwrap_or_else(|| json!({ "content": "done" }));
        *at += 1;
        if let Some(why) = reply.get("raise").and_then(Value::as_str) {
            return std::future::ready(Err(Raised(why.to_owned())));
        }
        let calls = reply["tool_calls"].as_array().cloned().unwrap_or_default().into_iter();
        let calls = calls.map(|call| serde_json::from_value::<ToolCall>(call).expect("a call"));
        let said = Message::assistant(reply["content"].as_str().unwrap_or_default());
        std::future::ready(Ok(said.with_tool_calls(calls)))
    }
}

/// The entries that a run wrote, in order.
type Log = Arc<Mutex<Vec<String>>>;

fn logged(log: &Log) -> Value {
    json!(*log.lock().expect("a log"))
}

/// A tool that logs its call, and says its name and its argument.
fn echo(name: &str, log: &Log) -> Tool {
    let (log, own) = (log.clone(), name.to_owned());
    Tool::new(name, name, move |args: Value, _| {
        let said = args["x"].as_str().unwrap_or_default();
        log.lock().expect("a log").push(format!("{own}({said})"));
        std::future::ready(Ok::<_, Raised>(format!("{own}:{said}")))
    })
}

/// Messages as the recorder shows them.
fn shown(messages: &MessageList<Message>) -> Value {
    messages.iter().map(|message| show(message)).collect()
}

fn show(message: &Message) -> Value {
    let whole = json!(message);
    let mut own = json!({ "type": message.kind.name(), "content": whole["content"] });
    if let MessageKind::Tool(tool) = &message.kind {
        own["tool_call_id"] = json!(tool.tool_call_id);
        own["status"] = tool.extra.get("status").cloned().unwrap_or_else(|| "success".into());
    }
    if let Some(name) = whole.get("name").and_then(Value::as_str).filter(|name| !name.is_empty()) {
        own["name"] = json!(name);
    }
    let calls = message.tool_calls().iter();
    let calls = calls.map(|call| json!({ "name": call.name, "args": call.args, "id": call.id }));
    let calls = calls.collect::<Vec<_>>();
    if !calls.is_empty() {
        own["tool_calls"] = json!(calls);
    }
    own
}

/// The whole text of an error, with its sources.
fn whole(error: &dyn std::error::Error) -> String {
    let sources = std::iter::successors(Some(error), |error| error.source());
    sources.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

fn run<T>(running: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(running)
}

fn asked(text: &str) -> AgentState {
    threadfold::agent::AgentUpdate::from(text).into()
}
