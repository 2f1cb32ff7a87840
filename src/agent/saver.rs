//! The checkpointer of an agent's threads, and of those of its sub-agents.

use std::fmt;
use std::sync::Arc;

use super::state::AgentState;
use crate::graph::Checkpointer;

/// The checkpointer of an agent's threads, if it has one.
#[derive(Clone, Default)]
pub(super) struct Saver(pub Option<Arc<dyn Checkpointer<AgentState>>>);

impl fmt::Debug for Saver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Saver").field(&self.0.is_some()).finish()
    }
}
