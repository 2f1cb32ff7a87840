//! A graph as it runs: its nodes, its plan, and the branches between them.

use std::collections::HashMap;
use std::sync::Arc;

use super::checkpointer::Checkpointer;
use super::command::{END, Target};
use super::error::GraphError;
use super::names::Names;
use super::node::AnyNode;
use super::planner::{Node, Options, Plan};
use super::sendable::{MaybeSend, MaybeSync};
use crate::State;

/// Where to go, by the state.
pub(super) type Branch<S> = Arc<dyn Branching<S>>;

/// A function that decides where to go.
pub(super) trait Branching<S>: MaybeSend + MaybeSync {
    fn targets(&self, state: &S) -> Vec<Target<S>>;
}

impl<S, F: Fn(&S) -> Vec<Target<S>> + MaybeSend + MaybeSync> Branching<S> for F {
    fn targets(&self, state: &S) -> Vec<Target<S>> {
        self(state)
    }
}

/// A node and its name.
pub(super) struct NodeOf<S: State> {
    pub name: Arc<str>,
    pub function: Arc<dyn AnyNode<S>>,
}

/// The edges of a graph by name, to draw.
#[derive(Default)]
pub(super) struct Drawn {
    /// The plain edges, then those of joins.
    pub edges: Vec<(String, String)>,
    /// Where branches begin.
    pub branches: Vec<String>,
}

pub(super) struct Compiled<S: State> {
    pub nodes: Vec<NodeOf<S>>,
    pub numbers: HashMap<String, Node>,
    pub names: Arc<Names>,
    pub plan: Arc<Plan>,
    /// By node, the start last: the writes of its edges.
    pub writes: Vec<Vec<u32>>,
    pub branches: Vec<Vec<Branch<S>>>,
    pub options: Options,
    pub drawn: Drawn,
    pub saver: Option<Arc<dyn Checkpointer<S>>>,
}

/// Returns the write that leads to a target.
pub(super) fn write_of<S>(
    target: &Target<S>,
    numbers: &HashMap<String, Node>,
    plan: &Plan,
) -> Result<Option<u32>, GraphError> {
    let node = |name: &String| match numbers.get(name).copied().filter(|node| *node < plan.nodes())
    {
        Some(node) => Ok(node),
        None => Err(GraphError::UnknownNode(name.clone())),
    };
    Ok(match target {
        Target::Node(name) if name == END => None,
        Target::Node(name) => Some(plan.branch(node(name)?)),
        Target::Send(name, _) => Some(plan.send(Some(node(name)?))),
    })
}
