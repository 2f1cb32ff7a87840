//! A run of a graph, in numbers: its tasks, their pending writes, and its end.
//!
//! [`Run`] decides and a host does: it keeps the values, runs the nodes, waits and saves. Between two
//! steps there is one call, [`Run::commit`].

#![allow(clippy::cast_possible_truncation)] // As in numbered_graph.rs.

use std::sync::Arc;

use super::channels::{Channels, Span, Writer};
use super::misfit::Misfit;
use super::next_tasks::{Cause, Task, Tasks};
use super::numbered_graph::{Channel, Kind, Node, Plan};
use super::state::{ChannelState, PlanState};
use super::writes::Writes;

mod answers;
mod apply;

pub use answers::Answer;

/// The next work to do.
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
    pub interrupt_before: Vec<Node>,
    /// Nodes after which it stops.
    pub interrupt_after: Vec<Node>,
}

/// Whose writes [`Run::apply`] applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// A task, by its position.
    Task(u32),
    /// A node that an update of the state is written as.
    Node(Node),
    /// A run's input, or a command's.
    Input,
}

/// Flags of a node: a run stops before or after it.
const BEFORE: u8 = 1;
const AFTER: u8 = 2;

/// A run of a graph.
#[derive(Debug, Clone, Default)]
pub struct Run {
    plan: Arc<Plan>,
    channels: Channels,
    stop: i64,
    tasks: Tasks,
    /// By node.
    breakpoints: Vec<u8>,
    /// Whether there is an answer for no task in particular.
    has_answer: bool,
    /// Room to work in.
    writers: Vec<Writer>,
}

impl Run {
    /// Begins a run of a new thread.
    #[must_use]
    pub fn new(plan: Arc<Plan>, options: &Options) -> Self {
        let channels = vec![ChannelState::default(); plan.lines.len()];
        let state = PlanState { step: -2, channels, ..PlanState::default() };
        Self::begin(plan, state, options)
    }

    /// Begins a run of a thread that was saved.
    ///
    /// # Errors
    /// [`Misfit`] if the state is not one of this plan.
    pub fn open(plan: Arc<Plan>, state: PlanState, options: &Options) -> Result<Self, Misfit> {
        if state.channels.len() != plan.lines.len() {
            return Err(Misfit::new("state", "of as many channels as the plan"));
        }
        Ok(Self::begin(plan, state, options))
    }

    /// Takes over another run's room to work in.
    pub fn take_room(&mut self, other: &mut Self) {
        std::mem::swap(&mut self.tasks, &mut other.tasks);
        std::mem::swap(&mut self.writers, &mut other.writers);
        self.tasks.clear();
    }

    fn begin(plan: Arc<Plan>, mut state: PlanState, options: &Options) -> Self {
        state.step = state.step.saturating_add(1);
        let limit = i64::try_from(options.recursion_limit).unwrap_or(i64::MAX);
        let mut breakpoints = vec![0; plan.nodes() as usize];
        for (nodes, flag) in
            [(&options.interrupt_before, BEFORE), (&options.interrupt_after, AFTER)]
        {
            for node in nodes {
                if let Some(own) = breakpoints.get_mut(*node as usize) {
                    *own |= flag;
                }
            }
        }
        Self {
            stop: state.step.saturating_add(limit).saturating_add(1),
            channels: Channels::new(&plan, state),
            plan,
            breakpoints,
            tasks: Tasks::default(),
            has_answer: false,
            writers: Vec::new(),
        }
    }

    /// Returns the plan.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the number of the step that [`tasks`](Self::tasks) are of.
    #[must_use]
    pub fn step(&self) -> i64 {
        self.channels.state.step
    }

    /// Returns the tasks, in the order in which they start.
    #[must_use]
    pub fn tasks(&self) -> &[Task] {
        &self.tasks.list
    }

    /// Returns positions in the tasks, in the order in which their writes count. Nodes are ordered
    /// by name, then Sends by index; an error's handler comes after the failed task.
    #[must_use]
    pub fn order(&self) -> &[u32] {
        &self.tasks.order
    }

    /// Returns the channels that triggered a task, in the order of its node's triggers.
    pub fn triggers(&self, task: &Task) -> impl Iterator<Item = Channel> {
        let is_pulled = task.cause == Cause::Pull;
        let all = self.plan.triggers(task.node);
        all.filter(move |channel| is_pulled && self.channels.is_due(&self.plan, *channel))
    }

    /// Returns the fields that just lost their values.
    #[must_use]
    pub fn cleared(&self) -> &[Channel] {
        &self.channels.cleared
    }

    /// Returns the state as of the last checkpoint.
    #[must_use]
    pub fn state(&self) -> PlanState {
        let mut state = self.channels.state.clone();
        state.step = state.step.saturating_sub(1);
        state
    }

    /// Returns the state, under the step of [`tasks`](Self::tasks).
    #[must_use]
    pub fn state_now(&self) -> &PlanState {
        &self.channels.state
    }

    /// Takes new input. Tasks that are not finished are dropped: they count as run, and wrote
    /// nothing. A checkpoint of the input is due, under the step before [`step`](Self::step).
    pub fn input(&mut self) -> Status {
        self.prepare();
        let is_step = !self.tasks.list.is_empty();
        self.writers.clear();
        for at in 0..self.tasks.list.len() as u32 {
            // Past the end: it wrote nothing.
            self.add_writer(By::Task(at), 1);
        }
        self.add_writer(By::Input, 0);
        let span = if is_step { Span::Step } else { Span::Input };
        let plan = self.plan.clone();
        self.take(&plan.input, span);
        self.advance();
        self.next()
    }

    /// Takes the input of a new thread and ends its step, as [`input`](Self::input) and
    /// [`commit`](Self::commit) do, where no checkpoint in between is wanted. `writes` are those of
    /// `__start__`.
    ///
    /// # Errors
    /// [`Misfit`] if `writes` is not one task's, or has no number of this plan's. Nothing has changed.
    pub fn start(&mut self, writes: &Writes) -> Result<Status, Misfit> {
        if writes.len() != 1 {
            return Err(Misfit::new("writes", "those of each task"));
        }
        self.check(Some(self.plan.nodes()), writes.of(0))?;
        match self.input() {
            Status::Tasks => Ok(self.end(writes)),
            status => Ok(status),
        }
    }

    /// Goes on where the run was left. No checkpoint is due.
    pub fn resume(&mut self) -> Status {
        self.channels.cleared.clear();
        self.pass();
        self.next()
    }

    /// Takes a command's writes. If it is a resume as well no checkpoint is due; otherwise one of the
    /// input is.
    ///
    /// # Errors
    /// [`Misfit`] if `writes` has no number of this plan's. Nothing has changed.
    pub fn command(&mut self, writes: &Writes, resumes: bool) -> Result<Status, Misfit> {
        self.check(None, writes.of(0))?;
        self.writers.clear();
        self.add_writer(By::Input, 0);
        self.channels.apply(&self.plan, &self.writers, writes, Span::Before);
        self.pass();
        if !resumes {
            self.advance();
        }
        Ok(self.next())
    }

    /// Ends the step: all its tasks are finished, and these are their writes. A checkpoint is due,
    /// under the step before [`step`](Self::step).
    ///
    /// # Errors
    /// [`Misfit`] if `writes` does not fit the tasks. Nothing has changed.
    pub fn commit(&mut self, writes: &Writes) -> Result<Status, Misfit> {
        if writes.len() != self.tasks.list.len() {
            return Err(Misfit::new("writes", "those of each task"));
        }
        for (at, task) in self.tasks.list.iter().enumerate() {
            self.check(Some(task.node), writes.of(at))?;
        }
        Ok(self.end(writes))
    }

    fn end(&mut self, writes: &Writes) -> Status {
        self.writers.clear();
        for place in 0..self.tasks.order.len() {
            let at = self.tasks.order.get(place).copied().unwrap_or_default();
            self.add_writer(By::Task(at), at as usize);
        }
        self.take(writes, Span::Step);
        let stops = self.stops(AFTER);
        self.advance();
        if stops {
            self.tasks.clear();
            return Status::InterruptAfter;
        }
        self.next()
    }

    /// Adds a task that handles an error of another, after all tasks.
    ///
    /// # Errors
    /// [`Misfit`] if there is no such task or node.
    pub fn add_handler(&mut self, failed: u32, handler: Node) -> Result<(), Misfit> {
        if failed as usize >= self.tasks.list.len() || handler >= self.plan.nodes() {
            return Err(Misfit::new("handler", "a node, of a task"));
        }
        self.tasks.add_handler(failed, handler);
        Ok(())
    }

    /// Finds the tasks that the state implies, and changes nothing: no limit holds, no breakpoint.
    pub fn peek(&mut self) -> Status {
        self.channels.cleared.clear();
        self.tasks.prepare(&self.plan, &self.channels, false);
        if self.tasks.list.is_empty() { Status::Done } else { Status::Tasks }
    }

    /// Counts a step: a checkpoint was made.
    pub fn advance(&mut self) {
        let step = &mut self.channels.state.step;
        *step = step.saturating_add(1);
    }

    /// Finds the next tasks, unless the limit is reached.
    fn next(&mut self) -> Status {
        self.has_answer = false;
        if self.step() > self.stop {
            self.tasks.clear();
            return Status::Limit;
        }
        self.prepare();
        if self.tasks.list.is_empty() {
            Status::Done
        } else if self.stops(BEFORE) {
            Status::InterruptBefore
        } else {
            Status::Tasks
        }
    }

    fn prepare(&mut self) {
        self.tasks.prepare(&self.plan, &self.channels, self.channels.state.knows_updated);
    }

    /// Whether a breakpoint is at one of the tasks: if there is anything that breakpoints have not
    /// seen.
    fn stops(&self, at: u8) -> bool {
        let is_point =
            |task: &Task| self.breakpoints.get(task.node as usize).is_some_and(|own| own & at != 0);
        self.tasks.list.iter().any(is_point)
            && self.channels.state.channels.iter().any(|channel| channel.version > channel.passed)
    }

    /// Breakpoints have seen everything.
    fn pass(&mut self) {
        for channel in &mut self.channels.state.channels {
            channel.passed = channel.version;
        }
    }

    /// Refuses writes that no channel takes, and a join's by a node that is not its member.
    fn check(&self, node: Option<Node>, writes: &[u32]) -> Result<(), Misfit> {
        let plan = &self.plan;
        for write in writes {
            let fits = match plan.lines.get(*write as usize) {
                Some(line) if line.kind == Kind::Join => {
                    node.is_some_and(|node| plan.member(node, *write).is_some())
                }
                Some(_) => *write != plan.sends(),
                None => *write <= plan.send(None),
            };
            if !fits {
                return Err(Misfit::new("writes", "channels of the plan"));
            }
        }
        Ok(())
    }

    fn add_writer(&mut self, by: By, part: usize) {
        let task = match by {
            By::Task(at) => self.tasks.list.get(at as usize),
            _ => None,
        };
        let node = match by {
            By::Node(node) => Some(node),
            _ => task.map(|task| task.node),
        };
        let is_triggered = task.is_some_and(|task| task.cause == Cause::Pull);
        self.writers.push(Writer { node, is_triggered, part });
    }

    fn take(&mut self, writes: &Writes, span: Span) {
        self.channels.apply(&self.plan, &self.writers, writes, span);
        self.channels.state.knows_updated = true;
    }
}
