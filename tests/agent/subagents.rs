//! The part of a state that a sub-agent gets, and the part that it returns.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use threadfold::agent::{AgentState, AgentUpdate, Filesystem, Middleware, SubAgent, create_agent};
use threadfold::graph::{BoxError, Command, Ctx, Graph, Node, START, StateGraph};
use threadfold::{Json, Message};

use super::{equal, replay, run, scripted, shown};

/// A sub-agent that does what the plan of its task says, and notes its input.
struct Worker {
    plans: Value,
    seen: Arc<Mutex<Vec<Value>>>,
}

fn contents(files: &Json) -> Value {
    let content = |file: &Json| json!(file["content"].as_str());
    let all = files.entries().map(|(path, file)| (path.to_owned(), content(file)));
    Value::Object(all.collect())
}

impl Node<AgentState> for Worker {
    async fn run(&self, state: &AgentState, _: Ctx) -> Result<Command<AgentState>, BoxError> {
        let task = state.messages.last().ok_or("no task")?.text().into_owned();
        let whole = json!(state);
        let mut keys: Vec<_> = whole.as_object().ok_or("an object")?.keys().cloned().collect();
        keys.sort();
        self.seen.lock().expect("a list").push(json!({
            "task": task,
            "messages": state.messages.len(),
            "keys": keys,
            "files": contents(&state.files),
        }));
        let plan = &self.plans[&task];
        let said = plan["say"].as_str().unwrap_or_default();
        let mut update =
            AgentUpdate::from(vec![Message::assistant("first"), Message::assistant(said)]);
        let files = plan["files"].as_object().into_iter().flatten();
        let files = files.map(|(path, content)| {
            (path.clone(), json!({ "content": content, "encoding": "utf-8" }))
        });
        update.files = Some(Value::Object(files.collect()).into());
        if let Some(todos) = plan.get("todos") {
            update.todos = Some(todos.clone());
        }
        if let Some(note) = plan.get("note") {
            update = update.with_field("note", note.clone());
        }
        Ok(Command::update(update))
    }
}

fn worker(plans: &Value, seen: &Arc<Mutex<Vec<Value>>>) -> Graph<AgentState> {
    let worker = Worker { plans: plans.clone(), seen: seen.clone() };
    let graph = StateGraph::new().node("work", worker).edge(START, "work");
    graph.compile().expect("a graph")
}

fn given(state: &Value) -> AgentState {
    let mut update = AgentUpdate::from("go");
    update.files = Some(state["files"].clone().into());
    if let Some(note) = state.get("note") {
        update = update.with_field("note", note.clone());
    }
    // Python's list that adds up begins empty.
    let log = state.get("log").cloned().unwrap_or_else(|| json!([]));
    update.with_field("log", log).into()
}

/// The files as each turn leaves them, and how many tasks ran before two were side by side: Python's
/// sub-agents return all files, so that the last of a turn undoes the writes of others. Ours do not.
fn expected(given: &Value) -> (Value, Option<usize>) {
    let mut files = contents(&given["state"]["files"].clone().into());
    let (mut ran, mut beside) = (0, None);
    for reply in given["replies"].as_array().into_iter().flatten() {
        let calls = reply["tool_calls"].as_array().into_iter().flatten();
        let workers: Vec<_> =
            calls.filter(|call| call["args"]["subagent_type"] == "worker").collect();
        if workers.len() > 1 {
            beside = beside.or(Some(ran));
        }
        ran += workers.len();
        for call in workers {
            let task = call["args"]["description"].as_str().unwrap_or_default();
            for (path, content) in given["plans"][task]["files"].as_object().into_iter().flatten() {
                files[path] = content.clone();
            }
        }
    }
    (files, beside)
}

#[test]
fn sub_agents_get_and_return_what_deepagents_do() {
    replay("subagents", |record| {
        let given_in = &record["in"];
        let seen = Arc::default();
        let worker = SubAgent::new("worker", "works").graph(worker(&given_in["plans"], &seen));
        let agent = create_agent(scripted(&given_in["replies"]))
            .middleware(Middleware::todo_list())
            .middleware(Filesystem::new())
            .sub_agent(worker);
        let agent = agent.compile().map_err(|error| error.to_string())?;
        let outcome = run(agent.invoke(given(&given_in["state"])));
        let state = outcome.map_err(|error| error.to_string())?.state;
        let mut messages = shown(&state.messages).as_array().cloned().unwrap_or_default();
        messages.retain(|message| message["type"] == "tool");
        let out = &record["out"];
        equal(&json!(messages), &out["messages"], "messages")?;
        let field = |name| state.fields.get(name).cloned().unwrap_or_default();
        equal(&field("note"), &out["note"], "note")?;
        equal(&field("log"), &out["log"], "log")?;
        equal(&state.todos, &out["todos"], "todos")?;
        let (files, beside) = expected(given_in);
        equal(&contents(&state.files), &files, "files")?;
        if beside.is_none() {
            equal(&files, &out["files"], "Python's files")?;
        }
        let (mut own, mut theirs) = (json!(*seen.lock().expect("a list")), record["seen"].clone());
        for list in [&mut own, &mut theirs] {
            for one in list.as_array_mut().into_iter().flatten().skip(beside.unwrap_or(usize::MAX))
            {
                one["files"] = Value::Null;
            }
        }
        equal(&own, &theirs, "seen")
    });
}
