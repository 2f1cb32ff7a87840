//! Saving where a run is, on its thread.

use std::sync::{Arc, PoisonError};

use super::Running;
use crate::State;
use crate::graph::checkpoint::{Checkpoint, Delta};
use crate::graph::checkpointer::Saving;
use crate::graph::error::GraphError;
use crate::graph::outcome::StepDone;
use crate::id::new_id;

/// The outcome of a step.
pub(super) type Stepped = Result<Option<StepDone>, GraphError>;

/// A checkpoint that is being saved.
pub(super) struct Save<'g> {
    future: Saving<'g, bool>,
    id: String,
    /// The outcome of the step, for when it is saved.
    then: Stepped,
}

impl<'g, S> Running<'g, S>
where
    S: State + Send + Sync + 'static,
    S::Update: Clone + Send + Sync + 'static,
{
    /// Saves where it is, if it is on a thread. Returns `then`, or why it could not be saved.
    pub(super) async fn save(&mut self, then: Stepped) -> Stepped {
        let graph = self.graph;
        let (Some(thread), Some(saver)) = (self.thread, self.saver) else { return then };
        let id = new_id();
        let delta = Delta {
            id: id.clone(),
            parent: self.kept.clone(),
            run_id: Some(self.id.to_string()),
            updates: Arc::new(std::mem::take(&mut self.merged)),
            plan: self.shared().run.state(),
            input: self.input.clone(),
            sends: self.sends.clone(),
            pending: self.pending.clone(),
            names: graph.names.clone(),
        };
        let checkpoint = Checkpoint { state: self.state.clone(), delta };
        let future = saver.put(thread, self.last.clone(), checkpoint);
        *self.open_save() = Some(Save { future, id, then });
        self.saved().await.unwrap_or(Ok(None))
    }

    /// Waits for the checkpoint that is being saved, if there is one. Returns the step's outcome.
    pub(super) async fn saved(&mut self) -> Option<Stepped> {
        let was_put = self.open_save().as_mut()?.future.as_mut().await;
        let Save { id, then, .. } = self.open_save().take()?;
        Some(match was_put {
            Ok(true) => {
                self.kept = Some(id.clone());
                self.kept_run = Some(self.id.to_string());
                self.last = Some(id);
                then
            }
            Ok(false) => {
                Err(GraphError::Conflict(self.thread.map(str::to_owned).unwrap_or_default()))
            }
            Err(error) => Err(GraphError::Checkpointer(error)),
        })
    }

    fn open_save(&mut self) -> &mut Option<Save<'g>> {
        self.save.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}
