//! A run of a graph, in numbers: which tasks there are, what is left of their writes, when it ends.
//!
//! [`Run`] decides and a host does: it keeps the values, runs the nodes, waits and saves. Between two
//! steps there is one call, [`Run::commit`].

#![allow(clippy::cast_possible_truncation)] // As in plan.rs.

use std::sync::Arc;

use super::apply::{Applied, Writer, apply};
use super::channels::Channels;
use super::interrupts::{Answer, Answers, Breakpoints};
use super::misfit::Misfit;
use super::order::by_key;
use super::plan::{Channel, Node, Plan};
use super::prepare::{Cause, Tasks};
use super::state::PlanState;
use super::writes::Writes;

/// What is to be done next.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Status {
    /// Run the tasks.
    Tasks,
    /// Nothing is left.
    #[default]
    Done,
    /// The limit of steps is reached.
    Limit,
    /// A breakpoint before one of the tasks. If all of them have saved writes, commit these.
    InterruptBefore,
    /// A breakpoint after one of the tasks that were committed.
    InterruptAfter,
}

/// How a run goes.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The most steps; more are an error of the host's.
    pub recursion_limit: u64,
    /// Nodes before which it stops.
    pub interrupt_before: Breakpoints,
    /// Nodes after which it stops.
    pub interrupt_after: Breakpoints,
}

/// Whose writes [`Run::apply`] applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// A task, by its position.
    Task(u32),
    /// A node as which somebody updates the state.
    Node(Node),
    /// A run's input, or a command's.
    Input,
}

/// A run of a graph.
#[derive(Debug, Clone, Default)]
pub struct Run {
    pub(super) plan: Arc<Plan>,
    pub(super) channels: Channels,
    /// By trigger: the version that its node has seen.
    pub(super) seen: Vec<u64>,
    /// By channel: the version that breakpoints have seen.
    pub(super) passed: Vec<u64>,
    pub(super) step: i64,
    stop: i64,
    /// Whether it is known what the last step updated: it is in `applied` then.
    pub(super) knows_updated: bool,
    pub(super) applied: Applied,
    tasks: Tasks,
    answers: Answers,
    /// Room to work in.
    parts: Vec<(By, usize)>,
    options: Options,
}

impl Run {
    /// Begins a run of a new thread.
    #[must_use]
    pub fn new(plan: Arc<Plan>, options: Options) -> Self {
        let all = plan.channels() as usize;
        let (channels, applied) = (Channels::new(&plan), Applied::new(all));
        let run = Self {
            seen: vec![0; all],
            passed: vec![0; all],
            channels,
            applied,
            plan,
            options,
            ..Self::default()
        };
        run.starting(-1)
    }

    /// Begins a run of a thread that was saved.
    ///
    /// # Errors
    /// [`Misfit`] if the state is not one of this plan.
    pub fn open(plan: Arc<Plan>, state: &PlanState, options: Options) -> Result<Self, Misfit> {
        let mut run = Self::new(plan, options);
        run.restore(state)?;
        let next = state.step.saturating_add(1);
        Ok(run.starting(next))
    }

    fn starting(mut self, step: i64) -> Self {
        let limit = i64::try_from(self.options.recursion_limit).unwrap_or(i64::MAX);
        self.step = step;
        self.stop = step.saturating_add(limit).saturating_add(1);
        self
    }

    /// Returns the plan.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the number of the step that [`tasks`](Self::tasks) are of.
    #[must_use]
    pub fn step(&self) -> i64 {
        self.step
    }

    /// Returns the tasks.
    #[must_use]
    pub fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    /// Returns the fields that just lost their values.
    #[must_use]
    pub fn cleared(&self) -> &[Channel] {
        &self.applied.cleared
    }

    /// Takes new input. Tasks that are not finished are dropped: they count as run, and wrote
    /// nothing. A checkpoint of the input is due, under the step before [`step`](Self::step).
    pub fn input(&mut self) -> Status {
        self.prepare();
        let mut writes = Writes::default();
        writes.push(self.plan.start());
        writes.end();
        // Those of tasks are behind the end: they have none.
        let mut parts: Vec<_> =
            (0..self.tasks.list.len() as u32).map(|task| (By::Task(task), 1)).collect();
        parts.push((By::Input, 0));
        self.apply_parts(&parts, &writes);
        self.knows_updated = true;
        self.advance();
        self.next()
    }

    /// Goes on where the run was left. No checkpoint is due.
    pub fn resume(&mut self) -> Status {
        self.pass();
        self.applied.cleared.clear();
        self.next()
    }

    /// Takes a command's writes. If it is a resume as well no checkpoint is due; otherwise one of the
    /// input is.
    ///
    /// # Errors
    /// [`Misfit`] if `writes` has no number of this plan's.
    pub fn command(&mut self, writes: &Writes, resumes: bool) -> Result<Status, Misfit> {
        self.check_part(None, writes.of(0))?;
        let before = self.knows_updated.then(|| self.applied.updated.clone());
        self.apply_parts(&[(By::Input, 0)], writes);
        self.applied.extend(before.iter().flatten());
        self.pass();
        if !resumes {
            self.advance();
        }
        Ok(self.next())
    }

    /// Ends the step: all its tasks are finished, and this is what they wrote. A checkpoint is due,
    /// under the step before [`step`](Self::step).
    ///
    /// # Errors
    /// [`Misfit`] if `writes` does not fit the tasks. Nothing has changed.
    pub fn commit(&mut self, writes: &Writes) -> Result<Status, Misfit> {
        if writes.len() != self.tasks.list.len() {
            return Err(Misfit::new("writes", "those of each task"));
        }
        for (at, task) in self.tasks.list.iter().enumerate() {
            self.check_part(Some(task.node), writes.of(at))?;
        }
        let mut parts = std::mem::take(&mut self.parts);
        parts.clear();
        parts.extend(self.tasks.order.iter().map(|at| (By::Task(*at), *at as usize)));
        self.apply_parts(&parts, writes);
        self.parts = parts;
        self.knows_updated = true;
        let stops = self.stops(&self.options.interrupt_after);
        self.advance();
        if stops {
            self.tasks.clear();
            return Ok(Status::InterruptAfter);
        }
        Ok(self.next())
    }

    /// Adds a task that handles an error of another. Returns its position.
    ///
    /// # Errors
    /// [`Misfit`] if there is no such task or node.
    pub fn add_handler(&mut self, failed: u32, handler: Node) -> Result<u32, Misfit> {
        if failed as usize >= self.tasks.list.len() || handler >= self.plan.nodes() {
            return Err(Misfit::new("handler", "a node, of a task"));
        }
        Ok(self.tasks.add_handler(failed, handler))
    }

    /// Finds the tasks that the state implies, and changes nothing: no limit holds, no breakpoint.
    pub fn peek(&mut self) -> Status {
        self.applied.cleared.clear();
        self.tasks.prepare(&self.plan, &self.channels, &self.seen, None);
        self.answers.clear();
        if self.tasks.list.is_empty() { Status::Done } else { Status::Tasks }
    }

    /// Applies writes as a step, without going on: those of tasks in their order, behind all others.
    ///
    /// # Errors
    /// [`Misfit`] if there is no such task, node or channel. Nothing has changed.
    pub fn apply(&mut self, by: &[By], writes: &Writes) -> Result<(), Misfit> {
        let mut place = vec![0; self.tasks.list.len()];
        for (at, task) in self.tasks.order.iter().enumerate() {
            if let Some(place) = place.get_mut(*task as usize) {
                *place = at + 1;
            }
        }
        let mut parts = Vec::with_capacity(by.len());
        for (part, by) in by.iter().enumerate() {
            let (node, place) = match by {
                By::Input => (None, 0),
                By::Node(node) if *node <= self.plan.nodes() => (Some(*node), 0),
                By::Task(task) if (*task as usize) < place.len() => (
                    self.tasks.list.get(*task as usize).map(|task| task.node),
                    place.get(*task as usize).copied().unwrap_or_default(),
                ),
                _ => return Err(Misfit::new("writer", "a task or a node")),
            };
            self.check_part(node, writes.of(part))?;
            parts.push((place as u32, part as u32));
        }
        let parts: Vec<_> = by_key(parts.into_iter())
            .filter_map(|part| by.get(part as usize).map(|by| (*by, part as usize)))
            .collect();
        self.apply_parts(&parts, writes);
        self.knows_updated = false;
        Ok(())
    }

    /// Counts a step: a checkpoint was made.
    pub fn advance(&mut self) {
        self.step = self.step.saturating_add(1);
    }

    /// Returns the node as which the state is updated if none is named: the one that was triggered
    /// last; `None` if there are two.
    #[must_use]
    pub fn last_node(&self) -> Option<Node> {
        let (mut last, mut highest) = (Some(self.plan.nodes()), 0);
        for (channel, seen) in self.seen.iter().enumerate().filter(|(_, seen)| **seen > 0) {
            if *seen >= highest {
                last =
                    if *seen == highest { None } else { self.plan.triggered(channel as Channel) };
                highest = *seen;
            }
        }
        last
    }

    /// Says how many answers each task has, and whether there is one for no task in particular.
    pub fn set_answers(&mut self, saved: impl IntoIterator<Item = u32>, shared: bool) {
        self.answers.set(saved.into_iter().take(self.tasks.list.len()), shared);
    }

    /// Answers the next interrupt of a task.
    pub fn interrupt(&mut self, task: u32) -> Answer {
        let is_task = (task as usize) < self.tasks.list.len();
        if is_task { self.answers.ask(task as usize) } else { Answer::None }
    }

    /// Has a task start over: its next interrupt is its first again.
    pub fn restart(&mut self, task: u32) {
        self.answers.restart(task as usize);
    }

    /// Finds the next tasks, unless the limit is reached.
    fn next(&mut self) -> Status {
        self.answers.clear();
        if self.step > self.stop {
            self.tasks.clear();
            return Status::Limit;
        }
        self.prepare();
        if self.tasks.list.is_empty() {
            Status::Done
        } else if self.stops(&self.options.interrupt_before) {
            Status::InterruptBefore
        } else {
            Status::Tasks
        }
    }

    fn prepare(&mut self) {
        let updated = self.knows_updated.then_some(self.applied.updated.as_slice());
        self.tasks.prepare(&self.plan, &self.channels, &self.seen, updated);
    }

    /// Whether a breakpoint is at one of the tasks: if there is anything that breakpoints have not
    /// seen.
    fn stops(&self, breakpoints: &Breakpoints) -> bool {
        breakpoints.stop(&self.plan, self.tasks.list.iter().map(|task| task.node))
            && self
                .channels
                .versions
                .iter()
                .zip(&self.passed)
                .any(|(version, passed)| version > passed)
    }

    /// Breakpoints have seen everything.
    fn pass(&mut self) {
        for (passed, version) in self.passed.iter_mut().zip(&self.channels.versions) {
            if *version > 0 {
                *passed = *version;
            }
        }
    }

    /// Refuses writes that no channel takes, and a join's by a node that is no member of it.
    fn check_part(&self, node: Option<Node>, writes: &[u32]) -> Result<(), Misfit> {
        let plan = &self.plan;
        for write in writes {
            let fits = match plan.join_at(*write) {
                Some(join) => node.is_some_and(|node| plan.member(node, join).is_some()),
                None => *write <= plan.send(None) && *write != plan.sends(),
            };
            if !fits {
                return Err(Misfit::new("writes", "channels of the plan"));
            }
        }
        Ok(())
    }

    fn apply_parts(&mut self, parts: &[(By, usize)], writes: &Writes) {
        let tasks = &self.tasks;
        let by = parts.iter().map(|(by, part)| {
            let task = match by {
                By::Task(at) => tasks.list.get(*at as usize),
                _ => None,
            };
            let node = match by {
                By::Node(node) => Some(*node),
                _ => task.map(|task| task.node),
            };
            let triggers = task.map_or(&[][..], |task| tasks.triggers(task));
            Writer { node, triggers, part: *part, steps: *by != By::Input }
        });
        apply(&self.plan, &mut self.channels, &mut self.seen, &mut self.applied, by, writes);
    }
}

impl Cause {
    /// Returns the index of a Send, -1 for a node that was triggered, `-2 - position` of the task
    /// whose error it handles.
    #[must_use]
    pub fn number(self) -> i64 {
        match self {
            Self::Pull => -1,
            Self::Push(index) => i64::from(index),
            Self::Error(failed) => -2 - i64::from(failed),
        }
    }
}
