//! A conversation that is viewed repeatedly: a view costs only its changes.

use std::fmt;

use crate::error::Error;
use crate::value::{Found, Kind, Scalar, Symbols, Value};

use super::call_fields::{fields, id_of, is_for_screen, is_kind};
use super::clear::{ClearOptions, clear_tool_uses};
use super::cut::Row;
use super::ledger::{Ledger, Usage};
use super::limits::Limits;
use super::policy::Cuts;
use super::record::{Boundary, Record, is_summary, without_reasoning};
use super::rows::Facts;
use super::tool_calls::{Waiting, repair_tool_calls};
use super::trim::Counter;
use super::truncate::{TruncateOptions, truncate_tool_args};
use super::view::{Context, Due, View};

/// A conversation as it was looked at last: [`Context::conversation`] makes one. A look reads and counts
/// the messages that are new, and compares the others. In [`Json`](crate::value::Json) that is a
/// comparison of pointers; values without an identity are compared whole.
///
/// ```
/// use threadfold::context::{Policy, Size};
/// use threadfold::context::Estimated;
/// use threadfold::context::Context;
/// use threadfold::value::{Json, Value};
///
/// let policy = Policy { trigger: vec![Size::messages(3)], ..Policy::default() };
/// let context = Context::new(policy, &Estimated);
/// let mut conversation = context.conversation();
///
/// let messages = ["one", "two", "three"].map(Json::string);
/// let before = conversation.view(&Json::array(messages[..2].to_vec()), None)?;
/// assert!(before.due.is_none());
/// // Only the third is read.
/// let now = conversation.view(&Json::array(messages.to_vec()), None)?;
/// assert!(now.due.is_some());
/// # Ok::<(), threadfold::Error>(())
/// ```
pub struct Conversation<'c, 'a, V: Value> {
    context: &'c Context<'a, V>,
    limits: Limits,
    /// None before the first look, and after one that failed.
    seen: Option<Seen<V>>,
}

impl<V: Value> fmt::Debug for Conversation<'_, '_, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversation").field("context", self.context).finish_non_exhaustive()
    }
}

impl<'a, V: Value + fmt::Display> Context<'a, V> {
    /// Returns the messages for the model. For repeated views, [`Context::conversation`] costs only
    /// the changes.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if `messages` is not a list, and for a policy that makes no
    /// sense; `INVALID_MESSAGE` for an invalid message; the counter's own.
    pub fn view(&self, messages: &V, record: Option<&Record<V>>) -> Result<View<V>, Error> {
        self.conversation().view(messages, record)
    }

    /// Returns a conversation that nobody has looked at yet.
    #[must_use]
    pub fn conversation(&self) -> Conversation<'_, 'a, V> {
        Conversation::new(self)
    }
}

/// A conversation as it was looked at last, without its context.
pub(crate) struct LastLook<V: Value>(Option<Seen<V>>);

impl<V: Value> Default for LastLook<V> {
    fn default() -> Self {
        Self(None)
    }
}

/// The result of a look: the list before repair, where its parts come from, and its numbers.
struct Seen<V: Value> {
    /// The full track: a list.
    full: V,
    /// The positions in it of the messages that are not only for the screen.
    track: Vec<usize>,
    /// The record that was given, and whether it is about this conversation.
    record: Option<Record<V>>,
    is_about: bool,
    /// How many messages of the full track determine the record's cuts and edits.
    settled: usize,
    list: Vec<V>,
    /// How many messages of the list come before the kept ones.
    front: usize,
    /// The first message of the track that is kept.
    cutoff: usize,
    ledger: Ledger,
    ids: V::Symbols,
    providers: V::Symbols,
}

impl<V: Value> Default for Seen<V> {
    fn default() -> Self {
        let mut ids = V::Symbols::default();
        // The first number is that of an empty id.
        ids.intern(&V::string(""));
        Self {
            full: V::array([]),
            track: Vec::new(),
            record: None,
            is_about: false,
            settled: 0,
            list: Vec::new(),
            front: 0,
            cutoff: 0,
            ledger: Ledger::default(),
            ids,
            providers: V::Symbols::default(),
        }
    }
}

impl<V: Value> Seen<V> {
    fn record(&self) -> Option<&Record<V>> {
        self.record.as_ref().filter(|_| self.is_about)
    }

    /// Keeps what the first `length` messages of the full track gave.
    fn truncate(&mut self, length: usize) {
        let kept = self.track.partition_point(|at| *at < length);
        let gone = self.track.len() - kept;
        self.track.truncate(kept);
        self.list.truncate(self.list.len() - gone);
        self.ledger.truncate(number(self.list.len()));
    }

    /// Adds the messages from a position on to the full track, and to the list if `sends`.
    fn extend(&mut self, messages: &V, from: usize, sends: bool) {
        for at in from..messages.len() {
            let Some(message) = messages.at(at).map(Found::into_owned) else { continue };
            if !is_for_screen(&message) {
                self.track.push(at);
                if sends {
                    self.list.push(message);
                }
            }
        }
        self.full = messages.clone();
    }

    /// How many messages of the track are before a position in the full track.
    fn before(&self, place: usize) -> usize {
        self.track.partition_point(|at| *at < place)
    }

    fn tracked(&self, at: usize) -> Option<V::Found<'_>> {
        self.full.at(*self.track.get(at)?)
    }

    /// The list as a value; the full track itself if all of it is sent.
    fn list(&self, full: &V) -> V {
        let is_all = self.record().is_none() && self.list.len() == self.full.len();
        if is_all { full.clone() } else { V::array(self.list.iter().cloned()) }
    }
}

impl<'c, 'a, V: Value + fmt::Display> Conversation<'c, 'a, V> {
    pub(super) fn new(context: &'c Context<'a, V>) -> Self {
        let mut limits = Limits::from(&context.policy);
        limits.edit_keep_results = context.clear.map_or(0, |clear| number(clear.keep));
        limits.edit_keep_messages =
            context.truncate.map_or(0, |truncate| truncate.keep.messages.unwrap_or(20));
        Self { context, limits, seen: None }
    }

    /// Continues a conversation with a context that decides as the one before.
    pub(crate) fn after(context: &'c Context<'a, V>, LastLook(seen): LastLook<V>) -> Self {
        Self { seen, ..Self::new(context) }
    }

    /// Returns the conversation without its context.
    pub(crate) fn into_last_look(self) -> LastLook<V> {
        LastLook(self.seen)
    }

    /// Returns the messages for the model.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if `messages` is not a list, and for a policy that makes no sense;
    /// `INVALID_MESSAGE` for an invalid message; the counter's own. After an error the next
    /// look reads everything anew.
    pub fn view(&mut self, messages: &V, record: Option<&Record<V>>) -> Result<View<V>, Error> {
        if messages.kind() != Kind::Array {
            return Err(Error::value("messages", "a list of messages"));
        }
        self.context.policy.check()?;
        let seen = self.look(messages, record)?;
        let list = seen.list(messages);
        let (repaired, beside) = if self.is_sent_as_is(&seen) {
            (list.clone(), 0.0)
        } else {
            let repaired = repair_tool_calls(&list, Waiting::Keep)?;
            let beside = self.sum(&repaired)? - self.sum(&list)?;
            (repaired, beside)
        };
        let tokens = seen.ledger.tokens(&self.limits, beside);
        let due = self.due(&seen, &list, beside)?;
        self.seen = Some(seen);
        Ok(View { messages: repaired, tokens, due })
    }

    fn look(&mut self, messages: &V, record: Option<&Record<V>>) -> Result<Seen<V>, Error> {
        let last = self.seen.take().filter(|seen| match (&seen.record, record) {
            (None, None) => true,
            (Some(own), Some(record)) => own.same(record),
            _ => false,
        });
        if let Some(mut seen) = last {
            let same = seen.full.same_prefix(messages);
            if same >= seen.settled {
                seen.truncate(same);
                seen.extend(messages, same, true);
                self.count_new(&mut seen)?;
                return Ok(seen);
            }
        }
        let mut seen = Seen { record: record.cloned(), ..Seen::default() };
        let cutoff = record.and_then(|record| record.cutoff(messages));
        seen.is_about = cutoff.is_some();
        seen.extend(messages, 0, cutoff.is_none());
        match (record, cutoff) {
            (Some(record), Some(cutoff)) => self.leave_out(&mut seen, messages, record, cutoff)?,
            // A message that it is about may still come.
            (Some(_), None) => seen.settled = usize::MAX,
            (None, _) => {}
        }
        self.count_new(&mut seen)?;
        Ok(seen)
    }

    /// Makes the list that a record leaves of the track.
    fn leave_out(
        &self,
        seen: &mut Seen<V>,
        messages: &V,
        record: &Record<V>,
        cutoff: usize,
    ) -> Result<(), Error> {
        let edge = record.boundary(messages);
        seen.settled = record.settled(messages, cutoff, edge);
        seen.cutoff = seen.before(cutoff);
        let made = record.created_at_index.map_or(seen.cutoff, |made| seen.before(made));
        if self.context.preserve_system {
            let before = (0..seen.cutoff).filter_map(|at| seen.tracked(at));
            seen.list =
                before.filter(|message| is_system(&**message)).map(Found::into_owned).collect();
        }
        seen.list.extend(record.summary_message.clone());
        seen.front = seen.list.len();
        let kept = (seen.cutoff..seen.track.len()).filter_map(|at| {
            let message = seen.tracked(at)?;
            Some(if at < made { without_reasoning(&*message) } else { message.into_owned() })
        });
        let edge = seen.before(edge).saturating_sub(seen.cutoff);
        let kept = self.edited(V::array(kept), edge)?;
        seen.list.extend(kept.items().map(Found::into_owned));
        Ok(())
    }

    /// Adds the list's new messages to its numbers.
    fn count_new(&self, seen: &mut Seen<V>) -> Result<(), Error> {
        let Seen { list, ledger, ids, providers, .. } = seen;
        for (at, message) in list.iter().enumerate().skip(ledger.track.len() as usize) {
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
                    let usage = self.usage(message, providers);
                    ledger.push(Row::Ai { calls: &calls, valid }, tokens, &usage);
                }
                Facts::Tool { id, .. } => {
                    let id = id.as_ref().and_then(|id| ids.intern(id));
                    ledger.push(Row::Tool(id), tokens, &Usage::default());
                }
                Facts::Other => ledger.push(Row::Other, tokens, &Usage::default()),
            }
        }
        Ok(())
    }

    fn usage(&self, message: &V, providers: &mut V::Symbols) -> Usage {
        let message = fields(message);
        let about = message.get_owned("response_metadata");
        let provider = about.and_then(|about| about.get_owned("model_provider"));
        let total = message.get_owned("usage_metadata");
        let total = total.and_then(|usage| usage.get("total_tokens")?.scalar());
        let ours = self.context.providers;
        let is_ours =
            |provider: &V| provider.text().is_some_and(|provider| ours.contains(&&*provider));
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

    fn is_sent_as_is(&self, seen: &Seen<V>) -> bool {
        self.context.policy.cuts == Cuts::AsLangchain || seen.ledger.track.is_whole()
    }

    fn repaired(&self, list: &V, waiting: Waiting) -> Result<V, Error> {
        match self.context.policy.cuts {
            Cuts::Safe => repair_tool_calls(list, waiting),
            Cuts::AsLangchain => Ok(list.clone()),
        }
    }

    fn edited(&self, list: V, before: usize) -> Result<V, Error> {
        let boundary = Boundary::Index(before);
        let edited_before = Some(&boundary);
        let mut none = |_: &V| Ok(0);
        let list = match self.context.clear {
            Some(clear) if before > 0 => clear_tool_uses(
                &list,
                ClearOptions { edited_before, ..clear },
                Counter::Message(&mut none),
            )?,
            _ => list,
        };
        match self.context.truncate {
            Some(truncate) if before > 0 => {
                let options = TruncateOptions { edited_before, ..truncate };
                truncate_tool_args(&list, options, None, Counter::Message(&mut none))
            }
            _ => Ok(list),
        }
    }

    /// A result that says no call counts nothing: nobody is sent it.
    fn count(&self, message: &V) -> Result<f64, Error> {
        self.context.counter.count(message).or_else(|error| match Facts::of(message) {
            Ok(Facts::Tool { id: None, .. }) => Ok(0.0),
            _ => Err(error),
        })
    }

    fn sum(&self, list: &V) -> Result<f64, Error> {
        list.items().try_fold(0.0, |sum, message| Ok(sum + self.count(&message)?))
    }

    fn due(&self, seen: &Seen<V>, list: &V, beside: f64) -> Result<Option<Due<V>>, Error> {
        let Self { context, limits, .. } = self;
        let ledger = &seen.ledger;
        if !ledger.is_due(limits, beside) {
            return Ok(None);
        }
        let saved = self.saved(seen, list)?;
        let decided = ledger.due(limits, number(seen.front), beside, &saved);
        let Some(decided) = decided else { return Ok(None) };
        let (cutoff, boundary) = (decided.cutoff as usize, decided.edited_before as usize);
        let record = seen.record();
        // A position of the list as one of the track, and of that as one of the full track.
        let tracked = |at: usize| seen.cutoff + at.saturating_sub(seen.front);
        let placed = |at: usize| seen.track.get(at).copied().unwrap_or(seen.full.len());
        let id_at = |at: usize| seen.tracked(at).and_then(|message| id_of(&*message));
        let now = self.edited(list.clone(), boundary)?;
        let first = if cutoff == 0 { seen.front } else { cutoff };
        let (kept_from, edge) = (tracked(first), tracked(boundary));
        let from = if context.policy.cuts == Cuts::AsLangchain { 0 } else { seen.front };
        let gone = now.items().take(cutoff).skip(from);
        let gone = gone.filter(|message| !(context.preserve_system && is_system(&**message)));
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
            created_at: seen.full.len(),
        }))
    }

    /// The tokens that edits would save up to each message, itself included; empty without edits.
    fn saved(&self, seen: &Seen<V>, list: &V) -> Result<Vec<f64>, Error> {
        if self.context.clear.is_none() && self.context.truncate.is_none() {
            return Ok(Vec::new());
        }
        let boundary = seen.ledger.edit_boundary(&self.limits) as usize;
        let all = self.edited(list.clone(), boundary)?;
        let mut room = 0.0;
        let saved = all.items().zip(&seen.list).map(|(short, message)| {
            if !message.same(&short) {
                room += self.count(message)? - self.count(&short)?;
            }
            Ok(room)
        });
        saved.collect()
    }
}

/// Whether it is a system message that stays in front. A summary does not stay, because the next
/// one replaces it, too.
fn is_system<V: Value>(message: &V) -> bool {
    is_kind(message, "system") && !is_summary(message)
}

fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
