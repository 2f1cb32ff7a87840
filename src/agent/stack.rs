//! The middlewares of an agent and of its sub-agents, in their order.

use super::middleware::{Filesystem, Middleware, Summarization, replacing};
use super::parts::Parts;
use super::sub_agent::SubAgent;

const GENERAL: &str = "general-purpose";

/// Returns the sub-agents of an agent. A deep agent has one that can do all that it can.
pub(super) fn with_general(agent: &Parts) -> Vec<SubAgent> {
    let mut all = agent.sub_agents.clone();
    if agent.is_deep && all.iter().all(|one| one.name != GENERAL) {
        let description =
            "Can do all that you can: for work of several steps that would only fill your context.";
        let prompt = "Do the task that you are given. The caller sees only your last message: put the whole \
                      result there.";
        all.insert(0, SubAgent::new(GENERAL, description).system_prompt(prompt));
    }
    all
}

/// Returns the middlewares of an agent: its own, the one that gives tasks to sub-agents, and the
/// approval of calls. Those of a deep agent come before, as in deepagents.
pub(super) fn stack(agent: &Parts, tasks: Option<Middleware>) -> Vec<Middleware> {
    let mut all = if agent.is_deep {
        let mut built_in = before();
        built_in.extend(tasks);
        built_in.extend(after(agent));
        replacing(built_in, agent.middleware.clone())
    } else {
        agent.middleware.iter().cloned().chain(tasks).collect()
    };
    all.extend(agent.approval.clone().map(Middleware::from));
    all
}

/// Returns the first middlewares of the sub-agents of an agent.
pub(super) fn first_of_sub_agents(agent: &Parts) -> Vec<Middleware> {
    if !agent.is_deep {
        return Vec::new();
    }
    let mut first = before();
    first.extend(after(agent));
    first
}

fn before() -> Vec<Middleware> {
    vec![Middleware::todo_list(), Filesystem::new().into()]
}

fn after(agent: &Parts) -> [Middleware; 2] {
    [Summarization::by(agent.model.clone()).into(), Middleware::patch_tool_calls()]
}
