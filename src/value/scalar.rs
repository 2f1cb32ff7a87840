//! Numbers and booleans.

use serde_json::Number;

/// A number or a boolean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scalar {
    /// True or false.
    Bool(bool),
    /// A whole number, written without a point.
    Integer(i128),
    /// Any other number.
    Float(f64),
}

impl Scalar {
    /// Returns a number as one.
    pub(super) fn of(number: &Number) -> Option<Self> {
        let integer = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
        integer.map(Self::Integer).or_else(|| number.as_f64().map(Self::Float))
    }
}
