//! An update of a thread's state from outside, as a node makes it.

use super::{Running, identified};
use crate::State;
use crate::graph::checkpoint::{Finished, Source};
use crate::graph::command::START;
use crate::graph::error::GraphError;
use crate::graph::outcome::Outcome;
use crate::graph::planner::{By, Cause, Node, Task};
use crate::graph::thread_at::ThreadAt;

impl<'g, S> Running<'g, S>
where
    S: State + Default + Send + Sync + 'static,
    S::Update: Clone + Send + Sync + 'static,
{
    /// Merges an update as a node does, and saves the thread without running it.
    pub(in crate::graph) async fn updated(
        thread_at: &ThreadAt<'g, S>,
        mut update: S::Update,
        as_node: Option<&str>,
    ) -> Result<Outcome<S>, GraphError> {
        let (mut running, _) = Self::opened(thread_at).await?;
        running.end_finished()?;
        let node = running.writer(as_node)?;
        identified::<S>(&running.name(node), &mut update)?;
        let task = Task::new(node, Cause::Pull);
        let finished = Finished::new(Some(update));
        running.end_tasks(&[task], vec![Some(finished)], &[By::Node(node)])?;
        running.pending.clear();
        running.input = None;
        running.shared().run.advance();
        running.save(Source::Update, Ok(None)).await?;
        running.outcome()
    }

    /// Returns the node that an update is of.
    fn writer(&self, as_node: Option<&str>) -> Result<Node, GraphError> {
        match as_node {
            Some(START) => Ok(self.graph.plan.nodes()),
            Some(name) => {
                let number = self.graph.numbers.get(name).copied();
                number.ok_or_else(|| GraphError::UnknownNode(name.to_owned()))
            }
            None => self.shared().run.last_node().ok_or(GraphError::AmbiguousNode),
        }
    }

    /// Ends the finished tasks of a step that did not end.
    fn end_finished(&mut self) -> Result<(), GraphError> {
        let (tasks, order) = {
            let run = &mut self.shared().run;
            run.peek();
            (run.tasks().to_vec(), run.order().to_vec())
        };
        let mut left = super::by_task(std::mem::take(&mut self.pending));
        let (mut ended, mut done, mut by) = (Vec::new(), Vec::new(), Vec::new());
        for at in order {
            let Some(task) = tasks.get(at as usize) else { continue };
            let pending = left.remove(&(task.node, task.cause));
            if let Some(finished) = pending.and_then(|pending| pending.finished) {
                ended.push(*task);
                done.push(Some(finished));
                by.push(By::Task(at));
            }
        }
        if ended.is_empty() { Ok(()) } else { self.end_tasks(&ended, done, &by) }
    }

    /// Merges what tasks wrote and applies their writes, as a step of its own.
    fn end_tasks(
        &mut self,
        tasks: &[Task],
        mut done: Vec<Option<Finished<S>>>,
        by: &[By],
    ) -> Result<(), GraphError> {
        let order: Vec<u32> = (0..).take(tasks.len()).collect();
        let routes = self.merged(tasks, &order, &mut done)?;
        self.take_writes(tasks, &order, done, routes, Vec::new());
        let writes = std::mem::take(&mut self.writes);
        self.shared().run.apply(by, &writes)?;
        Ok(())
    }
}
