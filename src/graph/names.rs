//! The names of a graph's fields, nodes and list edges, which its checkpoints keep.

use super::planner::{Channel, Node};

/// The channels between those of fields and of nodes: `__start__` and `__pregel_tasks`.
pub(super) const BETWEEN: usize = 2;

/// The fields, nodes and list edges of a graph by their names, in the order of their numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Names {
    /// The fields of the state; a flattened one has an empty name.
    pub fields: Vec<String>,
    /// The nodes.
    pub nodes: Vec<String>,
    /// The list edges, named as LangGraph names their channels: `join:a+b:c`.
    pub joins: Vec<String>,
    /// The nodes that wait until nothing else can run.
    pub deferred: Vec<Node>,
}

impl Names {
    /// Returns the number of channels.
    #[must_use]
    pub fn channels(&self) -> usize {
        self.fields.len() + BETWEEN + self.nodes.len() + self.joins.len()
    }

    /// Returns a channel's name, as LangGraph has it; `None` for a number that the graph lacks.
    ///
    /// ```
    /// use threadfold::unstable::checkpoint::Names;
    ///
    /// let names = Names { fields: vec!["log".into()], nodes: vec!["a".into()], ..Names::default() };
    /// assert_eq!(names.channel(3).as_deref(), Some("branch:to:a"));
    /// ```
    #[must_use]
    pub fn channel(&self, channel: Channel) -> Option<String> {
        let at = channel as usize;
        let Some(at) = at.checked_sub(self.fields.len()) else {
            return self.fields.get(at).cloned();
        };
        match at {
            0 => Some("__start__".to_owned()),
            1 => Some("__pregel_tasks".to_owned()),
            _ => {
                let at = at - BETWEEN;
                match at.checked_sub(self.nodes.len()) {
                    None => self.nodes.get(at).map(|node| format!("branch:to:{node}")),
                    Some(join) => self.joins.get(join).cloned(),
                }
            }
        }
    }

    /// Returns a node's name; the start's number follows those of the nodes.
    #[must_use]
    pub fn node(&self, node: Node) -> Option<&str> {
        match node as usize {
            start if start == self.nodes.len() => Some("__start__"),
            at => self.nodes.get(at).map(String::as_str),
        }
    }
}
