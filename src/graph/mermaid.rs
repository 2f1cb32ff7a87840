//! A graph as a drawing.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write;

use super::command::{END, START};
use super::compiled::Drawn;
use super::compiled_graph::Graph;
use crate::State;

struct Edge<'g> {
    source: &'g str,
    target: &'g str,
    is_conditional: bool,
}

impl<S: State> Graph<S> {
    /// Returns the graph as Mermaid's text, as LangGraph's `draw_mermaid` and the npm package's `drawMermaid`.
    /// A branch may lead anywhere: its arrows lead to all other nodes.
    ///
    /// ```
    /// use threadfold::State;
    /// use threadfold::graph::{Ctx, GraphError, START, StateGraph};
    ///
    /// #[derive(Debug, Clone, Default, State)]
    /// #[state(derive(Clone))]
    /// struct Count {
    ///     n: u32,
    /// }
    ///
    /// async fn add(count: &Count, _: Ctx) -> Result<CountUpdate, GraphError> {
    ///     Ok(CountUpdate { n: Some(count.n + 1) })
    /// }
    ///
    /// let graph = StateGraph::<Count>::new().node("add", add).edge(START, "add").compile()?;
    /// assert!(graph.draw_mermaid().contains("__start__ --> add;"));
    /// # Ok::<(), GraphError>(())
    /// ```
    #[must_use]
    pub fn draw_mermaid(&self) -> String {
        let nodes: Vec<&str> = self.0.nodes.iter().map(|node| &*node.name).collect();
        let edges = self.drawn_edges(&nodes);
        let has_end = edges.iter().any(|edge| edge.target == END);
        let mut all = vec![START];
        all.extend(nodes);
        all.extend(has_end.then_some(END));
        let first = only(&all, |node| edges.iter().any(|edge| edge.target == node));
        let last = only(&all, |node| edges.iter().any(|edge| edge.source == node));
        let mut text = "---\nconfig:\n  flowchart:\n    curve: linear\n---\ngraph TD;\n".to_owned();
        for node in all {
            let end = match Some(node) {
                own if own == last => "last",
                own if own == first => "first",
                _ => "",
            };
            let _ = match (escaped(node), self.label(node)) {
                (id, label) if end.is_empty() => writeln!(text, "\t{id}({label})"),
                (id, label) => writeln!(text, "\t{id}([{label}]):::{end}"),
            };
        }
        for Edge { source, target, is_conditional } in &edges {
            let arrow = if *is_conditional { "-.->" } else { "-->" };
            let _ = writeln!(text, "\t{} {arrow} {};", escaped(source), escaped(target));
        }
        text.push_str(
            "\tclassDef default fill:#f2f0ff,line-height:1.2;\n\tclassDef first fill-opacity:0;\n\tclassDef last fill:#bfb6fc;\n",
        );
        text
    }

    fn drawn_edges<'g>(&'g self, nodes: &[&'g str]) -> Vec<Edge<'g>> {
        let Drawn { edges, branches } = &self.0.drawn;
        let mut plain: Vec<_> = edges.iter().map(|(from, to)| (&**from, &**to)).collect();
        plain.sort_by_key(|(from, _)| *from);
        let plain = plain.into_iter();
        let mut drawn: Vec<Edge<'g>> =
            plain.map(|(source, target)| Edge { source, target, is_conditional: false }).collect();
        for source in branches {
            let others = nodes.iter().copied().filter(|node| node != source).chain([END]);
            drawn.extend(others.map(|target| Edge { source, target, is_conditional: true }));
        }
        // A node that an edge leads to and that leads nowhere is an end.
        let sources: HashSet<&str> = drawn.iter().map(|edge| edge.source).collect();
        let reached = drawn.iter().filter(|edge| !edge.is_conditional && edge.target != END);
        let reached: BTreeSet<&str> = reached.map(|edge| edge.target).collect();
        let ends = reached.into_iter().filter(|node| !sources.contains(node));
        let ends = ends.map(|source| Edge { source, target: END, is_conditional: false });
        let ends: Vec<_> = ends.collect();
        drawn.extend(ends);
        drawn
    }

    /// Returns a node's name, with the breakpoints at it.
    fn label(&self, node: &str) -> String {
        let is_marked =
            node.len() > 1 && node.starts_with(['*', '_', '`']) && node.ends_with(['*', '_', '`']);
        let name = if is_marked { format!("<p>{node}</p>") } else { node.to_owned() };
        let has =
            |nodes: &[u32]| self.0.numbers.get(node).is_some_and(|number| nodes.contains(number));
        let options = &self.0.options;
        let stops = match (has(&options.interrupt_before), has(&options.interrupt_after)) {
            (true, true) => "before,after",
            (true, false) => "before",
            (false, true) => "after",
            (false, false) => return name,
        };
        format!("{name}<hr/><small><em>__interrupt = {stops}</em></small>")
    }
}

/// Returns the one node that is not this way.
fn only<'n>(nodes: &[&'n str], has: impl Fn(&str) -> bool) -> Option<&'n str> {
    let mut found = nodes.iter().copied().filter(|node| !has(node));
    found.next().filter(|_| found.next().is_none())
}

/// Returns a name as Mermaid's id: other characters by their numbers.
fn escaped(name: &str) -> String {
    let mut id = String::with_capacity(name.len());
    for character in name.chars() {
        match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '-' => id.push(character),
            _ => {
                let _ = write!(id, "\\{:x}", u32::from(character));
            }
        }
    }
    id
}
