//! Why a graph is invalid, or does not continue.

use std::fmt;

use super::command::START;
use super::planner::Misfit;
use crate::Error;

/// An error of a node or a checkpointer.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Why a graph cannot be compiled, or a run ended before its end.
///
/// It displays its own part. The node's or checkpointer's error is its
/// [`source`](std::error::Error::source), whole: `{:#}` of `anyhow` displays both.
#[derive(Debug)]
#[non_exhaustive]
pub enum GraphError {
    /// A node has a name that is taken, reserved, or has a `|` or `:` in it.
    InvalidName(String),
    /// An edge, a branch, a rule of attempts, a command or a Send names an unknown node.
    UnknownNode(String),
    /// Nothing leads from the start: no node would ever run.
    NoStart,
    /// A list edge has no source node.
    EmptyJoin(String),
    /// A node has a timeout, or waits before it runs again, and its graph has no timer.
    NoTimer(String),
    /// A run took more steps than it may.
    RecursionLimit(u64),
    /// A node failed, or it or its branch panicked. Its siblings' updates are kept if there is a
    /// checkpointer.
    Node {
        /// The node.
        node: String,
        /// Its error.
        error: BoxError,
    },
    /// An update could not be merged. The state is as before the step.
    Merge {
        /// The node that returned it; [`START`] for a run's input.
        node: String,
        /// The reason.
        error: Error,
    },
    /// A thread's id has a `|`: that names the threads of graphs inside nodes, which their nodes run.
    InvalidThread(String),
    /// Nothing was saved of the thread to continue: langgraph's `EmptyInputError`.
    UnknownThread(String),
    /// The thread has no checkpoint with this id.
    UnknownCheckpoint(String),
    /// Several nodes ran last: an update of the state has to name the node that it is of.
    AmbiguousNode,
    /// An answer to an interrupt that is not open: its id, or `None` if no interrupt is open.
    UnknownInterrupt(Option<String>),
    /// One answer for several interrupts: name them by their ids.
    SeveralInterrupts(Vec<String>),
    /// A thread needs a checkpointer, but the graph was compiled without one.
    NoCheckpointer,
    /// Another run has continued the thread meanwhile. That run's checkpoint counts: nothing of this
    /// run was saved after it.
    Conflict(String),
    /// The checkpointer failed.
    Checkpointer(BoxError),
    /// A delta that cannot be merged into a checkpoint.
    Delta {
        /// The id of the delta's checkpoint.
        delta: String,
        /// The id of the checkpoint.
        parent: String,
        /// The reason; none if the delta follows another checkpoint.
        error: Option<Error>,
    },
    /// An invalid checkpoint.
    Checkpoint(Misfit),
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidName(name) => {
                write!(
                    f,
                    "'{name}' cannot name a node: it is taken, reserved, or has a '|' or ':' in it."
                )
            }
            Self::UnknownNode(name) => write!(f, "There is no node '{name}'."),
            Self::NoStart => f.write_str("A graph needs an edge or a branch from START to a node."),
            Self::EmptyJoin(to) => write!(f, "The list edge to '{to}' has no source node."),
            Self::NoTimer(node) => write!(
                f,
                "The node '{node}' needs a timer: give the graph one, as by .timer(tokio::time::sleep)."
            ),
            Self::RecursionLimit(limit) => {
                write!(f, "Recursion limit of {limit} reached without hitting a stop condition.")
            }
            Self::Node { node, .. } => write!(f, "The node '{node}' failed"),
            Self::Merge { node, .. } if node == START => {
                f.write_str("The input cannot be merged into the state")
            }
            Self::Merge { node, .. } => write!(f, "The update of '{node}' cannot be merged"),
            Self::InvalidThread(thread) => write!(
                f,
                "Invalid thread id '{thread}': a '|' names the threads of graphs inside. Choose another id."
            ),
            Self::UnknownThread(thread) => {
                write!(f, "Received no input, and nothing is saved of the thread '{thread}'.")
            }
            Self::UnknownCheckpoint(id) => write!(f, "The thread has no checkpoint '{id}'."),
            Self::AmbiguousNode => f.write_str("Ambiguous update, specify as_node."),
            Self::UnknownInterrupt(Some(id)) => write!(f, "No open interrupt has the id '{id}'."),
            Self::UnknownInterrupt(None) => {
                f.write_str("The thread has no open interrupt to answer: resume it with ().")
            }
            Self::SeveralInterrupts(ids) => write!(
                f,
                "When there are multiple pending interrupts, you must specify the interrupt id when resuming: {}.",
                ids.join(", ")
            ),
            Self::NoCheckpointer => f.write_str("A thread needs a graph with a checkpointer."),
            Self::Conflict(thread) => write!(
                f,
                "Another run has continued the thread '{thread}' meanwhile: open it again, and invoke or resume it."
            ),
            Self::Checkpointer(_) => f.write_str("The checkpointer failed"),
            Self::Delta { delta, parent, .. } => {
                write!(f, "The checkpoint '{delta}' cannot be made of '{parent}' by its delta")
            }
            Self::Checkpoint(_) => f.write_str("The checkpoint is invalid"),
        }
    }
}

impl std::error::Error for GraphError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Node { error, .. } | Self::Checkpointer(error) => Some(&**error),
            Self::Merge { error, .. } | Self::Delta { error: Some(error), .. } => Some(error),
            Self::Checkpoint(error) => Some(error),
            _ => None,
        }
    }
}

impl From<Misfit> for GraphError {
    fn from(error: Misfit) -> Self {
        Self::Checkpoint(error)
    }
}
