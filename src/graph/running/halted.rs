//! The end of a run within a step, which it does not continue by itself.

use super::Running;
use super::save_checkpoint::Stepped;
use crate::State;
use crate::graph::checkpoint::{Finished, Source, TaskError};
use crate::graph::error::GraphError;
use crate::graph::planner::Status;

impl<S> Running<'_, S>
where
    S: State + Send + Sync + 'static,
    S::Update: Clone + Send + Sync + 'static,
{
    /// Saves a step that ends before all its nodes have returned, or has not begun. The other tasks
    /// have this reason as their error: without one, the run would look killed.
    pub(super) async fn halted(&mut self, reason: &TaskError, then: Stepped) -> Stepped {
        self.status = Status::Done;
        let (tasks, step) = {
            let run = &mut self.shared().run;
            if run.tasks().is_empty() {
                run.peek();
            }
            (run.tasks().to_vec(), run.step())
        };
        let open = match self.open.take() {
            Some(open) => open,
            None => self.open_step(&tasks),
        };
        let mut ended = self.ended(&tasks, open);
        self.route_finished(&tasks, &mut ended.done);
        let has_asked = |at: usize| ended.asked.iter().any(|(asked, _)| *asked == at);
        for (at, (error, done)) in ended.errors.iter_mut().zip(&ended.done).enumerate() {
            if error.is_none() && !has_ended(done.as_ref()) && !has_asked(at) {
                *error = Some(reason.clone());
            }
        }
        self.keep(&tasks, ended.done, ended.asked, ended.before, step);
        for (pending, error) in self.pending.iter_mut().zip(ended.errors) {
            pending.error = error;
        }
        self.save(Source::Stop, then).await
    }
}

/// Gives an error to the tasks whose updates or branches it is of.
pub(super) fn unmerged<S: State>(
    done: &[Option<Finished<S>>],
    error: &GraphError,
) -> Vec<Option<TaskError>> {
    let error = TaskError::Failed(error.cause_text());
    done.iter().map(|own| (!has_ended(own.as_ref())).then(|| error.clone())).collect()
}

/// Whether a task has finished, and its edges and branches have been asked.
fn has_ended<S: State>(done: Option<&Finished<S>>) -> bool {
    done.is_some_and(|finished| finished.edges.is_some())
}
