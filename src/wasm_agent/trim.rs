//! Trimming a list of JavaScript's.

#![allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)] // No list has so many messages.

use std::convert::Infallible;
use std::ops::Range;

use wasm_bindgen::prelude::*;

use crate::context::trim::{Answers, End, Part, Rules, Source, Strategy, ToolPairs, halve, trim};

#[wasm_bindgen(module = "/src/wasm_agent/trim.js")]
extern "C" {
    /// Asks JavaScript about its list; returns a number, or one of those below.
    fn ask(question: i32, first: i32, second: i32, third: i32) -> i32;
}

// The questions, in the order of `pkg-template/src/context/trim.ts`.
const SYSTEM: i32 = 0;
const RESERVE: i32 = 1;
const IS_TYPE: i32 = 2;
const FITS: i32 = 3;
const BLOCKS: i32 = 4;
const PIECES: i32 = 5;
const ANSWERS: i32 = 6;
const FITTING: i32 = 7;
const KEPT: i32 = 8;
const DROPPED: i32 = 9;
const IS_WHOLE: i32 = 10;

/// The answer that a message is no tool's result.
const NOTHING: i32 = -2;

// Bits of the rules.
const FIRST: u32 = 1;
const INCLUDE_SYSTEM: u32 = 2;
const ALLOW_PARTIAL: u32 = 4;
const AS_LANGCHAIN: u32 = 8;

/// The list in JavaScript. Where a question fails there, it and all others are answered by 0, and
/// what failed is thrown behind the call.
struct Asked;

fn number(question: i32, first: usize, second: usize, third: i32) -> Option<usize> {
    usize::try_from(ask(question, first as i32, second as i32, third)).ok()
}

fn holds(question: i32, first: usize, second: usize, third: i32) -> bool {
    ask(question, first as i32, second as i32, third) == 1
}

/// A part as a number: so many blocks, or below zero so many pieces.
fn part_number(part: Option<Part>) -> i32 {
    match part {
        None => 0,
        Some(Part::Blocks(count)) => count as i32,
        Some(Part::Pieces(count)) => -(count as i32),
    }
}

impl Source for Asked {
    type Error = Infallible;

    fn begins_with_system(&mut self) -> Result<bool, Infallible> {
        Ok(holds(SYSTEM, 0, 0, 0))
    }

    fn reserve_first(&mut self) -> Result<(), Infallible> {
        holds(RESERVE, 0, 0, 0);
        Ok(())
    }

    fn is_type(&mut self, message: usize, end: End) -> Result<bool, Infallible> {
        Ok(holds(IS_TYPE, message, usize::from(end == End::End), 0))
    }

    fn fits(&mut self, messages: Range<usize>, part: Option<Part>) -> Result<bool, Infallible> {
        Ok(holds(FITS, messages.start, messages.end, part_number(part)))
    }

    fn blocks(&mut self, message: usize) -> Result<usize, Infallible> {
        Ok(number(BLOCKS, message, 0, 0).unwrap_or(0))
    }

    fn pieces(&mut self, message: usize) -> Result<usize, Infallible> {
        Ok(number(PIECES, message, 0, 0).unwrap_or(0))
    }

    fn answers(&mut self, message: usize) -> Result<Answers, Infallible> {
        Ok(match ask(ANSWERS, message as i32, 0, 0) {
            NOTHING => Answers::Nothing,
            caller => usize::try_from(caller).map_or(Answers::Nobody, Answers::Message),
        })
    }

    /// Whether it is one of our counters, with which the fitting messages are found there.
    fn is_monotonic(&mut self) -> Result<bool, Infallible> {
        Ok(number(FITTING, 0, 0, 0).is_some())
    }

    fn is_whole(&mut self, from: usize) -> Result<bool, Infallible> {
        Ok(holds(IS_WHOLE, from, 0, 0))
    }

    fn fitting(&mut self, messages: Range<usize>, from: Strategy) -> Result<usize, Infallible> {
        match number(FITTING, messages.start, messages.end, 0) {
            Some(fitting) => Ok(fitting),
            None => halve(self, &messages, from),
        }
    }
}

/// Decides what is kept of a list that `trim.js` is asked about, and tells it.
#[wasm_bindgen]
pub fn trim_list(length: u32, rules: u32) {
    let has = |bit| rules & bit != 0;
    let rules = Rules {
        strategy: if has(FIRST) { Strategy::First } else { Strategy::Last },
        include_system: has(INCLUDE_SYSTEM),
        allow_partial: has(ALLOW_PARTIAL),
        tool_pairs: if has(AS_LANGCHAIN) { ToolPairs::AsLangchain } else { ToolPairs::Whole },
    };
    let Ok(kept) = trim(length as usize, rules, &mut Asked);
    ask(KEPT, kept.messages.start as i32, kept.messages.end as i32, part_number(kept.part));
    for message in kept.dropped {
        ask(DROPPED, message as i32, 0, 0);
    }
}
