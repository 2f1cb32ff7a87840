//! The options by which a context is kept small enough for a model.

use crate::error::Error;

/// A measure of a context: as a trigger its least size, for `keep` the most.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Size {
    /// So many tokens.
    pub tokens: Option<f64>,
    /// So many messages.
    pub messages: Option<u32>,
    /// This share of the model's input tokens.
    pub fraction: Option<f64>,
}

impl Size {
    /// So many tokens.
    #[must_use]
    pub fn tokens(tokens: f64) -> Self {
        Self { tokens: Some(tokens), ..Self::default() }
    }

    /// So many messages.
    #[must_use]
    pub fn messages(messages: u32) -> Self {
        Self { messages: Some(messages), ..Self::default() }
    }

    /// This share of the model's input tokens.
    #[must_use]
    pub fn fraction(fraction: f64) -> Self {
        Self { fraction: Some(fraction), ..Self::default() }
    }
}

/// Where a list of messages is cut.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Cuts {
    /// Where no result loses its call, and no call that waits is cut off.
    #[default]
    Safe,
    /// Where `LangChain` cuts: now and then that leaves a result without its call.
    AsLangchain,
}

/// When a context is compacted, and to which size.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Policy {
    /// Compacts when one of these holds; one holds when each measure in it is reached. Never, if
    /// empty.
    pub trigger: Vec<Size>,
    /// Keeps no more of the newest messages than this. By default half of the trigger: each measure
    /// of it that would hold.
    pub keep: Option<Size>,
    /// The most tokens that the model takes, which a fraction is of.
    pub max_input_tokens: Option<f64>,
    /// Compacts, too, when there are more tokens than this.
    pub most: Option<f64>,
    /// The tokens of the system prompt and the tools.
    pub overhead: f64,
    /// The messages that are counted in `overhead`: 1 for a system prompt beside the list.
    pub apart: u32,
    /// Whether to scale counts by the tokens that the provider reported for an answer.
    pub scaled: bool,
    /// Where to cut.
    pub cuts: Cuts,
    /// Whether the messages in front (system messages, the last summary) count for the tokens to
    /// keep.
    pub front_counts: bool,
    /// Edits leave the newest messages alone: from this many of the last tool results on.
    pub edit_keep_results: Option<u32>,
    /// Edits leave this many of the newest messages alone.
    pub edit_keep_messages: Option<u32>,
}

impl Policy {
    /// Returns whether the numbers make sense.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a measure that is empty, not above 0 or, for a fraction,
    /// above 1. Also for tokens that are not a whole number, and for a fraction without a total.
    pub(super) fn check(&self) -> Result<(), Error> {
        for size in self.trigger.iter().chain(&self.keep) {
            if *size == Size::default() {
                return Err(Error::value("a trigger", "some tokens, messages or a fraction"));
            }
            if size.tokens.is_some_and(|tokens| !(tokens > 0.0 && tokens.fract() == 0.0))
                || size.messages == Some(0)
            {
                return Err(Error::value("tokens and messages", "whole numbers above 0"));
            }
            if size.fraction.is_some_and(|fraction| !(fraction > 0.0 && fraction <= 1.0)) {
                return Err(Error::value("a fraction", "above 0 and at most 1"));
            }
            if size.fraction.is_some() && self.max_input_tokens.is_none() {
                return Err(Error::value("max_input_tokens", "given, for a fraction is of it"));
            }
        }
        Ok(())
    }
}
