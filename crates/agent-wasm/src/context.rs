//! The lists of messages of contexts for JavaScript: `pkg-template/src/context/numbered-list.ts` writes
//! and reads the numbers.
//!
//! JavaScript gives each list a place and takes it away again: no finalizer frees anything here.

use std::cell::RefCell;

use wasm_bindgen::prelude::*;

use super::buffer::{Reader, count, read, whole, write};
use threadfold::unstable::{Ledger, Limits, Measure, NONE, Row, Step, Track, Usage};

/// A list of messages in numbers, and the policy that decides over it.
#[derive(Default)]
struct List {
    ledger: Ledger,
    limits: Limits,
}

thread_local! {
    static LISTS: RefCell<Vec<List>> = const { RefCell::new(Vec::new()) };
}

/// Puts an empty list at a place, with the policy in the buffer. The list that was there is freed.
#[wasm_bindgen(js_name = openList)]
pub fn open_list(place: usize, length: usize) {
    let limits = read(length, limits);
    LISTS.with_borrow_mut(|lists| {
        while lists.len() <= place {
            lists.push(List::default());
        }
        if let Some(list) = lists.get_mut(place) {
            *list = List { ledger: Ledger::default(), limits };
        }
    });
}

/// Keeps so many messages of a list and adds those in the buffer.
#[wasm_bindgen(js_name = extendList)]
pub fn extend_list(place: usize, kept: u32, length: usize) {
    LISTS.with_borrow_mut(|lists| {
        let Some(List { ledger, .. }) = lists.get_mut(place) else { return };
        ledger.truncate(kept);
        let mut ids = Vec::new();
        read(length, |numbers| {
            while !numbers.is_empty() {
                push(ledger, numbers, &mut ids);
            }
        });
    });
}

// The questions, in the order of numbered-list.ts.
const TOKENS: u32 = 0;
const IS_DUE: u32 = 1;
const DUE_AT: u32 = 2;
const EDIT_BOUNDARY: u32 = 3;
const DUE: u32 = 4;
const IS_WHOLE: u32 = 5;
const PENDING: u32 = 6;
const CUT: u32 = 7;
const NEXT_CUT: u32 = 8;
const ALL_CUTS: u32 = 9;

/// Asks the list at a place; `numbered-list.ts` explains each question. The answer is a number, -1
/// for none; for a list of numbers it is how many the buffer has.
#[wasm_bindgen(js_name = askList)]
#[must_use]
pub fn ask_list(place: usize, what: u32, first: f64, second: f64, length: usize) -> f64 {
    LISTS.with_borrow(|lists| {
        let Some(List { ledger, limits }) = lists.get(place) else { return 0.0 };
        let track = &ledger.track;
        match what {
            TOKENS => ledger.tokens(limits, first),
            IS_DUE => f64::from(u8::from(ledger.is_due(limits, first))),
            DUE_AT => limits.due_at(first),
            EDIT_BOUNDARY => f64::from(ledger.edit_boundary(limits)),
            IS_WHOLE => f64::from(u8::from(track.is_whole())),
            PENDING => f64::from(track.pending()),
            CUT => f64::from(track.cut(whole(first))),
            NEXT_CUT => track.next_cut(whole(first)).map_or(-1.0, f64::from),
            DUE => {
                let saved: Vec<f64> =
                    read(length, |numbers| (0..length).map(|_| numbers.next()).collect());
                match ledger.due(limits, whole(first), second, &saved) {
                    Some(due) => count(write(|out| {
                        out.push(f64::from(due.cutoff));
                        out.push(f64::from(due.edited_before));
                    })),
                    None => 0.0,
                }
            }
            ALL_CUTS => count(write(|out| track.cuts().for_each(|cut| out.push(f64::from(cut))))),
            _ => repair(track, first > 0.0),
        }
    })
}

/// Writes the repaired list, after a 0: positions of messages, and `-1 - position` for an answer to
/// a call of the last model message. Returns how many numbers: 0 if nothing changes.
fn repair(track: &Track, all: bool) -> f64 {
    let Some(steps) = track.repair(all) else { return 0.0 };
    count(write(|out| {
        out.push(0.0);
        for step in steps {
            out.push(match step {
                Step::Keep(at) => f64::from(at),
                Step::Answer(position) => -1.0 - f64::from(position),
            });
        }
    }))
}

// The kinds of a message, in a row.
const OTHER: u32 = 0;
const TOOL: u32 = 1;

/// Adds the message of a row: its tokens, and its kind. A result is followed by the id of its call.
/// A model message is followed by its provider, its reported tokens, and whether these count for a
/// trigger. Then come the number of calls that could be parsed, and the ids of all. A negative
/// number means none.
fn push(ledger: &mut Ledger, numbers: &mut Reader<'_>, ids: &mut Vec<u32>) {
    let tokens = numbers.next();
    let (row, usage) = match numbers.whole() {
        OTHER => (Row::Other, Usage::default()),
        TOOL => (Row::Tool(id(numbers)), Usage::default()),
        _ => {
            let usage = Usage {
                provider: id(numbers),
                total_tokens: given(numbers),
                reported: numbers.next() > 0.0,
            };
            let valid = numbers.whole();
            ids.clear();
            for _ in 0..numbers.length() {
                ids.push(numbers.whole());
            }
            (Row::Ai { calls: ids, valid }, usage)
        }
    };
    ledger.push(row, tokens, &usage);
}

fn id(numbers: &mut Reader<'_>) -> Option<u32> {
    Some(numbers.whole()).filter(|id| *id != NONE)
}

/// Returns the next number, or `None` if it is missing.
#[inline(never)] // Smaller.
fn given(numbers: &mut Reader<'_>) -> Option<f64> {
    Some(numbers.next()).filter(|number| !number.is_nan())
}

/// Reads a policy.
fn limits(numbers: &mut Reader<'_>) -> Limits {
    let mut limits = Limits {
        most: numbers.next(),
        overhead: numbers.next(),
        apart: numbers.whole(),
        scaled: numbers.next() > 0.0,
        as_langchain: numbers.next() > 0.0,
        front_counts: numbers.next() > 0.0,
        edit_keep_results: numbers.whole(),
        edit_keep_messages: numbers.whole(),
        ..Limits::default()
    };
    let input = numbers.next();
    let keep = measure(numbers);
    let mut triggers = Vec::new();
    while !numbers.is_empty() {
        triggers.push(measure(numbers));
    }
    limits.resolve(input, keep, &triggers);
    limits
}

fn measure(numbers: &mut Reader<'_>) -> Measure {
    Measure { tokens: numbers.next(), messages: numbers.next(), fraction: numbers.next() }
}
