//! Limits, retries and fallback over two runs of a thread.

use std::sync::Mutex;

use serde_json::{Value, json};
use threadfold::agent::{AtLimit, CallLimits, Middleware, Retry, Tool, create_agent};
use threadfold::graph::{GraphError, MemorySaver};

use super::{Log, Raised, equal, logged, replay, run, scripted, shown, whole};

fn made(spec: &Value) -> Middleware {
    let options = &spec["options"];
    let number = |name: &str| options[name].as_u64().and_then(|most| u32::try_from(most).ok());
    let limits = CallLimits { thread: number("thread_limit"), run: number("run_limit") };
    let at_limit = match options["exit_behavior"].as_str() {
        Some("end") => AtLimit::End,
        Some("error") => AtLimit::Fail,
        _ => AtLimit::Continue,
    };
    let retry = Retry::new(number("max_retries").unwrap_or(2));
    let retry = if options["on_failure"] == "error" { retry.or_fail() } else { retry };
    match spec["kind"].as_str() {
        Some("model_limit") => Middleware::model_call_limit(limits, at_limit),
        Some("tool_limit") => Middleware::tool_call_limit(None, limits, at_limit),
        Some("tool_limit_echo") => Middleware::tool_call_limit(Some("echo"), limits, at_limit),
        Some("model_retry") => Middleware::model_retry(retry),
        Some("tool_retry") => {
            let tools = if options["tools"].is_array() { Some(["echo"].as_slice()) } else { None };
            Middleware::tool_retry(retry, tools)
        }
        _ => Middleware::model_fallback(scripted(&json!([{ "content": "fell back" }]))),
    }
}

fn tool(name: &'static str, log: &Log, fails: u64) -> Tool {
    let (log, left) = (log.clone(), Mutex::new(fails));
    let left = std::sync::Arc::new(left);
    Tool::new(name, name, move |_: Value, _| {
        log.lock().expect("a log").push(name.to_owned());
        let mut left = left.lock().expect("a number");
        std::future::ready(if name == "fail" && *left > 0 {
            *left -= 1;
            Err(Raised("broken".to_owned()))
        } else {
            Ok(name)
        })
    })
}

#[test]
fn limits_retries_and_fallback_over_two_runs_of_a_thread() {
    replay("limits", |record| {
        let log = Log::default();
        let given = &record["in"];
        let fails = given["fails"].as_u64().unwrap_or_default();
        let agent = create_agent(scripted(&given["replies"])).checkpointer(MemorySaver::new());
        let stack = given["stack"].as_array().into_iter().flatten();
        let agent = stack.fold(agent, |agent, spec| agent.middleware(made(spec)));
        let tools = ["echo", "ping", "fail"];
        let agent = tools.iter().fold(agent, |agent, name| agent.tool(tool(name, &log, fails)));
        let agent = agent.compile().map_err(|error| error.to_string())?;
        let came: Result<Value, GraphError> = run(async {
            agent.on("1").invoke("one".into()).await?;
            Ok(shown(&agent.on("1").invoke("two".into()).await?.state.messages))
        });
        match (came, record["error"].as_str()) {
            (Ok(messages), None) => {
                equal(&messages, &record["out"], "messages")?;
                equal(&logged(&log), &record["log"], "log")
            }
            (Err(own), Some(error)) if whole(&own).contains(error) => Ok(()),
            (came, error) => Err(format!("{:?} where {error:?}", came.map_err(|own| whole(&own)))),
        }
    });
}
