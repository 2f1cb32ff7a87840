//! Sorting numbers.

use std::collections::BinaryHeap;

/// Sorts items by their keys; items of one key keep their order if they are in it.
///
/// One function over one type: the standard library's sorts are larger in the wasm than what needs them.
pub(super) fn by_key(items: impl Iterator<Item = (u32, u32)>) -> impl Iterator<Item = u32> {
    let all: BinaryHeap<u64> =
        items.map(|(key, item)| u64::from(key) << 32 | u64::from(item)).collect();
    #[allow(clippy::cast_possible_truncation)] // The lower half.
    all.into_sorted_vec().into_iter().map(|both| both as u32)
}

/// Sorts numbers, and leaves out repeated ones.
pub(super) fn distinct(numbers: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut sorted: Vec<_> = by_key(numbers.map(|number| (number, number))).collect();
    sorted.dedup();
    sorted
}
