//! Interrupts in AG-UI's form, which is that of ag-ui-langgraph.

use crate::graph::Interrupt;
use crate::stream::question_in;
use crate::value::{Json, Kind, Value};

/// The custom event before the error of a run whose thread still asks: `RUN_ERROR` has no place for
/// interrupts.
pub const OPEN_INTERRUPTS: &str = "open_interrupts";

/// Returns an interrupt as `RUN_FINISHED` has it.
pub fn interrupt(asked: &Interrupt) -> Json {
    let value = Json::from(asked.value.clone());
    let reason = ("reason", "langgraph:interrupt".into());
    let mut own = Json::from([("id", asked.id.as_str().into()), reason]);
    if let Some(message) = question(&value) {
        own = own.with("message", message.into());
    }
    if let Some(call) = value["tool_call_id"].as_str() {
        own = own.with("toolCallId", call.into());
    }
    let raw = Json::from([("raw", value)]);
    own.with("metadata", Json::from([("langgraph", raw)]))
}

/// The question as text. An approval of tool calls has their descriptions, a line each.
fn question(value: &Json) -> Option<String> {
    let requests = || requests(value).iter().filter_map(question_in).collect::<Vec<_>>().join("\n");
    question_in(value).or_else(|| Some(requests()).filter(|text| !text.is_empty()))
}

/// The calls that an approval asks for.
pub fn requests(value: &Json) -> &Json {
    let own = &value["actionRequests"];
    if own.is_null() { &value["action_requests"] } else { own }
}

/// The answer to a question that the user cancelled: an approval of tool calls rejects them.
pub fn cancelled(asked: &Interrupt) -> serde_json::Value {
    let value = Json::from(asked.value.clone());
    let reject = serde_json::json!({ "type": "reject" });
    let calls = requests(&value);
    if value["type"].as_str() == Some("tool_approval") {
        reject
    } else if calls.kind() == Kind::Array {
        serde_json::json!({ "decisions": vec![reject; calls.iter().len()] })
    } else {
        serde_json::json!({ "__agui_cancelled__": true, "interrupt_id": asked.id })
    }
}
