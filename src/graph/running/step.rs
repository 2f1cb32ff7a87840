//! One step of a run: its tasks run at once, and their results are merged when all have ended.

#![allow(clippy::cast_possible_truncation)] // As in compile.rs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::halted::unmerged;
use super::merged::Route;
use super::save_checkpoint::{Stepped, step_of};
use super::{Running, by_task};
use crate::State;
use crate::graph::caught::{caught, caught_saving};
use crate::graph::checkpoint::{Ended, Finished, Pending, Source, TaskError};
use crate::graph::command::Command;
use crate::graph::ctx::{Ctx, Shared};
use crate::graph::error::{BoxError, GraphError};
use crate::graph::ids::PlannedTask;
use crate::graph::interrupt::{Answered, Interrupt, Interrupted, Question};
use crate::graph::outcome::StepDone;
use crate::graph::planner::{Cause, Status, Task};
use crate::graph::step_memo::FinishedUpdate;
use crate::graph::together::together;

/// The result of a task's node.
pub(super) type Returned<S> = Result<Command<S>, BoxError>;

/// A step whose tasks are at work.
pub(super) struct OpenStep<S: State> {
    /// For each task, its pending results from an earlier run.
    kept: Vec<Option<Pending<S>>>,
    /// For each task, its result.
    returned: Arc<Mutex<Vec<Option<Returned<S>>>>>,
}

/// The outcome of a step's tasks.
pub(super) struct Results<S: State> {
    /// For each task, its result.
    pub done: Vec<Option<Finished<S>>>,
    /// The interrupts, each with its task's position.
    pub asked: Vec<(usize, Question)>,
    /// The first error.
    pub failed: Option<GraphError>,
    /// For each task, its error.
    pub errors: Vec<Option<TaskError>>,
    /// For each task, its last interrupt of an earlier run, and whether it was answered.
    pub before: Vec<Option<(Interrupt, bool)>>,
}

impl<S: State> Default for Results<S> {
    fn default() -> Self {
        let (done, asked, errors, before) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { done, asked, failed: None, errors, before }
    }
}

impl<S> Running<'_, S>
where
    S: State + Send + Sync + 'static,
    S::Update: Clone + Send + Sync + 'static,
{
    /// Makes a step of the planner, which may be the start.
    pub(super) async fn step(&mut self) -> Stepped {
        if let Some(stepped) = self.saved().await {
            return stepped;
        }
        match self.status {
            Status::Tasks => {}
            Status::Limit => {
                let error = GraphError::RecursionLimit(self.graph.options.recursion_limit);
                let reason = TaskError::Failed(error.to_string());
                return self.halted(&reason, Err(error)).await;
            }
            _ => return Ok(None),
        }
        let (tasks, order, step) = {
            let shared = self.shared();
            (shared.run.tasks().to_vec(), shared.run.order().to_vec(), shared.run.step())
        };
        let start = self.graph.plan.nodes();
        let is_start = tasks.first().is_some_and(|task| task.node == start);
        let Results { mut done, asked, failed, mut errors, before } = if is_start {
            // A thread keeps it until it is merged.
            let keeps = self.thread.is_some();
            let input = if keeps { self.input.clone() } else { self.input.take() };
            let input = Finished::new(input);
            Results { done: vec![Some(input)], ..Results::default() }
        } else {
            self.run_tasks(&tasks, step).await
        };
        // Without a thread, the merge consumes the updates.
        let is_news = done.iter().flatten().any(|finished| !finished.updates.is_empty());
        let mut is_unmerged = false;
        let then = match failed {
            None if asked.is_empty() => match self.merged(&tasks, &order, &mut done) {
                Ok(routes) => {
                    self.input = None;
                    let stepped = self.commit(&tasks, &order, step, done, routes).await;
                    if is_news && stepped.is_ok() {
                        self.show();
                    }
                    return stepped;
                }
                Err(error) => {
                    self.status = Status::Done;
                    self.mend().await?;
                    is_unmerged = true;
                    Err(error)
                }
            },
            None => Ok(None),
            Some(error) => Err(error),
        };
        self.route_finished(&tasks, &mut done);
        if let (true, Err(error)) = (is_unmerged, &then) {
            errors = unmerged(&done, error);
        }
        self.keep(&tasks, done, asked, before, step);
        for (pending, error) in self.pending.iter_mut().zip(errors) {
            pending.error = error;
        }
        self.status = Status::Done;
        self.save(Source::Stop, then).await
    }

    /// Takes the state of the last checkpoint, if a reducer has left its own half merged.
    async fn mend(&mut self) -> Result<(), GraphError> {
        let (Some(thread), Some(saver), true) = (self.thread, self.saver, self.is_torn) else {
            return Ok(());
        };
        let kept = self.trail.kept.clone();
        let found = caught_saving(|| saver.get(thread, kept.as_deref())).await?;
        if let Some(found) = found {
            self.state = found.state;
            self.is_torn = false;
        }
        Ok(())
    }

    /// Ends a step: its updates are merged, and the planner finds the next.
    async fn commit(
        &mut self,
        tasks: &[Task],
        order: &[u32],
        step: i64,
        done: Vec<Option<Finished<S>>>,
        routes: Vec<Route<S>>,
    ) -> Stepped {
        let answers = std::mem::take(&mut self.shared().answers);
        let nodes = self.take_writes(tasks, order, done, routes, answers);
        self.pending.clear();
        let status =
            self.shared.lock().unwrap_or_else(PoisonError::into_inner).run.commit(&self.writes)?;
        self.status = status;
        self.save(Source::Loop, Ok(Some(StepDone { step, nodes }))).await
    }

    /// Takes the writes of tasks for the planner, their Sends, and their updates for the checkpoint.
    /// Returns the names of the nodes, in order.
    pub(super) fn take_writes(
        &mut self,
        tasks: &[Task],
        order: &[u32],
        mut done: Vec<Option<Finished<S>>>,
        routes: Vec<Route<S>>,
        mut answers: Vec<Vec<Answered>>,
    ) -> Vec<Arc<str>> {
        self.writes.clear();
        for ((finished, route), task) in done.iter_mut().zip(routes).zip(tasks) {
            if let Some(finished) = finished {
                self.add_route(task.node, finished, route);
                finished.writes.iter().for_each(|write| self.writes.push(*write));
            }
            self.writes.end();
        }
        self.sends.clear();
        let mut nodes = Vec::with_capacity(order.len());
        for at in order {
            let at = *at as usize;
            let (Some(task), Some(Some(finished))) = (tasks.get(at), done.get_mut(at)) else {
                continue;
            };
            if self.thread.is_some() {
                let ended = Ended {
                    node: task.node,
                    cause: task.cause,
                    trigger: self.trigger(task),
                    answers: answers.get_mut(at).map(std::mem::take).unwrap_or_default(),
                    updates: finished.updates.len(),
                    writes: std::mem::take(&mut finished.writes),
                    edges: finished.edges.take().unwrap_or_default(),
                    is_kept: finished.is_kept,
                };
                self.note(ended);
            }
            self.trail.merged.append(&mut finished.updates);
            self.sends.append(&mut finished.sends);
            nodes.push(self.name(task.node));
        }
        nodes
    }

    /// Runs the tasks that have not finished.
    async fn run_tasks(&mut self, tasks: &[Task], step: i64) -> Results<S> {
        let open = match self.open.take() {
            Some(open) => open,
            None => self.open_step(tasks),
        };
        {
            let Shared { run, answers, .. } = &mut *self.shared();
            let own = |own: &Vec<Answered>| {
                own.iter().filter(|answer| answer.forwarded.is_none()).count() as u32
            };
            run.set_answers(answers.iter().map(own), false);
        }
        self.open = Some(open);
        self.show_started(tasks, step);
        self.call_nodes(tasks, step).await;
        let empty = || OpenStep { kept: Vec::new(), returned: Arc::default() };
        let open = self.open.take().unwrap_or_else(empty);
        self.ended(tasks, open)
    }

    /// Calls the nodes of the tasks that have not finished, all at once, and stores what they return.
    async fn call_nodes(&self, tasks: &[Task], step: i64) {
        let Some(OpenStep { kept, returned }) = &self.open else { return };
        let thread: Option<Arc<str>> = self.thread.map(Into::into);
        let began_at: Arc<str> = self.trail.kept.as_deref().map_or("", step_of).into();
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
            let ctx = Ctx {
                shared: self.shared.clone(),
                task: at as u32,
                send: match task.cause {
                    Cause::Push(send) => send + 1,
                    _ => 0,
                },
                step,
                node: node.name.clone(),
                run_id: self.id.clone(),
                thread: thread.clone(),
                began_at: began_at.clone(),
                emitter: self.emitter.clone(),
                graphs_inside: Arc::default(),
                attempt: 1,
                error: None,
            };
            futures.push(node.function.call(state, ctx.clone()));
            ran.push((at, *task, ctx));
        }
        let store = |at: usize, mut result: Returned<S>| {
            let Some((place, task, ctx)) = ran.get(at) else { return };
            // The stream shows the ids that the state will have.
            if let Ok(Command { update: Some(update), .. }) = &mut result
                && let Err(panicked) = caught(|| S::identify(update))
            {
                result = Err(panicked.into());
            }
            self.show_returned(*task, ctx.task_name(), &result);
            if let Some(slot) = locked(returned).get_mut(*place) {
                *slot = Some(result);
            }
        };
        together(futures, store).await;
    }

    /// Sorts what the nodes returned: results, interrupts, and the first error.
    pub(super) fn ended(
        &self,
        tasks: &[Task],
        OpenStep { kept, returned }: OpenStep<S>,
    ) -> Results<S> {
        let results = std::mem::take(&mut *locked(&returned));
        let kept = kept.into_iter().map(|kept| {
            let Pending { finished, interrupt, is_answered, .. } = kept?;
            Some((finished, interrupt.map(|asked| (asked, is_answered))))
        });
        let (mut done, before): (Vec<_>, Vec<_>) = kept.map(Option::unwrap_or_default).unzip();
        let (mut failed, mut asked) = (None, Vec::new());
        let mut errors = vec![None; tasks.len()];
        for (at, result) in results.into_iter().enumerate() {
            let (Some(task), Some(result)) = (tasks.get(at), result) else { continue };
            let ended = match result {
                Ok(command) => self.finished(command, self.is_handled(at)),
                Err(error) => {
                    if let Some(question) = Interrupted::question(&*error) {
                        asked.push((at, question.clone()));
                        continue;
                    }
                    Err(GraphError::Node { node: self.name(task.node).to_string(), error })
                }
            };
            match (ended, done.get_mut(at)) {
                (Ok(finished), Some(slot)) => *slot = Some(finished),
                (Err(error), _) => {
                    if let Some(slot) = errors.get_mut(at) {
                        *slot = Some(TaskError::Failed(error.cause_text()));
                    }
                    failed = failed.or(Some(error));
                }
                _ => {}
            }
        }
        Results { done, asked, failed, errors, before }
    }

    /// Begins a step: collects the earlier results of its tasks, and their answers.
    pub(super) fn open_step(&mut self, tasks: &[Task]) -> OpenStep<S> {
        let mut left = by_task(std::mem::take(&mut self.pending));
        let kept: Vec<Option<Pending<S>>> =
            tasks.iter().map(|task| left.remove(&(task.node, task.cause))).collect();
        let answers = |kept: &Option<Pending<S>>| {
            kept.as_ref().map_or_else(Vec::new, |kept| kept.answers.clone())
        };
        let finished = kept.iter().flatten().filter_map(|kept| kept.finished.as_ref());
        let finished = finished.flat_map(|finished| finished.updates.clone());
        let finished: Vec<FinishedUpdate> =
            finished.map(|update| Box::new(update) as FinishedUpdate).collect();
        {
            let shared = &mut *self.shared();
            shared.answers = kept.iter().map(answers).collect();
            shared.went_on.clear();
            shared.handled.clear();
            shared.memo.begin(finished);
        }
        let returned = Arc::new(Mutex::new(tasks.iter().map(|_| None).collect()));
        OpenStep { kept, returned }
    }

    /// Keeps the results of tasks in a step that did not end.
    pub(super) fn keep(
        &mut self,
        tasks: &[Task],
        done: Vec<Option<Finished<S>>>,
        asked: Vec<(usize, Question)>,
        before: Vec<Option<(Interrupt, bool)>>,
        step: i64,
    ) {
        let (answers, went_on) = {
            let shared = &mut *self.shared();
            let is_done = |task: u32| done.get(task as usize).is_some_and(Option::is_some);
            shared.when_saved.0.retain(|(task, _)| is_done(*task));
            (std::mem::take(&mut shared.answers).into_iter(), std::mem::take(&mut shared.went_on))
        };
        // The start has none.
        let answers = answers.chain(std::iter::repeat_with(Vec::new));
        let mut pending: Vec<Pending<S>> = Vec::with_capacity(tasks.len());
        let left = before.into_iter().chain(std::iter::repeat(None));
        for (at, (((task, finished), answers), left)) in
            (0..).zip(tasks.iter().zip(done).zip(answers).zip(left))
        {
            // A task that has failed, or was stopped, has its question open again. One that passed the
            // answer on to a graph inside, where a node has ended since, has none.
            let is_open = finished.is_none() && !went_on.contains(&at);
            let (interrupt, is_answered) = left.filter(|_| is_open).unzip();
            pending.push(Pending {
                node: task.node,
                cause: task.cause,
                trigger: self.trigger(task),
                error: None,
                finished,
                answers,
                interrupt,
                is_answered: is_answered.unwrap_or_default(),
            });
        }
        for (at, Question { value, forwarded }) in asked {
            if let Some(pending) = pending.get_mut(at) {
                let node = self.name(pending.node).to_string();
                let task = Task::new(pending.node, pending.cause);
                let id = self.interrupt_id(&task, step, pending.answers.len());
                pending.interrupt = Some(Interrupt { id, node, value, forwarded });
                pending.is_answered = false;
            }
        }
        self.pending = pending;
    }

    /// Returns the id of a task's question after so many answers.
    pub(super) fn interrupt_id(&self, task: &Task, step: i64, answers: usize) -> String {
        let naming = self.saver.and_then(|saver| saver.naming());
        if let (Some(naming), Some(checkpoint)) = (naming, &self.trail.kept) {
            let (trigger, names) = (self.trigger(task), &*self.graph.names);
            let Task { node, cause, .. } = *task;
            let task = PlannedTask { checkpoint, step, node, cause, trigger, names };
            return naming.interrupt(&task, answers);
        }
        let cause = match task.cause {
            Cause::Push(index) => index.to_string(),
            _ => String::new(),
        };
        let own = format!("{step}:{}:{cause}:{answers}", self.name(task.node));
        match self.thread {
            Some(thread) => format!("{thread}:{own}"),
            None => own,
        }
    }

    /// Whether a task's result is that of its node's error handler.
    fn is_handled(&self, at: usize) -> bool {
        let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        shared.handled.contains(&(at as u32))
    }

    /// Returns what a node returned, as numbers. The edges of a handled one are not asked.
    fn finished(&self, command: Command<S>, is_handled: bool) -> Result<Finished<S>, GraphError> {
        let mut route = Route::new();
        route.go(self.graph, command.goto)?;
        let mut finished = Finished::new(command.update);
        finished.writes.append(&mut route.writes);
        finished.sends = route.sends;
        finished.edges = is_handled.then_some(0..0);
        Ok(finished)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
