//! Compiles an agent, and its sub-agents, into a graph.

use std::sync::Arc;

use super::branches::{MODEL, TOOLS};
use super::call::Shared;
use super::middleware::{Middleware, replacing, wrapped};
use super::model::ModelRequest;
use super::parts::Parts;
use super::stack::{first_of_sub_agents, stack, with_general};
use super::state::AgentState;
use super::steps::{ModelStep, ToolStep};
use super::structured::ResponseFormat;
use super::sub_agent::SubAgent;
use super::task::{Runnable, sub_agents};
use super::tool::{Tool, ToolOutput, ToolRequest, unknown};
use super::wiring::looped;
use crate::graph::{Graph, GraphError, StateGraph};
use crate::typed::Message;

/// The limit of Python's agents: enough for any loop that ends.
const RECURSION_LIMIT: u64 = 9999;

const DEEP_PROMPT: &str = "You have tools to plan with, to keep files with, and to have tasks done by sub-agents. \
                           Use them for work of several steps.";

/// Compiles an agent into the graph of its loop.
pub(super) fn compiled(parts: Parts) -> Result<Graph<AgentState>, GraphError> {
    let tasks =
        if parts.is_deep || !parts.sub_agents.is_empty() { Some(tasks(&parts)?) } else { None };
    let middleware = stack(&parts, tasks);
    let Parts { model, tools, system_prompt, format, saver, is_deep, .. } = parts;
    let own = middleware.iter().flat_map(|one| one.tools.iter().cloned());
    let tools: Arc<[Tool]> = own.chain(tools).collect();
    let answers = format.iter().flat_map(ResponseFormat::tools).collect::<Vec<_>>();
    let names = tools.iter().chain(&answers).map(|tool| &tool.name);
    if let Some(name) = twice(middleware.iter().map(|one| &one.name)).or_else(|| twice(names)) {
        return Err(GraphError::InvalidName(name.clone()));
    }
    let has_tools = !tools.is_empty() || middleware.iter().any(|one| one.wrap_tool.is_some());
    let ask = asking(format.clone(), tools.clone(), &answers);
    let run: Shared<ToolRequest, ToolOutput> = Arc::new(|request: ToolRequest| async move {
        match request.tool.clone() {
            Some(tool) => tool.answer(request).await,
            None => Ok(unknown(&request.call, &request.tools).into()),
        }
    });
    let ask = wrapped(middleware.iter().filter_map(|one| one.wrap_model.clone()), ask);
    let run = wrapped(middleware.iter().filter_map(|one| one.wrap_tool.clone()), run);
    let system_prompt = match (is_deep, system_prompt) {
        (false, prompt) => prompt,
        (true, Some(prompt)) => Some([&*prompt, "\n\n", DEEP_PROMPT].concat()),
        (true, None) => Some(DEEP_PROMPT.to_owned()),
    };
    let mut graph = StateGraph::new().recursion_limit(RECURSION_LIMIT);
    if let Some(saver) = saver.0.clone() {
        graph = graph.checkpointer(saver);
    }
    let step = ModelStep { ask, model, system_prompt, format, tools: tools.clone() };
    graph = graph.node(MODEL, step);
    if has_tools {
        graph = graph.node(TOOLS, ToolStep { run, tools: tools.clone(), saver });
    }
    let answers = answers.into_iter().map(|tool| tool.name).collect();
    looped(graph, &middleware, &tools, has_tools, &answers)
}

/// Compiles the sub-agents of an agent, and makes the tool that runs them.
fn tasks(parent: &Parts) -> Result<Middleware, GraphError> {
    let all = with_general(parent);
    if let Some(name) = twice(all.iter().map(|one| &one.name)) {
        return Err(GraphError::InvalidName(name.clone()));
    }
    let runnables = all.into_iter().map(|one| {
        let (name, description) = (one.name.clone(), one.description.clone());
        Ok(Runnable { name, description, graph: graph_of(one, parent)? })
    });
    Ok(sub_agents(runnables.collect::<Result<_, GraphError>>()?))
}

/// Compiles a sub-agent, which inherits the rest from its parent.
fn graph_of(agent: SubAgent, parent: &Parts) -> Result<Arc<Graph<AgentState>>, GraphError> {
    if let Some(graph) = agent.graph {
        return Ok(graph);
    }
    let parts = Parts {
        tools: agent.tools.unwrap_or_else(|| parent.tools.clone()),
        middleware: replacing(first_of_sub_agents(parent), agent.middleware),
        system_prompt: agent.system_prompt,
        approval: agent.approval.or_else(|| parent.approval.clone()),
        format: agent.format,
        ..Parts::new(agent.model.unwrap_or_else(|| parent.model.clone()))
    };
    compiled(parts).map(Arc::new)
}

/// Asks the model, with the tools by which it gives its answer.
fn asking(
    format: Option<ResponseFormat>,
    own: Arc<[Tool]>,
    answers: &[Tool],
) -> Shared<ModelRequest, Message> {
    let with_answers = |tools: &[Tool], answers: &[Tool]| -> Arc<[Tool]> {
        tools.iter().chain(answers).cloned().collect()
    };
    let answers: Arc<[Tool]> = answers.iter().cloned().collect();
    let (all, format) = (with_answers(&own, &answers), Arc::new(format));
    Arc::new(move |mut request: ModelRequest| {
        if !answers.is_empty() {
            request.tools = if Arc::ptr_eq(&request.tools, &own) {
                all.clone()
            } else {
                with_answers(&request.tools, &answers)
            };
        }
        let format = Arc::clone(&format);
        async move {
            let message = request.model.clone().answer(request).await?;
            if let Some(format) = &*format {
                // A middleware that tries again gets the error.
                format.read(&message)?;
            }
            Ok(message)
        }
    })
}

/// Returns the first of these that occurs twice.
fn twice<'n>(names: impl Iterator<Item = &'n String>) -> Option<&'n String> {
    let mut known = std::collections::HashSet::new();
    names.into_iter().find(|name| !known.insert(*name))
}
