//! An answer that has a schema.

use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::state::AgentUpdate;
use super::tool::Tool;
use super::turn::answer;
use crate::graph::sendable::{MaybeSend, MaybeSync};
use crate::typed::{Message, ToolCall};

/// The form of an agent's answer, which then is in
/// [`AgentState::structured_response`](super::AgentState::structured_response).
///
/// It is asked for as LangChain's `ToolStrategy` does, by a tool that is not run, or as its
/// `ProviderStrategy`, by the provider's own structured output.
///
/// ```
/// use serde::Deserialize;
/// use serde_json::json;
/// use threadfold::agent::{AgentState, ModelRequest, ResponseFormat, create_agent};
/// use threadfold::{Message, State, ToolCall};
///
/// #[derive(Debug, PartialEq, Deserialize)]
/// struct Answer {
///     n: i64,
/// }
///
/// // It gets the answer's type wrong at first, and is asked again.
/// async fn model(request: ModelRequest) -> Result<Message, std::io::Error> {
///     let n = if request.messages.len() == 1 { json!("many") } else { json!(42) };
///     Ok(Message::assistant("").with_tool_calls([ToolCall::new("c1", "Answer", json!({ "n": n }))]))
/// }
///
/// # async fn run() -> Result<(), threadfold::graph::BoxError> {
/// let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] });
/// let format = ResponseFormat::tool::<Answer>("Answer", "The answer.", schema);
/// let agent = create_agent(model).response_format(format).compile()?;
/// let state = agent.invoke(AgentState::default().merge("What is 6 × 7?".into())).await?.state;
/// assert_eq!(Answer::deserialize(&state.structured_response)?, Answer { n: 42 });
/// # Ok(())
/// # }
/// # let mut run = Box::pin(run());
/// # let waker = std::task::Waker::noop();
/// # assert!(matches!(run.as_mut().poll(&mut std::task::Context::from_waker(waker)), std::task::Poll::Ready(Ok(()))));
/// ```
#[derive(Debug, Clone)]
pub struct ResponseFormat {
    forms: Vec<Form>,
    is_of_provider: bool,
    fails: bool,
    says: Option<String>,
}

/// A form that an answer may have.
#[derive(Clone)]
struct Form {
    name: String,
    description: String,
    schema: Value,
    check: Arc<dyn Check>,
}

impl fmt::Debug for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Form").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Returns why a value does not fit.
trait Check: MaybeSend + MaybeSync {
    fn misfit(&self, value: &Value) -> Option<String>;
}

impl<F: Fn(&Value) -> Option<String> + MaybeSend + MaybeSync> Check for F {
    fn misfit(&self, value: &Value) -> Option<String> {
        self(value)
    }
}

impl Form {
    fn of<T: DeserializeOwned>(name: &str, description: &str, schema: Value) -> Self {
        let check = |value: &Value| T::deserialize(value).err().map(|error| error.to_string());
        let (name, description) = (name.to_owned(), description.to_owned());
        Self { name, description, schema, check: Arc::new(check) }
    }
}

impl ResponseFormat {
    /// Asks for the answer by a tool of this name, whose arguments have this JSON schema and are read
    /// as a `T`. The model gets the error if they do not fit, and is asked again.
    #[must_use]
    pub fn tool<T: DeserializeOwned>(name: &str, description: &str, schema: Value) -> Self {
        let forms = vec![Form::of::<T>(name, description, schema)];
        Self { forms, is_of_provider: false, fails: false, says: None }
    }

    /// Asks for the answer by the provider's structured output: the model answers with a JSON text of
    /// this schema, which is read as a `T`. One that does not fit fails the run.
    #[must_use]
    pub fn provider<T: DeserializeOwned>(name: &str, schema: Value) -> Self {
        Self { is_of_provider: true, ..Self::tool::<T>(name, "", schema) }
    }

    /// Allows another form of the answer, by a tool of its own. A provider's output has only the first.
    #[must_use]
    pub fn or<T: DeserializeOwned>(mut self, name: &str, description: &str, schema: Value) -> Self {
        self.forms.push(Form::of::<T>(name, description, schema));
        self
    }

    /// Lets the run fail with a [`StructuredOutputError`], instead of asking the model again.
    #[must_use]
    pub fn or_fail(mut self) -> Self {
        self.fails = true;
        self
    }

    /// Sets the content of the message that answers the call; by default it repeats the answer.
    #[must_use]
    pub fn tool_message(mut self, content: impl Into<String>) -> Self {
        self.says = Some(content.into());
        self
    }

    /// Returns the schema for the provider's structured output. `None` if the answer is asked for by
    /// tools: then they are among the request's, and the model must call one (`tool_choice: any`).
    #[must_use]
    pub fn provider_schema(&self) -> Option<&Value> {
        self.forms.first().filter(|_| self.is_of_provider).map(|form| &form.schema)
    }

    /// Returns the tools by which the model gives its answer.
    pub(super) fn tools(&self) -> Vec<Tool> {
        let forms = self.forms.iter().filter(|_| !self.is_of_provider);
        let tool = |form: &Form| {
            let run = |_: Value, _| async { Err::<Value, _>(StructuredOutputError::NotRun) };
            Tool::new(&form.name, &form.description, run).with_schema(form.schema.clone())
        };
        forms.map(tool).collect()
    }

    /// Reads a model's answer: its structured form, and the messages that answer its calls.
    ///
    /// # Errors
    /// [`StructuredOutputError`] for one that does not fit, if the model is not to be asked again.
    pub(super) fn read(&self, message: &Message) -> Result<Answered, StructuredOutputError> {
        if self.is_of_provider {
            return self.read_text(message);
        }
        let form = |call: &ToolCall| self.forms.iter().find(|form| form.name == call.name);
        let calls: Vec<_> =
            message.tool_calls().iter().filter_map(|call| Some((call, form(call)?))).collect();
        let [(call, form)] = calls.as_slice() else {
            if calls.is_empty() {
                return Ok(Answered::default());
            }
            let names = calls.iter().map(|(call, _)| call.name.clone()).collect();
            return self.refused(&calls, StructuredOutputError::Several { names });
        };
        if let Some(why) = form.check.misfit(&call.args) {
            let error = StructuredOutputError::Unfit { name: call.name.clone(), why };
            return self.refused(&calls, error);
        }
        let usual = || format!("Returning structured response: {}", call.args);
        let text = self.says.clone().unwrap_or_else(usual);
        let messages = vec![answer(call, text, false).with_name(&call.name)];
        Ok(Answered { value: call.args.clone(), messages })
    }

    /// Answers calls that do not fit, so that the model is asked again.
    fn refused(
        &self,
        calls: &[(&ToolCall, &Form)],
        error: StructuredOutputError,
    ) -> Result<Answered, StructuredOutputError> {
        if self.fails {
            return Err(error);
        }
        let text = format!("Error: {error}\n Please fix your mistakes.");
        let told = calls.iter().map(|(call, _)| answer(call, &*text, false).with_name(&call.name));
        Ok(Answered { value: Value::Null, messages: told.collect() })
    }

    fn read_text(&self, message: &Message) -> Result<Answered, StructuredOutputError> {
        let Some(form) = self.forms.first().filter(|_| message.tool_calls().is_empty()) else {
            return Ok(Answered::default());
        };
        let unfit = |why| StructuredOutputError::Unfit { name: form.name.clone(), why };
        let value: Value =
            serde_json::from_str(&message.text()).map_err(|error| unfit(error.to_string()))?;
        match form.check.misfit(&value) {
            Some(why) => Err(unfit(why)),
            None => Ok(Answered { value, messages: Vec::new() }),
        }
    }

    /// Returns the update of a model's answer.
    pub(super) fn update(&self, message: Message) -> AgentUpdate {
        // One that a middleware made need not fit.
        let Answered { value, mut messages } = self.read(&message).unwrap_or_default();
        messages.insert(0, message);
        AgentUpdate { structured_response: Some(value), ..messages.into() }
    }
}

/// A model's answer in its form, or null, and the messages that answer its calls.
#[derive(Debug, Default)]
pub(super) struct Answered {
    value: Value,
    messages: Vec<Message>,
}

/// A model's answer that does not have the form that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StructuredOutputError {
    /// There is more than one answer.
    Several {
        /// The names of their forms.
        names: Vec<String>,
    },
    /// The answer does not fit its form.
    Unfit {
        /// The name of the form.
        name: String,
        /// The reason.
        why: String,
    },
    /// A middleware ran the tool of the answer.
    NotRun,
}

/// LangChain's sentences.
impl fmt::Display for StructuredOutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Several { names } => write!(
                f,
                "Model incorrectly returned multiple structured responses ({}) when only one is expected.",
                names.join(", ")
            ),
            Self::Unfit { name, why } => {
                write!(f, "Failed to parse structured output for tool '{name}': {why}.")
            }
            Self::NotRun => {
                f.write_str("The tool of a structured answer is not run: end the turn instead.")
            }
        }
    }
}

impl std::error::Error for StructuredOutputError {}
