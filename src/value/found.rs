//! What reading a value gives.

use std::ops::Deref;

use super::Value;

/// A value found in another one: a borrow where the heap has one, a handle where it has none.
pub trait Found<'a, V: Value>: Deref<Target = V> + Copy {
    /// A value as one that was found.
    fn of(value: &'a V) -> Self;
    /// It, as a value of its own.
    fn into_owned(self) -> V;
    /// What is found in it in turn.
    fn then(self, find: impl for<'v> FnOnce(&'v V) -> Option<V::Found<'v>>) -> Option<Self>;
}
