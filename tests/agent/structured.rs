//! An answer that has a schema: one, several, none, and one that does not fit.

use serde::Deserialize;
use serde_json::{Value, json};
use threadfold::agent::{
    AgentState, Middleware, ModelRequest, ResponseFormat, Retry, StructuredOutputError, Tool,
    create_agent,
};
use threadfold::graph::{Graph, GraphError};
use threadfold::{Message, ToolCall};

use super::{Raised, asked, equal, replay, run, scripted, shown, whole};

#[derive(Debug, Deserialize)]
struct Answer {
    #[allow(dead_code, reason = "it is only read")]
    n: i64,
}

fn schema() -> Value {
    json!({
        "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"],
    })
}

fn format() -> ResponseFormat {
    ResponseFormat::tool::<Answer>("Answer", "The answer.", schema())
}

fn agent(given: &Value) -> Graph<AgentState> {
    let format = if given["handle"] == true { format() } else { format().or_fail() };
    let mut agent = create_agent(scripted(&given["replies"])).response_format(format);
    if given["tools"] == true {
        agent = agent.tool(Tool::new("echo", "Echoes.", |args: Value, _| {
            std::future::ready(Ok::<_, Raised>(args["x"].as_str().unwrap_or_default().to_owned()))
        }));
    }
    agent.compile().expect("an agent")
}

/// Runs an agent for at most 30 steps, as the recorder does.
async fn thirty_steps(agent: &Graph<AgentState>) -> Result<Option<AgentState>, GraphError> {
    let mut running = agent.stream(asked("go"));
    for _ in 0..30 {
        match running.next().await {
            Some(step) => step.map(|_| ())?,
            None => return Ok(Some(running.finish().await?.state)),
        }
    }
    Ok(None)
}

#[test]
fn answers_that_have_a_schema_are_given_as_in_langchain() {
    replay("structured", |record| {
        let agent = agent(&record["in"]);
        match (run(thirty_steps(&agent)), record["error"].as_str()) {
            (Ok(Some(state)), None) => {
                equal(&shown(&state.messages), &record["out"]["messages"], "messages")?;
                equal(&state.structured_response, &record["out"]["structured"], "answer")
            }
            (Ok(None), Some(error)) if error.starts_with("Recursion limit of 30 reached") => Ok(()),
            (Err(own), Some(error)) if whole(&own).contains(error) => Ok(()),
            (came, error) => Err(format!("{:?} where {error:?}", came.map_err(|own| whole(&own)))),
        }
    });
}

fn says(n: Value, id: &str) -> Value {
    json!({ "content": "", "tool_calls": [{ "id": id, "name": "Answer", "args": { "n": n } }] })
}

#[test]
fn the_model_is_asked_again_for_an_answer_that_does_not_fit() {
    let replies = json!([says(json!("many"), "c1"), says(json!(42), "c2")]);
    let agent = create_agent(scripted(&replies)).response_format(format().tool_message("Thanks."));
    let state = run(agent.compile().expect("an agent").invoke(asked("go"))).expect("a run").state;
    assert_eq!(state.structured_response, json!({ "n": 42 }));
    let texts: Vec<_> = state.messages.iter().map(|message| message.text()).collect();
    assert!(texts[2].starts_with("Error: Failed to parse structured output for tool 'Answer': "));
    assert!(texts[2].ends_with("\n Please fix your mistakes."));
    assert_eq!(texts[4], "Thanks.");
}

#[test]
fn a_run_that_fails_has_the_error_and_a_retry_asks_again() {
    let replies = json!([says(json!("many"), "c1"), says(json!(1), "c2")]);
    let failing = create_agent(scripted(&replies)).response_format(format().or_fail());
    let error = run(failing.compile().expect("an agent").invoke(asked("go"))).expect_err("unfit");
    let GraphError::Node { error, .. } = error else { panic!("{error}") };
    let error = error.downcast::<StructuredOutputError>().expect("its own error");
    assert!(matches!(*error, StructuredOutputError::Unfit { ref name, .. } if name == "Answer"));
    let agent = create_agent(scripted(&replies))
        .response_format(format().or_fail())
        .middleware(Middleware::model_retry(Retry::new(1)));
    let state = run(agent.compile().expect("an agent").invoke(asked("go"))).expect("a run").state;
    assert_eq!(state.structured_response, json!({ "n": 1 }));
}

#[test]
fn a_providers_own_structured_output_is_read_from_the_text() {
    let model = |text: &'static str| {
        move |request: ModelRequest| {
            let format = request.response_format.expect("a format");
            assert_eq!(format.provider_schema(), Some(&schema()));
            assert!(request.tools.iter().all(|tool| tool.name == "echo"));
            let calls = request.messages.len() == 1;
            let call = ToolCall::new("c1", "echo", json!({}));
            std::future::ready(Ok::<_, Raised>(match calls {
                true => Message::assistant("").with_tool_calls([call]),
                false => Message::assistant(text),
            }))
        }
    };
    let agent = |text| {
        let echo = Tool::new("echo", "", |_: Value, _| std::future::ready(Ok::<_, Raised>("x")));
        let format = ResponseFormat::provider::<Answer>("Answer", schema());
        create_agent(model(text)).tool(echo).response_format(format).compile().expect("an agent")
    };
    let state = run(agent(r#"{ "n": 4 }"#).invoke(asked("go"))).expect("a run").state;
    assert_eq!(state.structured_response, json!({ "n": 4 }));
    assert_eq!(state.messages.len(), 4);
    for text in ["four", r#"{ "n": "4" }"#] {
        let error = run(agent(text).invoke(asked("go"))).expect_err("unfit");
        assert!(whole(&error).contains("Failed to parse structured output for tool 'Answer'"));
    }
}

#[test]
fn of_several_forms_the_model_chooses_one() {
    #[derive(Deserialize)]
    #[allow(dead_code, reason = "it is only read")]
    struct Name {
        name: String,
    }
    let call = json!({ "id": "c1", "name": "Name", "args": { "name": "Ada" } });
    let replies = json!([{ "content": "", "tool_calls": [call] }]);
    let format = format().or::<Name>("Name", "A name.", json!({ "type": "object" }));
    let agent = create_agent(scripted(&replies)).response_format(format);
    let state = run(agent.compile().expect("an agent").invoke(asked("go"))).expect("a run").state;
    assert_eq!(state.structured_response, json!({ "name": "Ada" }));
}
