//! Which tasks a step has (langgraph's `prepare_next_tasks`).

#![allow(clippy::cast_possible_truncation)] // As in numbered_graph.rs.

use super::channels::Channels;
use super::numbered_graph::{Node, Plan};
use super::order::{key, low, sort};

/// Why a task runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    /// Its node was triggered.
    Pull,
    /// A Send, by its index.
    Push(u32),
    /// It handles the error of the task at this position.
    Error(u32),
}

/// A task of a super-step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task {
    /// The node that runs.
    pub node: Node,
    /// Why it runs.
    pub cause: Cause,
    /// How many answers to interrupts it has, and how many it was given.
    pub(super) answers: (u32, u32),
}

impl Task {
    /// Makes a task without answers.
    pub(in crate::graph) fn new(node: Node, cause: Cause) -> Self {
        Self { node, cause, answers: (0, 0) }
    }
}

/// The tasks of a super-step.
#[derive(Debug, Clone, Default)]
pub(super) struct Tasks {
    pub list: Vec<Task>,
    /// Positions, in the order in which their writes count.
    pub order: Vec<u32>,
    /// Room to work in.
    due: Vec<u64>,
}

impl Tasks {
    pub fn clear(&mut self) {
        self.list.clear();
        self.order.clear();
    }

    fn push(&mut self, node: Node, cause: Cause) {
        self.list.push(Task::new(node, cause));
    }

    /// Finds the tasks: a PUSH for each Send, and a PULL for each node with an available trigger
    /// that it has not seen. They are ordered by name if their triggers are known, else by
    /// insertion.
    pub fn prepare(&mut self, plan: &Plan, channels: &Channels, knows_updated: bool) {
        self.clear();
        for (index, node) in (0..).zip(&channels.state.sends) {
            if *node < plan.nodes() {
                self.push(*node, Cause::Push(index));
            }
        }
        let pushed = self.list.len() as u32;
        // Past the end, because there are as many triggers as these.
        let first = plan.nodes();
        let due = &mut self.due;
        due.clear();
        for (channel, line) in (0..).zip(&plan.lines) {
            let is_known = channels.at(channel).is_updated || !knows_updated;
            if line.to <= first && is_known && channels.is_due(plan, channel) {
                let insertion = if line.to == first { 0 } else { line.to + 1 };
                let place = if knows_updated { plan.rank(line.to) } else { insertion };
                due.push(key(place, line.to));
            }
        }
        sort(due);
        due.dedup();
        let pull = |node: &u64| Task { node: low(*node), cause: Cause::Pull, answers: (0, 0) };
        self.list.extend(due.iter().map(pull));
        if knows_updated {
            // By name already.
            self.order.extend(pushed..self.list.len() as u32);
        } else {
            for (at, node) in (pushed..).zip(due.iter_mut()) {
                *node = key(plan.rank(low(*node)), at);
            }
            sort(due);
            self.order.extend(due.iter().copied().map(low));
        }
        self.order.extend(0..pushed);
    }

    /// Adds the task of a handler for the error of the task at `failed`, to count after it.
    pub fn add_handler(&mut self, failed: u32, handler: Node) {
        let place = self.order.iter().position(|task| *task == failed);
        self.order
            .insert(place.map_or(self.order.len(), |place| place + 1), self.list.len() as u32);
        self.push(handler, Cause::Error(failed));
    }
}
