//! The tool `task`: it has a sub-agent do something, and returns what it changed.

use std::sync::Arc;

use serde_json::{Value, json};

use super::beside::kept_beside;
use super::middleware::Middleware;
use super::model::ModelRequest;
use super::state::{AgentState, AgentUpdate};
use super::sub_agent_state::changed_files;
use super::tool::{Tool, ToolOutput, ToolRequest, refused};
use super::turn::answer;
use crate::graph::{BoxError, Graph, Resume};
use crate::typed::{Message, MessageKind};
use crate::value::{Json, Value as _};

/// A sub-agent as it runs.
#[derive(Debug, Clone)]
pub(super) struct Runnable {
    pub name: String,
    pub description: String,
    pub graph: Arc<Graph<AgentState>>,
}

const PROMPT: &str = "## `task`\nGive a sub-agent a task with `task` where it can be done on its own and its \
                      steps would only fill your context. Tasks that do not depend on one another belong in one \
                      turn: they run side by side. A sub-agent sees only the description that you write and the \
                      files; you see only its last message, and the user sees neither.";

/// Gives an agent the tool, as deepagents' `SubAgentMiddleware` does.
pub(super) fn sub_agents(all: Vec<Runnable>) -> Middleware {
    let lines = all.iter().map(|one| format!("- {}: {}", one.name, one.description));
    let description = format!(
        "Has a sub-agent do a task, and returns its report. The sub-agents:\n{}",
        lines.collect::<Vec<_>>().join("\n")
    );
    let all: Arc<[Runnable]> = all.into();
    let run = move |args: Value, request: ToolRequest| {
        let all = Arc::clone(&all);
        async move { ran(&all, &args, request).await }
    };
    let text = |description: &str| json!({ "type": "string", "description": description });
    let schema = json!({
        "type": "object",
        "required": ["description", "subagent_type"],
        "properties": {
            "description": text("The task, with all that the sub-agent needs to know."),
            "subagent_type": text("Which sub-agent."),
        },
    });
    Middleware::new("SubAgentMiddleware")
        .tool(Tool::new("task", description, run).with_schema(schema))
        .wrap_model(|request: ModelRequest, next| async move {
            next.call(request.with_instructions(PROMPT)).await
        })
}

async fn ran(all: &[Runnable], args: &Value, request: ToolRequest) -> Result<ToolOutput, BoxError> {
    let text = |name: &str| {
        let missing = || format!("{name}: Input should be a valid string");
        args.get(name).and_then(Value::as_str).ok_or_else(missing)
    };
    let (task, name) = match (text("description"), text("subagent_type")) {
        (Ok(task), Ok(name)) => (task, name),
        (Err(why), _) | (_, Err(why)) => return Ok(refused(&request.call, &why).into()),
    };
    let Some(agent) = all.iter().find(|one| one.name == name) else {
        let names = all.iter().map(|one| format!("`{}`", one.name)).collect::<Vec<_>>().join(", ");
        let text = format!(
            "We cannot invoke subagent {name} because it does not exist, the only allowed types are {names}"
        );
        return Ok(text.into());
    };
    delegated(&agent.graph, task, &request).await.map(Into::into)
}

/// Runs a sub-agent. Returns its changes, with its answer as the tool's.
async fn delegated(
    agent: &Arc<Graph<AgentState>>,
    task: &str,
    request: &ToolRequest,
) -> Result<AgentUpdate, BoxError> {
    let ToolRequest { state, ctx, call, .. } = request;
    let fields = state.fields.iter().filter(|(name, _)| is_shared(name));
    let input = AgentUpdate {
        files: Some(state.files.clone()).filter(|files| !files.is_null()),
        fields: Some(fields.map(|(name, value)| (name.clone(), value.clone())).collect()),
        ..AgentUpdate::from(task)
    };
    let has = outcome(agent, input, request).await?;
    let before = if state.files.is_null() { Json::object() } else { state.files.clone() };
    let changed = changed_files(&before, &has.files);
    let (changed, notes) = kept_beside(ctx, call, &before, &changed);
    let answered = match &has.structured_response {
        Value::Null => last_text(&has),
        answered => answered.to_string(),
    };
    let parts = std::iter::once(answered).chain(notes).filter(|part| !part.is_empty());
    let text = parts.collect::<Vec<_>>().join("\n\n");
    let own = has.fields.into_iter().filter(|(name, _)| is_shared(name));
    let own = own.filter(|(name, value)| state.fields.get(name) != Some(value));
    Ok(AgentUpdate {
        files: Some(changed).filter(|changed| !changed.keys().is_empty()),
        fields: Some(own.collect()).filter(|own: &serde_json::Map<_, _>| !own.is_empty()),
        ..AgentUpdate::from(answer(call, text, false))
    })
}

/// Whether agents share a field: one with `_` in front is each one's own.
fn is_shared(field: &str) -> bool {
    !field.starts_with('_')
}

/// The text of the last answer that has one.
fn last_text(state: &AgentState) -> String {
    let answers =
        state.messages.iter().rev().filter(|one| matches!(one.kind, MessageKind::Assistant(_)));
    let texts = answers.map(|one| Message::text(one).trim_end().to_owned());
    texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default()
}

/// Runs a sub-agent to its end, on a thread if its parent is on one. Its questions are the parent's.
async fn outcome(
    agent: &Arc<Graph<AgentState>>,
    input: AgentUpdate,
    request: &ToolRequest,
) -> Result<AgentState, BoxError> {
    let ToolRequest { ctx, call, saver, .. } = request;
    let (Some(parent), Some(saver)) = (ctx.thread(), &saver.0) else {
        let outcome = agent.invoke(input.into()).await?;
        if let Some(question) = outcome.interrupts.first() {
            ctx.forward(question)?;
        }
        return Ok(outcome.state);
    };
    // Two calls that no model of this agent made may have one id.
    let call = call.id.as_deref().unwrap_or_default();
    let name = format!("{parent}|{}:{}|{call}", ctx.began_at(), ctx.send());
    let thread = agent.kept_by(saver, &name);
    let thread = thread.run_id(ctx.run_id());
    // A task that starts over finds what its sub-agent has done.
    let mut outcome = match thread.outcome().await? {
        Some(left) => left,
        None => thread.invoke(input).await?,
    };
    while !outcome.is_ended() {
        let resume = match outcome.interrupts.first() {
            Some(question) => {
                let mut asked = question.clone();
                // Sub-agents of one task may ask under the same id.
                asked.id = format!("{name}|{}", question.id);
                Resume::Answers(vec![(question.id.clone(), ctx.forward(&asked)?)])
            }
            None => Resume::GoOn,
        };
        outcome = ctx.watch(thread.stream_resumed(resume).await?, |_| Ok(())).await?;
    }
    // A task that fails after this finds it ended, and runs nothing twice.
    let (agent, saver) = (agent.clone(), saver.clone());
    ctx.when_saved(async move {
        // One that stays is in nobody's way.
        drop(agent.kept_by(&saver, &name).delete().await);
    });
    Ok(outcome.state)
}
