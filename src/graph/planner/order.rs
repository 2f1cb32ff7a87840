//! Sorting numbers, and pairs of numbers.

use std::collections::BinaryHeap;

/// Returns a pair as one number, which sorts as the pair does.
pub(super) fn key(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// Returns the first of a pair.
pub(super) fn high(key: u64) -> u32 {
    low(key >> 32)
}

/// Returns the second of a pair.
#[allow(clippy::cast_possible_truncation)] // The lower half.
pub(super) fn low(key: u64) -> u32 {
    key as u32
}

/// Returns the numbers sorted.
pub(super) fn sorted(numbers: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut all: Vec<u64> = numbers.collect();
    sort(&mut all);
    all
}

/// Sorts numbers.
///
/// One function over one type: the standard library's sorts are larger in the wasm than all that
/// needs them.
pub(super) fn sort(numbers: &mut Vec<u64>) {
    *numbers = BinaryHeap::from(std::mem::take(numbers)).into_sorted_vec();
}
