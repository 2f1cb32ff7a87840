//! Middlewares: hooks before and after the model and the agent, and wrappers of calls.

use std::fmt;
use std::sync::Arc;

use super::call::Shared;
use super::model::ModelRequest;
use super::route::Jump;
use super::state::{AgentState, AgentUpdate};
use super::tool::{Tool, ToolOutput, ToolRequest};
use crate::graph::sendable::{MaybeSend, MaybeSync};
use crate::graph::{BoxError, Ctx};
use crate::typed::Message;

mod approval_answer;
mod approval_gates;
mod call_approval;
mod call_limits;
mod edited_call;
mod file_tools;
mod filesystem;
mod human_in_the_loop;
mod large_results;
mod looks;
mod model_call_limit;
mod open_calls;
mod patch_tool_calls;
mod retry;
mod summarization;
mod todo_list;
mod tool_call_limit;

pub use call_limits::{AtLimit, CallLimits, LimitExceeded};
pub use filesystem::Filesystem;
pub use human_in_the_loop::HumanInTheLoop;
pub use retry::Retry;
pub use summarization::Summarization;

/// A step of the loop that a middleware adds: a node of the graph.
#[derive(Clone)]
pub struct Hook {
    pub(super) run: Shared<(AgentState, Ctx), AgentUpdate>,
    pub(super) jumps: Vec<Jump>,
}

impl fmt::Debug for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hook").field("jumps", &self.jumps).finish_non_exhaustive()
    }
}

impl Hook {
    /// Makes a hook of an async function that is given the state. It returns its part of the state;
    /// an empty one changes nothing.
    pub fn new<Running, Update, E>(
        run: impl Fn(AgentState, Ctx) -> Running + MaybeSend + MaybeSync + 'static,
    ) -> Self
    where
        Running: Future<Output = Result<Update, E>> + MaybeSend + 'static,
        Update: Into<AgentUpdate>,
        E: Into<BoxError>,
    {
        let called = move |(state, ctx)| {
            let running = run(state, ctx);
            async move { running.await.map(Into::into).map_err(Into::into) }
        };
        Self { run: Arc::new(called), jumps: Vec::new() }
    }

    /// Returns this hook as one that may [jump](AgentUpdate::jump_to) there.
    #[must_use]
    pub fn can_jump_to(mut self, jumps: impl IntoIterator<Item = Jump>) -> Self {
        self.jumps.extend(jumps);
        self
    }
}

/// Continues with a call: the next middleware's, at last the model's or the tool's own.
pub struct Next<In, Out>(Shared<In, Out>);

impl<In, Out> Clone for Next<In, Out> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<In, Out> fmt::Debug for Next<In, Out> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Next").finish_non_exhaustive()
    }
}

impl<In, Out> Next<In, Out> {
    /// Calls it. It may be called again.
    ///
    /// # Errors
    /// Those of the call.
    pub async fn call(&self, request: In) -> Result<Out, BoxError> {
        self.0.call(request).await
    }
}

/// A wrapper of a call: it is given the request, and what to do with it.
type Wrapper<In, Out> = Shared<(In, Next<In, Out>), Out>;

/// Changes an agent: it adds steps to the loop, wraps calls, or brings tools.
///
/// ```
/// use threadfold::Message;
/// use threadfold::agent::{AgentUpdate, Hook, Middleware, ModelRequest, create_agent};
///
/// # async fn run() -> Result<(), threadfold::graph::BoxError> {
/// let polite = Middleware::new("Polite")
///     .wrap_model(|request: ModelRequest, next| async move {
///         next.call(request.with_instructions("Be polite.")).await
///     })
///     .before_agent(Hook::new(|_, _| async {
///         Ok::<_, std::io::Error>(AgentUpdate::default().with_field("mood", "good"))
///     }));
/// let model = async |request: ModelRequest| {
///     Ok::<_, std::io::Error>(Message::assistant(request.system_prompt.unwrap_or_default()))
/// };
/// let agent = create_agent(move |request| model(request)).middleware(polite).compile()?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Middleware {
    pub(super) name: String,
    pub(super) tools: Vec<Tool>,
    pub(super) before_agent: Option<Hook>,
    pub(super) before_model: Option<Hook>,
    pub(super) after_model: Option<Hook>,
    pub(super) after_agent: Option<Hook>,
    pub(super) wrap_model: Option<Wrapper<ModelRequest, Message>>,
    pub(super) wrap_tool: Option<Wrapper<ToolRequest, ToolOutput>>,
}

impl fmt::Debug for Middleware {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Middleware").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Middleware {
    /// Makes one that does nothing. Its name is in the names of its nodes, such as
    /// `Polite.before_agent`.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Returns this middleware with a tool of its own.
    #[must_use]
    pub fn tool(mut self, tool: Tool) -> Self {
        self.tools.push(tool);
        self
    }

    /// Returns this middleware with a hook that runs once, at the start of a run.
    #[must_use]
    pub fn before_agent(mut self, hook: Hook) -> Self {
        self.before_agent = Some(hook);
        self
    }

    /// Returns this middleware with a hook before each call of the model.
    #[must_use]
    pub fn before_model(mut self, hook: Hook) -> Self {
        self.before_model = Some(hook);
        self
    }

    /// Returns this middleware with a hook after each call of the model.
    #[must_use]
    pub fn after_model(mut self, hook: Hook) -> Self {
        self.after_model = Some(hook);
        self
    }

    /// Returns this middleware with a hook that runs once, at the end of a run.
    #[must_use]
    pub fn after_agent(mut self, hook: Hook) -> Self {
        self.after_agent = Some(hook);
        self
    }

    /// Returns this middleware with a wrapper of each call of the model.
    #[must_use]
    pub fn wrap_model<Running, E>(
        mut self,
        wrap: impl Fn(ModelRequest, Next<ModelRequest, Message>) -> Running
        + MaybeSend
        + MaybeSync
        + 'static,
    ) -> Self
    where
        Running: Future<Output = Result<Message, E>> + MaybeSend + 'static,
        E: Into<BoxError>,
    {
        self.wrap_model = Some(Arc::new(move |(request, next)| {
            let running = wrap(request, next);
            async move { running.await.map_err(Into::into) }
        }));
        self
    }

    /// Returns this middleware with a wrapper of each call of a tool.
    #[must_use]
    pub fn wrap_tool<Running, E>(
        mut self,
        wrap: impl Fn(ToolRequest, Next<ToolRequest, ToolOutput>) -> Running
        + MaybeSend
        + MaybeSync
        + 'static,
    ) -> Self
    where
        Running: Future<Output = Result<ToolOutput, E>> + MaybeSend + 'static,
        E: Into<BoxError>,
    {
        self.wrap_tool = Some(Arc::new(move |(request, next)| {
            let running = wrap(request, next);
            async move { running.await.map_err(Into::into) }
        }));
        self
    }
}

/// Puts the wrappers around a call; the first is the outermost.
pub(super) fn wrapped<In: 'static, Out: 'static>(
    wrappers: impl DoubleEndedIterator<Item = Wrapper<In, Out>>,
    call: Shared<In, Out>,
) -> Shared<In, Out> {
    wrappers.rev().fold(call, |inner, wrap| {
        let next = Next(inner);
        Arc::new(move |request: In| wrap.call((request, next.clone())))
    })
}

/// Returns a stack in which each given middleware replaces the one of its name. The others come
/// after.
pub(super) fn replacing(stack: Vec<Middleware>, given: Vec<Middleware>) -> Vec<Middleware> {
    let names: Vec<String> = stack.iter().map(|one| one.name.clone()).collect();
    let (mut all, mut more) = (stack, Vec::new());
    for one in given {
        let place = names.iter().position(|name| *name == one.name);
        match place.and_then(|at| all.get_mut(at)) {
            Some(place) => *place = one,
            None => more.push(one),
        }
    }
    all.append(&mut more);
    all
}
