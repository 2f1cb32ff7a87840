//! The counters of a context.

use crate::error::Error;
use crate::value::Value;

use super::count::{CountOptions, message_tokens};
use super::estimate_message::{TOKENS_PER_IMAGE, estimate_message};

/// Counts the tokens of a message. A list's count is the sum of its messages' counts.
pub trait CountTokens<V>: Send + Sync {
    /// Returns the tokens of one message.
    ///
    /// # Errors
    /// `INVALID_MESSAGE` for an invalid message, or the counter's own.
    fn count(&self, message: &V) -> Result<f64, Error>;
}

/// Counts as Python's `count_tokens_approximately` does.
#[derive(Debug, Clone, Copy, Default)]
pub struct Approximate(pub CountOptions);

impl<V: Value> CountTokens<V> for Approximate {
    fn count(&self, message: &V) -> Result<f64, Error> {
        message_tokens(message, &self.0)
    }
}

/// Estimates a model's own count, of text as [`estimate_tokens`](crate::context::estimate_tokens) does.
#[derive(Debug, Clone, Copy, Default)]
pub struct Estimated;

impl<V: Value> CountTokens<V> for Estimated {
    #[allow(clippy::cast_precision_loss)] // No message has 2⁵³ tokens.
    fn count(&self, message: &V) -> Result<f64, Error> {
        Ok(estimate_message(message, TOKENS_PER_IMAGE)?.tokens() as f64)
    }
}

impl<V, F: Fn(&V) -> Result<f64, Error> + Send + Sync> CountTokens<V> for F {
    fn count(&self, message: &V) -> Result<f64, Error> {
        self(message)
    }
}
