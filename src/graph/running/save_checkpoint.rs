//! Saving where a run is, on its thread.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

use super::Running;
use crate::State;
use crate::graph::caught::caught_saving;
use crate::graph::checkpoint::{Checkpoint, Delta, Ended, Source};
use crate::graph::error::GraphError;
use crate::graph::outcome::StepDone;
use crate::graph::planner::{Cause, Channel, Node, PlanState, Task};
use crate::graph::sendable::BoxFuture;
use crate::id::new_id;

/// The way of a run from one checkpoint of its thread to the next.
pub(super) struct Trail<S: State> {
    /// The id of the thread's checkpoint that the next one follows.
    pub kept: Option<String>,
    /// The id of the thread's last checkpoint: another one, where a branch begins.
    pub last: Option<String>,
    /// The updates merged since that checkpoint, and the tasks whose updates they are.
    pub merged: Vec<S::Update>,
    pub ended: Vec<Ended>,
    /// The writers of `branch:to:N`, by channel: `None` for an edge.
    pub held: HashMap<Channel, Option<Node>>,
}

impl<S: State> Default for Trail<S> {
    fn default() -> Self {
        let (merged, ended, held) = (Vec::new(), Vec::new(), HashMap::new());
        Self { kept: None, last: None, merged, ended, held }
    }
}

impl<S: State> Trail<S> {
    fn held(&self, plan: &PlanState) -> Vec<(Channel, Option<Node>)> {
        let is_held = |channel: &Channel| {
            plan.channels.get(*channel as usize).is_some_and(|channel| channel.is_held)
        };
        let held = self.held.iter().map(|(channel, node)| (*channel, *node));
        let mut held: Vec<_> = held.filter(|(channel, _)| is_held(channel)).collect();
        held.sort_unstable();
        held
    }
}

/// Separates the id of a step's checkpoint from what is added for its stops and answers.
const WITHIN: char = '~';

/// Returns the id of a checkpoint within the step that begins at `kept`.
fn within_step(kept: &str) -> String {
    format!("{}{WITHIN}{}", step_of(kept), new_id())
}

/// Returns the id of the checkpoint at which the step of this one begins.
pub(super) fn step_of(checkpoint: &str) -> &str {
    checkpoint.split(WITHIN).next().unwrap_or_default()
}

/// The outcome of a step.
pub(super) type Stepped = Result<Option<StepDone>, GraphError>;

/// A checkpoint that is being saved.
pub(super) struct Save<'g> {
    future: BoxFuture<'g, Result<bool, GraphError>>,
    id: String,
    run_id: Option<String>,
    /// The outcome of the step, for when it is saved.
    then: Stepped,
}

impl<'g, S> Running<'g, S>
where
    S: State + Send + Sync + 'static,
    S::Update: Clone + Send + Sync + 'static,
{
    /// Saves where it is, if it is on a thread. Returns `then`, or why it could not be saved.
    pub(super) async fn save(&mut self, source: Source, then: Stepped) -> Stepped {
        let graph = self.graph;
        let (Some(thread), Some(saver)) = (self.thread, self.saver) else { return then };
        let plan = self.shared().run.state();
        let kept = self.trail.kept.clone();
        // An update of the state belongs to none.
        let run_id = (source != Source::Update).then(|| self.id.to_string());
        let id = match (saver.naming(), source, &kept) {
            (None, Source::Stop, Some(kept)) => within_step(kept),
            (None, ..) => new_id(),
            (Some(_), Source::Stop, Some(kept)) => kept.clone(),
            (Some(naming), ..) => naming.checkpoint(self.trail.last.as_deref(), plan.step + 1),
        };
        let delta = Delta {
            id: id.clone(),
            parent: kept,
            run_id: run_id.clone(),
            updates: Arc::new(std::mem::take(&mut self.trail.merged)),
            held: self.trail.held(&plan),
            plan,
            input: self.input.clone(),
            sends: self.sends.clone(),
            pending: self.pending.clone(),
            names: graph.names.clone(),
            source,
            follows_run: self.kept_run.clone(),
            ended: Arc::new(std::mem::take(&mut self.trail.ended)),
        };
        let checkpoint = Checkpoint { state: self.state.clone(), delta };
        let last = self.trail.last.clone();
        let left = std::mem::take(&mut self.shared().when_saved.0);
        let future = Box::pin(async move {
            let was_put = caught_saving(move || saver.put(thread, last, checkpoint)).await?;
            for (_, work) in left.into_iter().filter(|_| was_put) {
                work.await;
            }
            Ok(was_put)
        });
        *self.open_save() = Some(Save { future, id, run_id, then });
        self.saved().await.unwrap_or(Ok(None))
    }

    /// Waits for the checkpoint that is being saved, if there is one. Returns the step's outcome.
    pub(super) async fn saved(&mut self) -> Option<Stepped> {
        let was_put = self.open_save().as_mut()?.future.as_mut().await;
        let Save { id, run_id, then, .. } = self.open_save().take()?;
        Some(match was_put {
            Ok(true) => {
                self.trail.kept = Some(id.clone());
                self.kept_run = run_id;
                self.trail.last = Some(id);
                then
            }
            Ok(false) => {
                Err(GraphError::Conflict(self.thread.map(str::to_owned).unwrap_or_default()))
            }
            Err(error) => Err(error),
        })
    }

    fn open_save(&mut self) -> &mut Option<Save<'g>> {
        self.save.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a task that ends with the step, for the checkpoint.
    pub(super) fn note(&mut self, ended: Ended) {
        let plan = &self.graph.plan;
        for (at, write) in (0..).zip(&ended.writes) {
            if (plan.branch(0)..plan.join(0)).contains(write) {
                let chose = (!ended.edges.contains(&at)).then_some(ended.node);
                self.trail.held.insert(*write, chose);
            }
        }
        self.trail.ended.push(ended);
    }

    /// Returns the channel that triggered a task.
    pub(super) fn trigger(&self, task: &Task) -> Channel {
        match task.cause {
            Cause::Pull => self.shared().run.triggers(task).next().unwrap_or(Channel::MAX),
            _ => self.graph.plan.sends(),
        }
    }
}
