//! The end of a step: its tasks' edges, branches and updates.

use super::Running;
use crate::State;
use crate::graph::checkpoint::Finished;
use crate::graph::command::Target;
use crate::graph::compiled::{Compiled, write_of};
use crate::graph::error::GraphError;
use crate::graph::planner::{Node, Task};

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
            self.merge_all(tasks, order, done).and_then(|()| self.routes(tasks, None))
        } else {
            self.routes(tasks, Some(done)).and_then(|routes| {
                self.merge_all(tasks, order, done)?;
                Ok(routes)
            })
        };
        if let (true, Some(before)) = (result.is_err(), before) {
            self.state = before;
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
            let Some(Finished { update, .. }) = slot else { continue };
            let keeps = self.thread.is_some();
            let update = if keeps { update.clone() } else { update.take() };
            let Some(update) = update else { continue };
            if let Err(error) = self.merge(&self.name(task.node), update) {
                *slot = None;
                return Err(error);
            }
        }
        Ok(())
    }

    /// Returns where each task goes by its edges and branches. A branch sees the state with the
    /// update of its own node: with `done`, it merges that into a copy.
    fn routes(
        &self,
        tasks: &[Task],
        mut done: Option<&mut [Option<Finished<S>>]>,
    ) -> Result<Vec<Route<S>>, GraphError> {
        let mut routes = Vec::with_capacity(tasks.len());
        for (at, Task { node, .. }) in tasks.iter().enumerate() {
            let mut route = Route::new();
            route.writes.extend(self.graph.writes.get(*node as usize).into_iter().flatten());
            let branches = self.branches(*node);
            let slot = done.as_mut().and_then(|done| done.get_mut(at));
            let copy = match slot {
                Some(slot) if !branches.is_empty() => self.seen(*node, slot)?,
                _ => None,
            };
            for branch in branches {
                route.go(self.graph, branch.targets(copy.as_ref().unwrap_or(&self.state)))?;
            }
            routes.push(route);
        }
        Ok(routes)
    }

    /// Returns the state that a finished node's branches see, if it has an update.
    fn seen(&self, node: Node, slot: &mut Option<Finished<S>>) -> Result<Option<S>, GraphError> {
        let update = slot.as_ref().and_then(|finished| finished.update.clone());
        let Some(update) = update else { return Ok(None) };
        match self.state.clone().try_merge(update) {
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
