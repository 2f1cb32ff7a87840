//! The decisions of a person about calls, and the effect of each.

use std::fmt;

use serde_json::{Value, json};

use crate::agent::approval::{Decision, Refusal};
use crate::agent::turn::answer;
use crate::typed::{Message, ToolCall};

const NAMES: [(Decision, &str); 4] = [
    (Decision::Approve, "approve"),
    (Decision::Edit, "edit"),
    (Decision::Reject, "reject"),
    (Decision::Respond, "respond"),
];

pub(super) fn names(decisions: &[Decision]) -> Vec<&'static str> {
    let name = |decision: &Decision| NAMES.iter().find(|(known, _)| known == decision);
    decisions.iter().filter_map(name).map(|(_, name)| *name).collect()
}

/// Returns the kind of a decision, if it has a known one.
pub(super) fn kind(decision: &Value) -> Option<Decision> {
    let name = decision.get("type")?.as_str()?;
    NAMES.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
}

/// An answer that does not fit what was asked, in LangChain's words.
#[derive(Debug)]
pub(super) struct Unfit(String);

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unfit {}

impl Unfit {
    /// Says that an edit names another tool, where only arguments may change.
    pub(super) fn other_tool(call: &ToolCall, edit: &Value) -> Self {
        let (name, got) =
            (&call.name, edit.get("name").and_then(Value::as_str).unwrap_or_default());
        Self(format!(
            "An edit of one call keeps its tool: expected {{ name: '{name}', args }}, got '{got}'."
        ))
    }

    /// Says that the answer has no list of decisions.
    pub(super) fn form() -> Self {
        let says = "Invalid answer to an approval: expected { decisions: [{ type: 'approve' }, … ] }, one \
                    decision for each call.";
        Self(says.to_owned())
    }

    /// Says which decision does not fit; `allowed` are those that each call allows.
    pub(super) fn refused(
        refusal: &Refusal,
        decisions: &[Value],
        calls: &[ToolCall],
        allowed: impl Fn(usize) -> Vec<&'static str>,
    ) -> Self {
        Self(match refusal {
            Refusal::Count { given, waiting } => format!(
                "Number of human decisions ({given}) does not match number of hanging tool calls ({waiting})."
            ),
            Refusal::NotAllowed { decision, call } => {
                let decision = decisions.get(*decision as usize).unwrap_or(&Value::Null);
                let kind = decision.get("type").and_then(Value::as_str).unwrap_or_default();
                let call = *call as usize;
                let tool = calls.get(call).map(|call| &*call.name).unwrap_or_default();
                format!(
                    "Unexpected human decision: {decision}. Decision type '{kind}' is not allowed for tool \
                     '{tool}'. Expected one of {} based on the tool's configuration.",
                    json!(allowed(call))
                )
            }
        })
    }
}

/// Returns the action that replaces an edited call: the original call must not run.
pub(super) fn action(call: &ToolCall, decision: &Value) -> Result<Value, Unfit> {
    let action = decision.get("edited_action").or_else(|| decision.get("editedAction"));
    let field = |name| action.and_then(|action| action.get(name));
    let needs = match (field("name").is_some_and(Value::is_string), field("args")) {
        (false, _) => "name must be a string",
        (true, Some(Value::Object(_))) => return Ok(action.cloned().unwrap_or_default()),
        (true, _) => "args must be an object",
    };
    Err(Unfit(format!("Invalid edited action for tool \"{}\": {needs}", call.name)))
}

/// The message to the model in place of a result.
pub(super) fn reply(call: &ToolCall, decision: &Value) -> Result<Message, Unfit> {
    let (name, id) = (&call.name, call.id.as_deref().unwrap_or_default());
    let message = decision.get("message").filter(|message| !message.is_null());
    let is_response = kind(decision) == Some(Decision::Respond);
    let said = match message {
        Some(Value::String(text)) => Some(text.as_str()),
        None if !is_response => None,
        _ => {
            return Err(Unfit(format!("Tool call response for \"{name}\" must be a string.")));
        }
    };
    if is_response {
        return Ok(answer(call, said.unwrap_or_default(), false).with_name(name));
    }
    let rejected = format!("User rejected the tool call for `{name}` with");
    let text = match said.filter(|said| !said.is_empty()) {
        Some(said) => format!("{rejected} reason: {said}"),
        None => format!(
            "{rejected} id {id}. The tool was not executed. Do not retry this tool call unless the user explicitly requests it."
        ),
    };
    Ok(answer(call, text, true).with_name(name))
}
