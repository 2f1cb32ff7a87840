//! [`Ledger`] and its [`Policy`](crate::context::policy::Policy) for JavaScript.
//! `pkg-template/src/context/track.ts` writes and reads the numbers.

use wasm_bindgen::prelude::*;

use super::buffer::{Reader, read, whole, write};
use crate::context::cut::Row;
use crate::context::ledger::{Ledger, Usage};
use crate::context::policy::{Limits, Threshold};

/// What the first number of a row says about a message.
const AI: u32 = 1;
const TOOL: u32 = 2;

// What is asked, in the order of track.ts.
const TOKENS: u32 = 0;
const IS_DUE: u32 = 1;
const IS_WHOLE: u32 = 2;
const CUT: u32 = 3;
const NEXT_CUT: u32 = 4;
const EDITS: u32 = 5;

/// [`Ledger`].
#[wasm_bindgen]
pub struct RawLedger {
    ledger: Ledger,
    limits: Limits,
}

#[wasm_bindgen]
#[allow(missing_docs)] // Each is what `Ledger` calls so.
impl RawLedger {
    /// Makes one with the policy in the buffer. Without one nothing is ever due.
    #[must_use]
    pub fn of(length: usize) -> Self {
        Self { ledger: Ledger::default(), limits: read(length, limits) }
    }

    /// Keeps the first `keep` messages and adds those in the buffer: for each 0, `AI` or `TOOL`, and
    /// its tokens; for an AI message its provider, what it says it took and whether that is reported,
    /// how many of its calls could be parsed, and all; for a result the id of the call.
    pub fn replace(&mut self, keep: u32, length: usize) {
        self.ledger.truncate(keep);
        read(length, |numbers| {
            while !numbers.is_empty() {
                self.push(numbers);
            }
        });
    }

    #[inline(never)] // Smaller.
    fn push(&mut self, numbers: &mut Reader<'_>) {
        let (kind, tokens) = (numbers.whole(), numbers.next());
        let mut usage = Usage::default();
        let calls;
        let row = match kind {
            AI => {
                usage.provider = optional(numbers);
                usage.total_tokens = Some(numbers.next()).filter(|total| !total.is_nan());
                usage.reported = numbers.next() > 0.0;
                let valid = numbers.whole();
                calls = numbers.wholes();
                Row::Ai { calls: &calls, valid }
            }
            TOOL => Row::Tool(optional(numbers)),
            _ => Row::Other,
        };
        self.ledger.push(row, tokens, &usage);
    }

    /// Answers with one number, -1 for none.
    #[must_use]
    pub fn ask(&self, what: u32, number: f64) -> f64 {
        let Self { ledger, limits } = self;
        let track = &ledger.track;
        let flag = |is: bool| f64::from(u8::from(is));
        match what {
            TOKENS => ledger.tokens(limits, number),
            IS_DUE => flag(ledger.is_due(limits, number)),
            EDITS => f64::from(ledger.edit_boundary(limits)),
            IS_WHOLE => flag(track.is_whole()),
            CUT => f64::from(track.cut(whole(number))),
            NEXT_CUT => track.next_cut(whole(number)).map_or(-1.0, f64::from),
            _ => f64::from(track.pending()),
        }
    }

    /// Reads from the buffer what editing saves up to each message, and leaves there the cutoff and the
    /// boundary of edits. Returns whether anything is due.
    #[must_use]
    pub fn due(&self, front: u32, beside: f64, length: usize) -> bool {
        let Some(due) =
            read(length, |saved| self.ledger.due(&self.limits, front, beside, saved.rest()))
        else {
            return false;
        };
        write(|out| {
            out.push(f64::from(due.cutoff));
            out.push(f64::from(due.edited_before));
        });
        true
    }

    /// Leaves all safe cuts in the buffer, in descending order. Returns how many.
    #[must_use]
    pub fn cuts(&self) -> usize {
        write(|out| self.ledger.track.cuts().for_each(|cut| out.push(f64::from(cut))))
    }
}

/// Reads the numbers that `pkg-template/src/context/policy.ts` writes.
fn limits(numbers: &mut Reader<'_>) -> Limits {
    let mut limits = Limits {
        scaled: numbers.next() > 0.0,
        as_langchain: numbers.next() > 0.0,
        front_counts: numbers.next() > 0.0,
        overhead: numbers.next(),
        apart: numbers.whole(),
        most: numbers.next(),
        edit_keep_results: numbers.whole(),
        edit_keep_messages: numbers.whole(),
        keep: threshold(numbers),
        thresholds: Vec::new(),
    };
    while !numbers.is_empty() {
        limits.thresholds.push(threshold(numbers));
    }
    limits
}

fn threshold(numbers: &mut Reader<'_>) -> Threshold {
    Threshold { tokens: numbers.next(), messages: numbers.next() }
}

/// A number of something, unless it is NaN.
fn optional(numbers: &mut Reader<'_>) -> Option<u32> {
    let number = numbers.next();
    (!number.is_nan()).then(|| whole(number))
}
