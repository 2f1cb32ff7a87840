//! Agents that another one gives tasks to.

use std::sync::Arc;

use super::middleware::{HumanInTheLoop, Middleware};
use super::model::{Model, SharedModel};
use super::state::AgentState;
use super::structured::ResponseFormat;
use super::tool::Tool;
use crate::graph::Graph;

/// An agent that another one gives tasks to, by the tool `task`:
/// [`AgentBuilder::sub_agent`](super::AgentBuilder::sub_agent).
///
/// It gets the description of its task, the parent's files, and its fields that have no `_` in
/// front. It returns its structured answer or its last text, and its changes. Sub-agents of one turn
/// run side by side and keep each other's changes. If two have written one file differently, the
/// second's is kept beside the first, and the model is notified.
///
/// A sub-agent on a thread runs on one of its own, `THREAD|CHECKPOINT:SEND|CALL`, which its parent's
/// checkpointer keeps until its answer is saved. So it asks through its parent, and continues where it asked.
///
/// ```
/// use serde_json::json;
/// use threadfold::agent::{AgentState, ModelRequest, SubAgent, create_agent};
/// use threadfold::{Message, MessageKind, State, ToolCall};
///
/// async fn model(request: ModelRequest) -> Result<Message, std::io::Error> {
///     let args = json!({ "subagent_type": "poet", "description": "A line about rain." });
///     Ok(match request.messages.last() {
///         Some(last) if matches!(last.kind, MessageKind::Tool(_)) => {
///             Message::assistant(format!("It says: {}", last.text()))
///         }
///         _ => Message::assistant("").with_tool_calls([ToolCall::new("c1", "task", args)]),
///     })
/// }
///
/// # async fn run() -> Result<(), threadfold::graph::BoxError> {
/// let poet = SubAgent::new("poet", "Writes poems.")
///     .model(|_| async { Ok::<_, std::io::Error>(Message::assistant("Rain again.")) });
/// let agent = create_agent(model).sub_agent(poet).compile()?;
/// let state = agent.invoke(AgentState::default().merge("Go.".into())).await?.state;
/// let last = state.messages.last().map(|last| last.text().into_owned());
/// assert_eq!(last.as_deref(), Some("It says: Rain again."));
/// # Ok(())
/// # }
/// # let mut run = Box::pin(run());
/// # let waker = std::task::Waker::noop();
/// # assert!(matches!(run.as_mut().poll(&mut std::task::Context::from_waker(waker)), std::task::Poll::Ready(Ok(()))));
/// ```
#[derive(Debug, Clone)]
pub struct SubAgent {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) graph: Option<Arc<Graph<AgentState>>>,
    pub(super) model: Option<SharedModel>,
    pub(super) tools: Option<Vec<Tool>>,
    pub(super) middleware: Vec<Middleware>,
    pub(super) system_prompt: Option<String>,
    pub(super) approval: Option<HumanInTheLoop>,
    pub(super) format: Option<ResponseFormat>,
}

impl SubAgent {
    /// Makes one with its parent's model and tools. The model of the parent reads the description: it
    /// says when to give it a task.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            graph: None,
            model: None,
            tools: None,
            middleware: Vec::new(),
            system_prompt: None,
            approval: None,
            format: None,
        }
    }

    /// Runs this graph, instead of an agent of the settings below.
    #[must_use]
    pub fn graph(mut self, graph: Graph<AgentState>) -> Self {
        self.graph = Some(Arc::new(graph));
        self
    }

    /// Sets its model.
    #[must_use]
    pub fn model(mut self, model: impl Model + 'static) -> Self {
        self.model = Some(SharedModel::new(model));
        self
    }

    /// Sets its tools, instead of its parent's.
    #[must_use]
    pub fn tools(mut self, tools: impl IntoIterator<Item = Tool>) -> Self {
        self.tools = Some(tools.into_iter().collect());
        self
    }

    /// Adds a middleware.
    #[must_use]
    pub fn middleware(mut self, middleware: impl Into<Middleware>) -> Self {
        self.middleware.push(middleware.into());
        self
    }

    /// Sets its instructions.
    #[must_use]
    pub fn system_prompt(mut self, prompt: impl Into<String>) -> Self {
        self.system_prompt = Some(prompt.into());
        self
    }

    /// Asks before these tools run, instead of those that its parent asks for.
    #[must_use]
    pub fn interrupt_on(mut self, approval: HumanInTheLoop) -> Self {
        self.approval = Some(approval);
        self
    }

    /// Sets the form of its answer.
    #[must_use]
    pub fn response_format(mut self, format: ResponseFormat) -> Self {
        self.format = Some(format);
        self
    }
}
