//! What the channels of a run hold, apart from values.

#![allow(clippy::cast_possible_truncation)] // As in plan.rs.

use super::plan::{Channel, Kind, Node, Plan};

/// The channels of a run: versions, and which of them are available.
#[derive(Debug, Clone, Default)]
pub(super) struct Channels {
    /// 0 for a channel that has none yet.
    pub versions: Vec<u64>,
    /// The highest version there ever was.
    pub highest: u64,
    /// Triggers and clearing fields that hold a value, and the same as a list.
    is_held: Vec<bool>,
    pub held: Vec<Channel>,
    /// Of deferred nodes' channels, those that `finish` has freed.
    pub finished: Vec<bool>,
    /// For each join, the nodes that have arrived, in order, and the same by their places.
    pub arrived: Vec<Vec<Node>>,
    is_there: Vec<Vec<bool>>,
    /// The nodes of the Sends in `__pregel_tasks`.
    pub sends: Vec<Node>,
}

impl Channels {
    pub fn new(plan: &Plan) -> Self {
        let all = plan.channels() as usize;
        let joins = &plan.spec.joins;
        Self {
            versions: vec![0; all],
            is_held: vec![false; all],
            finished: vec![false; all],
            arrived: vec![Vec::new(); joins.len()],
            is_there: joins.iter().map(|join| vec![false; join.from.len()]).collect(),
            ..Self::default()
        }
    }

    pub fn version(&self, channel: Channel) -> u64 {
        self.versions.get(channel as usize).copied().unwrap_or(0)
    }

    pub fn set_version(&mut self, channel: Channel, version: u64) {
        if let Some(own) = self.versions.get_mut(channel as usize) {
            *own = version;
            self.highest = self.highest.max(version);
        }
    }

    pub fn is_available(&self, plan: &Plan, channel: Channel) -> bool {
        match plan.kind(channel) {
            Kind::Field => true,
            Kind::Clearing | Kind::Trigger => self.is_held(channel),
            Kind::Deferred => self.is_held(channel) && self.is_finished(channel),
            Kind::Sends => !self.sends.is_empty(),
            Kind::Join => {
                let waits =
                    plan.triggered(channel).and_then(|node| plan.spec.defer.get(node as usize));
                self.is_complete(plan, channel)
                    && (waits != Some(&true) || self.is_finished(channel))
            }
        }
    }

    pub fn hold(&mut self, channel: Channel) {
        if let Some(held) = self.is_held.get_mut(channel as usize)
            && !std::mem::replace(held, true)
        {
            self.held.push(channel);
        }
    }

    /// Takes a value away. `sweep` afterwards.
    pub fn drop(&mut self, channel: Channel) {
        if let Some(held) = self.is_held.get_mut(channel as usize) {
            *held = false;
        }
    }

    /// Makes the list of what is held true again.
    pub fn sweep(&mut self) {
        let Self { held, is_held, .. } = self;
        held.retain(|channel| is_held.get(*channel as usize) == Some(&true));
    }

    fn is_held(&self, channel: Channel) -> bool {
        self.is_held.get(channel as usize) == Some(&true)
    }

    pub fn is_finished(&self, channel: Channel) -> bool {
        self.finished.get(channel as usize) == Some(&true)
    }

    pub fn set_finished(&mut self, channel: Channel, finished: bool) {
        if let Some(own) = self.finished.get_mut(channel as usize) {
            *own = finished;
        }
    }

    fn is_complete(&self, plan: &Plan, channel: Channel) -> bool {
        plan.join_at(channel).is_some_and(|join| {
            self.arrived.get(join).map(Vec::len)
                == plan.spec.joins.get(join).map(|join| join.from.len())
        })
    }

    /// A node arrives at a join. Returns whether it had not before.
    pub fn arrive(&mut self, plan: &Plan, join: usize, node: Node) -> bool {
        let there =
            plan.member(node, join).and_then(|place| self.is_there.get_mut(join)?.get_mut(place));
        let is_new = there.is_some_and(|there| !std::mem::replace(there, true));
        if is_new && let Some(arrived) = self.arrived.get_mut(join) {
            arrived.push(node);
        }
        is_new
    }

    /// A task was triggered by this channel: a join that is complete empties, a deferred value
    /// clears. Returns whether that changed it. `sweep` afterwards.
    pub fn consume(&mut self, plan: &Plan, channel: Channel) -> bool {
        match plan.kind(channel) {
            Kind::Deferred if self.is_finished(channel) => self.drop(channel),
            Kind::Join if self.is_available(plan, channel) => {
                let join = plan.join_at(channel).unwrap_or_default();
                if let Some(arrived) = self.arrived.get_mut(join) {
                    arrived.clear();
                }
                if let Some(there) = self.is_there.get_mut(join) {
                    there.fill(false);
                }
            }
            _ => return false,
        }
        self.set_finished(channel, false);
        true
    }

    /// Nothing else can run: frees what waits for that. Returns whether that changed it.
    pub fn finish(&mut self, plan: &Plan, channel: Channel) -> bool {
        let waits = !self.is_finished(channel)
            && match plan.kind(channel) {
                Kind::Join => self.is_complete(plan, channel),
                _ => self.is_held(channel),
            };
        if waits {
            self.set_finished(channel, true);
        }
        waits
    }
}
