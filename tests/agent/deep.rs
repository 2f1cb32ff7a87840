//! A deep agent plans, writes files, delegates, asks for approval and survives restarts: all with a
//! scripted model.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use threadfold::agent::{
    AgentState, Filesystem, HumanInTheLoop, Middleware, ModelRequest, SubAgent, Tool, create_agent,
    create_deep_agent,
};
use threadfold::graph::{Graph, MemorySaver};
use threadfold::{Message, MessageKind, ToolCall};

use super::{Log, Raised, asked, logged, run};

/// The first message of the user, and the results so far.
fn seen(request: &ModelRequest) -> (String, Vec<String>) {
    let of = |is: fn(&MessageKind) -> bool| {
        let all = request.messages.iter().filter(move |message| is(&message.kind));
        all.map(|message| message.text().into_owned()).collect::<Vec<_>>()
    };
    let task = of(|kind| matches!(kind, MessageKind::User(_))).first().cloned().unwrap_or_default();
    (task, of(|kind| matches!(kind, MessageKind::Tool(_))))
}

fn calls(list: &[(&str, &str, Value)]) -> Message {
    let calls = list.iter().map(|(id, name, args)| ToolCall::new(*id, *name, args.clone()));
    Message::assistant("").with_tool_calls(calls)
}

fn task(description: &str) -> Value {
    json!({ "subagent_type": "general-purpose", "description": description })
}

fn write(path: &str, content: &str) -> Value {
    json!({ "file_path": path, "content": content })
}

/// Decides by the messages it gets. It has no state, so that it may be a new one after a restart.
async fn traveller(request: ModelRequest) -> Result<Message, Raised> {
    let (asked, results) = seen(&request);
    let todos = |status: &str| json!({ "todos": [{ "content": "Research", "status": status }] });
    if asked == "Write a trip to Rome." {
        return Ok(match results.len() {
            0 => calls(&[
                ("c1", "write_todos", todos("in_progress")),
                ("c2", "write_file", write("/plan.md", "Rome")),
            ]),
            2 => calls(&[("c3", "task", task("sights")), ("c4", "task", task("food"))]),
            4 => calls(&[
                ("c5", "write_todos", todos("completed")),
                ("c6", "book", json!({ "hotel": "Roma" })),
            ]),
            _ => Message::assistant(format!("Done: {}", results.last().expect("a result"))),
        });
    }
    Ok(match (results.len(), asked.as_str()) {
        (0, about) => calls(&[("s1", "write_file", write(&format!("/{about}.md"), about))]),
        (1, "food") => calls(&[("s2", "book", json!({ "hotel": "a table" }))]),
        _ => Message::assistant(format!("I wrote about {asked}.")),
    })
}

fn paths(state: &AgentState) -> Vec<String> {
    let mut paths: Vec<_> = state.files.entries().map(|(path, _)| path.to_owned()).collect();
    paths.sort();
    paths
}

#[test]
fn a_deep_agent_starts_anew_from_its_checkpoints_at_each_question() {
    let (saver, booked) = (Arc::new(MemorySaver::new()), Log::default());
    let start = || -> Graph<AgentState> {
        let booked = booked.clone();
        let book = Tool::new("book", "Books it.", move |args: Value, _| {
            let hotel = args["hotel"].as_str().unwrap_or_default().to_owned();
            booked.lock().expect("a list").push(hotel.clone());
            std::future::ready(Ok::<_, Raised>(format!("Booked {hotel}.")))
        });
        let agent = create_deep_agent(traveller).tool(book).checkpointer(saver.clone());
        agent.interrupt_on(HumanInTheLoop::new().ask("book")).compile().expect("an agent")
    };
    let decide = |decision: Value| json!({ "decisions": [decision] });
    run(async {
        let first = start().on("trip").invoke("Write a trip to Rome.".into()).await.expect("a run");
        assert_eq!(first.interrupts[0].value["action_requests"][0]["args"]["hotel"], "a table");
        assert_eq!(logged(&booked), json!([]));
        // Another process: the sub-agent continues where it asked.
        let approved = decide(json!({ "type": "approve" }));
        let second = start().on("trip").resume(approved).await.expect("a run");
        assert_eq!(logged(&booked), json!(["a table"]));
        assert_eq!(paths(&second.state), ["/food.md", "/plan.md", "/sights.md"]);
        assert_eq!(second.interrupts[0].value["action_requests"][0]["args"]["hotel"], "Roma");
        let edit = json!({ "name": "book", "args": { "hotel": "Ostia" } });
        let edit = decide(json!({ "type": "edit", "edited_action": edit }));
        let last = start().on("trip").resume(edit).await.expect("a run");
        assert!(last.is_ended());
        assert_eq!(logged(&booked), json!(["a table", "Ostia"]));
        assert_eq!(last.state.todos[0]["status"], "completed");
        let said = last.state.messages.last().expect("an answer").text().into_owned();
        assert!(said.contains("Booked Ostia."), "{said}");
        let tool = |message: &&Arc<Message>| matches!(&message.kind, MessageKind::Tool(own) if own.tool_call_id == "c4");
        let food = last.state.messages.iter().find(tool).expect("the report");
        assert_eq!(food.text(), "I wrote about food.");
    });
}

/// Runs an agent whose sub-agents write these texts to one path, and which writes what `own` says.
fn side_by_side(own: Option<&str>, ids: [&'static str; 2], files: &Value) -> AgentState {
    let count = Arc::new(Mutex::new(0));
    let own = own.map(str::to_owned);
    let model = move |request: ModelRequest| {
        let (asked, results) = seen(&request);
        let said = match (asked.as_str(), results.len()) {
            ("go", 0) => {
                let tasks = ids.map(|id| (id, "task", task("write")));
                let own = own.iter().map(|own| ("own", "write_file", write("/n", own)));
                calls(&own.chain(tasks).collect::<Vec<_>>())
            }
            ("go", _) => Message::assistant("Both."),
            (_, 0) => {
                let mut count = count.lock().expect("a number");
                *count += 1;
                calls(&[("s1", "write_file", write("/n", &format!("text {count}")))])
            }
            _ => Message::assistant("Written."),
        };
        std::future::ready(Ok::<_, Raised>(said))
    };
    let mut state = asked("go");
    state.files = files.clone().into();
    run(create_deep_agent(model).compile().expect("an agent").invoke(state)).expect("a run").state
}

#[test]
fn sub_agents_that_write_one_file_at_a_time_lose_nothing() {
    let none = json!({});
    let state = side_by_side(None, ["c", "d"], &none);
    assert_eq!(paths(&state), ["/n", "/n.d"]);
    let text = |path: &str| state.files[path]["content"].as_str().unwrap_or_default().to_owned();
    assert_eq!([text("/n"), text("/n.d")], ["text 1", "text 2"]);
    let notes: Vec<_> = state.messages.iter().map(|message| message.text().into_owned()).collect();
    assert!(notes[3].ends_with("This one's is in /n.d: merge the two."), "{notes:?}");
    // A name that is taken, and an id with signs of a path.
    let mine = json!({ "/n.d": { "content": "mine", "encoding": "utf-8" } });
    assert_eq!(paths(&side_by_side(None, ["c", "d"], &mine)), ["/n", "/n.d", "/n.d-2"]);
    assert_eq!(paths(&side_by_side(None, ["c", "../../x"], &none)), ["/n", "/n.______x"]);
    // Calls of one id get ids of their own.
    let of_one_id = paths(&side_by_side(None, ["c", "c"], &none));
    let (first, id) = (&of_one_id[0], of_one_id[1].strip_prefix("/n.").expect("a name beside"));
    assert_eq!((of_one_id.len(), first.as_str(), id.len()), (2, "/n", 36));
    // The agent's own write counts, too.
    let state = side_by_side(Some("mine"), ["c", "d"], &none);
    assert_eq!(state.files["/n"]["content"], "mine");
    assert_eq!(paths(&state), ["/n", "/n.c", "/n.d"]);
}

#[test]
fn sub_agents_of_a_step_that_was_stopped_lose_nothing_either() {
    let saver = Arc::new(MemorySaver::new());
    let model = |request: ModelRequest| {
        let (asked, results) = seen(&request);
        std::future::ready(Ok::<_, Raised>(match (asked.as_str(), results.len()) {
            ("go", 0) => calls(&[("c1", "task", task("quick")), ("c2", "task", task("slow"))]),
            ("slow", 0) => calls(&[("s0", "check", json!({}))]),
            ("quick", 0) | ("slow", 1) => {
                calls(&[("s1", "write_file", write("/n", asked.as_str()))])
            }
            _ => Message::assistant("Done."),
        }))
    };
    let start = || {
        let check = |_: Value, _| std::future::ready(Ok::<_, Raised>("Checked."));
        let agent = create_deep_agent(model).tool(Tool::new("check", "Checks.", check));
        let agent = agent.interrupt_on(HumanInTheLoop::new().per_call().ask("check"));
        agent.checkpointer(saver.clone()).compile().expect("an agent")
    };
    run(async {
        let asked = start().on("1").invoke("go".into()).await.expect("a run");
        assert_eq!(asked.interrupts.len(), 1);
        let done = start().on("1").resume(json!({ "type": "approve" })).await.expect("a run");
        assert_eq!(done.state.files["/n"]["content"], "quick");
        assert_eq!(done.state.files["/n.c2"]["content"], "slow");
        // The threads of sub-agents are deleted as they end.
        let left = start();
        assert!(left.on("1|3|c2").outcome().await.expect("a look").is_none());
    });
}

#[test]
fn a_model_gets_the_prompts_and_the_tools_of_all() {
    let shown = Arc::new(Mutex::new(Vec::new()));
    let seen = shown.clone();
    let model = move |request: ModelRequest| {
        let names = request.tools.iter().map(|tool| tool.name.clone()).collect::<Vec<_>>();
        seen.lock().expect("a list").push((request.system_prompt.unwrap_or_default(), names));
        std::future::ready(Ok::<_, Raised>(Message::assistant("Hi.")))
    };
    let critic = SubAgent::new("critic", "Criticizes.");
    let agent = create_deep_agent(model)
        .system_prompt("You are Ada.")
        .sub_agent(critic)
        .middleware(Filesystem::new().system_prompt("Files are yours."))
        .middleware(Middleware::new("Mine"));
    run(agent.compile().expect("an agent").invoke(asked("Hello"))).expect("a run");
    let (prompt, tools) = &shown.lock().expect("a list")[0];
    assert!(prompt.starts_with("You are Ada.\n\nYou have tools to plan with"), "{prompt}");
    assert!(prompt.contains("Files are yours.") && !prompt.contains("## Files"));
    let all = [
        "write_todos",
        "ls",
        "read_file",
        "write_file",
        "edit_file",
        "delete",
        "glob",
        "grep",
        "task",
    ];
    assert_eq!(tools, &all);
    let two = create_agent(|_| async { Ok::<_, Raised>(Message::assistant("")) })
        .sub_agent(SubAgent::new("twin", ""))
        .sub_agent(SubAgent::new("twin", ""));
    assert!(two.compile().is_err());
}
