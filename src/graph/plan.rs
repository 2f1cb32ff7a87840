//! A compiled graph in numbers.
//!
//! Nodes are `0 … n-1` in order of insertion; `__start__` is node `n`. Channels are numbered: fields
//! first, then `__start__`, `__pregel_tasks`, `branch:to:N` of each node, then the joins.

#![allow(clippy::cast_possible_truncation)] // `Plan::new` refuses what does not fit.

use super::misfit::Misfit;
use super::order::distinct;

/// A node's number.
pub type Node = u32;
/// A channel's number.
pub type Channel = u32;

/// The most fields, nodes, joins and members of joins together: more are no graph.
const MOST: usize = 1 << 24;

/// A list edge: its target runs when all of `from` have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Join {
    /// The nodes that it waits for; a node may be `__start__`.
    pub from: Vec<Node>,
    /// The node that it triggers.
    pub to: Node,
}

/// What a [`Plan`] is made of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanSpec {
    /// For each field, whether it loses its value in a step in which nobody writes it.
    pub fields: Vec<bool>,
    /// For each node, in order of insertion, whether it waits until nothing else can run.
    pub defer: Vec<bool>,
    /// Each node's place in the order of their names, `__start__` as the last of the list.
    pub ranks: Vec<u32>,
    /// List edges, in order of insertion.
    pub joins: Vec<Join>,
    /// Counts versions as langgraph for Python does: a channel that is consumed and one that is
    /// written get the same. In langgraph.js, as here otherwise, the written get one more.
    pub python: bool,
}

/// What a channel is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A field that keeps its value.
    Field,
    /// A field that does not.
    Clearing,
    /// `__start__`, or `branch:to:N`.
    Trigger,
    /// `branch:to:N` of a deferred node.
    Deferred,
    /// `__pregel_tasks`.
    Sends,
    /// A list edge.
    Join,
}

/// The channels, nodes and triggers of a graph: what does not change while it runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    pub(super) spec: PlanSpec,
    /// For each node, `__start__` last: the channels that trigger it.
    triggers: Vec<Vec<Channel>>,
    /// For each node, `__start__` last: the joins that it is a member of, and its place in each, sorted.
    memberships: Vec<Vec<(u32, u32)>>,
    /// The channels that only `finish` frees.
    pub(super) deferred: Vec<Channel>,
}

impl Plan {
    /// Makes the plan of a graph.
    ///
    /// # Errors
    /// [`Misfit`] if a number names no node, or `ranks` are no order of the nodes.
    pub fn new(mut spec: PlanSpec) -> Result<Self, Misfit> {
        let nodes = spec.defer.len();
        let members: usize = spec.joins.iter().map(|join| join.from.len()).sum();
        if spec.fields.len().saturating_add(nodes).saturating_add(members) > MOST
            || spec.joins.len() > MOST
        {
            return Err(Misfit::new("graph", "smaller"));
        }
        let is_node = |node: Node| (node as usize) <= nodes;
        let mut places = vec![false; nodes + 1];
        for rank in &spec.ranks {
            match places.get_mut(*rank as usize) {
                Some(place) if !*place => *place = true,
                _ => return Err(Misfit::new("ranks", "each place once")),
            }
        }
        if spec.ranks.len() != nodes + 1 {
            return Err(Misfit::new("ranks", "one for each node and for __start__"));
        }
        let mut plan = Self {
            triggers: vec![Vec::new(); nodes + 1],
            memberships: vec![Vec::new(); nodes + 1],
            ..Self::default()
        };
        let (start, branches) = (spec.fields.len() as Channel, spec.fields.len() as Channel + 2);
        for (node, triggers) in plan.triggers.iter_mut().enumerate() {
            triggers.push(if node == nodes { start } else { branches + node as Channel });
        }
        plan.deferred =
            (branches..).zip(&spec.defer).filter(|(_, defer)| **defer).map(|(at, _)| at).collect();
        for (at, join) in spec.joins.iter_mut().enumerate() {
            join.from = distinct(join.from.iter().copied());
            if join.from.is_empty() {
                return Err(Misfit::new("join", "from nodes"));
            }
            let channel = branches + (nodes + at) as Channel;
            let Some(defer) = spec.defer.get(join.to as usize) else {
                return Err(Misfit::new("join", "to a node"));
            };
            if *defer {
                plan.deferred.push(channel);
            }
            if let Some(triggers) = plan.triggers.get_mut(join.to as usize) {
                triggers.push(channel);
            }
            for (place, from) in join.from.iter().enumerate() {
                match plan.memberships.get_mut(*from as usize) {
                    Some(joins) if is_node(*from) => joins.push((at as u32, place as u32)),
                    _ => return Err(Misfit::new("join", "from nodes")),
                }
            }
        }
        plan.spec = spec;
        Ok(plan)
    }

    /// Returns the number of nodes, `__start__` not counted; it is that number itself.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.spec.defer.len() as u32
    }

    /// Returns the number of channels.
    #[must_use]
    pub fn channels(&self) -> u32 {
        self.join(self.spec.joins.len() as u32)
    }

    /// Returns the channel `__start__`.
    #[must_use]
    pub fn start(&self) -> Channel {
        self.spec.fields.len() as Channel
    }

    /// Returns the channel `__pregel_tasks`.
    #[must_use]
    pub fn sends(&self) -> Channel {
        self.start() + 1
    }

    /// Returns the channel `branch:to:N`.
    #[must_use]
    pub fn branch(&self, node: Node) -> Channel {
        self.start().saturating_add(2).saturating_add(node)
    }

    /// Returns the channel of a list edge.
    #[must_use]
    pub fn join(&self, index: u32) -> Channel {
        self.branch(self.nodes()).saturating_add(index)
    }

    /// Returns the write of a Send to a node; `None` is a node that the graph does not have.
    #[must_use]
    pub fn send(&self, node: Option<Node>) -> u32 {
        self.channels() + node.map_or(self.nodes(), |node| node.min(self.nodes()))
    }

    /// Returns the channels that trigger a node: `branch:to:N`, then its joins.
    pub(super) fn triggers(&self, node: Node) -> &[Channel] {
        self.triggers.get(node as usize).map_or(&[], Vec::as_slice)
    }

    /// Returns the node that a channel triggers.
    pub(super) fn triggered(&self, channel: Channel) -> Option<Node> {
        let at = channel.checked_sub(self.start())?;
        match at {
            0 => Some(self.nodes()),
            1 => None,
            _ if at - 2 < self.nodes() => Some(at - 2),
            _ => Some(self.spec.joins.get((at - 2 - self.nodes()) as usize)?.to),
        }
    }

    /// Returns which join a channel is.
    pub(super) fn join_at(&self, channel: Channel) -> Option<usize> {
        let at = channel.checked_sub(self.join(0))? as usize;
        (at < self.spec.joins.len()).then_some(at)
    }

    /// Returns a node's place among those that a join waits for.
    pub(super) fn member(&self, node: Node, join: usize) -> Option<usize> {
        let joins = self.memberships.get(node as usize)?;
        let at = joins.binary_search_by_key(&join, |(join, _)| *join as usize).ok()?;
        joins.get(at).map(|(_, place)| *place as usize)
    }

    /// Returns a node's place in the order of names.
    pub(super) fn rank(&self, node: Node) -> u32 {
        self.spec.ranks.get(node as usize).copied().unwrap_or(u32::MAX)
    }

    pub(super) fn kind(&self, channel: Channel) -> Kind {
        if let Some(clears) = self.spec.fields.get(channel as usize) {
            return if *clears { Kind::Clearing } else { Kind::Field };
        }
        if self.join_at(channel).is_some() {
            return Kind::Join;
        }
        match self.triggered(channel) {
            None => Kind::Sends,
            Some(node) if self.spec.defer.get(node as usize) == Some(&true) => Kind::Deferred,
            Some(_) => Kind::Trigger,
        }
    }
}
