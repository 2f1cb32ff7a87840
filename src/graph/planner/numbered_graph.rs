//! A compiled graph in numbers.
//!
//! Nodes are `0 … n-1` in order of insertion; `__start__` is node `n`. Channels are numbered: fields
//! first, then `__start__`, `__pregel_tasks`, `branch:to:N` of each node, then the joins.

#![allow(clippy::cast_possible_truncation)] // `Plan::new` refuses what does not fit.

use super::misfit::Misfit;
use super::order::{high, key, low, sorted};
use super::writes::Writes;

/// A node's number.
pub type Node = u32;
/// A channel's number.
pub type Channel = u32;

/// The most fields, nodes, joins and members of joins together. A larger graph is invalid.
const MOST: usize = 1 << 24;

/// A list edge: its target runs when all of `from` have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Join {
    /// The nodes that it waits for; a node may be `__start__`.
    pub from: Vec<Node>,
    /// The node that it triggers.
    pub to: Node,
}

/// The specification of a [`Plan`].
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

/// How long a channel keeps its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Until it is written again.
    Field,
    /// For a step: a field that clears, `__start__`, `branch:to:N`, `__pregel_tasks`.
    Passing,
    /// Until it has triggered: `branch:to:N` of a deferred node.
    Deferred,
    /// Until it has triggered: a list edge.
    Join,
}

/// A channel, as far as it does not change.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub kind: Kind,
    /// The node that it triggers, or an invalid number.
    pub to: Node,
    /// Whether only the end of everything else frees it.
    pub waits: bool,
    /// How many a join waits for.
    pub members: u32,
}

/// No node.
const NOBODY: Node = u32::MAX;

/// The channels, nodes and triggers of a graph: all that does not change while it runs.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    pub(super) lines: Vec<Line>,
    pub(super) python: bool,
    fields: u32,
    nodes: u32,
    ranks: Vec<u32>,
    /// The joins of each target, and the members of joins: pairs of a node and a join, sorted.
    targets: Vec<u64>,
    members: Vec<u64>,
    /// The writes of a run's input.
    pub(super) input: Writes,
}

impl Plan {
    /// Makes the plan of a graph.
    ///
    /// # Errors
    /// [`Misfit`] if a number names no node, or `ranks` does not order the nodes.
    pub fn new(spec: &PlanSpec) -> Result<Self, Misfit> {
        let (fields, nodes) = (spec.fields.len(), spec.defer.len());
        let members: usize = spec.joins.iter().map(|join| join.from.len().max(1)).sum();
        if fields.saturating_add(nodes).saturating_add(members) > MOST {
            return Err(Misfit::new("graph", "smaller"));
        }
        let ranks = sorted(spec.ranks.iter().map(|rank| u64::from(*rank)));
        if ranks.len() != nodes + 1 || !ranks.iter().copied().eq(0..=nodes as u64) {
            return Err(Misfit::new("ranks", "each place once"));
        }
        let mut plan = Self {
            python: spec.python,
            fields: fields as u32,
            nodes: nodes as u32,
            ranks: spec.ranks.clone(),
            ..Self::default()
        };
        let line = |kind, to| Line { kind, to, waits: kind == Kind::Deferred, members: 0 };
        let field = |clears: &bool| if *clears { Kind::Passing } else { Kind::Field };
        let lines = &mut plan.lines;
        lines.extend(spec.fields.iter().map(|clears| line(field(clears), NOBODY)));
        lines.push(line(Kind::Passing, plan.nodes));
        lines.push(line(Kind::Passing, NOBODY));
        let branch = |defer: &bool| if *defer { Kind::Deferred } else { Kind::Passing };
        lines.extend((0..).zip(&spec.defer).map(|(node, defer)| line(branch(defer), node)));
        let (mut targets, mut all) = (Vec::new(), Vec::new());
        for (at, join) in (0..).zip(&spec.joins) {
            let mut own = sorted(join.from.iter().map(|from| key(*from, at)));
            own.dedup();
            let misfits = own.last().is_none_or(|member| high(*member) > plan.nodes);
            let Some(waits) = spec.defer.get(join.to as usize).filter(|_| !misfits) else {
                return Err(Misfit::new("join", "from nodes, to a node"));
            };
            lines.push(Line {
                kind: Kind::Join,
                to: join.to,
                waits: *waits,
                members: own.len() as u32,
            });
            all.extend(own);
            targets.push(key(join.to, at));
        }
        plan.input.push(plan.start());
        plan.input.end();
        plan.targets = sorted(targets.into_iter());
        plan.members = sorted(all.into_iter());
        Ok(plan)
    }

    /// Returns the number of nodes, `__start__` not counted; it is that number itself.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// Returns the number of channels.
    #[must_use]
    pub fn channels(&self) -> u32 {
        self.lines.len() as u32
    }

    /// Returns the channel `__start__`.
    #[must_use]
    pub fn start(&self) -> Channel {
        self.fields
    }

    /// Returns the channel `__pregel_tasks`.
    #[must_use]
    pub fn sends(&self) -> Channel {
        self.fields + 1
    }

    /// Returns the channel `branch:to:N`.
    #[must_use]
    pub fn branch(&self, node: Node) -> Channel {
        (self.fields + 2).saturating_add(node)
    }

    /// Returns the channel of a list edge.
    #[must_use]
    pub fn join(&self, index: u32) -> Channel {
        self.branch(self.nodes).saturating_add(index)
    }

    /// Returns the write of a Send to a node; `None` is a node that the graph does not have.
    #[must_use]
    pub fn send(&self, node: Option<Node>) -> u32 {
        self.channels() + node.map_or(self.nodes, |node| node.min(self.nodes))
    }

    /// Returns the channels that trigger a node: `branch:to:N`, then its joins.
    pub(super) fn triggers(&self, node: Node) -> impl Iterator<Item = Channel> {
        (0..).map_while(move |at| self.trigger_at(node, at))
    }

    fn trigger_at(&self, node: Node, at: usize) -> Option<Channel> {
        let Some(join) = at.checked_sub(1) else {
            return Some(if node == self.nodes { self.start() } else { self.branch(node) });
        };
        let from = self.targets.partition_point(|pair| high(*pair) < node);
        let pair =
            self.targets.get(from.saturating_add(join)).filter(|pair| high(**pair) == node)?;
        Some(self.join(low(*pair)))
    }

    /// Returns the place of a node among all members of joins, if it is one of this join.
    pub(super) fn member(&self, node: Node, channel: Channel) -> Option<usize> {
        let join = channel.checked_sub(self.join(0))?;
        self.members.binary_search(&key(node, join)).ok()
    }

    /// Returns the number of all members of joins.
    pub(super) fn members(&self) -> usize {
        self.members.len()
    }

    /// Returns a node's place in the order of names.
    pub(super) fn rank(&self, node: Node) -> u32 {
        self.ranks.get(node as usize).copied().unwrap_or(u32::MAX)
    }
}
