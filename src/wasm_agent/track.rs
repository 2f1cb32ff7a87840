//! [`Track`] for JavaScript.

use wasm_bindgen::prelude::*;

use crate::context::cut::{Row, Track};
use crate::context::repair::Step;

/// What the first number of a row says about a message. `pkg-template/src/context/rows.ts` writes
/// the rows.
const AI: u32 = 1;
const TOOL: u32 = 2;

/// In a plan, the bit of an answer to make.
const ANSWER: u32 = 1 << 31;

/// [`Track`].
#[wasm_bindgen]
#[derive(Default)]
pub struct RawTrack(Track);

#[wasm_bindgen]
#[allow(missing_docs)] // Each is what `Track` calls so.
impl RawTrack {
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds messages: for each a 0, or `AI`, how many calls it makes, how many of them are invalid,
    /// and their ids; or `TOOL` and the id of a call.
    pub fn push(&mut self, mut rows: &[u32]) {
        while let Some(row) = next(&mut rows) {
            self.0.push(row);
        }
    }

    pub fn truncate(&mut self, length: u32) {
        self.0.truncate(length);
    }

    #[must_use]
    pub fn cut(&self, target: u32) -> u32 {
        self.0.cut(target)
    }

    /// Returns -1 if there is none.
    #[wasm_bindgen(js_name = nextCut)]
    #[must_use]
    pub fn next_cut(&self, target: u32) -> i32 {
        self.0.next_cut(target).and_then(|cut| i32::try_from(cut).ok()).unwrap_or(-1)
    }

    #[must_use]
    pub fn cuts(&self) -> Vec<u32> {
        self.0.cuts()
    }

    #[must_use]
    pub fn pending(&self) -> u32 {
        self.0.pending()
    }

    /// Returns a number for each message of the repaired list: its position; or, from `ANSWER` on,
    /// an answer to make. Returns nothing if there is nothing to do.
    #[must_use]
    pub fn repair(&self, from: u32, all: bool) -> Option<Vec<u32>> {
        let number = |step| match step {
            Step::Keep(at) => at,
            Step::Answer(call) => ANSWER | call,
        };
        Some(self.0.repair(from, all)?.into_iter().map(number).collect())
    }

    #[wasm_bindgen(js_name = isWhole)]
    #[must_use]
    pub fn is_whole(&self, from: u32) -> bool {
        self.0.is_whole(from)
    }
}

fn next<'a>(rows: &mut &'a [u32]) -> Option<Row<'a>> {
    let (row, rest) = match **rows {
        [] => return None,
        [AI, all, invalid, ref rest @ ..] => {
            let (ids, rest) = rest.split_at_checked(all as usize)?;
            let (calls, invalid) =
                ids.split_at_checked(ids.len().checked_sub(invalid as usize)?)?;
            (Row::Ai { calls, invalid }, rest)
        }
        [TOOL, id, ref rest @ ..] => (Row::Tool((id != u32::MAX).then_some(id)), rest),
        [_, ref rest @ ..] => (Row::Other, rest),
    };
    *rows = rest;
    Some(row)
}
