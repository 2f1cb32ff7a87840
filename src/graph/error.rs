//! Why a graph is invalid, or does not continue.

use std::fmt;

use super::planner::Misfit;
use crate::Error;

/// An error of a node or a checkpointer.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Why a graph cannot be compiled, or a run ended before its end.
#[derive(Debug)]
#[non_exhaustive]
pub enum GraphError {
    /// A node has a name that is taken, reserved, or has a `|` or `:` in it.
    InvalidName(String),
    /// An edge, a branch, a command or a Send names an unknown node.
    UnknownNode(String),
    /// Nothing leads from the start: no node would ever run.
    NoStart,
    /// A list edge has no source node.
    EmptyJoin(String),
    /// A run took more steps than it may.
    RecursionLimit(u64),
    /// A node failed. Its siblings' updates are kept if there is a checkpointer.
    Node {
        /// The node.
        node: String,
        /// Its error.
        error: BoxError,
    },
    /// An update could not be merged.
    Merge {
        /// The node that returned it.
        node: String,
        /// The reason.
        error: Error,
    },
    /// Nothing was saved of the thread to continue: langgraph's `EmptyInputError`.
    UnknownThread(String),
    /// An answer to an interrupt that is not open: its id.
    UnknownInterrupt(String),
    /// One answer for several interrupts: name them by their ids.
    SeveralInterrupts(Vec<String>),
    /// A thread needs a checkpointer, but the graph was compiled without one.
    NoCheckpointer,
    /// The checkpointer failed.
    Checkpointer(BoxError),
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
            Self::RecursionLimit(limit) => {
                write!(f, "Recursion limit of {limit} reached without hitting a stop condition.")
            }
            Self::Node { node, error } => write!(f, "The node '{node}' failed: {error}"),
            Self::Merge { node, error } => {
                write!(f, "The update of '{node}' cannot be merged: {error}")
            }
            Self::UnknownThread(thread) => {
                write!(f, "Received no input, and nothing is saved of the thread '{thread}'.")
            }
            Self::UnknownInterrupt(id) => write!(f, "No open interrupt has the id '{id}'."),
            Self::SeveralInterrupts(ids) => write!(
                f,
                "When there are multiple pending interrupts, you must specify the interrupt id when resuming: {}.",
                ids.join(", ")
            ),
            Self::NoCheckpointer => f.write_str("A thread needs a graph with a checkpointer."),
            Self::Checkpointer(error) => write!(f, "The checkpointer failed: {error}"),
            Self::Checkpoint(error) => write!(f, "The checkpoint is invalid: {error}"),
        }
    }
}

impl std::error::Error for GraphError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Node { error, .. } | Self::Checkpointer(error) => Some(&**error),
            Self::Merge { error, .. } => Some(error),
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
