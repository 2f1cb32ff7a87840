//! A policy, resolved: the numbers that a [`Ledger`](super::ledger::Ledger) decides by.

use super::policy::{Cuts, Policy, Size};

/// A [`Size`] in numbers: NaN for a measure that it does not have.
#[derive(Debug, Clone, Copy)]
pub struct Measure {
    /// Tokens.
    pub tokens: f64,
    /// Messages.
    pub messages: f64,
    /// A part of the model's input, up to 1.
    pub fraction: f64,
}

impl Measure {
    /// No measure at all.
    const NONE: Self = Self { tokens: f64::NAN, messages: f64::NAN, fraction: f64::NAN };

    fn is_none(self) -> bool {
        self.tokens.is_nan() && self.messages.is_nan() && self.fraction.is_nan()
    }

    /// Takes the larger of its tokens and its fraction of `input`; `none` where it has no measure.
    pub(super) fn threshold(self, input: f64, none: f64) -> Threshold {
        let or_none = |measure: f64| if measure.is_nan() { none } else { measure };
        let share = (input * self.fraction).floor();
        let tokens = if share.is_nan() {
            or_none(self.tokens)
        } else {
            // `max` of a number and NaN is the number.
            self.tokens.max(share).max(1.0)
        };
        Threshold { tokens, messages: or_none(self.messages) }
    }
}

impl From<&Size> for Measure {
    fn from(size: &Size) -> Self {
        Self {
            tokens: size.tokens.unwrap_or(f64::NAN),
            messages: size.messages.map_or(f64::NAN, f64::from),
            fraction: size.fraction.unwrap_or(f64::NAN),
        }
    }
}

/// A trigger, resolved: both reached.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Threshold {
    /// At least so many tokens.
    pub tokens: f64,
    /// At least so many messages.
    pub messages: f64,
}

/// The numbers that a ledger decides by.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// A compaction is due above each of these.
    pub thresholds: Vec<Threshold>,
    /// The most to keep.
    pub keep: Threshold,
    /// A summary is due above so many tokens, too.
    pub most: f64,
    /// The tokens of the system prompt and the tools.
    pub overhead: f64,
    /// The messages that are counted in `overhead`.
    pub apart: u32,
    /// Whether counted tokens are scaled by those that the model reported.
    pub scaled: bool,
    /// Whether cuts are `LangChain`'s.
    pub as_langchain: bool,
    /// Whether the messages in front count for the tokens to keep.
    pub front_counts: bool,
    /// How many of the last results of tools edits leave alone.
    pub edit_keep_results: u32,
    /// How many of the last messages edits leave alone.
    pub edit_keep_messages: u32,
}

impl Limits {
    /// Sets the triggers and the size to keep, for a model that takes so many tokens.
    pub fn resolve(&mut self, input: f64, keep: Measure, triggers: &[Measure]) {
        self.keep = keep.threshold(input, f64::INFINITY);
        let half = |most: f64, of: f64| if of > 0.0 { most.min((of / 2.0).floor()) } else { most };
        for trigger in triggers {
            let one = trigger.threshold(input, f64::NEG_INFINITY);
            if keep.is_none() {
                self.keep.tokens = half(self.keep.tokens, one.tokens - self.overhead);
                self.keep.messages = half(self.keep.messages, one.messages);
            }
            self.thresholds.push(one);
        }
    }

    /// Returns the tokens from which on a trigger holds, with so many messages.
    #[must_use]
    pub fn due_at(&self, messages: f64) -> f64 {
        let reached = self.thresholds.iter().filter(|one| messages >= one.messages);
        reached.fold(f64::INFINITY, |least, one| least.min(one.tokens))
    }
}

impl From<&Policy> for Limits {
    fn from(policy: &Policy) -> Self {
        let mut limits = Self {
            most: policy.most.unwrap_or(f64::INFINITY),
            overhead: policy.overhead,
            apart: policy.apart,
            scaled: policy.scaled,
            as_langchain: policy.cuts == Cuts::AsLangchain,
            front_counts: policy.front_counts,
            // Without edits nothing is saved, wherever the boundary is.
            edit_keep_results: policy.edit_keep_results.unwrap_or(0),
            edit_keep_messages: policy.edit_keep_messages.unwrap_or(0),
            ..Self::default()
        };
        let triggers: Vec<Measure> = policy.trigger.iter().map(Measure::from).collect();
        let keep = policy.keep.as_ref().map_or(Measure::NONE, Measure::from);
        limits.resolve(policy.max_input_tokens.unwrap_or(f64::INFINITY), keep, &triggers);
        limits.keep.tokens = limits.keep.tokens.floor();
        limits
    }
}
