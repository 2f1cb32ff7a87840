//! Counting a context while it grows, a streamed token at a time.

use crate::error::Error;
use crate::value::Value;

use super::call_fields::is_for_screen;
use super::estimate::Estimate;
use super::estimate_message::{TOKENS_PER_IMAGE, estimate_message};
use super::limits::Limits;
use super::policy::Policy;
use super::view::View;

/// Counts a growing context at the cost of its new part: a token costs one addition and one
/// comparison. The view's own messages keep their counts, later ones are estimated. The meter does
/// not see what a repair adds or leaves out.
///
/// ```
/// use serde_json::json;
/// use threadfold::context::{Context, Estimated, Policy, Size};
/// use threadfold::unstable::Meter;
///
/// let policy = Policy { trigger: vec![Size::tokens(20.0)], ..Policy::default() };
/// let messages = json!([{ "type": "human", "content": "What is 6 × 7?" }]);
/// let view = Context::new(policy.clone(), &Estimated).view(&messages, None)?;
///
/// let mut meter = Meter::new(&view, &policy)?;
/// meter.push(&json!({ "type": "ai", "content": "" }))?;
/// for token in ["It", " is", " 42", "."] {
///     meter.text(token);
/// }
/// assert_eq!((meter.tokens(), meter.is_due()), (21.0, true));
/// # Ok::<(), threadfold::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Meter {
    /// The tokens of all but the last message.
    before: f64,
    /// The last message; `None` if its text is not sent.
    last: Option<Estimate>,
    messages: usize,
    limits: Limits,
}

impl Meter {
    /// Counts on from a view.
    ///
    /// # Errors
    /// `INVALID_MESSAGE` if the view's last message is invalid.
    pub fn new<V: Value>(view: &View<V>, policy: &Policy) -> Result<Self, Error> {
        let messages = view.messages.len();
        let last = messages.checked_sub(1).and_then(|last| view.messages.at(last));
        let last = last.map(|last| estimate_message(&*last, TOKENS_PER_IMAGE)).transpose()?;
        let before = view.tokens - last.as_ref().map_or(0.0, tokens_of);
        Ok(Self { before, last, messages, limits: Limits::from(policy) })
    }

    /// Adds a message at the end.
    ///
    /// # Errors
    /// `INVALID_MESSAGE` for an invalid message: nothing is added then.
    pub fn push<V: Value>(&mut self, message: &V) -> Result<(), Error> {
        let is_sent = !is_for_screen(message);
        let last = is_sent.then(|| estimate_message(message, TOKENS_PER_IMAGE)).transpose()?;
        self.before = self.tokens();
        self.last = last;
        self.messages += usize::from(is_sent);
        Ok(())
    }

    /// Adds text to the content of the last message.
    pub fn text(&mut self, delta: &str) {
        if let Some(last) = &mut self.last {
            last.add(delta);
        }
    }

    /// Returns the tokens of all.
    #[must_use]
    pub fn tokens(&self) -> f64 {
        self.before + self.last.as_ref().map_or(0.0, tokens_of)
    }

    /// Returns whether a trigger holds: then look at [`View::due`].
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // None has so many.
    pub fn is_due(&self) -> bool {
        self.tokens() >= self.limits.due_at(self.messages as f64)
    }
}

#[allow(clippy::cast_precision_loss)] // No message has 2⁵³ tokens.
fn tokens_of(estimate: &Estimate) -> f64 {
    estimate.tokens() as f64
}
