//! The texts of a native list's items, borrowed.

use super::{Join, Names};

/// The texts that two lists have in common.
pub(super) fn join<'a>(
    left: impl Iterator<Item = Option<&'a str>>,
    right: impl Iterator<Item = Option<&'a str>>,
) -> Join {
    let mut names = Names::default();
    let mut joined = Join::default();
    joined.right.extend(right.map(|text| text.map_or(Join::NONE, |text| names.add(text))));
    if names.is_empty() {
        return joined;
    }
    for (position, text) in (0..).zip(left) {
        let number = text.and_then(|text| names.number(text));
        joined.left.extend(number.map(|number| [position, number]));
    }
    joined
}
