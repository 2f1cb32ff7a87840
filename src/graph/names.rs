//! The names of a graph's nodes and list edges, which its checkpoints keep.

/// The nodes and list edges of a graph by their names, in the order of their numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Names {
    /// The nodes.
    pub nodes: Vec<String>,
    /// The list edges, named as LangGraph names their channels: `join:a+b:c`.
    pub joins: Vec<String>,
}
