//! [`Ledger`] and its [`Policy`] for JavaScript.

use wasm_bindgen::prelude::*;

use crate::context::cut::Row;
use crate::context::ledger::{Ledger, Usage};
use crate::context::policy::{Limits, Threshold};
use crate::context::repair::Step;

/// What the first number of a row says about a message. `pkg-template/src/context/ledger.ts` writes
/// the rows.
const AI: f64 = 1.0;
const TOOL: f64 = 2.0;

// What is asked, in the order of `pkg-template/src/context/ledger.ts`.
const TOKENS: u32 = 0;
const IS_DUE: u32 = 1;
const IS_WHOLE: u32 = 2;
const CUT: u32 = 3;
const NEXT_CUT: u32 = 4;
const EDITS: u32 = 5;

// What is listed.
const CUTS: u32 = 0;
const ANSWER_ALL: u32 = 1;

/// In a plan, the bit of an answer to make.
const ANSWER: u32 = 1 << 31;

/// [`Ledger`].
#[wasm_bindgen]
pub struct RawLedger {
    ledger: Ledger,
    limits: Limits,
    /// Without a policy only the calls are followed.
    counts: bool,
    calls: Vec<u32>,
}

#[wasm_bindgen]
#[allow(missing_docs)] // Each is what `Ledger` calls so.
impl RawLedger {
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new(policy: &[f64]) -> Self {
        Self {
            ledger: Ledger::default(),
            limits: limits_of(policy).unwrap_or_default(),
            counts: !policy.is_empty(),
            calls: Vec::new(),
        }
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
        if self.counts {
            self.ledger.push(row, tokens, &usage);
        } else {
            self.ledger.track.push(row);
        }
        Some(rest)
    }

    /// Answers with one number, -1 for none.
    #[must_use]
    pub fn ask(&self, what: u32, number: f64) -> f64 {
        let Self { ledger, limits, .. } = self;
        match what {
            TOKENS => ledger.tokens(limits, number),
            IS_DUE => f64::from(u8::from(ledger.is_due(limits, number))),
            IS_WHOLE => f64::from(u8::from(ledger.track.is_whole())),
            CUT => f64::from(ledger.track.cut(whole(number))),
            NEXT_CUT => ledger.track.next_cut(whole(number)).map_or(-1.0, f64::from),
            EDITS => f64::from(ledger.edit_boundary(limits)),
            _ => f64::from(ledger.track.pending()),
        }
    }

    /// Returns the cutoff and the boundary of edits, or nothing.
    #[must_use]
    pub fn due(&self, front: u32, beside: f64, saved: &[f64]) -> Vec<u32> {
        let due = self.ledger.due(&self.limits, front, beside, saved);
        due.map_or_else(Vec::new, |due| vec![due.cutoff, due.edited_before])
    }

    /// Returns a number for each message of the repaired list: its position; or, from `ANSWER` on,
    /// an answer to make. With `CUTS` in `what`, returns all safe cuts.
    #[must_use]
    pub fn list(&self, what: u32) -> Option<Vec<u32>> {
        let track = &self.ledger.track;
        if what == CUTS {
            return Some(track.cuts());
        }
        let mut plan = Vec::new();
        for step in track.repair(what == ANSWER_ALL)? {
            plan.push(match step {
                Step::Keep(at) => at,
                Step::Answer(call) => ANSWER | call,
            });
        }
        Some(plan)
    }
}

/// Reads the numbers that `pkg-template/src/context/policy.ts` writes.
fn limits_of(numbers: &[f64]) -> Option<Limits> {
    let [
        scaled,
        as_langchain,
        front_counts,
        overhead,
        apart,
        most,
        edit_keep_results,
        edit_keep_messages,
        ref sizes @ ..,
    ] = *numbers
    else {
        return None;
    };
    let mut thresholds = Vec::new();
    for size in sizes.chunks_exact(2) {
        if let [tokens, messages] = *size {
            thresholds.push(Threshold { tokens, messages });
        }
    }
    Some(Limits {
        keep: thresholds.pop()?,
        thresholds,
        most,
        overhead,
        apart: whole(apart),
        scaled: scaled > 0.0,
        as_langchain: as_langchain > 0.0,
        front_counts: front_counts > 0.0,
        edit_keep_results: whole(edit_keep_results),
        edit_keep_messages: whole(edit_keep_messages),
    })
}

/// NaN is no number.
fn number(number: f64) -> Option<f64> {
    (!number.is_nan()).then_some(number)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Saturates.
fn whole(number: f64) -> u32 {
    number as u32
}
