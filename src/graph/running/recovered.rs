//! A run that continues after its process ended.

use super::Running;
use crate::State;
use crate::graph::checkpoint::{Pending, TaskError};
use crate::graph::error::GraphError;
use crate::graph::thread_at::ThreadAt;

impl<'g, S> Running<'g, S>
where
    S: State + Send + Sync + 'static,
    S::Update: Clone + Send + Sync + 'static,
{
    /// Continues the run of a thread whose process ended. It saves first that it tries to: if nothing
    /// follows, the attempt is known.
    pub(in crate::graph) async fn recovered(thread_at: &ThreadAt<'g, S>) -> Result<Self, GraphError>
    where
        S: Default,
    {
        let (mut running, is_known) = Self::opened(thread_at).await?;
        if !is_known {
            return Err(GraphError::UnknownThread(thread_at.thread.to_owned()));
        }
        let attempt = TaskError::Killed(attempts(&running.pending).saturating_add(1));
        running.halted(&attempt, Ok(None)).await?;
        let (mut running, _) = Self::opened(thread_at).await?;
        running.go_on();
        Ok(running)
    }
}

/// Returns how many times a run was continued in the step that it is in.
pub(super) fn attempts<S: State>(pending: &[Pending<S>]) -> u32 {
    let attempts = pending.iter().map(|own| match own.error {
        Some(TaskError::Killed(attempts)) => attempts,
        _ => 0,
    });
    attempts.max().unwrap_or_default()
}
