//! Building a graph.

use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use super::agent::UpdateAgent;
use super::attempts::AttemptRules;
use super::caught::{caught, caught_future};
use super::checkpointer::Checkpointer;
use super::command::{Command, IntoTargets};
use super::compiled::{Branch, NodeOf};
use super::ctx::Ctx;
use super::error::BoxError;
use super::graph_state::GraphState;
use super::node::{AnyNode, Function, NodeFn};
use super::retry_policy::RetryPolicy;
use super::sendable::{BoxFuture, MaybeSend, MaybeSync};
use super::timer::Timer;
use crate::State;

/// The most steps of a run, by default.
const RECURSION_LIMIT: u64 = 25;

/// A graph to be compiled.
///
/// The methods take the builder and return it. [`compile`](Self::compile) reports its errors.
pub struct StateGraph<S: State> {
    pub(super) nodes: Vec<NodeOf<S>>,
    pub(super) defer: Vec<String>,
    pub(super) edges: Vec<(String, String)>,
    pub(super) joins: Vec<(Vec<String>, String)>,
    pub(super) branches: Vec<(String, Branch<S>)>,
    pub(super) limit: u64,
    pub(super) before: Vec<String>,
    pub(super) after: Vec<String>,
    pub(super) attempts: HashMap<String, AttemptRules<S>>,
    pub(super) timer: Option<Timer>,
    pub(super) saver: Option<Arc<dyn Checkpointer<S>>>,
}

impl<S: State> StateGraph<S> {
    /// Makes a graph without nodes.
    #[must_use]
    pub fn new() -> Self
    where
        S: GraphState,
    {
        Self {
            nodes: Vec::new(),
            defer: Vec::new(),
            edges: Vec::new(),
            joins: Vec::new(),
            branches: Vec::new(),
            limit: RECURSION_LIMIT,
            before: Vec::new(),
            after: Vec::new(),
            attempts: HashMap::new(),
            timer: None,
            saver: None,
        }
    }
}

impl<S: GraphState> StateGraph<S> {
    /// Adds a node: an `async fn(&S, Ctx)` that returns its part of the state, or a [`Command`]. A
    /// [`Node`](super::Node) may also have fields of its own.
    #[must_use]
    pub fn node<F, Kind>(self, name: &str, node: F) -> Self
    where
        F: for<'a> NodeFn<'a, S, Kind> + 'static,
        Kind: 'static,
    {
        self.add(name, Arc::new(Function(node, PhantomData)))
    }

    /// Adds an agent as a node.
    #[must_use]
    pub fn agent<A>(self, name: &str, agent: A) -> Self
    where
        A: UpdateAgent<State = S, Error: Into<BoxError>> + 'static,
    {
        self.add(name, Arc::new(AgentNode(agent)))
    }

    fn add(mut self, name: &str, function: Arc<dyn AnyNode<S>>) -> Self {
        self.nodes.push(NodeOf { name: name.into(), function });
        self
    }

    /// Has a node wait until nothing else can run.
    #[must_use]
    pub fn defer(mut self, node: &str) -> Self {
        self.defer.push(node.to_owned());
        self
    }

    /// Sets the timer of your executor, for [`timeout`](Self::timeout) and [`retry`](Self::retry).
    #[must_use]
    pub fn timer<Waiting>(
        mut self,
        timer: impl Fn(Duration) -> Waiting + MaybeSend + MaybeSync + 'static,
    ) -> Self
    where
        Waiting: Future<Output = ()> + MaybeSend + 'static,
    {
        self.timer = Some(Timer::new(timer));
        self
    }

    /// Has a node run again when it fails. Its next attempt gets the answers that it had, and the graphs
    /// that it runs inside continue on their threads. Of several policies, the first that retries the
    /// error counts.
    #[must_use]
    pub fn retry(mut self, node: &str, policy: RetryPolicy) -> Self {
        self.attempts(node).retry.push(policy);
        self
    }

    /// Limits the time of each attempt of a node. The node is dropped when it is over, and fails with a
    /// [`NodeTimeout`](super::NodeTimeout).
    ///
    /// ```
    /// use std::time::Duration;
    /// use threadfold::State;
    /// use threadfold::graph::{Ctx, GraphError, NodeTimeout, START, StateGraph};
    ///
    /// #[derive(Debug, Clone, Default, State)]
    /// #[state(derive(Clone))]
    /// struct Search {
    ///     found: String,
    /// }
    ///
    /// async fn slow(_: &Search, _: Ctx) -> Result<SearchUpdate, GraphError> {
    ///     std::future::pending().await
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), GraphError> {
    /// let graph = StateGraph::<Search>::new()
    ///     .timer(tokio::time::sleep)
    ///     .node("search", slow)
    ///     .timeout("search", Duration::from_millis(5))
    ///     .edge(START, "search")
    ///     .compile()?;
    /// let Err(GraphError::Node { error, .. }) = graph.invoke(Search::default()).await else {
    ///     panic!("it never ends");
    /// };
    /// assert!(error.is::<NodeTimeout>());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn timeout(mut self, node: &str, limit: Duration) -> Self {
        self.attempts(node).timeout = Some(limit);
        self
    }

    /// Has `handler` answer for a node that failed, after its last attempt. [`Ctx::error`] is the error. The
    /// run continues with the handler's result, and goes where its [`Command`] says: the node's edges and
    /// branches are not taken. A handler leaves an error alone by the error
    /// [`Unhandled`](super::Unhandled). It cannot ask: have it go to a node that asks. A branch's panic and
    /// an update that cannot be merged are not handled.
    ///
    /// ```
    /// use threadfold::State;
    /// use threadfold::graph::{BoxError, Command, Ctx, START, StateGraph};
    ///
    /// #[derive(Debug, Clone, Default, State)]
    /// #[state(derive(Clone))]
    /// struct Search {
    ///     found: String,
    /// }
    ///
    /// async fn search(_: &Search, _: Ctx) -> Result<SearchUpdate, BoxError> {
    ///     Err("the index is down".into())
    /// }
    ///
    /// async fn apologise(_: &Search, ctx: Ctx) -> Result<Command<Search>, BoxError> {
    ///     let found = ctx.error().map(|error| format!("Sorry: {error}."));
    ///     Ok(Command::update(SearchUpdate { found }))
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), BoxError> {
    /// let graph = StateGraph::<Search>::new()
    ///     .node("search", search)
    ///     .error_handler("search", apologise)
    ///     .edge(START, "search")
    ///     .compile()?;
    /// let state = graph.invoke(Search::default()).await?.state;
    /// assert_eq!(state.found, "Sorry: the index is down.");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn error_handler<F, Kind>(mut self, node: &str, handler: F) -> Self
    where
        F: for<'a> NodeFn<'a, S, Kind> + 'static,
        Kind: 'static,
    {
        self.attempts(node).handler = Some(Arc::new(Function(handler, PhantomData)));
        self
    }

    fn attempts(&mut self, node: &str) -> &mut AttemptRules<S> {
        self.attempts.entry(node.to_owned()).or_default()
    }

    /// Adds an edge: `to` runs after `from`. It may be [`START`](super::START), or go to [`END`](super::END).
    #[must_use]
    pub fn edge(mut self, from: &str, to: &str) -> Self {
        self.edges.push((from.to_owned(), to.to_owned()));
        self
    }

    /// Adds a list edge: `to` runs once all of `from` have run.
    #[must_use]
    pub fn join<'n>(mut self, from: impl IntoIterator<Item = &'n str>, to: &str) -> Self {
        self.joins.push((from.into_iter().map(str::to_owned).collect(), to.to_owned()));
        self
    }

    /// Adds a conditional edge: after `from`, `path` decides where to go, by the state that the
    /// node leaves.
    #[must_use]
    pub fn branch<T>(
        mut self,
        from: &str,
        path: impl Fn(&S) -> T + MaybeSend + MaybeSync + 'static,
    ) -> Self
    where
        T: IntoTargets<S>,
    {
        self.branches
            .push((from.to_owned(), Arc::new(move |state: &S| path(state).into_targets())));
        self
    }

    /// Sets the most steps of a run; 25 if you do not.
    #[must_use]
    pub fn recursion_limit(mut self, limit: u64) -> Self {
        self.limit = limit;
        self
    }

    /// Stops before these nodes.
    #[must_use]
    pub fn interrupt_before<'n>(mut self, nodes: impl IntoIterator<Item = &'n str>) -> Self {
        self.before.extend(nodes.into_iter().map(str::to_owned));
        self
    }

    /// Stops after these nodes.
    #[must_use]
    pub fn interrupt_after<'n>(mut self, nodes: impl IntoIterator<Item = &'n str>) -> Self {
        self.after.extend(nodes.into_iter().map(str::to_owned));
        self
    }

    /// Keeps threads with this checkpointer.
    #[must_use]
    pub fn checkpointer(mut self, saver: impl Checkpointer<S> + 'static) -> Self {
        self.saver = Some(Arc::new(saver));
        self
    }
}

impl<S: GraphState> Default for StateGraph<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: State> fmt::Debug for StateGraph<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nodes: Vec<_> = self.nodes.iter().map(|node| &node.name).collect();
        f.debug_struct("StateGraph")
            .field("nodes", &nodes)
            .field("edges", &self.edges)
            .finish_non_exhaustive()
    }
}

/// An agent that is a node.
struct AgentNode<A>(A);

impl<S, A> AnyNode<S> for AgentNode<A>
where
    S: State + Send + Sync,
    A: UpdateAgent<State = S, Error: Into<BoxError>>,
{
    fn call<'a>(&'a self, state: &'a S, _: Ctx) -> BoxFuture<'a, Result<Command<S>, BoxError>> {
        let running = caught(|| self.0.update(state));
        Box::pin(async move {
            match running {
                Ok(running) => match caught_future(running).await {
                    Ok(update) => update.map(Command::update).map_err(Into::into),
                    Err(panicked) => Err(panicked.into()),
                },
                Err(panicked) => Err(panicked.into()),
            }
        })
    }
}
