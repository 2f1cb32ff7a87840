//! Merges a run's input into graph state: `langgraph_default_merge_state` of ag-ui-langgraph.

use crate::error::Error;
use crate::message::{self, Ids, Kinds};
use crate::reducer::files::object;
use crate::reducer::messages::read_list;
use crate::reducer::tools::{Prefer, list, merge_tools};
use crate::value::{ByNumber, Found, Join, Plan, Value};

mod repair;

/// Which version [`langgraph_default_merge_state`] follows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Compat {
    /// Like 0.0.14 to 0.0.25, but `messages` is the whole list: the existing and the new ones.
    #[default]
    Accumulate,
    /// Like 0.0.14 to 0.0.25: `messages` has only the new ones, for the graph's own `add_messages`
    /// to add.
    V0_0,
    /// Like 0.0.47: only the new ones, too; input tools first, broken tool calls and interrupted
    /// tool results repaired, `copilotkit` and A2UI keys written.
    Current,
}

/// Returns the state that a run starts with: `state` with the caller's `messages` and the tools and
/// context of its `input`.
///
/// `state` is an object of fields; `messages` a list of messages in the forms `add_messages`
/// accepts; `input` an AG-UI `RunAgentInput`: it reads `tools`, `context` and `forwardedProps`.
/// Drops a leading system message, and every message whose id the state already
/// has. `tools` holds one tool for each name, and `"ag-ui"` is `{ tools, context }`. Other keys of
/// the state stay unchanged.
///
/// # Errors
/// `INVALID_ARGUMENT` and `INVALID_MESSAGE` for input of the wrong shape.
///
/// ```
/// use serde_json::json;
/// use threadfold::ag_ui::{Compat, langgraph_default_merge_state};
///
/// let state = json!({ "messages": [{ "type": "human", "id": "1", "content": "a" }] });
/// let new = json!([
///     { "type": "human", "id": "1", "content": "a" },
///     { "type": "human", "id": "2", "content": "b" },
/// ]);
/// let input = json!({ "tools": [{ "name": "search" }], "context": [] });
/// let merged = langgraph_default_merge_state(state, new, input, Compat::V0_0)?;
/// assert_eq!(merged["messages"], json!([{ "type": "human", "id": "2", "content": "b" }]));
/// assert_eq!(merged["ag-ui"]["tools"], json!([{ "name": "search" }]));
/// # Ok::<(), threadfold::Error>(())
/// ```
pub fn langgraph_default_merge_state<V: Value>(
    state: V,
    messages: V,
    input: V,
    compat: Compat,
) -> Result<V, Error> {
    let state = object(state, "state")?;
    let input = object(input, "input")?;
    let existing = message_list(field(&state, "messages"))?;
    let messages = without_leading_system(message_list(messages)?);
    let fresh = match compat {
        Compat::Current => repair::new_messages(&existing, messages),
        Compat::V0_0 => unseen(&existing, messages),
        Compat::Accumulate => {
            let fresh = unseen(&existing, messages);
            let all = Plan { appended: positions(fresh.len()), ..Plan::default() };
            if all.is_empty() { existing } else { V::assemble(existing, fresh, &all, false) }
        }
    };
    let known = list(field(&state, "tools"), "state.tools")?;
    let given = list(field(&input, "tools"), "input.tools")?;
    let tools = match compat {
        Compat::Current => merge_tools(given, known, Prefer::First)?,
        Compat::Accumulate | Compat::V0_0 => merge_tools(known, given, Prefer::First)?,
    };
    let context = list(field(&input, "context"), "input.context")?;
    let ag_ui = match compat {
        Compat::Current => current_ag_ui(&input, tools.clone(), &context),
        Compat::Accumulate | Compat::V0_0 => {
            V::object().with("tools", tools.clone()).with("context", context)
        }
    };
    let merged =
        state.clone().with("messages", fresh).with("tools", tools.clone()).with("ag-ui", ag_ui);
    if compat != Compat::Current {
        return Ok(merged);
    }
    let copilotkit = object(field(&state, "copilotkit"), "state.copilotkit")?;
    Ok(merged.with("copilotkit", copilotkit.with("actions", tools)))
}

/// Returns a field's value, null if it has none.
fn field<V: Value>(of: &V, key: &str) -> V {
    of.get(key).map_or_else(V::null, Found::into_owned)
}

fn positions(len: usize) -> Vec<u32> {
    (0..u32::try_from(len).unwrap_or(u32::MAX)).collect()
}

/// Reads a list of whole messages; null is an empty one. Messages without an id get none.
fn message_list<V: Value>(messages: V) -> Result<V, Error> {
    if messages.is_null() {
        return Ok(V::array([]));
    }
    read_list(messages, Ids::Keep, Kinds::Known).map(|(messages, _)| messages)
}

fn without_leading_system<V: Value>(messages: V) -> V {
    let leads = messages.at(0).is_some_and(|first| message::is_kind(&*first, "system"));
    if leads { messages.splice(0, 1, None) } else { messages }
}

/// Returns the messages whose id `existing` does not have.
fn unseen<V: Value>(existing: &V, messages: V) -> V {
    let known = known_ids(existing, &messages);
    let appended = (0..).zip(known).filter(|(_, known)| !known).map(|(position, _)| position);
    let plan = Plan { appended: appended.collect(), ..Plan::default() };
    if plan.appended.len() == messages.len() {
        return messages;
    }
    V::assemble(V::array([]), messages, &plan, false)
}

/// Returns for each message whether `existing` has its id. A missing id counts as an id, as in the
/// reference.
fn known_ids<V: Value>(existing: &V, messages: &V) -> Vec<bool> {
    let join = V::join(existing, messages, "id");
    let mut seen = ByNumber::default();
    for [at, id] in join.left {
        seen.insert(id, at);
    }
    let has_nameless =
        || existing.items().any(|message| message.get("id").is_none_or(|id| id.is_null()));
    let nameless = join.right.contains(&Join::NONE) && has_nameless();
    let known = |id: &u32| if *id == Join::NONE { nameless } else { seen.get(*id).is_some() };
    join.right.iter().map(known).collect()
}

/// The description that marks a context entry as the A2UI schema of the client.
const A2UI_SCHEMA: &str = "A2UI Component Schema — available components for generating UI surfaces. Use these component names and properties when creating A2UI operations.";

/// Returns `"ag-ui"` as 0.0.47 writes it: the A2UI schema apart from the rest of the context, and
/// the caller's request for an A2UI tool.
fn current_ag_ui<V: Value>(input: &V, tools: V, context: &V) -> V {
    let is_schema = |entry: &V| entry.text_of("description").as_deref() == Some(A2UI_SCHEMA);
    let mut schema = None;
    let mut others = Vec::new();
    for entry in context.items() {
        if is_schema(&entry) {
            schema = Some(field(&*entry, "value"));
        } else {
            others.push(entry.into_owned());
        }
    }
    let context = if schema.is_some() { V::array(others) } else { context.clone() };
    let mut ag_ui = V::object().with("tools", tools).with("context", context);
    if let Some(schema) = schema.filter(|schema| !schema.is_null()) {
        ag_ui = ag_ui.with("a2ui_schema", schema);
    }
    for key in ["inject_a2_u_i_tool", "injectA2UITool"] {
        for forwarded in ["forwarded_props", "forwardedProps"] {
            if let Some(flag) = field(input, forwarded).get(key) {
                return ag_ui.with("inject_a2ui_tool", flag.into_owned());
            }
        }
    }
    ag_ui
}
