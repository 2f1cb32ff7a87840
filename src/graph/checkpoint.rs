//! Checkpoints: the state of a thread, and its pending work.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::error::GraphError;
use super::interrupt::{Answered, Interrupt};
use super::names::Names;
use super::planner::{Cause, Channel, Node, PlanState};
use crate::State;

/// The result of a finished task: what its node returned.
pub struct Finished<S: State> {
    /// Its parts of the state: LangGraph's nodes may return several.
    pub updates: Vec<S::Update>,
    /// The numbers of the channels that it writes: fields, then where it goes by its command, its
    /// edges and its branches.
    pub writes: Vec<u32>,
    /// The states of its Sends.
    pub sends: Vec<S>,
    /// Which of its writes are its edges'. `None` until its edges and branches have been asked.
    pub edges: Option<Range<u32>>,
    /// Whether a checkpoint has it already.
    pub is_kept: bool,
}

impl<S: State> Finished<S> {
    /// Makes the result of a task that goes nowhere yet.
    #[must_use]
    pub fn new(update: Option<S::Update>) -> Self {
        Self {
            writes: update.as_ref().map(S::written).unwrap_or_default(),
            updates: Vec::from_iter(update),
            sends: Vec::new(),
            edges: None,
            is_kept: false,
        }
    }
}

/// A task that ended with the step that a checkpoint is of.
#[derive(Debug, Clone)]
pub struct Ended {
    /// Its node.
    pub node: Node,
    /// Why it ran.
    pub cause: Cause,
    /// The channel that triggered it.
    pub trigger: Channel,
    /// The answers that it was given.
    pub answers: Vec<Answered>,
    /// How many of the checkpoint's updates are its own: they follow those of the tasks before it.
    pub updates: usize,
    /// The numbers of the channels that it wrote: fields first.
    pub writes: Vec<u32>,
    /// Which of its writes are its edges'.
    pub edges: Range<u32>,
    /// Whether an earlier checkpoint has it among its pending tasks.
    pub is_kept: bool,
}

/// The origin of a checkpoint.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    /// A run's input.
    Input,
    /// The end of a step.
    #[default]
    Loop,
    /// [`update_state`](super::OnThread::update_state).
    Update,
    /// A branch that begins at an older checkpoint.
    Fork,
    /// A stop within a step.
    Stop,
}

/// How many times a run is continued in one step after its process was killed. Many: the steps of a graph
/// inside a node, such as an agent, are one step here.
pub(crate) const MOST_ATTEMPTS: u32 = 50;

/// Why a task has not finished.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskError {
    /// It has failed, or was stopped: its error as text.
    Failed(String),
    /// Its process ended. The run was continued so many times in this step; saved before each attempt.
    Killed(u32),
}

impl fmt::Display for TaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(text) => f.write_str(text),
            Self::Killed(attempts) => {
                write!(f, "The process ended in this step: attempt {attempts} to continue the run.")
            }
        }
    }
}

/// The pending results of a task in a step that did not end.
pub struct Pending<S: State> {
    /// Its node.
    pub node: Node,
    /// Why it ran.
    pub cause: Cause,
    /// The channel that triggered it.
    pub trigger: Channel,
    /// Its error, if it has failed or was cut off.
    pub error: Option<TaskError>,
    /// Its results, if it has finished: it does not run again.
    pub finished: Option<Finished<S>>,
    /// The answers that it was given.
    pub answers: Vec<Answered>,
    /// Its last interrupt, which is open until the task has finished.
    pub interrupt: Option<Interrupt>,
    /// Whether its last answer is to that interrupt.
    pub is_answered: bool,
}

impl<S: State> Pending<S> {
    /// Whether a run is at work on it with the answer to its interrupt, or was killed there.
    #[doc(hidden)]
    #[must_use]
    pub fn is_at_work(&self) -> bool {
        let has_failed = matches!(self.error, Some(TaskError::Failed(_)));
        self.is_answered && !has_failed && self.finished.is_none()
    }

    /// Whether its interrupt, if it has one, takes an answer: no run has taken one that it may go on with.
    /// After too many kills it takes another one, unless a graph inside may have acted on the first.
    pub(super) fn takes_answer(&self) -> bool {
        let is_forwarded = self.interrupt.as_ref().is_some_and(|own| own.forwarded.is_some());
        let is_given_up = matches!(self.error, Some(TaskError::Killed(MOST_ATTEMPTS..)));
        is_given_up && !is_forwarded || !self.is_at_work()
    }

    /// Answers its interrupt. An answer that it was given before, and did not finish with, is dropped.
    #[doc(hidden)]
    pub fn answer(&mut self, value: serde_json::Value) {
        let Some(asked) = &self.interrupt else { return };
        if self.is_answered {
            self.answers.pop();
        }
        self.answers.push(Answered { value, forwarded: asked.forwarded.clone() });
        self.is_answered = true;
    }
}

/// A thread as of the end of a step, and the pending work of the next.
///
/// Its [`Delta`] is the smaller part: it does not grow with the state.
///
/// ```
/// use threadfold::State;
/// use threadfold::graph::{
///     BoxError, Checkpoint, Checkpointer, Ctx, Delta, MemorySaver, START, StateGraph,
/// };
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Debug, Clone, Default, State, Serialize, Deserialize)]
/// #[state(derive(Clone, Serialize, Deserialize))]
/// struct Order {
///     #[reducer(|sum, more| sum + more)]
///     cups: u64,
/// }
///
/// async fn add(_: &Order, _: Ctx) -> Result<OrderUpdate, BoxError> {
///     Ok(OrderUpdate { cups: Some(1) })
/// }
///
/// # async fn run() -> Result<(), BoxError> {
/// let saver = std::sync::Arc::new(MemorySaver::<Order>::new());
/// let nodes = StateGraph::new().node("one", add).node("two", add);
/// let graph = nodes.edge(START, "one").edge("one", "two").checkpointer(saver.clone()).compile()?;
/// let mut run = graph.on("1").stream(OrderUpdate { cups: Some(2) }).await?;
/// run.next().await.ok_or("no step")??;
/// let parent: Checkpoint<Order> = saver.get("1", None).await?.ok_or("no checkpoint")?;
/// run.next().await.ok_or("no step")??;
/// let last = saver.get("1", None).await?.ok_or("no checkpoint")?;
///
/// let text = serde_json::to_string(&last.delta)?;
/// let delta: Delta<Order> = serde_json::from_str(&text)?;
/// assert_eq!((parent.state.cups, delta.after(&parent)?.state.cups), (3, 4));
/// # Ok(())
/// # }
/// # let mut run = Box::pin(run());
/// # let waker = std::task::Waker::noop();
/// # assert!(run.as_mut().poll(&mut std::task::Context::from_waker(waker)).is_ready());
/// ```
pub struct Checkpoint<S: State> {
    /// The state.
    pub state: S,
    /// All but the state.
    pub delta: Delta<S>,
}

/// A checkpoint without its state: it has the updates that make it of the parent's.
///
/// A checkpointer may keep deltas, and a whole checkpoint from time to time. Reducers then have to
/// give the same result each time.
pub struct Delta<S: State> {
    /// The checkpoint's id.
    pub id: String,
    /// The id of the thread's checkpoint that it follows; `None` for the first.
    pub parent: Option<String>,
    /// The id of the run that made it; `None` from a checkpointer that does not keep it.
    pub run_id: Option<String>,
    /// The updates merged since the parent, in order.
    pub updates: Arc<Vec<S::Update>>,
    /// The planner's state.
    #[doc(hidden)]
    pub plan: PlanState,
    /// The input that is not merged yet.
    #[doc(hidden)]
    pub input: Option<S::Update>,
    /// The states of the Sends.
    #[doc(hidden)]
    pub sends: Vec<S>,
    /// The pending results of the next step's tasks.
    #[doc(hidden)]
    pub pending: Vec<Pending<S>>,
    /// The names of the numbers: the graph may have changed when the thread continues.
    #[doc(hidden)]
    pub names: Arc<Names>,
    /// The origin of the checkpoint. serde leaves it out, and the next three.
    #[doc(hidden)]
    pub source: Source,
    /// The run that the thread was left by, as this one read it.
    #[doc(hidden)]
    pub follows_run: Option<String>,
    /// The tasks whose writes it has, in the order of its updates.
    #[doc(hidden)]
    pub ended: Arc<Vec<Ended>>,
    /// The writers of the held `branch:to:N`, by channel: `None` for an edge, or the node that chose.
    #[doc(hidden)]
    pub held: Vec<(Channel, Option<Node>)>,
}

impl<S: State<Update: Clone>> Delta<S> {
    /// Returns the checkpoint that follows `parent` by this delta.
    ///
    /// # Errors
    /// [`GraphError::Delta`] if it follows another checkpoint, or an update cannot be merged.
    pub fn after(mut self, parent: &Checkpoint<S>) -> Result<Checkpoint<S>, GraphError> {
        let own = &parent.delta.id;
        if self.parent.as_ref() != Some(own) {
            let delta = std::mem::take(&mut self.id);
            return Err(GraphError::Delta { delta, parent: own.clone(), error: None });
        }
        let mut state = parent.state.clone();
        for update in self.updates.iter().cloned() {
            if let Err(error) = state.update(update) {
                let (delta, parent) = (std::mem::take(&mut self.id), own.clone());
                return Err(GraphError::Delta { delta, parent, error: Some(error) });
            }
        }
        Ok(Checkpoint { state, delta: self })
    }
}

impl<S: State> Clone for Finished<S>
where
    S::Update: Clone,
{
    fn clone(&self) -> Self {
        Self {
            updates: self.updates.clone(),
            writes: self.writes.clone(),
            sends: self.sends.clone(),
            edges: self.edges.clone(),
            is_kept: self.is_kept,
        }
    }
}

impl<S: State> Clone for Pending<S>
where
    S::Update: Clone,
{
    fn clone(&self) -> Self {
        Self {
            node: self.node,
            cause: self.cause,
            trigger: self.trigger,
            error: self.error.clone(),
            finished: self.finished.clone(),
            answers: self.answers.clone(),
            interrupt: self.interrupt.clone(),
            is_answered: self.is_answered,
        }
    }
}

impl<S: State> Clone for Checkpoint<S>
where
    S::Update: Clone,
{
    fn clone(&self) -> Self {
        Self { state: self.state.clone(), delta: self.delta.clone() }
    }
}

impl<S: State> Clone for Delta<S>
where
    S::Update: Clone,
{
    fn clone(&self) -> Self {
        Self {
            id: self.id.clone(),
            parent: self.parent.clone(),
            run_id: self.run_id.clone(),
            updates: self.updates.clone(),
            plan: self.plan.clone(),
            input: self.input.clone(),
            sends: self.sends.clone(),
            pending: self.pending.clone(),
            names: self.names.clone(),
            source: self.source,
            follows_run: self.follows_run.clone(),
            ended: self.ended.clone(),
            held: self.held.clone(),
        }
    }
}

impl<S: State> fmt::Debug for Finished<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Finished").field("writes", &self.writes).finish_non_exhaustive()
    }
}

impl<S: State> fmt::Debug for Pending<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending")
            .field("node", &self.node)
            .field("interrupt", &self.interrupt)
            .finish_non_exhaustive()
    }
}

impl<S: State> fmt::Debug for Checkpoint<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checkpoint").field("delta", &self.delta).finish_non_exhaustive()
    }
}

impl<S: State> fmt::Debug for Delta<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Delta")
            .field("id", &self.id)
            .field("parent", &self.parent)
            .field("plan", &self.plan)
            .field("pending", &self.pending)
            .finish_non_exhaustive()
    }
}
