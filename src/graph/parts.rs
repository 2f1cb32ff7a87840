//! A run, part by part.

use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use super::error::GraphError;
use super::outcome::Outcome;
use super::run_part::{Queue, RunPart};
use super::sendable::BoxFuture;
use crate::State;

/// A run, part by part: [`Running::parts`](super::Running::parts).
pub struct Parts<'g, S: State> {
    run: Progress<'g, S>,
    queue: Arc<Queue<S>>,
}

enum Progress<'g, S> {
    Running(BoxFuture<'g, Result<Outcome<S>, GraphError>>),
    Ended(Result<Outcome<S>, GraphError>),
}

impl<'g, S: State> Parts<'g, S> {
    pub(super) fn new(
        run: BoxFuture<'g, Result<Outcome<S>, GraphError>>,
        queue: Arc<Queue<S>>,
    ) -> Self {
        Self { run: Progress::Running(run), queue }
    }

    /// Returns the next part. Returns none once the run has ended, however it ended.
    ///
    /// You may drop the future and call it again: no part is lost, and no node starts over.
    pub async fn next(&mut self) -> Option<RunPart<S>> {
        poll_fn(|context| {
            if let Some(part) = self.queue.pop() {
                return Poll::Ready(Some(part));
            }
            let Progress::Running(run) = &mut self.run else { return Poll::Ready(None) };
            self.queue.wait(context);
            if let Poll::Ready(outcome) = run.as_mut().poll(context) {
                self.run = Progress::Ended(outcome);
            }
            match (self.queue.pop(), &self.run) {
                (None, Progress::Running(_)) => Poll::Pending,
                (part, _) => Poll::Ready(part),
            }
        })
        .await
    }

    /// Stops the run. Nodes at work are dropped; what others of the step have returned is saved. The
    /// parts end, and [`finish`](Self::finish) returns where the thread stands.
    pub fn stop(&self) {
        self.queue.stop();
    }

    /// Runs to the end, without the parts that are left.
    ///
    /// # Errors
    /// See [`GraphError`].
    pub async fn finish(self) -> Result<Outcome<S>, GraphError> {
        match self.run {
            Progress::Running(run) => run.await,
            Progress::Ended(outcome) => outcome,
        }
    }
}

impl<S: State> fmt::Debug for Parts<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_ended = matches!(self.run, Progress::Ended(_));
        f.debug_struct("Parts").field("has_ended", &has_ended).finish_non_exhaustive()
    }
}
