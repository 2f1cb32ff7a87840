//! The messages for a model: a view of the full track and one record.

use std::fmt;

use crate::value::Value;

use super::clear::ClearOptions;
use super::policy::{Cuts, Policy};
use super::record::{Boundary, Record, summary_message};
use super::tokens::CountTokens;
use super::truncate::TruncateOptions;

/// When a context is compacted, to which size, and how it is counted.
///
/// ```
/// use serde_json::json;
/// use threadfold::context::{Policy, Size};
/// use threadfold::context::Estimated;
/// use threadfold::context::Context;
///
/// let policy = Policy { trigger: vec![Size::messages(4)], keep: Some(Size::messages(2)), ..Policy::default() };
/// let context = Context::new(policy, &Estimated);
/// let messages = json!(["one", "two", "three", "four"]);
///
/// let due = context.view(&messages, None)?.due.unwrap();
/// assert_eq!(due.messages, json!(["one", "two"]));
///
/// let record = due.record(Some("They counted."), None);
/// let view = context.view(&messages, Some(&record))?;
/// assert_eq!(view.messages.as_array().map(Vec::len), Some(3));
/// assert!(view.due.is_none());
/// # Ok::<(), threadfold::Error>(())
/// ```
#[derive(Clone)]
pub struct Context<'a, V> {
    /// When something is due.
    pub policy: Policy,
    /// How a message is counted.
    pub counter: &'a dyn CountTokens<V>,
    /// Clears old tool results before anything is summarized; `keep` is the number to keep.
    pub clear: Option<ClearOptions<'a>>,
    /// Truncates long arguments of old calls before anything is summarized.
    pub truncate: Option<TruncateOptions<'a>>,
    /// Whether system messages of the list stay in front of the summary.
    pub preserve_system: bool,
    /// The providers whose own count of an answer counts for a trigger.
    pub providers: &'a [&'a str],
}

impl<V> fmt::Debug for Context<'_, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("policy", &self.policy).finish_non_exhaustive()
    }
}

/// The messages for a model, their cost, and the compaction due.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct View<V> {
    /// The messages: a list that every provider takes.
    pub messages: V,
    /// Their tokens, with the policy's overhead.
    pub tokens: f64,
    /// The work to do before the model is called.
    pub due: Option<Due<V>>,
}

/// The edits or the summary due.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Due<V> {
    /// The position in the full track of the first message that stays.
    pub cutoff: usize,
    /// The messages to summarize; none, if edits are enough.
    pub messages: V,
    /// The messages that stay.
    pub kept: V,
    /// The message before which messages are edited from now on.
    pub edited_before: Option<Boundary>,
    pub(super) edited_id: Option<String>,
    pub(super) cutoff_id: Option<String>,
    pub(super) summarized_id: Option<String>,
    pub(super) only_edits: bool,
    pub(super) summary: Option<V>,
    pub(super) created_at: usize,
}

impl<V: Value> Due<V> {
    /// Makes the record; without a summary the messages are left out. If only edits are due, the
    /// last summary stays.
    #[must_use]
    pub fn record(&self, summary: Option<&str>, file_path: Option<&str>) -> Record<V> {
        let made = summary.map(|summary| summary_message(summary.trim(), file_path));
        Record {
            cutoff_index: self.cutoff,
            cutoff_id: self.cutoff_id.clone(),
            summarized_id: self.summarized_id.clone(),
            summary_message: if self.only_edits { self.summary.clone() } else { made },
            file_path: file_path.map(str::to_owned),
            created_at_index: Some(self.created_at),
            edited_before: self.edited_before.clone(),
            edited_id: self.edited_id.clone(),
        }
    }
}

impl<'a, V: Value + fmt::Display> Context<'a, V> {
    /// Makes one without edits, which keeps system messages.
    pub fn new(policy: Policy, counter: &'a dyn CountTokens<V>) -> Self {
        let preserve_system = policy.cuts == Cuts::Safe;
        Self { policy, counter, clear: None, truncate: None, preserve_system, providers: &[] }
    }
}
