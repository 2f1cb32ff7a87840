//! The end of a super-step: what its tasks wrote becomes the channels' (langgraph's `apply_writes`).

#![allow(clippy::cast_possible_truncation)] // As in plan.rs.

use super::channels::Channels;
use super::plan::{Channel, Kind, Node, Plan};
use super::writes::Writes;

/// Who writes.
#[derive(Debug, Clone)]
pub(super) struct Writer<'a> {
    /// None for a run's input.
    pub node: Option<Node>,
    /// What triggered it.
    pub triggers: &'a [Channel],
    /// Where its writes are.
    pub part: usize,
    /// Whether it makes a step: channels that nobody writes in a step hear of it.
    pub steps: bool,
}

/// What was changed.
#[derive(Debug, Clone, Default)]
pub(super) struct Applied {
    /// Channels that were written and are available: they trigger nodes.
    pub updated: Vec<Channel>,
    /// Fields that lost their values.
    pub cleared: Vec<Channel>,
    /// By channel, whether it is in `updated`.
    is_updated: Vec<bool>,
}

impl Applied {
    pub fn new(channels: usize) -> Self {
        Self { is_updated: vec![false; channels], ..Self::default() }
    }

    /// Adds channels that were updated before.
    pub fn extend<'a>(&mut self, updated: impl IntoIterator<Item = &'a Channel>) {
        for channel in updated {
            self.add(*channel);
        }
    }

    fn add(&mut self, channel: Channel) {
        if let Some(is_updated) = self.is_updated.get_mut(channel as usize)
            && !std::mem::replace(is_updated, true)
        {
            self.updated.push(channel);
        }
    }

    fn has(&self, channel: Channel) -> bool {
        self.is_updated.get(channel as usize) == Some(&true)
    }

    /// Forgets what was changed before.
    fn reset(&mut self) {
        for channel in self.updated.drain(..) {
            if let Some(is_updated) = self.is_updated.get_mut(channel as usize) {
                *is_updated = false;
            }
        }
        self.cleared.clear();
    }
}

/// Applies writes, which have been checked, in the order of `by`.
pub(super) fn apply<'a>(
    plan: &Plan,
    channels: &mut Channels,
    seen: &mut [u64],
    applied: &mut Applied,
    by: impl Iterator<Item = Writer<'a>> + Clone,
    writes: &Writes,
) {
    applied.reset();
    let mut steps = false;
    for writer in by.clone() {
        steps |= writer.steps;
        for trigger in writer.triggers {
            if let Some(seen) = seen.get_mut(*trigger as usize) {
                *seen = channels.version(*trigger);
            }
        }
    }

    let next = channels.highest.saturating_add(1);
    let mut consumed = false;
    for trigger in by.clone().flat_map(|writer| writer.triggers) {
        if channels.consume(plan, *trigger) {
            channels.set_version(*trigger, next);
            consumed = true;
        }
    }
    let next = if consumed && !plan.spec.python { next.saturating_add(1) } else { next };

    for writer in by {
        for write in writes.of(writer.part) {
            receive(plan, channels, applied, writer.node, *write, next);
        }
    }

    if steps {
        silence(plan, channels, applied, next);
        if applied.updated.iter().all(|channel| plan.triggered(*channel).is_none()) {
            for channel in &plan.deferred {
                if channels.finish(plan, *channel) {
                    channels.set_version(*channel, next);
                    applied.add(*channel);
                }
            }
        }
    }
    channels.sweep();
}

/// One write.
fn receive(
    plan: &Plan,
    channels: &mut Channels,
    applied: &mut Applied,
    from: Option<Node>,
    write: u32,
    version: u64,
) {
    if let Some(node) = write.checked_sub(plan.channels()) {
        // Those of the step before are gone.
        if !applied.has(plan.sends()) {
            channels.sends.clear();
            applied.add(plan.sends());
            channels.set_version(plan.sends(), version);
        }
        channels.sends.push(node);
        return;
    }
    match plan.kind(write) {
        Kind::Field => {}
        Kind::Clearing | Kind::Trigger => channels.hold(write),
        Kind::Deferred => {
            channels.hold(write);
            channels.set_finished(write, false);
        }
        // Empties it; a Send is no write of this channel's number.
        Kind::Sends => return,
        Kind::Join => {
            let join = plan.join_at(write);
            if !join.zip(from).is_some_and(|(join, node)| channels.arrive(plan, join, node)) {
                return;
            }
        }
    }
    channels.set_version(write, version);
    if channels.is_available(plan, write) {
        applied.add(write);
    }
}

/// What nobody wrote and lasts no longer than a step clears.
fn silence(plan: &Plan, channels: &mut Channels, applied: &mut Applied, version: u64) {
    for at in 0..channels.held.len() {
        let Some(channel) = channels.held.get(at).copied() else { break };
        let kind = plan.kind(channel);
        if kind == Kind::Deferred || applied.has(channel) {
            continue;
        }
        channels.drop(channel);
        channels.set_version(channel, version);
        if kind == Kind::Clearing {
            applied.cleared.push(channel);
        }
    }
    if !channels.sends.is_empty() && !applied.has(plan.sends()) {
        channels.sends.clear();
        channels.set_version(plan.sends(), version);
    }
}
