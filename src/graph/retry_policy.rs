//! When a failed node runs again.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::caught::{Panicked, caught};
use super::error::{BoxError, GraphError};
use super::sendable::{MaybeSend, MaybeSync};

/// Says whether and when a failed node runs again: `LangGraph`'s `RetryPolicy`.
///
/// Give it to [`StateGraph::retry`](super::StateGraph::retry). A node that asks has not failed.
///
/// ```
/// use threadfold::graph::RetryPolicy;
///
/// let policy = RetryPolicy::new().max_attempts(5).retry_on(|error| error.is::<std::io::Error>());
/// ```
#[derive(Clone)]
pub struct RetryPolicy {
    max_attempts: u32,
    initial_interval: Duration,
    backoff_factor: f64,
    max_interval: Duration,
    jitter: bool,
    retry_on: Option<Arc<dyn Judging>>,
}

/// Says whether an error is worth another attempt.
trait Judging: MaybeSend + MaybeSync {
    fn is_worth(&self, error: &(dyn Error + 'static)) -> bool;
}

impl<F: Fn(&(dyn Error + 'static)) -> bool + MaybeSend + MaybeSync> Judging for F {
    fn is_worth(&self, error: &(dyn Error + 'static)) -> bool {
        self(error)
    }
}

impl RetryPolicy {
    /// Runs a node three times at most. It waits half a second after the first failure, then twice as
    /// long each time. A wait is at most 128 seconds, and up to one more at random.
    #[must_use]
    pub fn new() -> Self {
        Self {
            max_attempts: 3,
            initial_interval: Duration::from_millis(500),
            backoff_factor: 2.0,
            max_interval: Duration::from_secs(128),
            jitter: true,
            retry_on: None,
        }
    }

    /// Makes a policy that does not wait: its graph needs no timer.
    #[must_use]
    pub fn at_once() -> Self {
        Self { initial_interval: Duration::ZERO, jitter: false, ..Self::new() }
    }

    /// Sets how often the node runs, the first time included.
    #[must_use]
    pub fn max_attempts(mut self, attempts: u32) -> Self {
        self.max_attempts = attempts;
        self
    }

    /// Sets the wait after the first failure.
    #[must_use]
    pub fn initial_interval(mut self, time: Duration) -> Self {
        self.initial_interval = time;
        self
    }

    /// Sets by what each wait is longer than the one before.
    #[must_use]
    pub fn backoff_factor(mut self, factor: f64) -> Self {
        self.backoff_factor = factor;
        self
    }

    /// Sets the longest wait.
    #[must_use]
    pub fn max_interval(mut self, time: Duration) -> Self {
        self.max_interval = time;
        self
    }

    /// Sets whether each wait is up to a second longer, at random.
    #[must_use]
    pub fn jitter(mut self, jitter: bool) -> Self {
        self.jitter = jitter;
        self
    }

    /// Sets which errors are worth another attempt; those of
    /// [`default_retry_on`](Self::default_retry_on) if you do not.
    #[must_use]
    pub fn retry_on(
        mut self,
        is_worth: impl Fn(&(dyn Error + 'static)) -> bool + MaybeSend + MaybeSync + 'static,
    ) -> Self {
        self.retry_on = Some(Arc::new(is_worth));
        self
    }

    /// Returns false for a mistake in code, which would happen again: a panic, or the recursion limit or an
    /// unknown node of a graph inside. `LangGraph` for Python retries no recursion limit either;
    /// langgraph.js and the npm package do.
    #[must_use]
    pub fn default_retry_on(error: &(dyn Error + 'static)) -> bool {
        let mut next = Some(error);
        while let Some(error) = next {
            let graphs = error.downcast_ref::<GraphError>();
            let is_mistake =
                matches!(graphs, Some(GraphError::RecursionLimit(_) | GraphError::UnknownNode(_)));
            if is_mistake || error.is::<Panicked>() {
                return false;
            }
            next = error.source();
        }
        true
    }

    /// Whether an error is worth another attempt.
    ///
    /// # Errors
    /// The panic of the policy's own function.
    pub(super) fn is_worth(&self, error: &BoxError) -> Result<bool, Panicked> {
        caught(|| match &self.retry_on {
            Some(retry_on) => retry_on.is_worth(&**error),
            None => Self::default_retry_on(&**error),
        })
    }

    /// Whether there is another attempt after so many.
    pub(super) fn has_more(&self, attempts: u32) -> bool {
        attempts < self.max_attempts
    }

    /// Whether it may wait.
    pub(super) fn waits(&self) -> bool {
        self.jitter || !self.initial_interval.min(self.max_interval).is_zero()
    }

    /// Returns how long to wait after so many attempts.
    pub(super) fn delay(&self, attempts: u32) -> Duration {
        let exponent = i32::try_from(attempts).unwrap_or(i32::MAX).saturating_sub(1);
        let grown = self.initial_interval.as_secs_f64() * self.backoff_factor.powi(exponent);
        let delay = Duration::try_from_secs_f64(grown).unwrap_or(self.max_interval);
        let more = if self.jitter { at_random() } else { Duration::ZERO };
        delay.min(self.max_interval).saturating_add(more)
    }
}

/// Returns a time below a second.
fn at_random() -> Duration {
    let [one, two, ..] = *uuid::Uuid::new_v4().as_bytes();
    Duration::from_secs(1).mul_f64(f64::from(u16::from_le_bytes([one, two])) / 65_536.0)
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for RetryPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetryPolicy")
            .field("max_attempts", &self.max_attempts)
            .field("initial_interval", &self.initial_interval)
            .field("backoff_factor", &self.backoff_factor)
            .field("max_interval", &self.max_interval)
            .field("jitter", &self.jitter)
            .finish_non_exhaustive()
    }
}
