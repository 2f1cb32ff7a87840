//! A run of a graph over values.

#![allow(clippy::cast_possible_truncation)] // As in builder.rs.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::checkpointer::{Checkpoint, Finished, Pending};
use super::command::{Command, START, Target};
use super::compiled::{Compiled, write_of};
use super::error::{BoxError, GraphError};
use super::node::{Ctx, Interrupt, Interrupted, Shared};
use super::planner::{Cause, Node, Run, Status, Task, Writes};
use super::together::together;
use crate::State;

/// The outcome of a run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Outcome<S> {
    /// The state. At an interrupt it includes the writes of the other nodes in the step.
    pub state: S,
    /// Its open interrupts, if it has not reached its end.
    pub interrupts: Vec<Interrupt>,
}

/// A step that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StepDone {
    /// Its number.
    pub step: i64,
    /// The nodes that ran, in the order in which their updates were merged.
    pub nodes: Vec<Arc<str>>,
}

/// How a run continues.
#[derive(Debug, Clone, PartialEq)]
pub enum Resume {
    /// Without an answer: after a breakpoint or an error.
    GoOn,
    /// With the answer to its only interrupt.
    Answer(Value),
    /// With answers by the interrupts' ids.
    Answers(Vec<(String, Value)>),
}

impl From<()> for Resume {
    fn from((): ()) -> Self {
        Self::GoOn
    }
}

impl From<Value> for Resume {
    fn from(answer: Value) -> Self {
        Self::Answer(answer)
    }
}

impl From<Vec<(String, Value)>> for Resume {
    fn from(answers: Vec<(String, Value)>) -> Self {
        Self::Answers(answers)
    }
}

/// A run, step by step.
pub struct Running<'g, S: State> {
    graph: &'g Compiled<S>,
    thread: Option<&'g str>,
    shared: Arc<Mutex<Shared>>,
    status: Status,
    state: S,
    input: Option<S::Update>,
    sends: Vec<S>,
    pending: Vec<Pending<S>>,
    writes: Writes,
    /// The step whose tasks are at work; it outlives the future of [`Running::next`].
    open: Option<OpenStep<S>>,
    /// The error of a step, while its checkpoint is being saved.
    failed: Option<GraphError>,
}

/// The result of a task's node.
type Returned<S> = Result<Command<S>, BoxError>;

/// A step whose tasks are at work.
struct OpenStep<S: State> {
    /// For each task, its pending results from an earlier run.
    kept: Vec<Option<Pending<S>>>,
    /// For each task, its result.
    returned: Arc<Mutex<Vec<Option<Returned<S>>>>>,
}

impl<'g, S> Running<'g, S>
where
    S: State + Send + Sync + 'static,
    S::Update: Clone + Send + Sync + 'static,
{
    pub(super) fn new(graph: &'g Compiled<S>, state: S) -> Self {
        let mut run = Run::new(graph.plan.clone(), &graph.options);
        let status = run.input();
        Self {
            graph,
            thread: None,
            shared: Arc::new(Mutex::new(Shared { run, ..Shared::default() })),
            status,
            state,
            input: None,
            sends: Vec::new(),
            pending: Vec::new(),
            writes: Writes::default(),
            open: None,
            failed: None,
        }
    }

    pub(super) async fn on_thread(
        graph: &'g Compiled<S>,
        thread: &'g str,
        update: S::Update,
    ) -> Result<Self, GraphError>
    where
        S: Default,
    {
        let (mut running, _) = Self::opened(graph, thread).await?;
        running.pending.clear();
        running.sends.clear();
        running.input = Some(update);
        let status = running.shared().run.input();
        running.status = status;
        running.put().await?;
        Ok(running)
    }

    pub(super) async fn resumed(
        graph: &'g Compiled<S>,
        thread: &'g str,
        resume: Resume,
    ) -> Result<Self, GraphError>
    where
        S: Default,
    {
        let (mut running, is_known) = Self::opened(graph, thread).await?;
        if !is_known {
            return Err(GraphError::UnknownThread(thread.to_owned()));
        }
        let mut any = None;
        match resume {
            Resume::GoOn => {}
            Resume::Answer(answer) => {
                let asked = running.interrupts();
                if asked.len() > 1 {
                    return Err(GraphError::SeveralInterrupts(
                        asked.into_iter().map(|one| one.id).collect(),
                    ));
                }
                any = Some(answer);
            }
            Resume::Answers(answers) => {
                let mut by_id = HashMap::new();
                for (id, answer) in answers {
                    by_id.entry(id).or_insert(answer);
                }
                for pending in &mut running.pending {
                    let asked = pending.interrupt.as_ref();
                    if let Some(answer) = asked.and_then(|own| by_id.remove(&own.id)) {
                        pending.answers.push(answer);
                        pending.interrupt = None;
                    }
                }
                if let Some(id) = by_id.into_keys().min() {
                    return Err(GraphError::UnknownInterrupt(id));
                }
            }
        }
        let mut shared = running.shared();
        shared.any = any;
        let status = shared.run.resume();
        drop(shared);
        running.status = status;
        Ok(running)
    }

    /// Opens a thread's last checkpoint. Returns also whether it has one.
    async fn opened(graph: &'g Compiled<S>, thread: &'g str) -> Result<(Self, bool), GraphError>
    where
        S: Default,
    {
        let saver = graph.saver.as_ref().ok_or(GraphError::NoCheckpointer)?;
        let found = saver.get(thread).await.map_err(GraphError::Checkpointer)?;
        let (plan, options) = (graph.plan.clone(), &graph.options);
        let mut running = Self { thread: Some(thread), ..Self::new(graph, S::default()) };
        running.shared().run = Run::new(plan.clone(), options);
        let is_known = found.is_some();
        if let Some(checkpoint) = found.map(|found| graph.names.read(found)) {
            running.shared().run = Run::open(plan, checkpoint.plan, options)?;
            running.state = checkpoint.state;
            running.input = checkpoint.input;
            running.sends = checkpoint.sends;
            running.pending = checkpoint.pending;
        }
        Ok((running, is_known))
    }

    /// Returns the state as of the last step.
    pub fn state(&self) -> &S {
        &self.state
    }

    /// Returns the run's interrupts, if it has stopped for them.
    pub fn interrupts(&self) -> Vec<Interrupt> {
        self.pending.iter().filter_map(|pending| pending.interrupt.clone()).collect()
    }

    /// Runs to the end, or to an interrupt.
    ///
    /// # Errors
    /// See [`GraphError`].
    pub async fn finish(mut self) -> Result<Outcome<S>, GraphError> {
        while let Some(step) = self.next().await {
            step?;
        }
        let interrupts = self.interrupts();
        Ok(Outcome { state: self.into_shown()?, interrupts })
    }

    /// Returns the state with the writes of finished tasks in a step that did not end, as langgraph
    /// shows it. They are merged for good when the step ends.
    fn into_shown(mut self) -> Result<S, GraphError> {
        let mut left = by_task(std::mem::take(&mut self.pending));
        let tasks: Vec<_> = {
            let Shared { run, .. } = &*self.shared();
            run.order().iter().filter_map(|at| run.tasks().get(*at as usize)).copied().collect()
        };
        for Task { node, cause, .. } in tasks {
            let finished = left.remove(&(node, cause)).and_then(|pending| pending.finished);
            if let Some(update) = finished.and_then(|finished| finished.update) {
                self.merge(&self.name(node), update)?;
            }
        }
        Ok(self.state)
    }

    /// Returns the thread's outcome, if anything of it is saved.
    pub(super) async fn left(
        graph: &'g Compiled<S>,
        thread: &'g str,
    ) -> Result<Option<Outcome<S>>, GraphError>
    where
        S: Default,
    {
        let (running, is_known) = Self::opened(graph, thread).await?;
        running.shared().run.peek();
        let interrupts = running.interrupts();
        let outcome = || Ok(Outcome { state: running.into_shown()?, interrupts });
        is_known.then(outcome).transpose()
    }

    /// Makes a step. Returns none at the end, at a breakpoint, and at an interrupt.
    ///
    /// You may drop the future, as a timeout does, and call it again. Nodes that have finished are
    /// not run again. The others start over, with the answers that they had. In a loop around
    /// `select!`, keep the future (`let mut step = pin!(running.next())`) until it is ready. With a
    /// new future in each turn, a slow node would start over for ever.
    ///
    /// # Errors
    /// See [`GraphError`]: the first of the step, once all its tasks have ended.
    pub async fn next(&mut self) -> Option<Result<StepDone, GraphError>> {
        let mut step = self.step().await;
        // The start is not a step of the graph.
        if let Ok(Some(done)) = &step
            && done.nodes.first().is_some_and(|node| &**node == START)
        {
            step = self.step().await;
        }
        if step.is_err() {
            self.status = Status::Done;
        }
        step.transpose()
    }

    async fn step(&mut self) -> Result<Option<StepDone>, GraphError> {
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
        let Some(OpenStep { kept, returned }) = &self.open else { return Ok(None) };
        {
            let mut shared = self.shared();
            let Shared { run, answers, any, asked } = &mut *shared;
            asked.clear();
            asked.resize(answers.len(), None);
            run.set_answers(answers.iter().map(|own| own.len() as u32), any.is_some());
        }
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
        let Some(OpenStep { mut kept, returned }) = self.open.take() else { return Ok(None) };
        let results = std::mem::take(&mut *locked(&returned));
        let is_alone = tasks.len() == 1;
        let mut done: Vec<Option<Finished<S>>> = kept
            .iter_mut()
            .map(|kept| kept.as_mut().and_then(|kept| kept.finished.take()))
            .collect();
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
        if failed.is_none() && asked.is_empty() {
            return Ok(Some(done));
        }
        self.keep(tasks, done, asked, step);
        self.status = Status::Done;
        self.failed = failed;
        self.put().await?;
        self.failed.take().map_or(Ok(None), Err)
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

    fn merge(&mut self, node: &str, update: S::Update) -> Result<(), GraphError> {
        self.state
            .update(update)
            .map_err(|error| GraphError::Merge { node: node.to_owned(), error })
    }

    fn name(&self, node: Node) -> Arc<str> {
        self.graph.nodes.get(node as usize).map_or_else(|| START.into(), |node| node.name.clone())
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Saves where it is, on a thread.
    async fn put(&mut self) -> Result<(), GraphError> {
        let (Some(thread), Some(saver)) = (self.thread, &self.graph.saver) else { return Ok(()) };
        let checkpoint = Checkpoint {
            state: self.state.clone(),
            plan: self.shared().run.state(),
            input: self.input.clone(),
            sends: self.sends.clone(),
            pending: self.pending.clone(),
            names: self.graph.names.clone(),
        };
        saver.put(thread, checkpoint).await.map_err(GraphError::Checkpointer)
    }
}

fn by_task<S: State>(pending: Vec<Pending<S>>) -> HashMap<(Node, Cause), Pending<S>> {
    pending.into_iter().map(|pending| ((pending.node, pending.cause), pending)).collect()
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

impl<S: State + fmt::Debug> fmt::Debug for Running<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running")
            .field("status", &self.status)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}
