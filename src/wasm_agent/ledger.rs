//! [`Ledger`] and its [`Policy`] for JavaScript.

use wasm_bindgen::prelude::*;

use crate::context::cut::Row;
use crate::context::ledger::{Ledger, Usage};
use crate::context::policy::{Cuts, Policy, Size};

/// What the first number of a row says about a message. `pkg-template/src/context/ledger.ts` writes
/// the rows.
const AI: f64 = 1.0;
const TOOL: f64 = 2.0;

/// [`Ledger`].
#[wasm_bindgen]
pub struct RawLedger {
    ledger: Ledger,
    policy: Policy,
    calls: Vec<u32>,
}

#[wasm_bindgen]
#[allow(missing_docs)] // Each is what `Ledger` calls so.
impl RawLedger {
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new(policy: &[f64]) -> Self {
        Self { ledger: Ledger::default(), policy: policy_of(policy), calls: Vec::new() }
    }

    /// Keeps the first `length` messages and adds others: for each 0, `AI` or `TOOL`, and its tokens;
    /// for an AI message how many calls it makes, how many of them are invalid, its provider, what it
    /// says it took and whether that is reported, and the ids of the calls; for a result the id of the
    /// call.
    pub fn replace(&mut self, length: u32, mut rows: &[f64]) {
        self.ledger.truncate(length);
        while let Some(rest) = self.push(rows) {
            rows = rest;
        }
    }

    fn push<'a>(&mut self, rows: &'a [f64]) -> Option<&'a [f64]> {
        let (row, tokens, usage, rest) = match *rows {
            [AI, tokens, all, invalid, provider, total, reported, ref rest @ ..] => {
                let (ids, rest) = rest.split_at_checked(whole(all) as usize)?;
                self.calls.clear();
                self.calls.extend(ids.iter().map(|id| whole(*id)));
                let valid = self.calls.len().saturating_sub(whole(invalid) as usize);
                let (calls, invalid) = self.calls.split_at_checked(valid)?;
                let usage = Usage {
                    provider: number(provider).map(whole),
                    total_tokens: number(total),
                    reported: reported > 0.0,
                };
                (Row::Ai { calls, invalid }, tokens, usage, rest)
            }
            [TOOL, tokens, id, ref rest @ ..] => {
                (Row::Tool(number(id).map(whole)), tokens, Usage::default(), rest)
            }
            [_, tokens, ref rest @ ..] => (Row::Other, tokens, Usage::default(), rest),
            _ => return None,
        };
        self.ledger.push(row, tokens, &usage);
        Some(rest)
    }

    #[must_use]
    pub fn tokens(&self, beside: f64) -> f64 {
        self.ledger.tokens(&self.policy, beside)
    }

    #[wasm_bindgen(js_name = isDue)]
    #[must_use]
    pub fn is_due(&self, beside: f64) -> bool {
        self.ledger.is_due(&self.policy, beside)
    }

    /// Returns the cutoff and the boundary of edits, or nothing.
    #[must_use]
    pub fn due(&self, front: u32, edited: u32, beside: f64, saved: &[f64]) -> Vec<u32> {
        let due = self.ledger.due(&self.policy, front, edited, beside, saved);
        due.map_or_else(Vec::new, |due| vec![due.cutoff, due.edited_before])
    }

    /// Returns where it would be cut.
    #[must_use]
    pub fn cutoff(&self) -> u32 {
        self.ledger.cutoff(&self.policy, 0, 0, &[])
    }

    #[wasm_bindgen(js_name = isWhole)]
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.ledger.track.is_whole(0)
    }

    /// Returns the tokens and the messages of each trigger.
    #[must_use]
    pub fn thresholds(&self) -> Vec<f64> {
        self.policy.thresholds().iter().flat_map(|one| [one.tokens, one.messages]).collect()
    }
}

/// Reads the numbers that `pkg-template/src/context/policy.ts` writes.
fn policy_of(numbers: &[f64]) -> Policy {
    let [
        scaled,
        as_langchain,
        front_counts,
        overhead,
        apart,
        most,
        max_input_tokens,
        edit_keep_results,
        edit_keep_messages,
        keeps,
        ref sizes @ ..,
    ] = *numbers
    else {
        return Policy::default();
    };
    let mut sizes = sizes.chunks_exact(3).map(|size| match *size {
        [tokens, messages, fraction] => Size {
            tokens: number(tokens),
            messages: number(messages).map(whole),
            fraction: number(fraction),
        },
        _ => Size::default(),
    });
    Policy {
        keep: if keeps > 0.0 { sizes.next() } else { None },
        trigger: sizes.collect(),
        max_input_tokens: number(max_input_tokens),
        most: number(most),
        overhead,
        apart: whole(apart),
        scaled: scaled > 0.0,
        cuts: if as_langchain > 0.0 { Cuts::AsLangchain } else { Cuts::Safe },
        front_counts: front_counts > 0.0,
        edit_keep_results: number(edit_keep_results).map(whole),
        edit_keep_messages: number(edit_keep_messages).map(whole),
    }
}

/// NaN is no number.
fn number(number: f64) -> Option<f64> {
    (!number.is_nan()).then_some(number)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Saturates.
fn whole(number: f64) -> u32 {
    number as u32
}
