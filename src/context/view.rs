//! The messages for a model: a view of the full track and one record.

use std::fmt;

use crate::error::Error;
use crate::value::{Found, Kind, Scalar, Symbols, Value};

use super::before::EditedBefore;
use super::call_fields::{fields, id_of, is_for_screen, is_kind};
use super::clear::{ClearOptions, clear_tool_uses};
use super::cut::Row;
use super::ledger::{Ledger, Usage};
use super::limits::Limits;
use super::policy::{Cuts, Policy};
use super::record::{Boundary, Record, is_summary, summary_message, without_reasoning};
use super::rows::Facts;
use super::tokens::CountTokens;
use super::tool_calls::{Waiting, repair_tool_calls};
use super::trim::Counter;
use super::truncate::{TruncateOptions, truncate_tool_args};

/// When a context is compacted, to what, and how it is counted.
///
/// ```
/// use serde_json::json;
/// use threadfold::context::policy::{Policy, Size};
/// use threadfold::context::tokens::Estimated;
/// use threadfold::context::view::Context;
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
    /// Clears old tool results before anything is summarized; `keep` says how many stay.
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
pub struct View<V> {
    /// The messages: a list that every provider takes.
    pub messages: V,
    /// Their tokens, with what the policy has as overhead.
    pub tokens: f64,
    /// The work to do before the model is called.
    pub due: Option<Due<V>>,
}

/// The edits or the summary due.
#[derive(Debug, Clone)]
pub struct Due<V> {
    /// The position in the full track of the first message that stays.
    pub cutoff: usize,
    /// The messages to summarize; none, if edits are enough.
    pub messages: V,
    /// The messages that stay.
    pub kept: V,
    /// The message before which messages are edited from now on.
    pub edited_before: Option<Boundary>,
    edited_id: Option<String>,
    cutoff_id: Option<String>,
    summarized_id: Option<String>,
    only_edits: bool,
    summary: Option<V>,
    created_at: usize,
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

/// The list before repair, and where its parts come from.
struct Effective<V> {
    list: Vec<V>,
    front: usize,
    /// The messages of the full track, without those that are only for the screen, each with its
    /// position there.
    track: Vec<(usize, V)>,
    /// The first of them that is kept.
    cutoff: usize,
}

impl<'a, V: Value + fmt::Display> Context<'a, V> {
    /// Makes one without edits, which keeps system messages.
    pub fn new(policy: Policy, counter: &'a dyn CountTokens<V>) -> Self {
        let preserve_system = policy.cuts == Cuts::Safe;
        Self { policy, counter, clear: None, truncate: None, preserve_system, providers: &[] }
    }

    /// Returns what the model is sent.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if `messages` is not a list, and for a policy that makes no
    /// sense; [`Error::InvalidMessage`] for an invalid message; the counter's own.
    pub fn view(&self, messages: &V, record: Option<&Record<V>>) -> Result<View<V>, Error> {
        if messages.kind() != Kind::Array {
            return Err(Error::value("messages", "a list of messages"));
        }
        self.policy.check()?;
        let record = record.filter(|record| record.cutoff(messages).is_some());
        let of = self.effective(messages, record)?;
        let ledger = self.ledger(&of.list)?;
        let list = V::array(of.list.iter().cloned());
        let repaired = self.repaired(&list, Waiting::Keep)?;
        let beside =
            if list.same(&repaired) { 0.0 } else { self.sum(&repaired)? - self.sum(&list)? };
        let tokens = ledger.tokens(&Limits::from(&self.policy), beside);
        let due = self.due(messages, record, &of, &ledger, &list, beside)?;
        Ok(View { messages: repaired, tokens, due })
    }

    fn effective(&self, full: &V, record: Option<&Record<V>>) -> Result<Effective<V>, Error> {
        let track = full.items().map(Found::into_owned).enumerate();
        let track: Vec<_> = track.filter(|(_, message)| !is_for_screen(message)).collect();
        let Some(record) = record else {
            let list = track.iter().map(|(_, message)| message.clone()).collect();
            return Ok(Effective { list, front: 0, track, cutoff: 0 });
        };
        let before = |place: usize| track.partition_point(|(at, _)| *at < place);
        let cutoff = before(record.cutoff(full).unwrap_or(0));
        let mut list = self.systems(&track, cutoff);
        list.extend(record.summary_message.clone());
        let front = list.len();
        let made = record.created_at_index.map_or(cutoff, before);
        let kept = track.iter().enumerate().skip(cutoff);
        let kept = kept.map(
            |(at, (_, message))| {
                if at < made { without_reasoning(message) } else { message.clone() }
            },
        );
        let edge = before(record.boundary(full)).saturating_sub(cutoff);
        let kept = self.edited(V::array(kept), edge)?;
        list.extend(kept.items().map(Found::into_owned));
        Ok(Effective { list, front, track, cutoff })
    }

    fn systems(&self, track: &[(usize, V)], end: usize) -> Vec<V> {
        let before = track.iter().take(if self.preserve_system { end } else { 0 });
        let systems = before.filter(|(_, message)| is_system(message));
        systems.map(|(_, message)| message.clone()).collect()
    }

    fn edited(&self, list: V, before: usize) -> Result<V, Error> {
        let edited_before = Some(EditedBefore::Index(before));
        let mut none = |_: &V| Ok(0);
        let list = match self.clear {
            Some(clear) if before > 0 => clear_tool_uses(
                &list,
                ClearOptions { edited_before, ..clear },
                Counter::Message(&mut none),
            )?,
            _ => list,
        };
        match self.truncate {
            Some(truncate) if before > 0 => {
                let options = TruncateOptions { edited_before, ..truncate };
                truncate_tool_args(&list, options, None, Counter::Message(&mut none))
            }
            _ => Ok(list),
        }
    }

    /// A result that says no call counts nothing: nobody is sent it.
    fn count(&self, message: &V) -> Result<f64, Error> {
        self.counter.count(message).or_else(|error| match Facts::of(message) {
            Ok(Facts::Tool { id: None, .. }) => Ok(0.0),
            _ => Err(error),
        })
    }

    fn sum(&self, list: &V) -> Result<f64, Error> {
        list.items().try_fold(0.0, |sum, message| Ok(sum + self.count(&message)?))
    }

    fn ledger(&self, list: &[V]) -> Result<Ledger, Error> {
        let mut ledger = Ledger::default();
        let mut ids = V::Symbols::default();
        // The first number is that of an empty id.
        ids.intern(&V::string(""));
        let mut providers = V::Symbols::default();
        for (at, message) in list.iter().enumerate() {
            let facts = Facts::of(message).map_err(|error| error.at(at))?;
            let tokens = self.count(message).map_err(|error| error.at(at))?;
            let mut numbers = |calls: &[V]| -> Vec<u32> {
                calls.iter().filter_map(|call| ids.intern(&*call.get("id")?)).collect()
            };
            match &facts {
                Facts::Ai { calls, invalid } => {
                    let (mut calls, invalid) = (numbers(calls), numbers(invalid));
                    let valid = number(calls.len());
                    calls.extend(invalid);
                    let usage = self.usage(message, &mut providers);
                    ledger.push(Row::Ai { calls: &calls, valid }, tokens, &usage);
                }
                Facts::Tool { id, .. } => {
                    let id = id.as_ref().and_then(|id| ids.intern(id));
                    ledger.push(Row::Tool(id), tokens, &Usage::default());
                }
                Facts::Other => ledger.push(Row::Other, tokens, &Usage::default()),
            }
        }
        Ok(ledger)
    }

    fn usage(&self, message: &V, providers: &mut V::Symbols) -> Usage {
        let message = fields(message);
        let about = message.get_owned("response_metadata");
        let provider = about.and_then(|about| about.get_owned("model_provider"));
        let total = message.get_owned("usage_metadata");
        let total = total.and_then(|usage| usage.get("total_tokens")?.scalar());
        let is_ours = |provider: &V| {
            provider.text().is_some_and(|provider| self.providers.contains(&&*provider))
        };
        Usage {
            reported: provider.as_ref().is_some_and(is_ours),
            provider: provider.and_then(|provider| providers.intern(&provider)),
            #[allow(clippy::cast_precision_loss)] // Nor has any answer.
            total_tokens: match total {
                Some(Scalar::Integer(total)) => Some(total as f64),
                _ => None,
            },
        }
    }

    fn repaired(&self, list: &V, waiting: Waiting) -> Result<V, Error> {
        match self.policy.cuts {
            Cuts::Safe => repair_tool_calls(list, waiting),
            Cuts::AsLangchain => Ok(list.clone()),
        }
    }

    fn due(
        &self,
        full: &V,
        record: Option<&Record<V>>,
        of: &Effective<V>,
        ledger: &Ledger,
        list: &V,
        beside: f64,
    ) -> Result<Option<Due<V>>, Error> {
        let limits = Limits::from(&Policy {
            edit_keep_results: self.clear.map(|clear| number(clear.keep)),
            edit_keep_messages: self.truncate.map(|truncate| match truncate.keep {
                super::truncate::ContextSize::Messages(keep) => number(keep),
                _ => 20,
            }),
            ..self.policy.clone()
        });
        if !ledger.is_due(&limits, beside) {
            return Ok(None);
        }
        let saved = if self.clear.is_some() || self.truncate.is_some() {
            let all = self.edited(list.clone(), ledger.edit_boundary(&limits) as usize)?;
            let pairs = all.items().zip(of.list.iter());
            let mut room = 0.0;
            let saved = pairs.map(|(short, message)| {
                if !message.same(&short) {
                    room += self.count(message)? - self.count(&short)?;
                }
                Ok(room)
            });
            saved.collect::<Result<Vec<f64>, Error>>()?
        } else {
            Vec::new()
        };
        let decided = ledger.due(&limits, number(of.front), beside, &saved);
        let Some(decided) = decided else { return Ok(None) };
        let (cutoff, boundary) = (decided.cutoff as usize, decided.edited_before as usize);
        // A position of the list as one of the track, and of that as one of the full track.
        let tracked = |at: usize| of.cutoff + at.saturating_sub(of.front);
        let placed = |at: usize| of.track.get(at).map_or(full.len(), |(place, _)| *place);
        let id_at = |at: usize| of.track.get(at).and_then(|(_, message)| id_of(message));
        let now = self.edited(list.clone(), boundary)?;
        let first = if cutoff == 0 { of.front } else { cutoff };
        let (kept_from, edge) = (tracked(first), tracked(boundary));
        let from = if self.policy.cuts == Cuts::AsLangchain { 0 } else { of.front };
        let gone = now.items().take(cutoff).skip(from);
        let gone = gone.filter(|message| !(self.preserve_system && is_system(&**message)));
        let kept = now.items().skip(first).map(|message| without_reasoning(&*message));
        Ok(Some(Due {
            cutoff: placed(kept_from),
            messages: self.repaired(&V::array(gone.map(Found::into_owned)), Waiting::Answer)?,
            kept: self.repaired(&V::array(kept), Waiting::Keep)?,
            edited_before: if boundary == 0 {
                record.and_then(|record| record.edited_before.clone())
            } else {
                Some(id_at(edge).map_or_else(|| Boundary::Index(placed(edge)), Boundary::Id))
            },
            edited_id: if boundary == 0 {
                record.and_then(|record| record.edited_id.clone())
            } else {
                edge.checked_sub(1).and_then(id_at)
            },
            cutoff_id: id_at(kept_from),
            summarized_id: kept_from.checked_sub(1).and_then(id_at),
            only_edits: cutoff == 0,
            summary: record.and_then(|record| record.summary_message.clone()),
            created_at: full.len(),
        }))
    }
}

/// Whether it is a system message that stays in front: a summary does not, the next one stands for
/// it, too.
fn is_system<V: Value>(message: &V) -> bool {
    is_kind(message, "system") && !is_summary(message)
}

fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
