//! Building a graph.

#![allow(clippy::cast_possible_truncation)] // The planner refuses graphs that are so large.

use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use super::agent::UpdateAgent;
use super::caught::{caught, caught_future};
use super::checkpointer::Checkpointer;
use super::command::{Command, END, IntoTargets, START};
use super::compiled::{Branch, Compiled, NodeOf};
use super::error::{BoxError, GraphError};
use super::graph_state::GraphState;
use super::invoke::Graph;
use super::names::Names;
use super::node::{AnyNode, Ctx, Function, NodeFn};
use super::planner::{Join, Node, Options, Plan, PlanSpec};
use super::sendable::{BoxFuture, MaybeSend, MaybeSync};
use crate::State;

/// The most steps of a run, by default.
const RECURSION_LIMIT: u64 = 25;

/// A graph to be compiled.
///
/// The methods take the builder and return it. [`compile`](Self::compile) reports its errors.
pub struct StateGraph<S: State> {
    nodes: Vec<NodeOf<S>>,
    defer: Vec<String>,
    edges: Vec<(String, String)>,
    joins: Vec<(Vec<String>, String)>,
    branches: Vec<(String, Branch<S>)>,
    limit: u64,
    before: Vec<String>,
    after: Vec<String>,
    saver: Option<Arc<dyn Checkpointer<S>>>,
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
        self.add(name, Arc::new(Standing(agent)))
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

    /// Adds an edge: `to` runs after `from`. It may be [`START`], or go to [`END`].
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

    /// Compiles the graph.
    ///
    /// # Errors
    /// [`GraphError::InvalidName`], [`GraphError::UnknownNode`], [`GraphError::NoStart`],
    /// [`GraphError::EmptyJoin`], [`GraphError::Checkpointer`] if the state lacks a field of its options.
    pub fn compile(self) -> Result<Graph<S>, GraphError> {
        if let Some(saver) = &self.saver {
            saver.check().map_err(GraphError::Checkpointer)?;
        }
        let count = self.nodes.len() as u32;
        let mut numbers: HashMap<&str, Node> = HashMap::from([(START, count)]);
        for (at, node) in (0..).zip(&self.nodes) {
            let is_reserved = node.name.contains(['|', ':']) || &*node.name == END;
            if is_reserved || numbers.insert(&node.name, at).is_some() {
                return Err(GraphError::InvalidName(node.name.to_string()));
            }
        }
        let number = |name: &String| {
            numbers.get(name.as_str()).copied().ok_or_else(|| GraphError::UnknownNode(name.clone()))
        };
        // Nothing goes to the start.
        let target = |name: &String| {
            number(name).and_then(|node| {
                if node < count { Ok(node) } else { Err(GraphError::UnknownNode(name.clone())) }
            })
        };
        let listed = |names: &[String]| names.iter().map(target).collect::<Result<Vec<_>, _>>();
        let mut names: Vec<_> = numbers.iter().collect();
        names.sort_unstable();
        let mut ranks = vec![0; names.len()];
        for (rank, (_, node)) in (0..).zip(&names) {
            if let Some(own) = ranks.get_mut(**node as usize) {
                *own = rank;
            }
        }
        let deferred = listed(&self.defer)?;
        let fields = S::fields();
        let mut spec = PlanSpec {
            fields: vec![false; fields.len()],
            defer: (0..count).map(|node| deferred.contains(&node)).collect(),
            ranks,
            ..PlanSpec::default()
        };
        let begins = self.edges.iter().any(|(from, _)| from == START)
            || self.branches.iter().any(|(from, _)| from == START)
            || self.joins.iter().any(|(from, _)| from.iter().any(|from| from == START));
        if !begins {
            return Err(GraphError::NoStart);
        }
        for (from, to) in &self.joins {
            if from.is_empty() {
                return Err(GraphError::EmptyJoin(to.clone()));
            }
            let from = from.iter().map(number).collect::<Result<_, _>>()?;
            spec.joins.push(Join { from, to: target(to)? });
        }
        let plan = Plan::new(&spec)?;
        let mut writes = vec![Vec::new(); self.nodes.len() + 1];
        let mut branches: Vec<Vec<Branch<S>>> = vec![Vec::new(); self.nodes.len() + 1];
        for (from, to) in &self.edges {
            let from = number(from)?;
            if to != END
                && let Some(writes) = writes.get_mut(from as usize)
            {
                writes.push(plan.branch(target(to)?));
            }
        }
        for (at, join) in (0..).zip(&spec.joins) {
            for from in &join.from {
                if let Some(writes) = writes.get_mut(*from as usize) {
                    writes.push(plan.join(at));
                }
            }
        }
        for (from, branch) in &self.branches {
            if let Some(own) = branches.get_mut(number(from)? as usize) {
                own.push(branch.clone());
            }
        }
        let options = Options {
            recursion_limit: self.limit,
            interrupt_before: listed(&self.before)?,
            interrupt_after: listed(&self.after)?,
        };
        let numbers = numbers.into_iter().map(|(name, node)| (name.to_owned(), node)).collect();
        let field = |field: &crate::typed::StateField| field.name.unwrap_or_default().to_owned();
        let names = Names {
            fields: fields.iter().map(field).collect(),
            nodes: self.nodes.iter().map(|node| node.name.to_string()).collect(),
            joins: self.joins.iter().map(|(from, to)| join_name(from, to)).collect(),
            deferred,
        };
        Ok(Graph(Compiled {
            nodes: self.nodes,
            numbers,
            names: Arc::new(names),
            plan: Arc::new(plan),
            writes,
            branches,
            options,
            saver: self.saver,
        }))
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
struct Standing<A>(A);

impl<S, A> AnyNode<S> for Standing<A>
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

/// The channel of a list edge.
fn join_name(from: &[String], to: &str) -> String {
    format!("join:{}:{to}", from.join("+"))
}
