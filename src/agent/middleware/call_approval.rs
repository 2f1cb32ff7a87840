//! Approval of a call by itself, as it starts.

use serde_json::Value;

use super::approval_answer::{Unfit, action, kind, names, reply};
use super::approval_gates::Gates;
use crate::agent::approval::{Gate, Outcome, settle};
use crate::agent::tool::ToolRequest;
use crate::graph::BoxError;
use crate::typed::Message;

/// The outcome of a decision about one call.
pub(super) enum CallDecided {
    /// It runs.
    Run,
    /// This action runs in its place.
    RunEdited(Value),
    /// This message answers it.
    Answer(Message),
}

/// Asks for one call, if it needs a yes.
pub(super) fn decide_call(gates: &Gates, request: &ToolRequest) -> Result<CallDecided, BoxError> {
    let call = &request.call;
    let Some(asked) = gates.get(&call.name) else { return Ok(CallDecided::Run) };
    let mut question = asked.request(call);
    if let Some(fields) = question.as_object_mut() {
        fields.insert("type".to_owned(), "tool_approval".into());
        fields.insert("tool_call_id".to_owned(), call.id.clone().into());
    }
    let decision = request.ctx.interrupt(question)?;
    let calls = std::slice::from_ref(call);
    let outcomes =
        settle(&[Gate::of(&asked.decisions)], &[kind(&decision)]).map_err(|refusal| {
            let given = std::slice::from_ref(&decision);
            Unfit::refused(&refusal, given, calls, |_| names(&asked.decisions))
        })?;
    Ok(match outcomes.first() {
        Some(Outcome::Answer(_)) => CallDecided::Answer(reply(call, &decision)?),
        Some(Outcome::RunEdited(_)) => {
            let edit = action(call, &decision)?;
            if edit.get("name").and_then(Value::as_str) != Some(&*call.name) {
                return Err(Unfit::other_tool(call, &edit).into());
            }
            CallDecided::RunEdited(edit)
        }
        Some(Outcome::Run) | None => CallDecided::Run,
    })
}
