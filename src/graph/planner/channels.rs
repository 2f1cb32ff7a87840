//! The contents of a run's channels, apart from values, and the effects of writes on them
//! (langgraph's `apply_writes`).

#![allow(clippy::cast_possible_truncation)] // As in numbered_graph.rs.

use super::numbered_graph::{Channel, Kind, Line, Node, Plan};
use super::state::{ChannelState, PlanState};
use super::writes::Writes;

/// The author of some writes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Writer {
    /// None for a run's input.
    pub node: Option<Node>,
    /// Whether its node was triggered.
    pub is_triggered: bool,
    /// Where its writes are.
    pub part: usize,
}

/// The origin of writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Span {
    /// A command's: earlier updates stay marked.
    Before,
    /// The input's.
    Input,
    /// A step's: channels without a write in it are notified.
    Step,
}

/// The channels of a run.
#[derive(Debug, Clone, Default)]
pub(super) struct Channels {
    pub state: PlanState,
    /// By members of joins: whether they have arrived.
    is_there: Vec<bool>,
    /// Whether the Sends are the previous step's.
    sends_are_old: bool,
    /// Fields that just lost their values.
    pub cleared: Vec<Channel>,
}

impl Channels {
    /// Takes over a state. Members that their joins no longer have are ignored.
    pub fn new(plan: &Plan, mut state: PlanState) -> Self {
        let arrived = std::mem::take(&mut state.arrived);
        for (line, channel) in plan.lines.iter().zip(&mut state.channels) {
            channel.arrived = 0;
            channel.is_held &= line.kind != Kind::Join;
            state.highest = state.highest.max(channel.version);
        }
        let is_there = vec![false; plan.members()];
        let mut channels = Self { state, is_there, ..Self::default() };
        for (join, node) in arrived {
            channels.arrive(plan, join, node);
        }
        let sends = !channels.state.sends.is_empty();
        channels.change(plan.sends(), |own| own.is_held = sends);
        channels
    }

    pub fn at(&self, channel: Channel) -> ChannelState {
        self.state.channels.get(channel as usize).copied().unwrap_or_default()
    }

    fn change(&mut self, channel: Channel, change: impl FnOnce(&mut ChannelState)) {
        if let Some(own) = self.state.channels.get_mut(channel as usize) {
            change(own);
        }
    }

    /// Whether a channel can trigger its node.
    pub fn is_due(&self, plan: &Plan, channel: Channel) -> bool {
        let ChannelState { version, seen, is_held, is_finished, .. } = self.at(channel);
        let waits = plan.lines.get(channel as usize).is_some_and(|line| line.waits);
        version > seen && is_held && (is_finished || !waits)
    }

    /// Applies writes, which have been checked, in the order of `writers`.
    pub fn apply(&mut self, plan: &Plan, writers: &[Writer], all: &Writes, span: Span) {
        self.cleared.clear();
        self.sends_are_old = true;
        if span != Span::Before {
            for channel in &mut self.state.channels {
                channel.is_updated = false;
            }
        }
        let mut next = self.state.highest.saturating_add(1);
        if self.consume(plan, writers, next) && !plan.python {
            next = next.saturating_add(1);
        }
        for writer in writers {
            for write in all.of(writer.part) {
                self.receive(plan, writer.node, *write, next);
            }
        }
        if span == Span::Step && !self.silence(plan, next) {
            self.finish(plan, next);
        }
        // A step may have changed nothing.
        let versions = self.state.channels.iter().map(|channel| channel.version);
        self.state.highest = versions.fold(self.state.highest, u64::max);
    }

    /// Marks triggers as seen. A join that is complete empties, a deferred value clears: returns
    /// whether there was one.
    fn consume(&mut self, plan: &Plan, writers: &[Writer], next: u64) -> bool {
        let (mut consumed, mut joined) = (false, false);
        for node in
            writers.iter().filter(|writer| writer.is_triggered).filter_map(|writer| writer.node)
        {
            for trigger in plan.triggers(node) {
                let is_due = self.is_due(plan, trigger);
                let kind = plan.lines.get(trigger as usize).map(|line| line.kind);
                // Python marks those that did not trigger it as well, which makes no difference to
                // the next tasks.
                let marks = is_due || plan.python;
                let empties = is_due && kind != Some(Kind::Passing);
                consumed |= empties;
                joined |= empties && kind == Some(Kind::Join);
                self.change(trigger, |own| {
                    if marks {
                        own.seen = own.version;
                    }
                    if empties {
                        *own = ChannelState {
                            version: next,
                            is_held: false,
                            is_finished: false,
                            arrived: 0,
                            ..*own
                        };
                    }
                });
            }
        }
        if joined {
            for (join, node) in std::mem::take(&mut self.state.arrived) {
                if let Some(there) =
                    plan.member(node, join).and_then(|place| self.is_there.get_mut(place))
                {
                    *there = false;
                }
                if self.at(join).arrived > 0 {
                    self.change(join, |own| own.arrived -= 1);
                    self.arrive(plan, join, node);
                }
            }
        }
        consumed
    }

    /// One write.
    fn receive(&mut self, plan: &Plan, from: Option<Node>, write: u32, version: u64) {
        let send = write.checked_sub(plan.channels());
        let channel = if send.is_some() { plan.sends() } else { write };
        if let Some(node) = send {
            // Those of the step before are gone.
            if std::mem::take(&mut self.sends_are_old) {
                self.state.sends.clear();
            }
            self.state.sends.push(node);
        }
        let Some(Line { kind, waits, .. }) = plan.lines.get(channel as usize).copied() else {
            return;
        };
        if kind == Kind::Join {
            if !from.is_some_and(|node| self.arrive(plan, channel, node)) {
                return;
            }
        } else {
            self.change(channel, |own| {
                own.is_held = kind != Kind::Field;
                own.is_finished = false;
            });
        }
        self.change(channel, |own| {
            own.version = version;
            own.is_updated = kind == Kind::Field || own.is_held && !waits;
        });
    }

    /// A node arrives at a join. Returns whether it had not before.
    fn arrive(&mut self, plan: &Plan, join: Channel, node: Node) -> bool {
        let there = plan.member(node, join).and_then(|place| self.is_there.get_mut(place));
        let is_new = there.is_some_and(|there| !std::mem::replace(there, true));
        if is_new {
            self.state.arrived.push((join, node));
            let members = plan.lines.get(join as usize).map_or(0, |line| line.members);
            self.change(join, |own| {
                own.arrived += 1;
                own.is_held = own.arrived == members;
            });
        }
        is_new
    }

    /// Clears channels that nobody wrote and that last no longer than a step. Returns whether
    /// anything that was written triggers a node.
    fn silence(&mut self, plan: &Plan, version: u64) -> bool {
        let mut triggers = false;
        for ((at, line), own) in (0..).zip(&plan.lines).zip(&mut self.state.channels) {
            triggers |= own.is_updated && line.to <= plan.nodes();
            if line.kind == Kind::Passing && own.is_held && !own.is_updated {
                own.is_held = false;
                own.version = version;
                if at < plan.start() {
                    self.cleared.push(at);
                } else if at == plan.sends() {
                    self.state.sends.clear();
                }
            }
        }
        triggers
    }

    /// Nothing else can run: frees the deferred nodes.
    fn finish(&mut self, plan: &Plan, version: u64) {
        for (line, own) in plan.lines.iter().zip(&mut self.state.channels) {
            if line.waits && own.is_held && !own.is_finished {
                own.is_finished = true;
                own.is_updated = true;
                own.version = version;
            }
        }
    }
}
