//! A policy's decisions: whether a context is too large for a model, which messages to edit or to
//! summarize, and where to cut.
//!
//! Decisions concern the list before its repair: the front (system messages, a summary), and the
//! messages that are kept. Between two compactions the list only grows, so each decision costs only
//! what has changed.

use super::ledger::Ledger;
use super::limits::Limits;

/// The number of an empty id, which `LangChain` counts as missing.
const EMPTY: u32 = 0;

/// The edits or the summary due.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Decision {
    /// Summarize the messages before this one of the list; 0 for none.
    pub cutoff: u32,
    /// Edit the messages before this one; 0 for no change.
    pub edited_before: u32,
}

impl Ledger {
    /// Returns the tokens of all; `beside` is the cost of their repair.
    #[must_use]
    pub fn tokens(&self, limits: &Limits, beside: f64) -> f64 {
        let Some(last) = self.entries.last() else { return (limits.overhead + beside).ceil() };
        let counted = limits.overhead + last.sum + beside;
        if !limits.scaled || self.len().saturating_add(limits.apart) < 2 {
            return counted.ceil();
        }
        (counted * last.scale.factor(limits.overhead)).ceil()
    }

    /// Whether a trigger holds.
    fn is_over(&self, limits: &Limits, tokens: f64) -> bool {
        let reported = self.entries.last().map_or(f64::NAN, |last| last.reported);
        let messages = f64::from(self.len());
        let reached = tokens.max(reported);
        tokens > limits.most
            || limits.thresholds.iter().any(|one| reached >= one.tokens && messages >= one.messages)
    }

    /// Whether something may be due: a trigger holds.
    #[must_use]
    pub fn is_due(&self, limits: &Limits, beside: f64) -> bool {
        self.is_over(limits, self.tokens(limits, beside))
    }

    /// Decides what is due. Edits are due if no trigger holds after them and they save at least
    /// half of a summary's savings. Otherwise a summary is due, of the edited messages. The first
    /// `front` messages always stay. Editing those before [`Ledger::edit_boundary`] would save
    /// `saved` tokens up to each message, itself included.
    #[must_use]
    pub fn due(&self, limits: &Limits, front: u32, beside: f64, saved: &[f64]) -> Option<Decision> {
        if !self.is_due(limits, beside) {
            return None;
        }
        let mut due = Decision::default();
        let room = saved.last().copied().unwrap_or_default();
        if room > 0.0 {
            due.edited_before = self.edit_boundary(limits);
            // A little less is not worth a prompt cache: it would be due again soon.
            let by_summary = self.before(self.len()) - limits.keep.tokens;
            let is_enough = room >= by_summary / 2.0;
            if is_enough && !self.is_over(limits, self.tokens(limits, beside - room)) {
                return Some(due);
            }
        }
        due.cutoff = self.cutoff(limits, front, if room > 0.0 { saved } else { &[] });
        (due != Decision::default()).then_some(due)
    }

    /// The first message that edits leave alone.
    #[must_use]
    pub fn edit_boundary(&self, limits: &Limits) -> u32 {
        let by_messages = self.len().saturating_sub(limits.edit_keep_messages);
        let mut by_results = self.len();
        for _ in 0..limits.edit_keep_results {
            let before = (0..by_results).rev().find(|at| self.track.is_result(*at));
            by_results = before.unwrap_or(0);
            if by_results == 0 {
                break;
            }
        }
        by_messages.min(by_results)
    }

    /// Returns the first message to keep, or 0 to keep all.
    #[must_use]
    pub fn cutoff(&self, limits: &Limits, front: u32, saved: &[f64]) -> u32 {
        let Limits { keep, .. } = limits;
        let mut tokens = keep.tokens;
        if limits.front_counts {
            tokens = (tokens - self.before(front)).max(1.0);
        }
        let by_tokens = self.by_tokens(limits, tokens, saved);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Saturates.
        let by_messages = self.len().saturating_sub(keep.messages as u32);
        if limits.as_langchain {
            // If the scaled count is too much but the plain one is not, the cut moves off a result.
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
        // No cut keeps all of it, so take one that keeps a little less.
        self.track.next_cut(target).filter(|cut| *cut > front).unwrap_or(0)
    }

    /// The earliest message from which on the messages have no more tokens, and at least one stays;
    /// none, if all have no more.
    fn by_tokens(&self, limits: &Limits, keep: f64, saved: &[f64]) -> Option<u32> {
        let len = self.len();
        let all = if limits.scaled {
            // As the reference has it, all are counted scaled, and parts are not.
            let factor = self.entries.last().map_or(1.0, |last| last.scale.factor(0.0));
            (self.before(len) * if len > 1 { factor } else { 1.0 }).ceil()
        } else {
            self.before(len)
        };
        let room = saved.last().copied().unwrap_or_default();
        if all - room <= keep {
            return None;
        }
        let from = |at: u32| {
            let before = at.checked_sub(1).and_then(|last| saved.get(last as usize));
            let less = room - before.copied().unwrap_or_default();
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

    /// Returns `LangChain`'s cut. It never separates a run of results from the nearest message with
    /// a call of one of them. Without such a message, it cuts after the run.
    fn langchain_cut(&self, target: u32) -> u32 {
        let is_result = |at: &u32| self.track.is_result(*at);
        let end = (target..self.len()).find(|at| !is_result(at)).unwrap_or(self.len());
        if end == target {
            return target;
        }
        (target..end).filter_map(|at| self.track.caller(at, EMPTY)).max().unwrap_or(end)
    }
}
