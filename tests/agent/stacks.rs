//! The graph of every stack of LangChain's middlewares: its nodes, and the edges that runs take.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use threadfold::agent::{
    AgentBuilder, AgentState, AtLimit, CallLimits, HumanInTheLoop, Middleware, Summarization,
    create_agent, create_deep_agent,
};
use threadfold::context::{Policy, Size};
use threadfold::graph::{Graph, GraphError, MemorySaver};

use super::{Log, asked, echo, replay, run, scripted};

fn made(name: &str) -> Middleware {
    let most = CallLimits { thread: None, run: Some(3) };
    match name {
        "todo" => Middleware::todo_list(),
        "summarization" => {
            let policy = Policy { trigger: vec![Size::messages(100)], ..Policy::default() };
            Summarization::new(scripted(&json!([]))).policy(policy).into()
        }
        "patch" => Middleware::patch_tool_calls(),
        "approval" => HumanInTheLoop::new().ask("echo").into(),
        "model_limit" => Middleware::model_call_limit(most, AtLimit::End),
        "tool_limit" => Middleware::tool_call_limit(None, most, AtLimit::Continue),
        // It wraps the model, and has no node: the edits are `Summarization`'s here.
        _ => Middleware::new("ContextEditingMiddleware"),
    }
}

/// The nodes that a run passes, in order, from the start to the end or to a question.
async fn path(agent: &Graph<AgentState>) -> Result<Vec<String>, GraphError> {
    let thread = agent.on("1");
    let mut nodes = vec!["__start__".to_owned()];
    let mut running = thread.stream("go".into()).await?;
    loop {
        while let Some(step) = running.next().await {
            nodes.extend(step?.nodes.iter().map(|node| node.to_string()));
        }
        if running.interrupts().is_empty() {
            nodes.push("__end__".to_owned());
            return Ok(nodes);
        }
        running = thread.stream_resumed(json!({ "decisions": [{ "type": "approve" }] })).await?;
    }
}

#[test]
fn the_graph_of_every_stack_is_langchains() {
    replay("stacks", |record| {
        let stack = record["in"]["stack"].as_array().into_iter().flatten();
        let stack: Vec<_> = stack.filter_map(Value::as_str).collect();
        let build = |replies: &Value| -> AgentBuilder {
            let agent = create_agent(scripted(replies)).checkpointer(MemorySaver::new());
            let agent = stack.iter().fold(agent, |agent, name| agent.middleware(made(name)));
            if record["in"]["tools"] == true {
                agent.tool(echo("echo", &Log::default()))
            } else {
                agent
            }
        };
        let edges: Vec<(String, String)> =
            serde_json::from_value::<Vec<(String, String, bool)>>(record["edges"].clone())
                .map_err(|error| error.to_string())?
                .into_iter()
                .map(|(from, to, _)| (from, to))
                .collect();
        let call = json!({ "id": "c1", "name": "echo", "args": { "x": "1" } });
        let calls = json!([{ "content": "", "tool_calls": [call] }]);
        let mut taken = BTreeSet::new();
        for replies in [json!([]), calls] {
            let agent = build(&replies).compile().map_err(|error| error.to_string())?;
            let nodes: BTreeSet<_> = edges
                .iter()
                .flat_map(|(from, to)| [from, to])
                .filter(|name| !name.starts_with("__"))
                .collect();
            let own = format!("{agent:?}");
            let listed = own.matches('"').count() / 2;
            if listed != nodes.len() || !nodes.iter().all(|node| own.contains(&format!("{node:?}")))
            {
                return Err(format!("nodes\nis {own}\nwhere {nodes:?}"));
            }
            let path = run(path(&agent)).map_err(|error| error.to_string())?;
            for (from, to) in path.iter().zip(path.iter().skip(1)) {
                if !edges.contains(&(from.clone(), to.clone())) {
                    return Err(format!("the edge {from} -> {to} of {path:?}"));
                }
                taken.insert((from.clone(), to.clone()));
            }
        }
        let fixed = record["edges"].as_array().into_iter().flatten();
        let fixed = fixed.filter(|edge| edge[2] == false);
        let mut fixed = fixed.map(|edge| {
            (
                edge[0].as_str().unwrap_or_default().to_owned(),
                edge[1].as_str().unwrap_or_default().to_owned(),
            )
        });
        match fixed.find(|edge| !taken.contains(edge)) {
            Some(edge) => Err(format!("no run takes {edge:?}, only {taken:?}")),
            None => Ok(()),
        }
    });
}

#[test]
fn a_deep_agents_graph_is_that_of_deepagents_0_3_8() {
    let agent = create_deep_agent(scripted(&json!([{
        "content": "",
        "tool_calls": [{ "id": "c1", "name": "ls", "args": { "path": "/" } }],
    }])));
    let agent = agent.checkpointer(MemorySaver::new()).compile().expect("an agent");
    let turn = ["SummarizationMiddleware.before_model", "model", "TodoListMiddleware.after_model"];
    let mut nodes = vec!["__start__", "PatchToolCallsMiddleware.before_agent"];
    nodes.extend(turn);
    nodes.push("tools");
    nodes.extend(turn);
    nodes.push("__end__");
    assert_eq!(run(path(&agent)).expect("a run"), nodes);
    assert!(run(agent.invoke(asked("go"))).expect("a run").is_ended());
}
