//! Where nodes send what they stream.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::message_chunk::MessageChunk;
use super::sendable::{MaybeSend, MaybeSync};

/// A node at work in a step.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct TaskName {
    /// The node.
    pub node: Arc<str>,
    /// The number of the step.
    pub step: i64,
    /// The task's place in its step: several tasks may have one node.
    pub place: u32,
}

/// Receives what nodes stream.
pub(super) trait Emit: MaybeSend + MaybeSync {
    fn message(&self, task: TaskName, chunk: MessageChunk);
    fn custom(&self, task: TaskName, value: Value);
    fn inside(&self, task: TaskName, update: Value);
    fn retried(&self, task: TaskName);
}

/// The destination of a node's stream; none if the run has no reader.
#[derive(Clone, Default)]
pub(super) struct Emitter(pub Option<Arc<dyn Emit>>);

impl fmt::Debug for Emitter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Emitter").field(&self.0.is_some()).finish()
    }
}
