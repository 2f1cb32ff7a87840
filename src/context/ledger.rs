//! The messages of a context in numbers, and what a policy makes of them.

use super::cut::{Row, Track};
use super::policy::{Cuts, Decision, Policy};

/// What a decision needs to know of an assistant message, beside its calls.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Usage {
    /// A number for who made it, if it says so.
    pub provider: Option<u32>,
    /// What it says it took with all before it.
    pub total_tokens: Option<f64>,
    /// Whether that counts for a trigger: it is of the provider that is asked next.
    pub reported: bool,
}

/// One message as it stands in a [`Ledger`].
#[derive(Debug, Clone)]
struct Entry {
    /// The tokens up to it, itself included.
    sum: f64,
    /// Where its ids end.
    ids: u32,
    is_result: bool,
    /// What the last assistant message up to it reported.
    reported: f64,
    scale: Scale,
}

/// What answers said they took, as Python's `count_tokens_approximately` reads it: the same as
/// `UsageScale`, kept for each message.
#[derive(Debug, Clone, Copy, Default)]
struct Scale {
    provider: Option<u32>,
    mixed: bool,
    /// What the last answer took, and the sum of tokens up to it.
    took: Option<(f64, f64)>,
}

impl Scale {
    fn add(&mut self, usage: &Usage, sum: f64) {
        if self.provider.is_none() {
            self.provider = usage.provider;
        } else if self.provider != usage.provider {
            self.mixed = true;
        }
        if let Some(total) = usage.total_tokens {
            self.took = Some((total, sum));
        }
    }

    /// The factor, with this much counted before all.
    fn factor(&self, before: f64) -> f64 {
        const MOST: f64 = 1.25;
        match self.took {
            Some((took, sum)) if !self.mixed && self.provider.is_some() && before + sum > 0.0 => {
                (took / (before + sum)).clamp(1.0, MOST)
            }
            _ => 1.0,
        }
    }
}

/// The number of an id without a letter, which for `LangChain` is none.
const EMPTY: u32 = 0;

/// The messages of a context, in numbers. The number of an empty id is 0.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ledger {
    pub(crate) track: Track,
    entries: Vec<Entry>,
    /// The ids of the valid calls of each message, or of the call that it answers.
    ids: Vec<u32>,
}

impl Ledger {
    /// Adds a message at the end.
    pub(crate) fn push(&mut self, row: Row<'_>, tokens: f64, usage: &Usage) {
        self.track.push(row);
        let last = self.entries.last();
        let sum = last.map_or(0.0, |last| last.sum) + tokens;
        let mut reported = last.map_or(f64::NAN, |last| last.reported);
        let mut scale = last.map(|last| last.scale).unwrap_or_default();
        match row {
            Row::Ai { calls, .. } => {
                self.ids.extend_from_slice(calls);
                scale.add(usage, sum);
                let total = usage.total_tokens.filter(|_| usage.reported);
                reported = total.unwrap_or(f64::NAN);
            }
            Row::Tool(id) => self.ids.extend(id),
            Row::Other => {}
        }
        let ids = index(self.ids.len());
        let is_result = matches!(row, Row::Tool(_));
        self.entries.push(Entry { sum, ids, is_result, reported, scale });
    }

    /// Keeps the first `length` messages.
    #[cfg(feature = "bindings-agent")]
    pub(crate) fn truncate(&mut self, length: u32) {
        self.track.truncate(length);
        self.entries.truncate(length as usize);
        self.ids.truncate(self.entries.last().map_or(0, |last| last.ids as usize));
    }

    fn len(&self) -> u32 {
        index(self.entries.len())
    }

    /// The tokens before a message.
    fn before(&self, at: u32) -> f64 {
        let last = at.checked_sub(1).and_then(|last| self.entries.get(last as usize));
        last.map_or(0.0, |last| last.sum)
    }

    /// Returns the tokens of all, `beside` them what repairs them takes.
    pub(crate) fn tokens(&self, policy: &Policy, beside: f64) -> f64 {
        let Some(last) = self.entries.last() else { return policy.overhead + beside };
        let counted = policy.overhead + last.sum + beside;
        if !policy.scaled || self.len() + policy.apart < 2 {
            return counted.ceil();
        }
        (counted * last.scale.factor(policy.overhead)).ceil()
    }

    /// Whether a trigger holds.
    fn is_over(&self, policy: &Policy, tokens: f64) -> bool {
        let reported = self.entries.last().map_or(f64::NAN, |last| last.reported);
        let messages = f64::from(self.len());
        let reached = tokens.max(reported);
        policy.most.is_some_and(|most| tokens > most)
            || policy
                .thresholds()
                .iter()
                .any(|one| reached >= one.tokens && messages >= one.messages)
    }

    /// Whether something may be due: a trigger holds.
    pub(crate) fn is_due(&self, policy: &Policy, beside: f64) -> bool {
        self.is_over(policy, self.tokens(policy, beside))
    }

    /// Decides what is due: edits, if no trigger holds after them and they save at least half of what
    /// a summary would; else a summary, of what is edited then. `front` messages stay in front
    /// whatever happens; messages before `edited` are edited already, and editing each would save so
    /// many tokens.
    pub(crate) fn due(
        &self,
        policy: &Policy,
        front: u32,
        edited: u32,
        beside: f64,
        saved: &[f64],
    ) -> Option<Decision> {
        if !self.is_due(policy, beside) {
            return None;
        }
        let mut due = Decision::default();
        let boundary = self.edit_boundary(policy).unwrap_or(0);
        let range = edited as usize..boundary as usize;
        let room: f64 = saved.get(range).unwrap_or_default().iter().sum();
        if room > 0.0 {
            due.edited_before = boundary;
            // A little less is not worth a prompt cache: it would be due again soon.
            let by_summary = self.before(self.len()) - policy.kept().0;
            let is_enough = room >= by_summary / 2.0;
            if is_enough && !self.is_over(policy, self.tokens(policy, beside - room)) {
                return Some(due);
            }
        }
        let savings =
            if room > 0.0 { saved.get(..boundary as usize).unwrap_or_default() } else { &[] };
        due.cutoff = self.cutoff(policy, front, edited, savings);
        (due != Decision::default()).then_some(due)
    }

    /// The first message that edits leave alone.
    fn edit_boundary(&self, policy: &Policy) -> Option<u32> {
        let by_messages = policy.edit_keep_messages.map(|keep| self.len().saturating_sub(keep));
        let by_results = policy.edit_keep_results.map(|keep| {
            let results =
                self.entries.iter().enumerate().rev().filter(|(_, entry)| entry.is_result);
            match keep.checked_sub(1) {
                None => self.len(),
                Some(others) => {
                    let mut results = results.map(|(at, _)| index(at));
                    results.nth(others as usize).unwrap_or(0)
                }
            }
        });
        match (by_messages, by_results) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        }
    }

    /// Returns the first message to keep, or 0 to keep all.
    pub(crate) fn cutoff(&self, policy: &Policy, front: u32, edited: u32, saved: &[f64]) -> u32 {
        let (mut tokens, messages) = policy.kept();
        if policy.front_counts {
            tokens = (tokens - self.before(front)).max(1.0);
        }
        let by_tokens = self.by_tokens(policy, tokens, edited, saved);
        let by_messages = self.by_messages(messages);
        if policy.cuts == Cuts::AsLangchain {
            // Scaled, all may be too much, and as it is it is not: then it moves off a result.
            let target = by_tokens.map(|at| at.max(by_messages));
            return target
                .or((by_messages > 0).then_some(by_messages))
                .map_or(0, |at| self.langchain_cut(at));
        }
        let target = by_tokens.unwrap_or(0).max(by_messages);
        if target <= front {
            return 0;
        }
        let cut = self.track.cut(target);
        if cut > front {
            return cut;
        }
        // Nothing that keeps all of it: what keeps a little less.
        self.track.next_cut(target).filter(|cut| *cut > front).unwrap_or(0)
    }

    fn by_messages(&self, keep: f64) -> u32 {
        let (mut least, mut most) = (0, self.len());
        while least < most {
            let middle = least + (most - least) / 2;
            if f64::from(self.len() - middle) <= keep { most = middle } else { least = middle + 1 }
        }
        least
    }

    /// The earliest message from which on the messages have no more tokens, and at least one stays;
    /// none, if all have no more.
    fn by_tokens(&self, policy: &Policy, keep: f64, edited: u32, saved: &[f64]) -> Option<u32> {
        let len = self.len();
        let all = if policy.scaled {
            // As the reference has it, all are counted scaled, and parts are not.
            let factor = self.entries.last().map_or(1.0, |last| last.scale.factor(0.0));
            (self.before(len) * if len > 1 { factor } else { 1.0 }).ceil()
        } else {
            self.before(len)
        };
        let mut savings = vec![0.0; saved.len() + 1];
        let mut total = 0.0;
        for (at, one) in saved.iter().enumerate().rev() {
            total += if at < edited as usize { 0.0 } else { *one };
            if let Some(place) = savings.get_mut(at) {
                *place = total;
            }
        }
        if all - total <= keep {
            return None;
        }
        let from = |at: u32| {
            let less = savings.get(at as usize).copied().unwrap_or_default();
            (self.before(len) - self.before(at)).ceil() - less
        };
        let (mut least, mut most) = (0, len);
        while least < most {
            let middle = least + (most - least) / 2;
            if from(middle) <= keep { most = middle } else { least = middle + 1 }
        }
        if least < len {
            return Some(least);
        }
        (len > 1).then(|| len - 1)
    }

    /// Where `LangChain` cuts: not between a run of results and the nearest message with a call of
    /// one of them; if there is none, behind the run.
    fn langchain_cut(&self, target: u32) -> u32 {
        let is_result = |at: &u32| self.entries.get(*at as usize).is_some_and(|it| it.is_result);
        let end = (target..self.len()).find(|at| !is_result(at)).unwrap_or(self.len());
        if end == target {
            return target;
        }
        let answered: Vec<_> = self.ids_of(target, end).iter().filter(|id| **id != EMPTY).collect();
        let calls = |at: &u32| {
            !is_result(at) && self.ids_of(*at, *at + 1).iter().any(|id| answered.contains(&id))
        };
        (0..target).rev().find(calls).unwrap_or(end)
    }

    fn ids_of(&self, from: u32, to: u32) -> &[u32] {
        let end = |at: u32| {
            let last = at.checked_sub(1).and_then(|last| self.entries.get(last as usize));
            last.map_or(0, |last| last.ids as usize)
        };
        self.ids.get(end(from)..end(to)).unwrap_or_default()
    }
}

/// A position as the number that it crosses to JavaScript as.
fn index(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
