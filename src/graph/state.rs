//! A run's checkpoint, in numbers.

#![allow(clippy::cast_possible_truncation)] // As in plan.rs.

use super::misfit::Misfit;
use super::plan::{Channel, Kind, Node};
use super::run::Run;

/// A checkpoint in numbers. Lists that are called so go by a channel's number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanState {
    /// The step of its metadata; -2 for a thread that has none.
    pub step: i64,
    /// By channel: versions; 0 for a channel that has none yet.
    pub versions: Vec<u64>,
    /// By channel: the version that the node which it triggers has seen, or 0.
    pub seen: Vec<u64>,
    /// By channel: the version that breakpoints have seen, or 0.
    pub breakpoints: Vec<u64>,
    /// The highest version of channels that the graph no longer has.
    pub floor: u64,
    /// Which of `__start__`, `branch:to:N` and the fields that clear hold a value.
    pub held: Vec<Channel>,
    /// Which channels of deferred nodes are free.
    pub finished: Vec<Channel>,
    /// For each join, the nodes that have arrived, in that order.
    pub joins: Vec<Vec<Node>>,
    /// The nodes of the Sends; `None` for one that the graph does not have.
    pub sends: Vec<Option<Node>>,
    /// What the last step updated, if that is known.
    pub updated: Option<Vec<Channel>>,
}

impl Run {
    /// Returns the state as of the last checkpoint.
    #[must_use]
    pub fn state(&self) -> PlanState {
        let Self { plan, channels, .. } = self;
        let known = channels.versions.iter().copied().max().unwrap_or(0);
        PlanState {
            step: self.step.saturating_sub(1),
            versions: channels.versions.clone(),
            seen: self.seen.clone(),
            breakpoints: self.passed.clone(),
            floor: if channels.highest > known { channels.highest } else { 0 },
            held: channels.held.clone(),
            finished: plan
                .deferred
                .iter()
                .copied()
                .filter(|channel| channels.is_finished(*channel))
                .collect(),
            joins: channels.arrived.clone(),
            sends: channels
                .sends
                .iter()
                .map(|node| Some(*node).filter(|node| *node < plan.nodes()))
                .collect(),
            updated: self.knows_updated.then(|| self.applied.updated.clone()),
        }
    }

    /// Makes it the state of this run.
    pub(super) fn restore(&mut self, state: &PlanState) -> Result<(), Misfit> {
        let plan = self.plan.clone();
        let all = plan.channels();
        let is_ours = |channel: &Channel| *channel < all;
        for versions in [&state.versions, &state.seen, &state.breakpoints] {
            if versions.len() != all as usize {
                return Err(Misfit::new("state", "of as many channels as the plan"));
            }
        }
        let holds = |channel: &Channel| {
            is_ours(channel)
                && !matches!(plan.kind(*channel), Kind::Field | Kind::Sends | Kind::Join)
        };
        let frees = |channel: &Channel| plan.deferred.binary_search(channel).is_ok();
        if !state.held.iter().all(holds)
            || !state.finished.iter().all(frees)
            || !state.updated.iter().flatten().all(is_ours)
            || state.joins.len() != plan.spec.joins.len()
        {
            return Err(Misfit::new("state", "of the plan's channels"));
        }
        self.seen.clone_from(&state.seen);
        self.passed.clone_from(&state.breakpoints);
        let channels = &mut self.channels;
        channels.highest = state.floor.max(state.versions.iter().copied().max().unwrap_or(0));
        channels.versions.clone_from(&state.versions);
        for channel in &state.held {
            channels.hold(*channel);
        }
        for channel in &state.finished {
            channels.set_finished(*channel, true);
        }
        for (join, arrived) in state.joins.iter().enumerate() {
            for node in arrived {
                // One that is no member of it (any more) does not count.
                channels.arrive(&plan, join, *node);
            }
        }
        channels.sends =
            state.sends.iter().map(|node| node.unwrap_or(u32::MAX).min(plan.nodes())).collect();
        self.knows_updated = state.updated.is_some();
        if let Some(updated) = &state.updated {
            self.applied.extend(updated);
        }
        Ok(())
    }
}
