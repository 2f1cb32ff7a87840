//! A checkpoint in the numbers of another graph, so that a changed graph can continue it.

use std::collections::HashMap;

use super::checkpoint::{Delta, Finished, Pending};
use super::names::{BETWEEN, Names};
use super::planner::{Channel, ChannelState, Node, PlanState};
use crate::State;

impl Names {
    /// Returns a checkpoint's delta in this graph's numbers. It leaves out nodes and channels that
    /// this graph lacks, as LangGraph does.
    pub(super) fn read<S: State>(&self, delta: Delta<S>) -> Delta<S> {
        if *delta.names == *self {
            return delta;
        }
        let numbers = Numbers::between(&delta.names, self);
        let pending = delta.pending.into_iter().filter_map(|one| numbers.pending(one)).collect();
        let held = delta.held.into_iter().filter_map(|(channel, node)| {
            let node = match node {
                Some(node) => Some(numbers.node(node)?),
                None => None,
            };
            Some((numbers.channel(channel)?, node))
        });
        let (held, ended) = (held.collect(), std::sync::Arc::default());
        let names = std::sync::Arc::new(self.clone());
        Delta { plan: numbers.plan(delta.plan), pending, names, held, ended, ..delta }
    }
}

/// Returns a list edge's name with its nodes in order: they may be named in any.
fn sorted(join: &str) -> String {
    let Some((from, to)) = join.strip_prefix("join:").and_then(|rest| rest.rsplit_once(':')) else {
        return join.to_owned();
    };
    let mut from: Vec<_> = from.split('+').collect();
    from.sort_unstable();
    format!("join:{}:{to}", from.join("+"))
}

/// The numbers of one graph in another: none for nodes and channels that it lacks.
struct Numbers {
    nodes: Vec<Option<usize>>,
    channels: Vec<Option<usize>>,
    /// How many nodes and channels the other graph has.
    to: (usize, usize),
}

#[allow(clippy::cast_possible_truncation)] // `Plan::new` refuses graphs that are too large.
impl Numbers {
    fn between(from: &Names, to: &Names) -> Self {
        let places = |names: &[String], offset: usize| -> HashMap<String, usize> {
            names.iter().cloned().zip(offset..).collect()
        };
        let count = to.nodes.len();
        let first = to.fields.len() + BETWEEN;
        let of = |joins: &[String]| joins.iter().map(|join| sorted(join)).collect::<Vec<_>>();
        let (nodes, joins) = (places(&to.nodes, 0), places(&of(&to.joins), first + count));
        let fields = places(&to.fields, 0);
        let own: Vec<_> = from.nodes.iter().map(|name| nodes.get(name).copied()).collect();
        let of_fields = from.fields.iter().map(|name| fields.get(name).copied());
        let between = (to.fields.len()..first).map(Some);
        let of_nodes = own.iter().map(|node| node.map(|node| first + node));
        let of_joins = from.joins.iter().map(|name| joins.get(&sorted(name)).copied());
        let channels = of_fields.chain(between).chain(of_nodes).chain(of_joins).collect();
        // The start's number follows those of the nodes.
        let nodes = own.into_iter().chain([Some(count)]).collect();
        Self { nodes, channels, to: (count, to.channels()) }
    }

    fn node(&self, node: Node) -> Option<Node> {
        self.nodes.get(node as usize).copied().flatten().map(|node| node as Node)
    }

    fn channel(&self, channel: Channel) -> Option<Channel> {
        self.channels.get(channel as usize).copied().flatten().map(|channel| channel as Channel)
    }

    /// A Send is written as a number after the channels; one to a node that is gone goes nowhere.
    fn write(&self, write: u32) -> Option<u32> {
        let (nodes, channels) = self.to;
        match (write as usize).checked_sub(self.channels.len()) {
            None => self.channel(write),
            Some(node) => Some(
                (channels + self.node(node as Node).map_or(nodes, |node| node as usize)) as u32,
            ),
        }
    }

    fn plan(&self, mut plan: PlanState) -> PlanState {
        let mut channels = vec![ChannelState::default(); self.to.1];
        for (own, place) in plan.channels.iter().zip(&self.channels) {
            if let Some(channel) = place.and_then(|place| channels.get_mut(place)) {
                *channel = *own;
            }
        }
        let arrived = plan.arrived.iter();
        plan.arrived = arrived
            .filter_map(|(channel, node)| Some((self.channel(*channel)?, self.node(*node)?)))
            .collect();
        for node in &mut plan.sends {
            *node = self.node(*node).unwrap_or(Node::MAX);
        }
        plan.channels = channels;
        plan
    }

    fn pending<S: State>(&self, pending: Pending<S>) -> Option<Pending<S>> {
        let node = self.node(pending.node)?;
        let trigger = self.channel(pending.trigger).unwrap_or(Channel::MAX);
        let finished = pending.finished.map(|finished| self.finished(finished));
        Some(Pending { node, trigger, finished, ..pending })
    }

    /// A write that leads nowhere is left out: the places of the edges' follow.
    fn finished<S: State>(&self, finished: Finished<S>) -> Finished<S> {
        let writes: Vec<_> = finished.writes.iter().map(|write| self.write(*write)).collect();
        let kept = |end: u32| writes.iter().take(end as usize).flatten().count() as u32;
        let edges = finished.edges.as_ref().map(|edges| kept(edges.start)..kept(edges.end));
        Finished { edges, writes: writes.into_iter().flatten().collect(), ..finished }
    }
}
