//! The estimate of tokens: the same numbers as in TypeScript, in one piece and in many.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use threadfold::Json;
use threadfold::context::{CountOptions, estimate_tokens};
use threadfold::unstable::{Estimate, TOKENS_PER_IMAGE, estimate_message, message_tokens};

/// Characters next to each other's borders, as in `js-tests/unit/context/estimate.test.ts`.
const EDGES: [[u16; 10]; 7] = [
    [0x61, 0x7a, 0x41, 0x5a, 0x30, 0x39, 0x20, 0x09, 0x0a, 0x0d],
    [0x60, 0x7b, 0x40, 0x5b, 0x2f, 0x3a, 0x00, 0x1f, 0x7f, 0x22],
    [0x80, 0xe9, 0x24f, 0x250, 0x3b1, 0x416, 0x52f, 0x530, 0x5d0, 0x627],
    [0x8ff, 0x900, 0x915, 0x2014, 0x2fff, 0x3000, 0x3002, 0x303f, 0x3040, 0x30a2],
    [0x30ff, 0x3100, 0x33ff, 0x3400, 0x4f60, 0x9fff, 0xa000, 0xabff, 0xac00, 0xd55c],
    [0xd7af, 0xd7b0, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xfeff, 0xff00],
    [0xff01, 0xffef, 0xfff0, 0xffff, 0xd83d, 0xde00, 0x65, 0x74, 0x61, 0x31],
];

/// The numbers of `js-tests/unit/context/corpus.mjs` (mulberry32).
struct Numbers(u32);

impl Numbers {
    fn next(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x6d2b_79f5);
        let state = self.0;
        let mut mixed = (state ^ (state >> 15)).wrapping_mul(1 | state);
        mixed = mixed.wrapping_add((mixed ^ (mixed >> 7)).wrapping_mul(0x3d | mixed)) ^ mixed;
        (mixed ^ (mixed >> 14)) as usize % end
    }

    /// A text, and where to cut it.
    fn text(&mut self) -> (Vec<u16>, usize) {
        let rows = if self.next(3) == 0 { EDGES.len() } else { 1 + self.next(EDGES.len()) };
        let length = self.next(40);
        let mut units = Vec::with_capacity(length);
        for _ in 0..length {
            let row = EDGES[self.next(rows)];
            let roll = self.next(8);
            units.push(match units.last() {
                _ if roll == 0 => u16::try_from(self.next(0x10000)).unwrap(),
                Some(last) if roll < 4 => *last,
                _ => row[self.next(row.len())],
            });
        }
        (units, self.next(length + 1))
    }
}

fn scan(units: &[u16]) -> Estimate {
    let mut estimate = Estimate::default();
    estimate.add_units(units.iter().copied());
    estimate
}

#[test]
fn gives_javascripts_numbers_for_random_texts() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("js-tests/unit/context/estimates.json");
    let answers: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let mut numbers = Numbers(8);
    let mut digest = 0_u32;
    let mut as_text = 0;
    for _ in 0..answers["texts"].as_u64().unwrap() {
        let (units, cut) = numbers.text();
        let (whole, start) = (scan(&units), scan(&units[..cut]));
        let mut pieces = start;
        pieces.add_units(units[cut..].iter().copied());
        assert_eq!(pieces, whole, "{units:?} cut at {cut}");
        // A well-formed text is the same as a Rust string.
        if let Ok(text) = String::from_utf16(&units) {
            let mut estimate = Estimate::default();
            estimate.add(&text);
            assert_eq!(estimate, whole, "{text:?}");
            as_text += 1;
        }
        for estimate in [start, whole] {
            let sum = u32::try_from(estimate.hundredths()).unwrap();
            for number in [sum, estimate.state().into()] {
                digest = (digest ^ number).wrapping_mul(0x0100_0193);
            }
        }
    }
    assert!(as_text > 10_000, "{as_text} of them well-formed");
    assert_eq!(format!("{digest:08x}"), answers["digest"]);
}

#[test]
fn rounds_up() {
    assert_eq!(estimate_tokens(""), 0);
    assert_eq!(estimate_tokens("a"), 1);
    assert_eq!(estimate_tokens("\n"), 1);
}

/// The messages of a file, with the package's counts and estimates.
#[test]
fn a_message_costs_as_much_in_either_heap_and_as_in_javascript() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("js-tests/unit/context/messages.json");
    let cases: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let options = CountOptions::default();
    for case in cases.as_array().unwrap() {
        let message = &case["message"];
        let estimate = estimate_message(message, TOKENS_PER_IMAGE).unwrap();
        assert_eq!(json!(estimate.hundredths()), case["hundredths"], "{message}");
        let tokens = message_tokens(message, &options).unwrap();
        assert_eq!(Some(tokens), case["tokens"].as_f64(), "{message}");
        let shared = Json::from(message.clone());
        assert_eq!(estimate_message(&shared, TOKENS_PER_IMAGE).as_ref(), Ok(&estimate));
        assert_eq!(message_tokens(&shared, &options), Ok(tokens), "{message}");
    }
    assert!(cases.as_array().unwrap().len() > 50);
}
