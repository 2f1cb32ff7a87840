//! A run's checkpoint, in numbers.

use super::numbered_graph::{Channel, Node};

/// A channel of a checkpoint.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChannelState {
    /// Its version; 0 if it has none yet.
    pub version: u64,
    /// The version that the node which it triggers has seen, or 0.
    pub seen: u64,
    /// The version that breakpoints have seen, or 0.
    pub passed: u64,
    /// Whether it holds a value: `__start__`, `branch:to:N`, or a field that clears. For a list
    /// edge, whether all have arrived; for `__pregel_tasks`, whether there is a Send.
    pub is_held: bool,
    /// Whether it is free, if it is a deferred node's.
    pub is_finished: bool,
    /// Whether the last step updated it.
    pub is_updated: bool,
    /// How many have arrived, if it is a list edge.
    pub(crate) arrived: u32,
}

/// A checkpoint in numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanState {
    /// The step of its metadata; -2 for a thread that has none.
    pub step: i64,
    /// Every channel, by its number.
    pub channels: Vec<ChannelState>,
    /// The highest version, also of channels that the graph no longer has.
    pub highest: u64,
    /// Whether `is_updated` of channels is known.
    pub knows_updated: bool,
    /// The nodes that have arrived at list edges, in that order, each after the edge's channel.
    pub arrived: Vec<(Channel, Node)>,
    /// The nodes of the Sends; one that the graph does not have is any other number.
    pub sends: Vec<Node>,
}
