//! A loop runs the nodes and merges each one's part of the state, until there is none to run.

use threadfold::reducer::AddMessages;
use threadfold::{Error, Message, State};

#[derive(Debug, Clone, Default, State)]
struct Agent {
    #[reducer(AddMessages)]
    messages: Vec<Message>,
    /// The remaining steps, rewritten each time.
    todos: Vec<String>,
}

/// A node: its part of the state.
type Node = fn(&Agent) -> AgentUpdate;

fn plan(_: &Agent) -> AgentUpdate {
    let todos = ["read", "write"].map(str::to_owned).to_vec();
    AgentUpdate { todos: Some(todos), ..AgentUpdate::default() }
}

fn work(state: &Agent) -> AgentUpdate {
    let Some((next, rest)) = state.todos.split_first() else { return AgentUpdate::default() };
    let done = Message::assistant(format!("Done: {next}"));
    AgentUpdate { messages: Some(vec![done]), todos: Some(rest.to_vec()) }
}

fn next(state: &Agent) -> Option<Node> {
    match (state.messages.len(), state.todos.is_empty()) {
        (1, true) => Some(plan),
        (_, false) => Some(work),
        _ => None,
    }
}

fn main() -> Result<(), Error> {
    let mut state = Agent { messages: vec![Message::user("Go")], ..Agent::default() };
    while let Some(node) = next(&state) {
        let update = node(&state);
        state.update(update)?;
    }
    let said: Vec<_> = state.messages.iter().map(Message::text).collect();
    assert_eq!(said, ["Go", "Done: read", "Done: write"]);
    Ok(())
}
