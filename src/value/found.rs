//! The result of reading a value.

use std::ops::Deref;

use super::Value;

/// A value found in another one: a borrow where the heap has one, a handle where it has none.
pub trait Found<'a, V: Value>: Deref<Target = V> + Copy {
    /// Wraps a value as a found one.
    fn of(value: &'a V) -> Self;
    /// Returns it as an owned value.
    fn into_owned(self) -> V;
    /// Reads a value in it.
    fn then(self, find: impl for<'v> FnOnce(&'v V) -> Option<V::Found<'v>>) -> Option<Self>;
}
