//! Equality of numbers.

use serde_json::Number;

/// Whether two numbers have the same value, as in JSON Patch: 1 equals 1.0. Rounds no digit away,
/// so that two integers beyond 2⁵³ differ.
pub(super) fn equal(left: &Number, right: &Number) -> bool {
    match (integer(left), integer(right)) {
        (Some(left), Some(right)) => left == right,
        (Some(integer), None) => right.as_f64().is_some_and(|float| is_integer(float, integer)),
        (None, Some(integer)) => left.as_f64().is_some_and(|float| is_integer(float, integer)),
        (None, None) => left == right || left.as_f64() == right.as_f64(),
    }
}

fn integer(number: &Number) -> Option<i128> {
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}

#[allow(clippy::cast_possible_truncation, reason = "one too large becomes none that a Number has")]
fn is_integer(float: f64, integer: i128) -> bool {
    float.fract() == 0.0 && float as i128 == integer
}
