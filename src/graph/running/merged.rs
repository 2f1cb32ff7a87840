//! The end of a step: its tasks' edges, branches and updates.

#![allow(clippy::cast_possible_truncation)] // As in compile.rs.

use super::Running;
use crate::graph::caught::caught;
use crate::graph::checkpoint::Finished;
use crate::graph::command::Target;
use crate::graph::compiled::{Compiled, write_of};
use crate::graph::error::GraphError;
use crate::graph::planner::{Node, Task};
use crate::{Error, State};

/// Where a task goes: the numbers of channels, and the states of Sends.
pub(super) struct Route<S> {
    pub writes: Vec<u32>,
    pub sends: Vec<S>,
}

impl<S> Route<S> {
    pub(super) fn new() -> Self {
        Self { writes: Vec::new(), sends: Vec::new() }
    }

    /// Adds where to go.
    pub(super) fn go(
        &mut self,
        graph: &Compiled<impl State>,
        targets: Vec<Target<S>>,
    ) -> Result<(), GraphError> {
        for target in targets {
            self.writes.extend(write_of(&target, &graph.numbers, &graph.plan)?);
            if let Target::Send(_, state) = target {
                self.sends.push(state);
            }
        }
        Ok(())
    }
}

impl<S> Running<'_, S>
where
    S: State + Send + Sync + 'static,
    S::Update: Clone + Send + Sync + 'static,
{
    /// Merges the updates of finished tasks, in order, and returns where each task goes by its edges
    /// and branches.
    ///
    /// # Errors
    /// On a thread, the state is then as before. `done` lacks only the node whose update cannot be
    /// merged: it runs again.
    pub(super) fn merged(
        &mut self,
        tasks: &[Task],
        order: &[u32],
        done: &mut [Option<Finished<S>>],
    ) -> Result<Vec<Route<S>>, GraphError> {
        let is_last = |task: &Task| self.branches(task.node).is_empty();
        let is_alone = tasks.len() == 1;
        // A merge that nothing can fail after needs no copy.
        let can_undo = self.thread.is_some() && !(is_alone && tasks.iter().all(is_last));
        let before = can_undo.then(|| self.state.clone());
        let result = if is_alone {
            // Its branches see the state itself.
            self.merge_all(tasks, order, done).and_then(|()| self.routes(tasks, done, true))
        } else {
            self.routes(tasks, done, false).and_then(|routes| {
                self.merge_all(tasks, order, done)?;
                Ok(routes)
            })
        };
        if let (true, Some(before)) = (result.is_err(), before) {
            self.state = before;
            self.is_torn = false;
        }
        result
    }

    /// Merges the updates, in order. On a thread, `done` keeps them.
    fn merge_all(
        &mut self,
        tasks: &[Task],
        order: &[u32],
        done: &mut [Option<Finished<S>>],
    ) -> Result<(), GraphError> {
        for at in order {
            let at = *at as usize;
            let (Some(task), Some(slot)) = (tasks.get(at), done.get_mut(at)) else { continue };
            let Some(Finished { updates, .. }) = slot else { continue };
            let keeps = self.thread.is_some();
            let updates = if keeps { updates.clone() } else { std::mem::take(updates) };
            for update in updates {
                if let Err(error) = self.merge(&self.name(task.node), update) {
                    *slot = None;
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Returns where each task goes by its edges and branches, unless they have been asked. A branch
    /// sees the state with the updates of its own node: if others ran beside it, in a copy.
    fn routes(
        &self,
        tasks: &[Task],
        done: &mut [Option<Finished<S>>],
        is_alone: bool,
    ) -> Result<Vec<Route<S>>, GraphError> {
        tasks.iter().zip(done).map(|(task, slot)| self.route(task.node, slot, is_alone)).collect()
    }

    fn route(
        &self,
        node: Node,
        slot: &mut Option<Finished<S>>,
        is_alone: bool,
    ) -> Result<Route<S>, GraphError> {
        let mut route = Route::new();
        if slot.as_ref().is_some_and(|finished| finished.edges.is_some()) {
            return Ok(route);
        }
        route.writes.extend(self.graph.writes.get(node as usize).into_iter().flatten());
        let branches = self.branches(node);
        let copy = if is_alone || branches.is_empty() { None } else { self.seen(node, slot)? };
        for branch in branches {
            let targets = caught(|| branch.targets(copy.as_ref().unwrap_or(&self.state)));
            let targets = targets.map_err(|panicked| {
                let (node, error) = (self.name(node).to_string(), panicked.into());
                GraphError::Node { node, error }
            })?;
            route.go(self.graph, targets)?;
        }
        Ok(route)
    }

    /// Asks the edges and branches of finished tasks, for a checkpoint within their step. A branch that
    /// names no node is asked again when the step ends.
    pub(super) fn route_finished(&self, tasks: &[Task], done: &mut [Option<Finished<S>>]) {
        for (task, slot) in tasks.iter().zip(done) {
            let Ok(route) = self.route(task.node, slot, false) else { continue };
            if let Some(finished) = slot {
                self.add_route(task.node, finished, route);
            }
        }
    }

    /// Adds where a finished task goes, unless that is known.
    pub(super) fn add_route(&self, node: Node, finished: &mut Finished<S>, mut route: Route<S>) {
        if finished.edges.is_some() {
            return;
        }
        let from = finished.writes.len();
        let edges = self.graph.writes.get(node as usize).map_or(0, Vec::len);
        finished.edges = Some(from as u32..(from + edges) as u32);
        finished.writes.append(&mut route.writes);
        finished.sends.append(&mut route.sends);
    }

    /// Returns the state that a finished node's branches see, if it has an update.
    fn seen(&self, node: Node, slot: &mut Option<Finished<S>>) -> Result<Option<S>, GraphError> {
        let updates = slot.as_ref().map(|finished| finished.updates.as_slice()).unwrap_or_default();
        if updates.is_empty() {
            return Ok(None);
        }
        let merge = || updates.iter().cloned().try_fold(self.state.clone(), S::try_merge);
        let merged = caught(merge).unwrap_or_else(|panicked| Err(Error::reducer(panicked)));
        match merged {
            Ok(seen) => Ok(Some(seen)),
            Err(error) => {
                *slot = None;
                Err(GraphError::Merge { node: self.name(node).to_string(), error })
            }
        }
    }

    fn branches(&self, node: Node) -> &[crate::graph::compiled::Branch<S>] {
        self.graph.branches.get(node as usize).map_or(&[], Vec::as_slice)
    }
}
