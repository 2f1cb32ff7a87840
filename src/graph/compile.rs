//! Compiling a graph: its names become the planner's numbers.

#![allow(clippy::cast_possible_truncation)] // The planner refuses graphs that are so large.

use std::collections::HashMap;
use std::sync::Arc;

use super::attempts::AttemptedNode;
use super::builder::StateGraph;
use super::command::{END, START};
use super::compiled::{Branch, Compiled, Drawn};
use super::compiled_graph::Graph;
use super::error::GraphError;
use super::graph_state::GraphState;
use super::names::Names;
use super::planner::{Join, Node, Options, Plan, PlanSpec};

impl<S: GraphState> StateGraph<S> {
    /// Compiles the graph.
    ///
    /// # Errors
    /// [`GraphError::InvalidName`], [`GraphError::UnknownNode`], [`GraphError::NoStart`],
    /// [`GraphError::EmptyJoin`], [`GraphError::NoTimer`], [`GraphError::Checkpointer`] if the state lacks a field of its options.
    pub fn compile(mut self) -> Result<Graph<S>, GraphError> {
        self.add_attempt_rules()?;
        if let Some(saver) = &self.saver {
            saver.check().map_err(GraphError::Checkpointer)?;
        }
        let count = self.nodes.len() as u32;
        let mut numbers: HashMap<&str, Node> = HashMap::from([(START, count)]);
        for (at, node) in (0..).zip(&self.nodes) {
            let is_reserved = node.name.contains(['|', ':']) || &*node.name == END;
            if is_reserved || numbers.insert(&node.name, at).is_some() {
                return Err(GraphError::InvalidName(node.name.to_string()));
            }
        }
        let number = |name: &String| {
            numbers.get(name.as_str()).copied().ok_or_else(|| GraphError::UnknownNode(name.clone()))
        };
        // Nothing goes to the start.
        let target = |name: &String| {
            number(name).and_then(|node| {
                if node < count { Ok(node) } else { Err(GraphError::UnknownNode(name.clone())) }
            })
        };
        let listed = |names: &[String]| names.iter().map(target).collect::<Result<Vec<_>, _>>();
        let mut names: Vec<_> = numbers.iter().collect();
        names.sort_unstable();
        let mut ranks = vec![0; names.len()];
        for (rank, (_, node)) in (0..).zip(&names) {
            if let Some(own) = ranks.get_mut(**node as usize) {
                *own = rank;
            }
        }
        let deferred = listed(&self.defer)?;
        let fields = S::fields();
        let mut spec = PlanSpec {
            fields: vec![false; fields.len()],
            defer: (0..count).map(|node| deferred.contains(&node)).collect(),
            ranks,
            ..PlanSpec::default()
        };
        if !self.has_start() {
            return Err(GraphError::NoStart);
        }
        for (from, to) in &self.joins {
            if from.is_empty() {
                return Err(GraphError::EmptyJoin(to.clone()));
            }
            let from = from.iter().map(number).collect::<Result<_, _>>()?;
            spec.joins.push(Join { from, to: target(to)? });
        }
        let plan = Plan::new(&spec)?;
        let mut writes = vec![Vec::new(); self.nodes.len() + 1];
        let mut branches: Vec<Vec<Branch<S>>> = vec![Vec::new(); self.nodes.len() + 1];
        for (from, to) in &self.edges {
            let from = number(from)?;
            if to != END
                && let Some(writes) = writes.get_mut(from as usize)
            {
                writes.push(plan.branch(target(to)?));
            }
        }
        for (at, join) in (0..).zip(&spec.joins) {
            for from in &join.from {
                if let Some(writes) = writes.get_mut(*from as usize) {
                    writes.push(plan.join(at));
                }
            }
        }
        for (from, branch) in &self.branches {
            if let Some(own) = branches.get_mut(number(from)? as usize) {
                own.push(branch.clone());
            }
        }
        let drawn = self.drawn();
        let options = Options {
            recursion_limit: self.limit,
            interrupt_before: listed(&self.before)?,
            interrupt_after: listed(&self.after)?,
        };
        let numbers = numbers.into_iter().map(|(name, node)| (name.to_owned(), node)).collect();
        let field = |field: &crate::typed::StateField| field.name.unwrap_or_default().to_owned();
        let names = Names {
            fields: fields.iter().map(field).collect(),
            nodes: self.nodes.iter().map(|node| node.name.to_string()).collect(),
            joins: self.joins.iter().map(|(from, to)| join_name(from, to)).collect(),
            deferred,
        };
        Ok(Graph(Compiled {
            nodes: self.nodes,
            numbers,
            names: Arc::new(names),
            plan: Arc::new(plan),
            writes,
            branches,
            options,
            drawn,
            saver: self.saver,
        }))
    }

    /// Whether something leads from the start.
    fn has_start(&self) -> bool {
        self.edges.iter().any(|(from, _)| from == START)
            || self.branches.iter().any(|(from, _)| from == START)
            || self.joins.iter().any(|(from, _)| from.iter().any(|from| from == START))
    }

    /// Returns the edges to draw.
    fn drawn(&self) -> Drawn {
        let joins = self.joins.iter();
        let joined =
            joins.flat_map(|(from, to)| from.iter().map(|from| (from.clone(), to.clone())));
        Drawn {
            edges: self.edges.iter().cloned().chain(joined).collect(),
            branches: self.branches.iter().map(|(from, _)| from.clone()).collect(),
        }
    }

    /// Gives the nodes the rules of their attempts.
    fn add_attempt_rules(&mut self) -> Result<(), GraphError> {
        let mut by_name = std::mem::take(&mut self.attempts);
        for node in &mut self.nodes {
            let Some(rules) = by_name.remove(&*node.name) else { continue };
            if rules.waits() && self.timer.is_none() {
                return Err(GraphError::NoTimer(node.name.to_string()));
            }
            let (function, timer) = (node.function.clone(), self.timer.clone());
            node.function = Arc::new(AttemptedNode { node: function, rules, timer });
        }
        by_name.into_keys().min().map_or(Ok(()), |name| Err(GraphError::UnknownNode(name)))
    }
}

/// The channel of a list edge.
fn join_name(from: &[String], to: &str) -> String {
    format!("join:{}:{to}", from.join("+"))
}
