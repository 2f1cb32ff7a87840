//! The edges of an agent's graph: between its hooks, the model and the tools.

use std::sync::Arc;

use super::branches::{Answers, Branches, MODEL, TOOLS};
use super::middleware::{Hook, Middleware};
use super::route::Jump;
use super::state::AgentState;
use super::steps::HookStep;
use super::tool::Tool;
use crate::graph::{END, Graph, GraphError, START, StateGraph, Target};

/// A hook that is a node.
struct Stop {
    node: String,
    jumps: Vec<Jump>,
}

/// Adds the nodes of the hooks, and the edges between them, the model and the tools.
pub(super) fn looped(
    mut graph: StateGraph<AgentState>,
    middleware: &[Middleware],
    tools: &Arc<[Tool]>,
    has_tools: bool,
    answers: &Answers,
) -> Result<Graph<AgentState>, GraphError> {
    type Of = fn(&Middleware) -> Option<&Hook>;
    let kinds: [(&str, Of); 4] = [
        ("before_agent", |one| one.before_agent.as_ref()),
        ("before_model", |one| one.before_model.as_ref()),
        ("after_model", |one| one.after_model.as_ref()),
        ("after_agent", |one| one.after_agent.as_ref()),
    ];
    let mut stops: [Vec<Stop>; 4] = [const { Vec::new() }; 4];
    for one in middleware {
        for ((suffix, of), stops) in kinds.iter().zip(&mut stops) {
            let Some(hook) = of(one) else { continue };
            if !has_tools && hook.jumps.contains(&Jump::Tools) {
                return Err(GraphError::UnknownNode(TOOLS.to_owned()));
            }
            let node = format!("{}.{suffix}", one.name);
            graph = graph.node(&node, HookStep(hook.clone()));
            stops.push(Stop { node, jumps: hook.jumps.clone() });
        }
    }
    let [before_agent, before_model, mut after_model, mut after_agent] = stops;
    // "After" hooks run from the last middleware to the first.
    after_model.reverse();
    after_agent.reverse();
    let name = |stops: &[Stop], or: &str| stops.first().map_or(or, |stop| &stop.node).to_owned();
    let branches = Branches {
        entry: name(&before_model, MODEL),
        exit: name(&after_agent, END),
        answers: answers.clone(),
    };
    graph = graph.edge(START, &name(&before_agent, &branches.entry));
    let last = after_model.pop();
    let decides = last.as_ref().map_or(MODEL, |last| &last.node).to_owned();
    graph = chained(graph, &before_agent, &branches.entry, &branches);
    graph = chained(graph, &before_model, MODEL, &branches);
    graph = chained(graph, &after_model, &decides, &branches);
    graph = chained(graph, &after_agent, END, &branches);
    if last.is_some() {
        graph = graph.edge(MODEL, &name(&after_model, &decides));
    }
    graph = if has_tools {
        let (next, back, tools) = (branches.clone(), branches.clone(), tools.clone());
        graph
            .branch(&decides, move |state: &AgentState| next.after_model(state))
            .branch(TOOLS, move |state: &AgentState| back.after_tools(state, &tools))
    } else if !answers.is_empty() {
        // A model that only returns text is called again, as in Python.
        let branches = branches.clone();
        graph.branch(&decides, move |state: &AgentState| branches.after_answer(state).to_owned())
    } else if let Some(last) = last {
        way_out(graph, &last, &branches.exit, &branches)
    } else {
        graph.edge(MODEL, &branches.exit)
    };
    graph.compile()
}

/// Adds the branches out of hooks in a row; `end` comes after the last of them.
fn chained(
    mut graph: StateGraph<AgentState>,
    stops: &[Stop],
    end: &str,
    branches: &Branches,
) -> StateGraph<AgentState> {
    for (at, stop) in stops.iter().enumerate() {
        let next = stops.get(at + 1).map_or(end, |next| &next.node);
        graph = way_out(graph, stop, next, branches);
    }
    graph
}

/// Adds the way out of a hook: to the next node, or where it may jump to.
fn way_out(
    graph: StateGraph<AgentState>,
    stop: &Stop,
    next: &str,
    branches: &Branches,
) -> StateGraph<AgentState> {
    if stop.jumps.is_empty() {
        return graph.edge(&stop.node, next);
    }
    let (branches, jumps, next) = (branches.clone(), stop.jumps.clone(), next.to_owned());
    let is_entry = stop.node == branches.entry;
    graph.branch(&stop.node, move |state: &AgentState| match state.jump {
        // The first of the turn goes on to the model: it would come back to itself.
        Some(Jump::Model) if is_entry && jumps.contains(&Jump::Model) => vec![MODEL.into()],
        Some(jump) if jumps.contains(&jump) => branches.jumped(jump, state),
        _ => vec![Target::Node(next.clone())],
    })
}
