//! Builds an agent.

use std::sync::Arc;

use super::compile::compiled;
use super::middleware::{HumanInTheLoop, Middleware};
use super::model::{Model, SharedModel};
use super::parts::Parts;
use super::saver::Saver;
use super::state::{AgentState, AgentUpdate};
use super::structured::ResponseFormat;
use super::sub_agent::SubAgent;
use super::tool::Tool;
use crate::graph::{Checkpointer, Graph, GraphError};
use crate::typed::State;

/// Makes an agent: a graph that asks the model, runs the tools that it calls, and asks again, until
/// it calls none. Its nodes and their order are those of LangChain's `create_agent`.
///
/// ```
/// use serde_json::{Value, json};
/// use threadfold::agent::{ModelRequest, Tool, create_agent};
/// use threadfold::{Message, MessageKind, State, ToolCall};
///
/// // In place of a model: it calls the tool, then repeats its result.
/// async fn model(request: ModelRequest) -> Result<Message, std::io::Error> {
///     Ok(match request.messages.last() {
///         Some(last) if matches!(last.kind, MessageKind::Tool(_)) => {
///             Message::assistant(last.text().into_owned())
///         }
///         _ => Message::assistant("").with_tool_calls([ToolCall::new("c1", "weather", json!({}))]),
///     })
/// }
///
/// # async fn run() -> Result<(), threadfold::graph::BoxError> {
/// let weather = Tool::new("weather", "The weather.", |_: Value, _| async {
///     Ok::<_, std::io::Error>("Sunny.")
/// });
/// let agent = create_agent(model).tool(weather).system_prompt("Be brief.").compile()?;
/// let asked = threadfold::agent::AgentState::default().merge("How is the weather?".into());
/// let state = agent.invoke(asked).await?.state;
/// assert_eq!(state.messages.len(), 4);
/// assert_eq!(state.messages.last().map(|last| last.text().into_owned()).as_deref(), Some("Sunny."));
/// # Ok(())
/// # }
/// # let mut run = Box::pin(run());
/// # let waker = std::task::Waker::noop();
/// # assert!(run.as_mut().poll(&mut std::task::Context::from_waker(waker)).is_ready());
/// ```
pub fn create_agent(model: impl Model + 'static) -> AgentBuilder {
    AgentBuilder(Parts::new(SharedModel::new(model)))
}

/// Makes an agent that plans with a todo list, works on files, gives tasks to sub-agents and keeps
/// its context short, as deepagents' `create_deep_agent` does: [`create_agent`] with the middlewares
/// [`todo_list`](Middleware::todo_list), [`Filesystem`](super::Filesystem), the tool `task`,
/// [`Summarization`](super::Summarization) and [`patch_tool_calls`](Middleware::patch_tool_calls).
///
/// A middleware of yours replaces the one of its name; others come after these. The sub-agents have
/// the same ones, and `general-purpose` can do all that the agent can.
///
/// ```
/// use serde_json::json;
/// use threadfold::agent::{AgentState, ModelRequest, create_deep_agent};
/// use threadfold::{Message, MessageKind, State, ToolCall};
///
/// async fn model(request: ModelRequest) -> Result<Message, std::io::Error> {
///     let args = json!({ "file_path": "/notes.md", "content": "Rome, Tuesday" });
///     Ok(match request.messages.last() {
///         Some(last) if matches!(last.kind, MessageKind::Tool(_)) => Message::assistant("Noted."),
///         _ => Message::assistant("").with_tool_calls([ToolCall::new("c1", "write_file", args)]),
///     })
/// }
///
/// # async fn run() -> Result<(), threadfold::graph::BoxError> {
/// let agent = create_deep_agent(model).compile()?;
/// let asked = AgentState::default().merge("Rome on Tuesday: note it.".into());
/// let state = agent.invoke(asked).await?.state;
/// assert_eq!(state.files["/notes.md"]["content"], "Rome, Tuesday");
/// # Ok(())
/// # }
/// # let mut run = Box::pin(run());
/// # let waker = std::task::Waker::noop();
/// # assert!(matches!(run.as_mut().poll(&mut std::task::Context::from_waker(waker)), std::task::Poll::Ready(Ok(()))));
/// ```
pub fn create_deep_agent(model: impl Model + 'static) -> AgentBuilder {
    AgentBuilder(Parts { is_deep: true, ..Parts::new(SharedModel::new(model)) })
}

/// An agent to be compiled: [`create_agent`] and [`create_deep_agent`] make one.
#[derive(Debug)]
pub struct AgentBuilder(Parts);

impl AgentBuilder {
    /// Adds a tool.
    #[must_use]
    pub fn tool(mut self, tool: Tool) -> Self {
        self.0.tools.push(tool);
        self
    }

    /// Adds a middleware. The first is the outermost.
    #[must_use]
    pub fn middleware(mut self, middleware: impl Into<Middleware>) -> Self {
        self.0.middleware.push(middleware.into());
        self
    }

    /// Sets the first instructions to the model, which are not among the messages.
    #[must_use]
    pub fn system_prompt(mut self, prompt: impl Into<String>) -> Self {
        self.0.system_prompt = Some(prompt.into());
        self
    }

    /// Keeps threads with this checkpointer, those of sub-agents too.
    #[must_use]
    pub fn checkpointer(mut self, saver: impl Checkpointer<AgentState> + 'static) -> Self {
        self.0.saver = Saver(Some(Arc::new(saver)));
        self
    }

    /// Sets the form of the agent's answer.
    #[must_use]
    pub fn response_format(mut self, format: ResponseFormat) -> Self {
        self.0.format = Some(format);
        self
    }

    /// Adds an agent that this one gives tasks to, by the tool `task`.
    #[must_use]
    pub fn sub_agent(mut self, agent: SubAgent) -> Self {
        self.0.sub_agents.push(agent);
        self
    }

    /// Asks before these tools run, its own and its sub-agents'. It is the last middleware.
    #[must_use]
    pub fn interrupt_on(mut self, approval: HumanInTheLoop) -> Self {
        self.0.approval = Some(approval);
        self
    }

    /// Compiles the agent into a graph of the nodes `model`, `tools`, and one for each hook.
    ///
    /// # Errors
    /// [`GraphError::InvalidName`] for two tools, two middlewares or two sub-agents of one name.
    /// [`GraphError::UnknownNode`] for a hook that may jump to the tools of an agent without tools.
    pub fn compile(self) -> Result<Graph<AgentState>, GraphError> {
        compiled(self.0)
    }
}

/// The input of a run: a state that has only this.
impl From<AgentUpdate> for AgentState {
    fn from(update: AgentUpdate) -> Self {
        Self::default().merge(update)
    }
}
