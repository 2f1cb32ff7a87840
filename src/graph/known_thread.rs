//! A thread as a new run finds it.

use serde_json::Value;

use super::outcome::Outcome;

/// A thread as a new run finds it.
pub(crate) struct KnownThread<S> {
    /// Where it stands, with what a step that did not end has written.
    pub outcome: Outcome<S>,
    /// The state without that.
    pub at_checkpoint: S,
    /// Answers that nodes have failed with, by the ids of their questions, which are open again.
    pub given: Vec<(String, Value)>,
    /// Whether its run was cut off between checkpoints, as by the end of its process. False for a graph
    /// with breakpoints: a stop at one of them looks the same.
    pub is_cut: bool,
    /// How many times its run was continued in the step that it is in.
    pub attempts: u32,
    /// Whether its run has failed, or was stopped.
    pub has_failed: bool,
}
