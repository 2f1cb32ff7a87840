//! The request for approval, and the effect of each decision.

use serde_json::{Value, json};
use threadfold::agent::{AgentState, Decision, HumanInTheLoop, create_agent};
use threadfold::graph::{Graph, GraphError, Interrupt, MemorySaver};

use super::{Log, echo, equal, logged, replay, run, scripted, shown, whole};

fn decisions(names: &Value) -> Vec<Decision> {
    let known = [
        ("approve", Decision::Approve),
        ("edit", Decision::Edit),
        ("reject", Decision::Reject),
        ("respond", Decision::Respond),
    ];
    let names = names.as_array().into_iter().flatten();
    names
        .filter_map(|name| known.iter().find(|known| name == known.0))
        .map(|known| known.1)
        .collect()
}

fn agent(given: &Value, log: &Log) -> Graph<AgentState> {
    asking(given, log, HumanInTheLoop::new())
}

fn per_call(given: &Value, log: &Log) -> Graph<AgentState> {
    asking(given, log, HumanInTheLoop::new().per_call())
}

fn asking(given: &Value, log: &Log, approval: HumanInTheLoop) -> Graph<AgentState> {
    let mut approval = approval.notice(Some("NOTE"));
    for (name, gate) in given["gates"].as_object().into_iter().flatten() {
        if gate == true {
            approval = approval.ask(name);
        } else if gate.is_object() {
            approval = approval.ask_for(name, decisions(&gate["allowed_decisions"]));
            if let Some(description) = gate["description"].as_str() {
                approval = approval.describe(name, description);
            }
        }
    }
    let agent = create_agent(scripted(&given["replies"])).middleware(approval);
    let agent =
        ["echo", "ping", "safe"].iter().fold(agent, |agent, name| agent.tool(echo(name, log)));
    agent.checkpointer(MemorySaver::new()).compile().expect("an agent")
}

/// Python prints a repr where ours is JSON.
fn plain(text: &str) -> String {
    text.replace(['"', '\'', ' '], "")
}

#[test]
fn calls_wait_for_a_yes_as_in_langchain() {
    replay("approval", |record| {
        let log = Log::default();
        let given = &record["in"];
        let agent = agent(given, &log);
        let mut questions = Vec::new();
        let came: Result<Value, GraphError> = run(async {
            let thread = agent.on("1");
            let mut outcome = thread.invoke("go".into()).await?;
            for decisions in given["turns"].as_array().into_iter().flatten() {
                let Some(asked) = outcome.interrupts.first() else { break };
                questions.push(asked.value.clone());
                outcome = thread.resume(json!({ "decisions": decisions })).await?;
            }
            Ok(shown(&outcome.state.messages))
        });
        let asked = spread(&record["asked"]);
        let error = record["error"].as_str();
        match (came, error) {
            // Python's run fails, however often it is retried; as in langchain.js, the model receives the error.
            (Ok(messages), Some(error)) if error.contains("which is not an available tool") => {
                let text = messages.to_string();
                if !text.contains("Error: nope is not a valid tool, try one of [echo, ping, safe].")
                {
                    return Err(format!("the model does not hear of it: {text}"));
                }
                let known = asked.as_array().map_or(0, Vec::len).min(questions.len());
                return equal(&json!(questions[..known]), &asked, "questions");
            }
            (Ok(messages), None) => {
                equal(&messages, &record["out"], "messages")?;
                equal(&logged(&log), &record["log"], "log")?;
            }
            (Err(own), Some(error)) if plain(&whole(&own)).contains(&plain(error)) => {}
            (came, error) => {
                return Err(format!("{:?} where {error:?}", came.map_err(|own| whole(&own))));
            }
        }
        equal(&json!(questions), &asked, "questions")
    });
}

/// Descriptions, whose arguments the recorder writes in one line.
fn spread(asked: &Value) -> Value {
    let mut asked = asked.clone();
    for question in asked.as_array_mut().into_iter().flatten() {
        for request in question["action_requests"].as_array_mut().into_iter().flatten() {
            let args = request["args"].clone();
            let text = request["description"].as_str().unwrap_or_default().to_owned();
            let pretty = serde_json::to_string_pretty(&args).expect("JSON");
            request["description"] = text.replace(&args.to_string(), &pretty).into();
        }
    }
    asked
}

#[test]
fn an_answer_that_does_not_fit_runs_nothing() {
    let call = json!({ "id": "c1", "name": "echo", "args": { "x": "1" } });
    let replies = json!([{ "content": "", "tool_calls": [call] }]);
    let given = json!({ "gates": { "echo": true }, "replies": replies });
    for wrong in
        [json!(null), json!({ "decisions": [] }), json!({ "decisions": [{ "type": "maybe" }] })]
    {
        let log = Log::default();
        let agent = agent(&given, &log);
        run(async {
            agent.on("1").invoke("go".into()).await.expect("a question");
            assert!(agent.on("1").resume(wrong).await.is_err());
        });
        assert_eq!(logged(&log), json!([]));
    }
}

#[test]
fn each_call_asks_for_itself_as_in_langchain() {
    replay("approval_per_call", |record| {
        let log = Log::default();
        let given = &record["in"];
        let agent = per_call(given, &log);
        let mut questions = Vec::new();
        let came: Result<Value, GraphError> = run(async {
            let thread = agent.on("1");
            let mut outcome = thread.invoke("go".into()).await?;
            for decisions in given["turns"].as_array().into_iter().flatten() {
                if outcome.interrupts.is_empty() {
                    break;
                }
                let answer = |asked: &Interrupt| {
                    let call = asked.value["tool_call_id"].as_str().unwrap_or_default();
                    (asked.id.clone(), decisions[call].clone())
                };
                questions.extend(outcome.interrupts.iter().map(|asked| asked.value.clone()));
                let answers: Vec<_> = outcome.interrupts.iter().map(answer).collect();
                outcome = thread.resume(answers).await?;
            }
            Ok(shown(&outcome.state.messages))
        });
        match (came, record["error"].as_str()) {
            (Ok(messages), None) => {
                equal(&messages, &record["out"], "messages")?;
                equal(&logged(&log), &record["log"], "log")?;
            }
            // Python's sentence is pydantic's, about the schema that it checks an answer with.
            (Err(own), Some(_)) if UNFIT.iter().any(|unfit| whole(&own).contains(unfit)) => {}
            (came, error) => {
                return Err(format!("{:?} where {error:?}", came.map_err(|own| whole(&own))));
            }
        }
        let asked = spread(&json!([{ "action_requests": record["asked"] }]));
        equal(&json!(questions), &asked[0]["action_requests"], "questions")
    });
}

const UNFIT: [&str; 3] =
    ["Unexpected human decision", "An edit of one call", "Invalid edited action"];

#[test]
fn an_answer_to_one_call_that_does_not_fit_can_be_given_again() {
    let call = json!({ "id": "c1", "name": "echo", "args": { "x": "1" } });
    let replies = json!([{ "content": "", "tool_calls": [call] }]);
    let log = Log::default();
    let agent = per_call(&json!({ "gates": { "echo": true }, "replies": replies }), &log);
    let other = json!({ "type": "edit", "edited_action": { "name": "safe", "args": {} } });
    run(async {
        let asked = agent.on("1").invoke("go".into()).await.expect("a question");
        let thread = agent.on("1");
        let again = thread.at(asked.checkpoint.as_deref().expect("a checkpoint"));
        let answer = |decision: Value| vec![(asked.interrupts[0].id.clone(), decision)];
        for wrong in [json!(null), json!("yes"), json!({ "type": "edit" }), other] {
            let error = again.resume(answer(wrong)).await.expect_err("unfit");
            assert!(UNFIT.iter().any(|unfit| whole(&error).contains(unfit)), "{}", whole(&error));
        }
        assert_eq!(logged(&log), json!([]));
        let approved = again.resume(answer(json!({ "type": "approve" }))).await;
        assert!(approved.expect("an end").is_ended());
        assert_eq!(logged(&log), json!(["echo(1)"]));
    });
}
