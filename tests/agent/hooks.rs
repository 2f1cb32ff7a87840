//! Hooks run in LangChain's order, and jump where it jumps.

use std::collections::HashSet;
use std::sync::Mutex;

use serde_json::{Value, json};
use threadfold::agent::{
    AgentState, AgentUpdate, Hook, HumanInTheLoop, Jump, Middleware, Tool, ToolRequest,
    create_agent,
};
use threadfold::graph::{BoxError, Ctx, MemorySaver};
use threadfold::typed::ToolMessage;
use threadfold::{Message, MessageKind};

use super::{Log, Raised, asked, echo, equal, logged, replay, run, scripted, shown, whole};

fn jump(name: &Value) -> Option<Jump> {
    match name.as_str()? {
        "model" => Some(Jump::Model),
        "tools" => Some(Jump::Tools),
        "end" => Some(Jump::End),
        _ => None,
    }
}

fn hook(name: &str, kind: &str, spec: &Value, log: &Log) -> Hook {
    let (log, entry, own) = (log.clone(), format!("{name}.{kind}"), spec.clone());
    let seen = Mutex::new(0_u64);
    let made = Hook::new(move |state: AgentState, _| {
        let mut seen = seen.lock().expect("a number");
        let at = *seen;
        *seen += 1;
        log.lock().expect("a log").push(entry.clone());
        let mut update = AgentUpdate::default();
        if own["answers"] == at {
            let last = state
                .messages
                .iter()
                .rev()
                .find(|message| matches!(message.kind, MessageKind::Assistant(_)));
            let calls = last.map(|message| message.tool_calls().to_vec()).unwrap_or_default();
            let answers = calls.into_iter().map(|call| {
                let answer = ToolMessage::new("answered", call.id.unwrap_or_default());
                Message::from(MessageKind::Tool(answer))
            });
            update.messages = Some(answers.collect());
        }
        if own["jump"]["at"] == at
            && let Some(jump) = jump(&own["jump"]["to"])
        {
            update = update.jump_to(jump);
        }
        std::future::ready(Ok::<_, Raised>(update))
    });
    made.can_jump_to(spec["can"].as_array().into_iter().flatten().filter_map(jump))
}

fn middleware(spec: &Value, log: &Log) -> Middleware {
    let name = spec["name"].as_str().unwrap_or_default().to_owned();
    let mut made = Middleware::new(&*name);
    for (kind, hook_spec) in spec["hooks"].as_object().into_iter().flatten() {
        let (log, name) = (log.clone(), name.clone());
        let note = move |log: &Log, entry: String| log.lock().expect("a log").push(entry);
        made = match kind.as_str() {
            "before_agent" => made.before_agent(hook(&name, kind, hook_spec, &log)),
            "before_model" => made.before_model(hook(&name, kind, hook_spec, &log)),
            "after_model" => made.after_model(hook(&name, kind, hook_spec, &log)),
            "after_agent" => made.after_agent(hook(&name, kind, hook_spec, &log)),
            "wrap_model_call" => made.wrap_model(move |request, next| {
                let (log, name) = (log.clone(), name.clone());
                async move {
                    note(&log, format!("{name}.model>"));
                    let answer = next.call(request).await;
                    note(&log, format!("<{name}.model"));
                    answer
                }
            }),
            _ => made.wrap_tool(move |request, next| {
                let (log, name) = (log.clone(), name.clone());
                async move {
                    let id = request.call.id.clone().unwrap_or_default();
                    note(&log, format!("{name}.{id}>"));
                    let answer = next.call(request).await;
                    note(&log, format!("<{name}.{id}"));
                    answer
                }
            }),
        };
    }
    made
}

fn is_tool(entry: &str) -> bool {
    let id = entry.trim_matches(['<', '>']).split('.').nth(1).unwrap_or_default();
    entry.contains('(')
        || (id.starts_with('c') && id[1..].chars().all(|sign| sign.is_ascii_digit()))
}

/// The messages with the first result of each call.
fn answered_once(messages: &Value) -> Value {
    let mut seen = HashSet::new();
    let all = messages.as_array().into_iter().flatten();
    let first =
        all.filter(|one| one["tool_call_id"].as_str().is_none_or(|id| seen.insert(id.to_owned())));
    first.cloned().collect()
}

/// Calls of one turn run side by side, in no order: they are sorted, as the recorder does.
fn ordered(log: &Value) -> Vec<String> {
    let mut parts: Vec<Vec<String>> = Vec::new();
    for entry in log.as_array().into_iter().flatten().filter_map(Value::as_str) {
        match parts.last_mut() {
            Some(last) if is_tool(entry) && is_tool(&last[0]) => last.push(entry.to_owned()),
            _ => parts.push(vec![entry.to_owned()]),
        }
    }
    for part in &mut parts {
        part.sort();
    }
    parts.concat()
}

#[test]
fn hooks_run_in_langchains_order_and_jump_where_it_jumps() {
    replay("hooks", |record| {
        let log = Log::default();
        let given = &record["in"];
        let mut agent = create_agent(scripted(&given["replies"]));
        if given["tools"] == true {
            for name in ["echo", "ping"] {
                let tool = echo(name, &log);
                let is_direct =
                    given["direct"].as_array().is_some_and(|all| all.contains(&json!(name)));
                agent = agent.tool(if is_direct { tool.returning_directly() } else { tool });
            }
        }
        for spec in given["middleware"].as_array().into_iter().flatten() {
            agent = agent.middleware(middleware(spec, &log));
        }
        let error = record["error"].as_str();
        let agent = match agent.compile() {
            Ok(agent) => agent,
            Err(_) if error.is_some_and(|error| error.contains("found unknown target")) => {
                return Ok(());
            }
            Err(own) => return Err(own.to_string()),
        };
        match (run(agent.invoke(asked("go"))), error) {
            (Ok(outcome), None) => {
                let (mut own, mut theirs) =
                    (ordered(&json!(*log.lock().expect("a log"))), ordered(&record["log"]));
                let (messages, expected) =
                    (shown(&outcome.state.messages), &record["out"]["messages"]);
                // A hook jumped to the tools: Python's run answered calls again. As in langgraph.js, ours do not.
                if messages.as_array().map(Vec::len) != expected.as_array().map(Vec::len) {
                    own.retain(|entry| !is_tool(entry));
                    theirs.retain(|entry| !is_tool(entry));
                }
                equal(&json!(own), &json!(theirs), "log")?;
                equal(&answered_once(&messages), &answered_once(expected), "messages")
            }
            (Err(own), Some(error)) if whole(&own).contains(error) => Ok(()),
            (came, error) => {
                let own =
                    came.map(|outcome| shown(&outcome.state.messages)).map_err(|own| whole(&own));
                Err(format!("{own:?} where {error:?}"))
            }
        }
    });
}

#[test]
fn a_jump_to_the_tools_runs_no_rejected_call() {
    let log = Log::default();
    let call = |id: &str, name: &str| json!({ "id": id, "name": name, "args": { "x": "1" } });
    let replies =
        json!([{ "content": "", "tool_calls": [call("c1", "echo"), call("c2", "ping")] }]);
    // Hooks after the model run from the last middleware to the first.
    let jumps = json!({ "jump": { "at": 0, "to": "tools" }, "can": ["tools"] });
    let jumper = hook("jumper", "after_model", &jumps, &Log::default());
    let agent = create_agent(scripted(&replies))
        .tool(echo("echo", &log))
        .tool(echo("ping", &log))
        .middleware(Middleware::new("Jumper").after_model(jumper))
        .middleware(HumanInTheLoop::new().ask("echo"))
        .checkpointer(MemorySaver::new());
    let agent = agent.compile().expect("an agent");
    run(async {
        let thread = agent.on("1");
        thread.invoke("go".into()).await.expect("a question");
        let rejected = json!({ "decisions": [{ "type": "reject" }] });
        assert!(thread.resume(rejected).await.expect("an end").is_ended());
    });
    assert_eq!(logged(&log), json!(["ping(1)"]));
}

/// In one task, a call that asks would stop those after it, and its answer would run those before it again.
#[test]
fn a_jump_to_the_tools_makes_each_open_call_a_task() {
    let call = |id: &str, name: &str| json!({ "id": id, "name": name, "args": {} });
    let replies =
        json!([{ "content": "", "tool_calls": [call("c1", "wipe"), call("c2", "list")] }]);
    let idle = Middleware::new("Idle")
        .after_model(Hook::new(|_, _| std::future::ready(Ok::<_, Raised>(AgentUpdate::default()))));
    let jumper = |kind: &str| {
        let jumps = json!({ "jump": { "at": 0, "to": "tools" }, "can": ["tools"] });
        let second = json!({ "jump": { "at": 1, "to": "tools" }, "can": ["tools"] });
        let made = Middleware::new("Jumper");
        match kind {
            // The second turn begins with the calls of the first still open.
            "before_model" => made
                .before_model(hook("jumper", kind, &second, &Log::default()))
                .after_model(Hook::new(back()).can_jump_to([Jump::Model])),
            _ => made.after_model(hook("jumper", kind, &jumps, &Log::default())),
        }
    };
    for (kind, is_last) in [("after_model", true), ("after_model", false), ("before_model", true)] {
        let log = Log::default();
        let mut agent = create_agent(scripted(&replies));
        for name in ["wipe", "list"] {
            let log = log.clone();
            let ask = move |_: Value, request: ToolRequest| {
                let log = log.clone();
                async move {
                    let answer = request.ctx.interrupt(name)?;
                    log.lock().expect("a log").push(name.to_owned());
                    Ok::<_, BoxError>(answer.to_string())
                }
            };
            agent = agent.tool(Tool::new(name, name, ask));
        }
        if !is_last {
            agent = agent.middleware(idle.clone());
        }
        let agent = agent.middleware(jumper(kind)).checkpointer(MemorySaver::new());
        let agent = agent.compile().expect("an agent");
        run(async {
            let thread = agent.on("1");
            let asked = thread.invoke("go".into()).await.expect("questions").interrupts;
            let names: Vec<&Value> = asked.iter().map(|asked| &asked.value).collect();
            assert_eq!(names, ["wipe", "list"], "{kind}");
            let second = vec![(asked[1].id.clone(), json!(true))];
            let left = thread.resume(second).await.expect("a question").interrupts;
            assert_eq!((left.len(), logged(&log)), (1, json!(["list"])), "{kind}");
            assert!(thread.resume(json!(true)).await.expect("an end").is_ended());
        });
        assert_eq!(logged(&log), json!(["list", "wipe"]), "{kind}");
    }
}

/// Goes back to the model once.
fn back() -> impl Fn(AgentState, Ctx) -> std::future::Ready<Result<AgentUpdate, Raised>> {
    let went = std::sync::atomic::AtomicBool::new(false);
    move |_, _| {
        let went = went.swap(true, std::sync::atomic::Ordering::Relaxed);
        let update = AgentUpdate::default();
        std::future::ready(Ok(if went { update } else { update.jump_to(Jump::Model) }))
    }
}
