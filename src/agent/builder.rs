//! Builds an agent's graph: the model, the tools, and the hooks around them.

use std::sync::Arc;

use super::call::Shared;
use super::middleware::{Hook, Middleware, wrapped};
use super::model::{Model, ModelRequest, SharedModel};
use super::route::Jump;
use super::state::{AgentState, AgentUpdate};
use super::steps::{HookStep, ModelStep, ToolStep};
use super::tool::{Tool, ToolOutput, ToolRequest, unknown};
use super::ways::{MODEL, TOOLS, Ways};
use crate::graph::{Checkpointer, END, Graph, GraphError, START, StateGraph};
use crate::typed::{Message, State};

/// The limit of Python's agents: enough for any loop that ends.
const RECURSION_LIMIT: u64 = 9999;

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
    AgentBuilder {
        model: SharedModel::new(model),
        tools: Vec::new(),
        middleware: Vec::new(),
        system_prompt: None,
        graph: StateGraph::new().recursion_limit(RECURSION_LIMIT),
    }
}

/// An agent to be compiled: [`create_agent`] makes one.
#[derive(Debug)]
pub struct AgentBuilder {
    model: SharedModel,
    tools: Vec<Tool>,
    middleware: Vec<Middleware>,
    system_prompt: Option<String>,
    graph: StateGraph<AgentState>,
}

impl AgentBuilder {
    /// Adds a tool.
    #[must_use]
    pub fn tool(mut self, tool: Tool) -> Self {
        self.tools.push(tool);
        self
    }

    /// Adds a middleware. The first is the outermost.
    #[must_use]
    pub fn middleware(mut self, middleware: impl Into<Middleware>) -> Self {
        self.middleware.push(middleware.into());
        self
    }

    /// Sets the first instructions to the model, which are not among the messages.
    #[must_use]
    pub fn system_prompt(mut self, prompt: impl Into<String>) -> Self {
        self.system_prompt = Some(prompt.into());
        self
    }

    /// Keeps threads with this checkpointer.
    #[must_use]
    pub fn checkpointer(mut self, saver: impl Checkpointer<AgentState> + 'static) -> Self {
        self.graph = self.graph.checkpointer(saver);
        self
    }

    /// Compiles the agent into a graph of the nodes `model`, `tools`, and one for each hook.
    ///
    /// # Errors
    /// [`GraphError::InvalidName`] for two tools or two middlewares of one name.
    /// [`GraphError::UnknownNode`] for a hook that may jump to the tools of an agent without tools.
    pub fn compile(self) -> Result<Graph<AgentState>, GraphError> {
        let Self { model, tools, middleware, system_prompt, graph } = self;
        let names = middleware.iter().map(|one| &one.name);
        if let Some(name) = twice(names) {
            return Err(GraphError::InvalidName(name.clone()));
        }
        let own = middleware.iter().flat_map(|one| one.tools.iter().cloned());
        let tools: Arc<[Tool]> = own.chain(tools).collect();
        if let Some(name) = twice(tools.iter().map(|tool| &tool.name)) {
            return Err(GraphError::InvalidName(name.clone()));
        }
        let has_tools = !tools.is_empty() || middleware.iter().any(|one| one.wrap_tool.is_some());
        let ask: Shared<ModelRequest, Message> =
            Arc::new(|request: ModelRequest| request.model.clone().answer(request));
        let run: Shared<ToolRequest, ToolOutput> = Arc::new(|request: ToolRequest| async move {
            match request.tool.clone() {
                Some(tool) => tool.answer(request).await,
                None => Ok(unknown(&request.call, &request.tools).into()),
            }
        });
        let ask = wrapped(middleware.iter().filter_map(|one| one.wrap_model.clone()), ask);
        let run = wrapped(middleware.iter().filter_map(|one| one.wrap_tool.clone()), run);
        let graph =
            graph.node(MODEL, ModelStep { ask, model, system_prompt, tools: tools.clone() });
        let graph = if has_tools {
            graph.node(TOOLS, ToolStep { run, tools: tools.clone() })
        } else {
            graph
        };
        looped(graph, &middleware, &tools, has_tools)
    }
}

/// Returns the first of these that occurs twice.
fn twice<'n>(names: impl Iterator<Item = &'n String>) -> Option<&'n String> {
    let mut known = std::collections::HashSet::new();
    names.into_iter().find(|name| !known.insert(*name))
}

/// A hook that is a node.
struct Stop {
    node: String,
    jumps: Vec<Jump>,
}

/// Adds the nodes of the hooks, and the edges between them, the model and the tools.
fn looped(
    mut graph: StateGraph<AgentState>,
    middleware: &[Middleware],
    tools: &Arc<[Tool]>,
    has_tools: bool,
) -> Result<Graph<AgentState>, GraphError> {
    type Of = fn(&Middleware) -> Option<&Hook>;
    let kinds: [(&str, Of); 4] = [
        ("before_agent", |one| one.before_agent.as_ref()),
        ("before_model", |one| one.before_model.as_ref()),
        ("after_model", |one| one.after_model.as_ref()),
        ("after_agent", |one| one.after_agent.as_ref()),
    ];
    let mut stops: [Vec<Stop>; 4] = [const { Vec::new() }; 4];
    for one in middleware {
        for ((suffix, of), stops) in kinds.iter().zip(&mut stops) {
            let Some(hook) = of(one) else { continue };
            if !has_tools && hook.jumps.contains(&Jump::Tools) {
                return Err(GraphError::UnknownNode(TOOLS.to_owned()));
            }
            let node = format!("{}.{suffix}", one.name);
            graph = graph.node(&node, HookStep(hook.clone()));
            stops.push(Stop { node, jumps: hook.jumps.clone() });
        }
    }
    let [before_agent, before_model, mut after_model, mut after_agent] = stops;
    // "After" hooks run from the last middleware to the first.
    after_model.reverse();
    after_agent.reverse();
    let name = |stops: &[Stop], or: &str| stops.first().map_or(or, |stop| &stop.node).to_owned();
    let ways = Ways { entry: name(&before_model, MODEL), exit: name(&after_agent, END) };
    graph = graph.edge(START, &name(&before_agent, &ways.entry));
    let last = after_model.pop();
    let decides = last.as_ref().map_or(MODEL, |last| &last.node).to_owned();
    graph = chained(graph, &before_agent, &ways.entry, &ways);
    graph = chained(graph, &before_model, MODEL, &ways);
    graph = chained(graph, &after_model, &decides, &ways);
    graph = chained(graph, &after_agent, END, &ways);
    if last.is_some() {
        graph = graph.edge(MODEL, &name(&after_model, &decides));
    }
    graph = if has_tools {
        let (next, back, tools) = (ways.clone(), ways.clone(), tools.clone());
        graph
            .branch(&decides, move |state: &AgentState| next.after_model(state))
            .branch(TOOLS, move |state: &AgentState| back.after_tools(state, &tools))
    } else if let Some(last) = last {
        way_out(graph, &last, &ways.exit, &ways)
    } else {
        graph.edge(MODEL, &ways.exit)
    };
    graph.compile()
}

/// Adds the ways out of hooks in a row; `end` comes after the last of them.
fn chained(
    mut graph: StateGraph<AgentState>,
    stops: &[Stop],
    end: &str,
    ways: &Ways,
) -> StateGraph<AgentState> {
    for (at, stop) in stops.iter().enumerate() {
        let next = stops.get(at + 1).map_or(end, |next| &next.node);
        graph = way_out(graph, stop, next, ways);
    }
    graph
}

/// Adds the way out of a hook: to the next node, or where it may jump to.
fn way_out(
    graph: StateGraph<AgentState>,
    stop: &Stop,
    next: &str,
    ways: &Ways,
) -> StateGraph<AgentState> {
    if stop.jumps.is_empty() {
        return graph.edge(&stop.node, next);
    }
    let (ways, jumps, next) = (ways.clone(), stop.jumps.clone(), next.to_owned());
    let is_entry = stop.node == ways.entry;
    graph.branch(&stop.node, move |state: &AgentState| match state.jump {
        // The first of the turn goes on to the model: it would come back to itself.
        Some(Jump::Model) if is_entry && jumps.contains(&Jump::Model) => MODEL.to_owned(),
        Some(jump) if jumps.contains(&jump) => ways.target(jump).to_owned(),
        _ => next.clone(),
    })
}

/// The input of a run: a state that has only this.
impl From<AgentUpdate> for AgentState {
    fn from(update: AgentUpdate) -> Self {
        Self::default().merge(update)
    }
}
