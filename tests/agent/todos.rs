//! The effect of `write_todos`, and of several in a turn.

use serde_json::{Value, json};
use threadfold::agent::{Middleware, Tool, create_agent};

use super::{Raised, asked, equal, replay, run, scripted, shown};

#[test]
fn todos_are_written_as_langchain_writes_them() {
    replay("todos", |record| {
        let echo = Tool::new("echo", "Echoes.", |args: Value, _| {
            std::future::ready(Ok::<_, Raised>(args["x"].as_str().unwrap_or_default().to_owned()))
        });
        let agent = create_agent(scripted(&record["in"]["replies"]))
            .tool(echo)
            .middleware(Middleware::todo_list())
            .compile()
            .map_err(|error| error.to_string())?;
        let state = run(agent.invoke(asked("go"))).map_err(|error| error.to_string())?.state;
        equal(&shown(&state.messages), &record["out"]["messages"], "messages")?;
        equal(&state.todos, &record["out"]["todos"], "todos")
    });
}

#[test]
fn the_model_is_told_of_the_list() {
    let prompts = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = prompts.clone();
    let agent = create_agent(move |request: threadfold::agent::ModelRequest| {
        seen.lock().expect("a list").push(request.system_prompt.unwrap_or_default());
        let tools: Vec<_> = request.tools.iter().map(|tool| tool.name.clone()).collect();
        std::future::ready(Ok::<_, Raised>(threadfold::Message::assistant(tools.join(", "))))
    });
    let agent = agent.system_prompt("Be brief.").middleware(Middleware::todo_list());
    let agent = agent.compile().expect("an agent");
    let state = run(agent.invoke(asked("go"))).expect("an answer").state;
    assert_eq!(
        json!(prompts.lock().expect("a list")[0].starts_with("Be brief.\n\n## `write_todos`")),
        true
    );
    assert_eq!(state.messages.last().expect("an answer").text(), "write_todos");
}

#[test]
fn a_state_is_read_as_it_was_written() {
    let todos = json!([{ "content": "Plan", "status": "pending" }]);
    let state = serde_json::from_value::<threadfold::agent::AgentState>(json!({
        "messages": [{ "type": "human", "id": "1", "content": "go" }],
        "todos": todos,
        "model_calls": { "thread": 1 },
    }))
    .expect("a state");
    assert_eq!(state.todos, todos);
    assert_eq!(state.fields["model_calls"]["thread"], 1);
    let again =
        serde_json::from_value::<threadfold::agent::AgentState>(json!(state)).expect("it again");
    assert_eq!(again, state);
}
