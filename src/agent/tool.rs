//! Tools, and the calls of them.

use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::call::Shared;
use super::saver::Saver;
use super::state::{AgentState, AgentUpdate};
use super::turn::answer;
use crate::graph::sendable::{MaybeSend, MaybeSync};
use crate::graph::{BoxError, Ctx};
use crate::typed::{Content, Message, MessageKind, ToolCall};

/// A call of a tool, on its way through the middlewares.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ToolRequest {
    /// The call.
    pub call: ToolCall,
    /// The tool of its name, if the agent has one.
    pub tool: Option<Tool>,
    /// The agent's tools.
    pub tools: Arc<[Tool]>,
    /// The state at the start of the step.
    pub state: AgentState,
    /// The context of the node `tools`: by it a tool asks the user.
    pub ctx: Ctx,
    /// The checkpointer of the agent's threads.
    pub(super) saver: Saver,
}

impl ToolRequest {
    pub(super) fn new(
        call: ToolCall,
        tools: Arc<[Tool]>,
        state: AgentState,
        ctx: Ctx,
        saver: Saver,
    ) -> Self {
        let tool = tools.iter().find(|tool| tool.name == call.name).cloned();
        Self { call, tool, tools, state, ctx, saver }
    }

    /// Returns this request for another call.
    #[must_use]
    pub fn with_call(self, call: ToolCall) -> Self {
        Self::new(call, self.tools, self.state, self.ctx, self.saver)
    }
}

/// The outcome of a call: the message that answers it, or an update with such a message in it.
#[derive(Debug, Clone)]
#[non_exhaustive]
#[allow(clippy::large_enum_variant, reason = "there is one for a call")]
pub enum ToolOutput {
    /// The content of the message that answers the call.
    Content(Content),
    /// The message that answers the call.
    Message(Message),
    /// An update of the state. One of its messages answers the call.
    Update(AgentUpdate),
}

macro_rules! output {
    ($($Given:ty: |$given:ident| $output:expr;)*) => { $(
        impl From<$Given> for ToolOutput {
            fn from($given: $Given) -> Self {
                $output
            }
        }
    )* };
}

output! {
    &str: |text| Self::Content(text.into());
    String: |text| Self::Content(text.into());
    Content: |content| Self::Content(content);
    Value: |value| Self::Content(match value {
        Value::String(text) => text.into(),
        value => value.to_string().into(),
    });
    Message: |message| Self::Message(message);
    AgentUpdate: |update| Self::Update(update);
}

/// A tool that a model may call.
///
/// Its arguments are of a type of yours. The model gets the error if they do not fit it.
///
/// ```
/// use serde::Deserialize;
/// use serde_json::json;
/// use threadfold::agent::Tool;
///
/// #[derive(Deserialize)]
/// struct Place {
///     city: String,
/// }
///
/// let weather = Tool::new("weather", "The weather in a city.", |place: Place, _| async move {
///     Ok::<_, std::io::Error>(format!("Sunny in {}.", place.city))
/// });
/// let weather = weather.with_schema(json!({
///     "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"],
/// }));
/// assert_eq!(weather.name, "weather");
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct Tool {
    /// The name by which the model calls it.
    pub name: String,
    /// The model's description of it.
    pub description: String,
    /// The JSON schema of its arguments; any object, unless you give one.
    pub schema: Value,
    /// Whether its result is the agent's answer.
    pub returns_directly: bool,
    run: Shared<ToolRequest, ToolOutput>,
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Tool {
    /// Makes a tool of an async function that is given the arguments and the request.
    ///
    /// An error of the function is an error of the run.
    pub fn new<Args, Running, Output, Failure>(
        name: impl Into<String>,
        description: impl Into<String>,
        run: impl Fn(Args, ToolRequest) -> Running + Clone + MaybeSend + MaybeSync + 'static,
    ) -> Self
    where
        Args: DeserializeOwned + MaybeSend,
        Running: Future<Output = Result<Output, Failure>> + MaybeSend + 'static,
        Output: Into<ToolOutput>,
        Failure: Into<BoxError>,
    {
        let called = move |request: ToolRequest| {
            let call = request.call.clone();
            let read = Args::deserialize(&call.args);
            let running = read.map(|args| run(args, request));
            async move {
                match running {
                    Ok(running) => running.await.map(Into::into).map_err(Into::into),
                    Err(problem) => Ok(refused(&call, &problem.to_string()).into()),
                }
            }
        };
        Self {
            name: name.into(),
            description: description.into(),
            schema: serde_json::json!({ "type": "object" }),
            returns_directly: false,
            run: Arc::new(called),
        }
    }

    /// Returns this tool with the JSON schema of its arguments.
    #[must_use]
    pub fn with_schema(mut self, schema: Value) -> Self {
        self.schema = schema;
        self
    }

    /// Returns this tool as one whose result is the agent's answer.
    #[must_use]
    pub fn returning_directly(mut self) -> Self {
        self.returns_directly = true;
        self
    }

    /// Runs the tool, and returns the message or the update that answers the call.
    pub(super) async fn answer(self, request: ToolRequest) -> Result<ToolOutput, BoxError> {
        let call = request.call.clone();
        let output = self.run.call(request).await?;
        match output {
            ToolOutput::Content(content) => {
                Ok(answer(&call, content, false).with_name(&self.name).into())
            }
            ToolOutput::Message(message) => Ok(message.into()),
            ToolOutput::Update(mut update) => {
                let id = call.id.as_deref().unwrap_or_default();
                let own = update.messages.iter_mut().flatten().filter_map(|message| {
                    match &mut message.kind {
                        MessageKind::Tool(own) if own.tool_call_id == id => Some(own),
                        _ => None,
                    }
                });
                let named = own.map(|own| own.name = Some(self.name.clone())).count();
                if named == 0 {
                    return Err(Unanswered(self.name.clone()).into());
                }
                Ok(update.into())
            }
        }
    }
}

/// An update of a tool without a message that answers its call. Models refuse such a history.
#[derive(Debug)]
struct Unanswered(String);

impl fmt::Display for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "The update of the tool '{}' has no answer to its call: add a tool message with the call's id.",
            self.0
        )
    }
}

impl std::error::Error for Unanswered {}

/// The message to a model whose arguments do not fit, in LangChain's words.
pub(in crate::agent) fn refused(call: &ToolCall, problem: &str) -> Message {
    let (name, args) = (&call.name, &call.args);
    let text = format!(
        "Error invoking tool '{name}' with kwargs {args} with error:\n {problem}\n Please fix the error and try again."
    );
    answer(call, text, true).with_name(name)
}

/// The message to a model that calls a tool which does not exist, in LangChain's words.
pub(super) fn unknown(call: &ToolCall, tools: &[Tool]) -> Message {
    let names = tools.iter().map(|tool| &*tool.name).collect::<Vec<_>>().join(", ");
    let text = format!("Error: {} is not a valid tool, try one of [{names}].", call.name);
    answer(call, text, true).with_name(&call.name)
}
