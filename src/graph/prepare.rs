//! Which tasks a step has (langgraph's `prepare_next_tasks`).

#![allow(clippy::cast_possible_truncation)] // As in plan.rs.

use std::ops::Range;

use super::channels::Channels;
use super::order::by_key;
use super::plan::{Channel, Node, Plan};

/// Why a task runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Its node was triggered.
    Pull,
    /// A Send, by its index.
    Push(u32),
    /// It handles the error of the task at this position.
    Error(u32),
}

/// A task of a super-step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// The node that runs.
    pub node: Node,
    /// Why it runs.
    pub cause: Cause,
    /// Its part of [`Tasks::triggers`].
    pub(super) triggers: Range<usize>,
}

/// The tasks of a super-step.
#[derive(Debug, Clone, Default)]
pub struct Tasks {
    pub(super) list: Vec<Task>,
    triggers: Vec<Channel>,
    /// Positions, in the order in which their writes count.
    pub(super) order: Vec<u32>,
    candidates: Vec<Node>,
}

impl Tasks {
    /// Returns them in the order in which they start.
    #[must_use]
    pub fn list(&self) -> &[Task] {
        &self.list
    }

    /// Returns positions in the list, in the order in which their writes count: nodes by name, then
    /// Sends by index; an error's handler behind the task that failed.
    #[must_use]
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Returns the channels that triggered a task, in the order of its node's triggers.
    #[must_use]
    pub fn triggers(&self, task: &Task) -> &[Channel] {
        self.triggers.get(task.triggers.clone()).unwrap_or_default()
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.triggers.clear();
        self.order.clear();
    }

    /// Finds the tasks: a PUSH for each Send, and a PULL for each node with a trigger that is
    /// available and that it has not seen. Looks only at nodes that `updated` triggers, if that is
    /// known.
    pub(super) fn prepare(
        &mut self,
        plan: &Plan,
        channels: &Channels,
        seen: &[u64],
        updated: Option<&[Channel]>,
    ) {
        self.clear();
        for (index, node) in channels.sends.iter().enumerate() {
            if *node < plan.nodes() {
                self.list.push(Task {
                    node: *node,
                    cause: Cause::Push(index as u32),
                    triggers: 0..0,
                });
            }
        }
        let pushed = self.list.len();
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        if let Some(updated) = updated {
            let triggered = updated.iter().filter_map(|channel| plan.triggered(*channel));
            candidates.extend(by_key(triggered.map(|node| (plan.rank(node), node))));
            candidates.dedup();
        } else {
            candidates.push(plan.nodes());
            candidates.extend(0..plan.nodes());
        }
        for node in &candidates {
            let from = self.triggers.len();
            self.triggers.extend(plan.triggers(*node).iter().filter(|trigger| {
                let seen = seen.get(**trigger as usize).copied().unwrap_or(0);
                channels.version(**trigger) > seen && channels.is_available(plan, **trigger)
            }));
            if self.triggers.len() > from {
                let triggers = from..self.triggers.len();
                self.list.push(Task { node: *node, cause: Cause::Pull, triggers });
            }
        }
        self.candidates = candidates;
        let pulled = self.list.iter().enumerate().skip(pushed);
        self.order.extend(by_key(pulled.map(|(at, task)| (plan.rank(task.node), at as u32))));
        self.order.extend(0..pushed as u32);
    }

    /// Adds the task of a handler of the error of the task at `failed`. Returns its position.
    pub(super) fn add_handler(&mut self, failed: u32, handler: Node) -> u32 {
        let at = self.list.len() as u32;
        self.list.push(Task { node: handler, cause: Cause::Error(failed), triggers: 0..0 });
        let place = self
            .order
            .iter()
            .position(|task| *task == failed)
            .map_or(self.order.len(), |place| place + 1);
        self.order.insert(place, at);
        at
    }
}
