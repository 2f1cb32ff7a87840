//! Where the loop goes after the model and after the tools.

use serde_json::Value;

use super::route::{self, Call, Jump, Next};
use super::state::AgentState;
use super::tool::Tool;
use super::turn::Turn;
use crate::graph::Target;
use crate::typed::{ToolCall, ToolMessage};

pub(super) const MODEL: &str = "model";
pub(super) const TOOLS: &str = "tools";

/// Where each turn begins, and where the run ends.
#[derive(Clone)]
pub(super) struct Branches {
    pub entry: String,
    pub exit: String,
    pub answers: Answers,
}

/// The names of the tools by which the model gives its answer.
pub(super) type Answers = std::collections::HashSet<String>;

impl Branches {
    pub fn target(&self, jump: Jump) -> &str {
        match jump {
            Jump::Model => &self.entry,
            Jump::Tools => TOOLS,
            Jump::End => &self.exit,
        }
    }

    /// Returns where a hook's jump leads.
    pub fn jumped(&self, jump: Jump, state: &AgentState) -> Vec<Target<AgentState>> {
        match jump {
            Jump::Tools => to_tools(state),
            _ => vec![self.target(jump).into()],
        }
    }

    /// Decides where to go after the model and its hooks. Each call is a task of its own.
    pub fn after_model(&self, state: &AgentState) -> Vec<Target<AgentState>> {
        let turn = Turn::last(&state.messages);
        let calls = turn.calls();
        let mut ids: Vec<&str> = calls.iter().filter_map(|call| call.id.as_deref()).collect();
        ids.push("");
        let place = |id: &str| (0..).zip(&ids).find(|(_, known)| **known == id).map(|(at, _)| at);
        let numbered: Vec<Call> = calls
            .iter()
            .filter_map(|call| {
                let id = place(call.id.as_deref().unwrap_or_default())?;
                Some((id, self.answers.contains(&call.name)))
            })
            .map(|(id, is_answer)| Call { id, is_answer })
            .collect();
        let answered: Vec<u32> =
            turn.results.iter().filter_map(|result| place(&result.tool_call_id)).collect();
        let decided = route::after_model(&route::Turn {
            jump: state.jump,
            calls: turn.message.map(|_| &*numbered),
            answered: &answered,
            is_structured: !state.structured_response.is_null(),
        });
        let to = |name: &str| vec![Target::Node(name.to_owned())];
        match decided {
            Next::Model => to(&self.entry),
            Next::End => to(&self.exit),
            Next::Tools => to_tools(state),
            Next::Calls(positions) => positions
                .iter()
                .filter_map(|at| calls.get(*at as usize))
                .map(|call| sent(call, state))
                .collect(),
        }
    }

    /// Decides where to go after the model of an agent that has no tools but those of its answer.
    pub fn after_answer(&self, state: &AgentState) -> &str {
        match state.jump {
            Some(jump) => self.target(jump),
            None if state.structured_response.is_null() => &self.entry,
            None => &self.exit,
        }
    }

    /// Decides where to go after the tools: to the next turn, or to the end if their results are the
    /// agent's answer.
    pub fn after_tools(&self, state: &AgentState, tools: &[Tool]) -> String {
        let turn = Turn::last(&state.messages);
        let tool = |name: &str| tools.iter().find(|tool| tool.name == name);
        // The name of the result counts: an approval may have put another tool in the place of the
        // one that was called.
        let ran = |id: Option<&str>| {
            let own = turn.results.iter().rev().find(|result| Some(&*result.tool_call_id) == id);
            own.and_then(|result| result.name.as_deref()).and_then(tool)
        };
        let mut known = turn
            .calls()
            .iter()
            .filter_map(|call| ran(call.id.as_deref()).or_else(|| tool(&call.name)))
            .peekable();
        let is_answered = known.peek().is_some() && known.all(|tool| tool.returns_directly);
        let is_structured = |result: &&ToolMessage| {
            result.name.as_ref().is_some_and(|name| self.answers.contains(name))
                && result.extra.get("status").and_then(Value::as_str) != Some("error")
        };
        let is_answered = is_answered || turn.results.iter().any(is_structured);
        if is_answered { self.exit.clone() } else { self.entry.clone() }
    }
}

/// Sends each open call to the tools, as a task of its own. Without open calls, the node runs none.
fn to_tools(state: &AgentState) -> Vec<Target<AgentState>> {
    let calls = Turn::last(&state.messages).open_calls();
    if calls.is_empty() {
        return vec![TOOLS.into()];
    }
    calls.into_iter().map(|call| sent(call, state)).collect()
}

fn sent(call: &ToolCall, state: &AgentState) -> Target<AgentState> {
    let task = AgentState { call: Some(call.clone()), ..state.clone() };
    Target::Send(TOOLS.to_owned(), task)
}
