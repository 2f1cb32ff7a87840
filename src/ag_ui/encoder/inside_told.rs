//! The messages that a client has of graphs inside nodes: the graph's own list may get them once their
//! node has returned.

use std::collections::HashSet;

use indexmap::IndexMap;

use crate::graph::TaskName;
use crate::message::kind_of;
use crate::value::Json;

/// Tracks what graphs inside nodes have written: a list of the graph around them removes it only after
/// their node.
#[derive(Debug, Default)]
pub struct InsideTold(IndexMap<TaskName, IndexMap<String, Json>>);

impl InsideTold {
    /// Notes the messages that a node of a graph inside has written, of those that the client has.
    pub fn note(&mut self, task: &TaskName, messages: &Json, told: &HashSet<String>) {
        let own = self.0.entry(task.clone()).or_default();
        for message in messages {
            let Some(id) = message["id"].as_str() else { continue };
            if kind_of(message) == Some("remove") {
                own.shift_remove(id);
            } else if told.contains(id) {
                own.insert(id.to_owned(), message.clone());
            }
        }
    }

    /// Forgets those of a task whose node has returned.
    pub fn forget(&mut self, task: &TaskName) {
        self.0.shift_remove(task);
    }

    /// Returns a list with the messages inside that it lacks after its own.
    pub fn with(&self, list: &Json) -> Json {
        if self.0.is_empty() {
            return list.clone();
        }
        let known: HashSet<&str> = list.iter().filter_map(|it| it["id"].as_str()).collect();
        let inside = self.0.values().flatten().filter(|(id, _)| !known.contains(id.as_str()));
        list.iter().chain(inside.map(|(_, message)| message)).cloned().collect()
    }
}
