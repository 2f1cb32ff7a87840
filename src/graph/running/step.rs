//! One step of a run: its tasks run at once, and their results are merged when all have ended.

#![allow(clippy::cast_possible_truncation)] // As in builder.rs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::{Running, by_task};
use crate::State;
use crate::graph::checkpointer::{Finished, Pending};
use crate::graph::command::{Command, Target};
use crate::graph::compiled::{Compiled, write_of};
use crate::graph::error::{BoxError, GraphError};
use crate::graph::node::{Ctx, Interrupt, Interrupted, Shared};
use crate::graph::outcome::StepDone;
use crate::graph::planner::{Cause, Node, Status, Task};
use crate::graph::together::together;

/// The result of a task's node.
type Returned<S> = Result<Command<S>, BoxError>;

/// A step whose tasks are at work.
pub(super) struct OpenStep<S: State> {
    /// For each task, its pending results from an earlier run.
    kept: Vec<Option<Pending<S>>>,
    /// For each task, its result.
    returned: Arc<Mutex<Vec<Option<Returned<S>>>>>,
}

/// The outcome of a step's tasks.
struct Ended<S: State> {
    /// For each task, its result.
    done: Vec<Option<Finished<S>>>,
    /// The interrupts, each with its task's position.
    asked: Vec<(usize, Value)>,
    /// The first error.
    failed: Option<GraphError>,
}

impl<S> Running<'_, S>
where
    S: State + Send + Sync + 'static,
    S::Update: Clone + Send + Sync + 'static,
{
    /// Makes a step of the planner, which may be the start.
    pub(super) async fn step(&mut self) -> Result<Option<StepDone>, GraphError> {
        match self.status {
            Status::Tasks => {}
            Status::Limit => {
                return Err(GraphError::RecursionLimit(self.graph.options.recursion_limit));
            }
            _ => return self.failed.take().map_or(Ok(None), Err),
        }
        let (tasks, order, step) = {
            let shared = self.shared();
            (shared.run.tasks().to_vec(), shared.run.order().to_vec(), shared.run.step())
        };
        let start = self.graph.plan.nodes();
        let mut done = if tasks.first().is_some_and(|task| task.node == start) {
            let command = Command { update: self.input.take(), goto: Vec::new() };
            vec![Some(self.finished(start, command, true)?)]
        } else {
            let Some(done) = self.run_tasks(&tasks, step).await? else { return Ok(None) };
            done
        };
        self.sends.clear();
        self.writes.clear();
        for finished in &mut done {
            if let Some(finished) = finished {
                finished.writes.iter().for_each(|write| self.writes.push(*write));
            }
            self.writes.end();
        }
        let mut nodes = Vec::with_capacity(order.len());
        for at in &order {
            let at = *at as usize;
            let (Some(task), Some(Some(finished))) = (tasks.get(at), done.get_mut(at)) else {
                continue;
            };
            let name = self.name(task.node);
            if let Some(update) = finished.update.take() {
                self.merge(&name, update)?;
            }
            self.sends.append(&mut finished.sends);
            nodes.push(name);
        }
        self.pending.clear();
        let status =
            self.shared.lock().unwrap_or_else(PoisonError::into_inner).run.commit(&self.writes)?;
        self.status = status;
        self.put().await?;
        Ok(Some(StepDone { step, nodes }))
    }

    /// Runs the tasks that have not finished. Returns the results of all, or none at an interrupt.
    async fn run_tasks(
        &mut self,
        tasks: &[Task],
        step: i64,
    ) -> Result<Option<Vec<Option<Finished<S>>>>, GraphError> {
        if self.open.is_none() {
            self.open = Some(self.open_step(tasks));
        }
        let Some(open) = &self.open else { return Ok(None) };
        {
            let mut shared = self.shared();
            let Shared { run, answers, any, asked } = &mut *shared;
            asked.clear();
            asked.resize(answers.len(), None);
            run.set_answers(answers.iter().map(|own| own.len() as u32), any.is_some());
        }
        self.call_nodes(open, tasks, step).await;
        let Some(OpenStep { kept, returned }) = self.open.take() else { return Ok(None) };
        let results = std::mem::take(&mut *locked(&returned));
        let Ended { done, asked, failed } = self.ended(tasks, kept, results);
        if failed.is_none() && asked.is_empty() {
            return Ok(Some(done));
        }
        self.keep(tasks, done, asked, step);
        self.status = Status::Done;
        self.failed = failed;
        self.put().await?;
        self.failed.take().map_or(Ok(None), Err)
    }

    /// Calls the nodes of the tasks that have not finished, all at once, and stores what they return.
    async fn call_nodes(&self, open: &OpenStep<S>, tasks: &[Task], step: i64) {
        let OpenStep { kept, returned } = open;
        let mut futures = Vec::with_capacity(tasks.len());
        let mut ran = Vec::with_capacity(tasks.len());
        for (at, task) in tasks.iter().enumerate() {
            let was = kept.get(at).and_then(Option::as_ref);
            let is_finished = was.is_some_and(|kept| kept.finished.is_some())
                || locked(returned).get(at).is_some_and(Option::is_some);
            let Some(node) = self.graph.nodes.get(task.node as usize).filter(|_| !is_finished)
            else {
                continue;
            };
            let state = match task.cause {
                Cause::Push(index) => self.sends.get(index as usize).unwrap_or(&self.state),
                _ => &self.state,
            };
            let ctx =
                Ctx { shared: self.shared.clone(), task: at as u32, step, node: node.name.clone() };
            futures.push(node.function.call(state, ctx));
            ran.push(at);
        }
        let store = |at: usize, result| {
            let place = ran.get(at).copied().unwrap_or_default();
            if let Some(slot) = locked(returned).get_mut(place) {
                *slot = Some(result);
            }
        };
        together(futures, store).await;
    }

    /// Sorts what the nodes returned: results, interrupts, and the first error.
    fn ended(
        &mut self,
        tasks: &[Task],
        kept: Vec<Option<Pending<S>>>,
        results: Vec<Option<Returned<S>>>,
    ) -> Ended<S> {
        let is_alone = tasks.len() == 1;
        let mut done: Vec<Option<Finished<S>>> =
            kept.into_iter().map(|kept| kept.and_then(|kept| kept.finished)).collect();
        let (mut failed, mut asked) = (None, Vec::new());
        for (at, result) in results.into_iter().enumerate() {
            let (Some(task), Some(result)) = (tasks.get(at), result) else { continue };
            let ended = match result {
                Ok(command) => self.finished(task.node, command, is_alone),
                Err(error) => match error.downcast::<Interrupted>() {
                    Ok(question) => {
                        asked.push((at, question.value));
                        continue;
                    }
                    Err(error) => {
                        let question = self.shared().asked.get_mut(at).and_then(Option::take);
                        if let Some(question) = question.filter(|asked| asked.is_in(&*error)) {
                            asked.push((at, question.value));
                            continue;
                        }
                        Err(GraphError::Node { node: self.name(task.node).to_string(), error })
                    }
                },
            };
            match (ended, done.get_mut(at)) {
                (Ok(finished), Some(slot)) => *slot = Some(finished),
                (Err(error), _) => failed = failed.or(Some(error)),
                _ => {}
            }
        }
        Ended { done, asked, failed }
    }

    /// Begins a step: collects the earlier results of its tasks, and their answers.
    fn open_step(&mut self, tasks: &[Task]) -> OpenStep<S> {
        let mut left = by_task(std::mem::take(&mut self.pending));
        let kept: Vec<Option<Pending<S>>> =
            tasks.iter().map(|task| left.remove(&(task.node, task.cause))).collect();
        let answers = |kept: &Option<Pending<S>>| {
            kept.as_ref().map_or_else(Vec::new, |kept| kept.answers.clone())
        };
        self.shared().answers = kept.iter().map(answers).collect();
        let returned = Arc::new(Mutex::new(tasks.iter().map(|_| None).collect()));
        OpenStep { kept, returned }
    }

    /// Keeps the results of tasks in a step that did not end.
    fn keep(
        &mut self,
        tasks: &[Task],
        done: Vec<Option<Finished<S>>>,
        asked: Vec<(usize, Value)>,
        step: i64,
    ) {
        let answers = std::mem::take(&mut self.shared().answers);
        let mut pending: Vec<Pending<S>> = tasks
            .iter()
            .zip(done)
            .zip(answers)
            .map(|((task, finished), answers)| Pending {
                node: task.node,
                cause: task.cause,
                finished,
                answers,
                interrupt: None,
            })
            .collect();
        for (at, value) in asked {
            if let Some(pending) = pending.get_mut(at) {
                let node = self.name(pending.node).to_string();
                let cause = match pending.cause {
                    Cause::Push(index) => index.to_string(),
                    _ => String::new(),
                };
                let id = format!("{step}:{node}:{cause}:{}", pending.answers.len());
                pending.interrupt = Some(Interrupt { id, node, value });
            }
        }
        self.pending = pending;
    }

    /// Returns the results of a task: its update, and the targets of its command, its edges and its
    /// branches. The branches of one that runs alone see the graph's own state with its update
    /// merged. Those of others see a copy.
    fn finished(
        &mut self,
        node: Node,
        command: Command<S>,
        is_alone: bool,
    ) -> Result<Finished<S>, GraphError> {
        let graph = self.graph;
        let mut finished =
            Finished { update: command.update, writes: Vec::new(), sends: Vec::new() };
        finished.go(graph, command.goto)?;
        finished.writes.extend(graph.writes.get(node as usize).into_iter().flatten());
        let branches = graph.branches.get(node as usize).map_or(&[][..], Vec::as_slice);
        // A merge that nothing can fail after needs no copy.
        let is_last = is_alone && (branches.is_empty() || self.thread.is_none());
        if is_last && let Some(update) = finished.update.take() {
            self.merge(&self.name(node), update)?;
        }
        let copy = if branches.is_empty() { None } else { finished.update.clone() };
        let folded =
            match copy {
                None => None,
                Some(update) => Some(self.state.clone().merge(update).map_err(|error| {
                    GraphError::Merge { node: self.name(node).to_string(), error }
                })?),
            };
        for branch in branches {
            finished.go(graph, branch(folded.as_ref().unwrap_or(&self.state)))?;
        }
        Ok(finished)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<S: State> Finished<S> {
    /// Adds where to go.
    fn go(&mut self, graph: &Compiled<S>, targets: Vec<Target<S>>) -> Result<(), GraphError> {
        for target in targets {
            self.writes.extend(write_of(&target, &graph.numbers, &graph.plan)?);
            if let Target::Send(_, state) = target {
                self.sends.push(state);
            }
        }
        Ok(())
    }
}
