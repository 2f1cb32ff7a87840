//! The channels of a graph, by their names in LangGraph.

use threadfold::unstable::checkpoint::Names;
use threadfold::unstable::planner::Channel;

use crate::row::{BRANCH, JOIN, START, TASKS};

/// Returns the number of a graph's channels.
pub fn channel_count(names: &Names) -> Channel {
    Channel::try_from(names.channels()).unwrap_or(Channel::MAX)
}

/// Returns the channels of a graph with their numbers.
pub fn numbered(names: &Names) -> impl Iterator<Item = (Channel, String)> {
    (0..channel_count(names)).filter_map(|channel| Some((channel, names.channel(channel)?)))
}

/// Returns the node that a channel triggers.
pub fn target(channel: &str) -> &str {
    channel.rsplit_once(':').map_or(channel, |(_, node)| node)
}

/// Whether a channel leads from a node to another.
pub fn is_lead(name: &str) -> bool {
    name.starts_with(BRANCH) || name.starts_with(JOIN)
}

/// Whether a channel is a field of the state: the others lead to nodes.
pub fn is_field(name: &str) -> bool {
    name != START && name != TASKS && !is_lead(name)
}
