//! The questions of nodes, and their answers.

use std::fmt;

use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::Value;

use super::caught::caught;

/// An answer to a task's question.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Answered {
    /// The answer.
    pub value: Value,
    /// The id of the question, if it is one of a graph inside: [`Ctx::forward`](super::Ctx::forward).
    pub forwarded: Option<String>,
}

impl Answered {
    /// Makes one that a checkpointer has read.
    #[doc(hidden)]
    #[must_use]
    pub fn new(value: Value, forwarded: Option<String>) -> Self {
        Self { value, forwarded }
    }
}

/// A question of a node's that has no answer yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Interrupted(pub(super) Question);

/// The source of [`Interrupted`]. Errors that pass for the one inside them (`anyhow`,
/// `#[error(transparent)]`) hide its type, but hand on its source.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Question {
    pub value: Value,
    /// The id that it has in a graph inside.
    pub forwarded: Option<String>,
}

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Interrupted")
    }
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "No answer yet to {}", self.value)
    }
}

impl std::error::Error for Interrupted {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

impl std::error::Error for Question {}

impl Interrupted {
    /// Returns the question that an error passes on.
    pub(crate) fn question<'e>(
        error: &'e (dyn std::error::Error + 'static),
    ) -> Option<&'e Question> {
        let find = || {
            std::iter::successors(Some(error), |error| error.source())
                .find_map(|error| error.downcast_ref::<Question>())
        };
        caught(find).ok().flatten()
    }
}

/// A question that a run has stopped at.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Interrupt {
    /// By which it can be answered if there are several.
    pub id: String,
    /// The node that asks.
    pub node: String,
    /// The question.
    pub value: Value,
    /// The id that it has in a graph inside.
    pub(super) forwarded: Option<String>,
}

impl Interrupt {
    /// Makes one that a checkpointer has read.
    #[doc(hidden)]
    #[must_use]
    pub fn new(id: String, node: String, value: Value, forwarded: Option<String>) -> Self {
        Self { id, node, value, forwarded }
    }

    /// Returns the id that it has in a graph inside.
    #[doc(hidden)]
    #[must_use]
    pub fn forwarded(&self) -> Option<&str> {
        self.forwarded.as_deref()
    }
}

/// `{"id": …, "node": …, "value": …}`, for a server that passes the question on.
impl Serialize for Interrupt {
    fn serialize<Out: Serializer>(&self, serializer: Out) -> Result<Out::Ok, Out::Error> {
        let mut fields = serializer.serialize_struct("Interrupt", 3)?;
        fields.serialize_field("id", &self.id)?;
        fields.serialize_field("node", &self.node)?;
        fields.serialize_field("value", &self.value)?;
        fields.end()
    }
}
