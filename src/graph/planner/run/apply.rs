//! Writes that are applied to a state outside of its run.

use super::{By, Run};
use crate::graph::planner::channels::Span;
use crate::graph::planner::misfit::Misfit;
use crate::graph::planner::numbered_graph::Node;
use crate::graph::planner::order::{key, low, sorted};
use crate::graph::planner::writes::Writes;

impl Run {
    /// Applies writes as a step, without continuing: those of tasks in their order, after all
    /// others.
    ///
    /// # Errors
    /// [`Misfit`] for an unknown task, node or channel. Nothing has changed.
    pub fn apply(&mut self, by: &[By], writes: &Writes) -> Result<(), Misfit> {
        for (part, by) in by.iter().enumerate() {
            let node = match by {
                By::Input => None,
                By::Node(node) => Some(*node),
                By::Task(task) => {
                    Some(self.tasks.list.get(*task as usize).map_or(u32::MAX, |task| task.node))
                }
            };
            if node.is_some_and(|node| node > self.plan.nodes()) {
                return Err(Misfit::new("writer", "a task or a node"));
            }
            self.check(node, writes.of(part))?;
        }
        let mut places = vec![0; self.tasks.list.len()];
        for (at, task) in (1..).zip(&self.tasks.order) {
            if let Some(place) = places.get_mut(*task as usize) {
                *place = at;
            }
        }
        let place = |by: &By| match by {
            By::Task(task) => places.get(*task as usize).copied().unwrap_or_default(),
            _ => 0,
        };
        let parts = sorted((0..).zip(by).map(|(part, by)| key(place(by), part)));
        self.writers.clear();
        for part in parts {
            let part = low(part) as usize;
            self.add_writer(by.get(part).copied().unwrap_or(By::Input), part);
        }
        let is_step = by.iter().any(|by| *by != By::Input);
        self.take(writes, if is_step { Span::Step } else { Span::Input });
        self.channels.state.knows_updated = false;
        Ok(())
    }

    /// Returns the node as which the state is updated if none is named: the one that was triggered
    /// last; `None` if there are two.
    #[must_use]
    pub fn last_node(&self) -> Option<Node> {
        let (mut last, mut highest) = (Some(self.plan.nodes()), 0);
        for (line, channel) in self.plan.lines.iter().zip(&self.channels.state.channels) {
            if channel.seen > highest {
                (last, highest) = (Some(line.to), channel.seen);
            } else if channel.seen > 0 && channel.seen == highest {
                last = None;
            }
        }
        last.filter(|node| *node <= self.plan.nodes())
    }
}
