//! JSON-shaped data, in whichever heap it lives.
//!
//! The core never owns a copy of a message, a file or a state value. It queries a [`Value`] and has
//! it build the result in its own heap. There are three heaps:
//! - [`Json`]: its values are shared, and nested as deep as a server likes.
//! - [`serde_json::Value`]: its values have one owner each. Dropping or writing one that is tens of
//!   thousands deep overflows the stack.
//! - JavaScript's own, in the npm package: a value is a handle, and nothing is serialised.

use std::borrow::Cow;

pub(crate) mod bulk;
mod found;
pub(crate) mod held;
mod json;
mod names;
mod number;
mod numbers;
mod owned;
pub(crate) mod plan;
pub(crate) mod scalar;
pub(crate) mod symbols;
mod texts;

#[doc(hidden)]
pub use found::Found;
pub use json::{Iter, Json};

pub(crate) use json::DEEPEST;

pub(crate) use bulk::{Bulk, Change, Check, Owned};
pub(crate) use held::Holds;
pub(crate) use names::Names;
pub(crate) use numbers::{ByNumber, ascending};
pub(crate) use owned::remove;
pub(crate) use plan::{Join, Plan};
pub(crate) use scalar::Scalar;
pub(crate) use symbols::{Symbols, Texts};

/// The kind of a [`Value`].
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Nothing: JSON's `null`; in JavaScript `undefined` too.
    Null,
    /// Text.
    String,
    /// A list.
    Array,
    /// Named values: a JSON object, a JavaScript instance of any class.
    Object,
    /// Anything else: a number, a boolean; in JavaScript a function, a symbol, a bigint.
    Other,
}

/// JSON-shaped data in some heap.
///
/// Reading returns a borrow where the heap has one and a handle where it does not, never a deep
/// copy. Building takes the old value and returns the new one. A heap of shared values copies the
/// node that changes; a heap of owned values changes it in place.
///
/// It is sealed: its heaps are [`Json`], [`serde_json::Value`] and the npm package's. A heap's methods
/// are hidden, so that a version can change them. To read a value, use the methods of its own
/// type. For one of your own, convert your values into [`Json`].
pub trait Value: Bulk + Clone {
    /// The result of reading.
    #[doc(hidden)]
    type Found<'a>: Found<'a, Self>
    where
        Self: 'a;

    /// Returns its kind.
    #[doc(hidden)]
    fn kind(&self) -> Kind;
    /// Returns a string's text; `None` for other kinds.
    #[doc(hidden)]
    fn text(&self) -> Option<Cow<'_, str>>;
    /// Returns an array's length; 0 for other kinds.
    #[doc(hidden)]
    fn len(&self) -> usize;
    /// Returns an array's item.
    #[doc(hidden)]
    fn at(&self, index: usize) -> Option<Self::Found<'_>>;
    /// Returns an object's own value under `key`.
    #[doc(hidden)]
    fn get(&self, key: &str) -> Option<Self::Found<'_>>;
    /// Returns the keys of an object's own values, in order.
    #[doc(hidden)]
    fn keys(&self) -> Vec<String>;
    /// Returns whether the two are identical: the same list or object of the heap, or equal texts,
    /// numbers or booleans. Cheap; if true, nothing has changed.
    ///
    /// [`serde_json::Value`] is the exception: owned values have no identity, so there it means
    /// "equal", and compares all of both.
    #[doc(hidden)]
    fn same(&self, other: &Self) -> bool;
    /// Returns whether the two are equal, however deep.
    #[doc(hidden)]
    fn equals(&self, other: &Self) -> bool;

    /// Makes JSON's `null`.
    #[doc(hidden)]
    fn null() -> Self;
    /// Makes a string.
    #[doc(hidden)]
    fn string(text: &str) -> Self;
    /// Makes an array of these items.
    #[doc(hidden)]
    fn array(items: impl IntoIterator<Item = Self>) -> Self;
    /// Makes an empty object.
    #[doc(hidden)]
    fn object() -> Self;
    /// Parses a JSON text, if it is one.
    #[doc(hidden)]
    fn parse_json(text: &str) -> Option<Self>;
    /// Returns this object with `value` under `key`: in its old place, or last.
    #[doc(hidden)]
    #[must_use]
    fn with(self, key: &str, value: Self) -> Self;
    /// Returns this object without `key`.
    #[doc(hidden)]
    #[must_use]
    fn without(self, key: &str) -> Self;
    /// Returns this object with all of these values, with at most one copy.
    #[doc(hidden)]
    #[must_use]
    fn with_all(self, entries: Vec<(String, Self)>) -> Self {
        entries.into_iter().fold(self, |object, (key, value)| object.with(&key, value))
    }
    /// Returns this object without all of these keys.
    #[doc(hidden)]
    #[must_use]
    fn without_all(self, keys: &[String]) -> Self {
        const FEW: usize = 8;
        if keys.len() < FEW {
            return keys.iter().fold(self, |object, key| object.without(key));
        }
        let mut gone = Names::default();
        for key in keys {
            gone.add(key);
        }
        let kept = self.keys().into_iter().filter(|key| gone.number(key).is_none());
        let entries = kept.filter_map(|key| {
            let value = self.get(&key)?.into_owned();
            Some((key, value))
        });
        Self::object().with_all(entries.collect())
    }
    /// Returns this array with `delete` items at `index` replaced by `insert`; past the end is the
    /// end.
    #[doc(hidden)]
    #[must_use]
    fn splice(self, index: usize, delete: usize, insert: Option<Self>) -> Self;

    /// Returns whether [`Value::len`] is 0.
    #[doc(hidden)]
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Iterates over an array's items.
    #[doc(hidden)]
    fn items(&self) -> impl Iterator<Item = Self::Found<'_>> {
        (0..self.len()).filter_map(|index| self.at(index))
    }
    /// Returns whether this is null, or undefined.
    #[doc(hidden)]
    fn is_null(&self) -> bool {
        self.kind() == Kind::Null
    }
    /// Returns an object's own value under `key`, as an owned value.
    #[doc(hidden)]
    fn get_owned(&self, key: &str) -> Option<Self> {
        self.get(key).map(Found::into_owned)
    }
    /// Returns an object's own text under `key`.
    #[doc(hidden)]
    fn text_of(&self, key: &str) -> Option<String> {
        self.get(key).and_then(|value| value.text().map(Cow::into_owned))
    }
}
