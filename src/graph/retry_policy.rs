//! When a failed node runs again.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::caught::{Panicked, caught};
use super::error::BoxError;
use super::sendable::{MaybeSend, MaybeSync};
use super::timer::Timer;

/// Says whether and when a failed node runs again: `LangGraph`'s `RetryPolicy`.
///
/// Give it to [`StateGraph::retry`](super::StateGraph::retry). A node that asks has not failed. One
/// that panics is not run again, unless [`retry_on`](Self::retry_on) says so.
///
/// ```
/// use threadfold::graph::RetryPolicy;
///
/// let policy = RetryPolicy::new()
///     .max_attempts(5)
///     .wait(tokio::time::sleep)
///     .retry_on(|error| error.is::<std::io::Error>());
/// ```
#[derive(Clone)]
pub struct RetryPolicy {
    max_attempts: u32,
    initial_interval: Duration,
    backoff_factor: f64,
    max_interval: Duration,
    jitter: bool,
    timer: Option<Timer>,
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
    /// Runs a node three times at most, at once. With a [timer](Self::wait) it waits half a second after
    /// the first failure, then twice as long each time. A wait is at most 128 seconds, and up to one more
    /// at random.
    #[must_use]
    pub fn new() -> Self {
        Self {
            max_attempts: 3,
            initial_interval: Duration::from_millis(500),
            backoff_factor: 2.0,
            max_interval: Duration::from_secs(128),
            jitter: true,
            timer: None,
            retry_on: None,
        }
    }

    /// Sets how often the node runs, the first time included.
    #[must_use]
    pub fn max_attempts(mut self, attempts: u32) -> Self {
        self.max_attempts = attempts;
        self
    }

    /// Waits before each further attempt, by a timer of your executor's.
    #[must_use]
    pub fn wait<Waiting>(
        mut self,
        timer: impl Fn(Duration) -> Waiting + MaybeSend + MaybeSync + 'static,
    ) -> Self
    where
        Waiting: Future<Output = ()> + MaybeSend + 'static,
    {
        self.timer = Some(Timer::new(timer));
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

    /// Sets which errors are worth another attempt.
    #[must_use]
    pub fn retry_on(
        mut self,
        is_worth: impl Fn(&(dyn Error + 'static)) -> bool + MaybeSend + MaybeSync + 'static,
    ) -> Self {
        self.retry_on = Some(Arc::new(is_worth));
        self
    }

    /// Waits for the next attempt after so many. Returns false if there is none.
    ///
    /// # Errors
    /// The panic of the policy's own functions.
    pub(super) async fn goes_on(&self, error: &BoxError, attempts: u32) -> Result<bool, BoxError> {
        let is_worth = match &self.retry_on {
            Some(retry_on) => caught(|| retry_on.is_worth(&**error))?,
            None => !error.is::<Panicked>(),
        };
        if !is_worth || attempts >= self.max_attempts {
            return Ok(false);
        }
        if let Some(timer) = &self.timer {
            timer.wait(self.delay(attempts)).await?;
        }
        Ok(true)
    }

    /// Returns how long to wait after so many attempts.
    fn delay(&self, attempts: u32) -> Duration {
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
