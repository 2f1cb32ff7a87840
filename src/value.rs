//! JSON-shaped data, in whichever heap it lives.
//!
//! The core never owns a copy of a message, a file or a state value: it asks questions of a
//! [`Value`] and has it build the answer where it stands. There are three heaps: [`Json`], whose
//! values are shared; [`serde_json::Value`], whose values have one owner each; and, in the npm
//! package, JavaScript's own, where a value is a handle and nothing is serialised.

use std::borrow::Cow;

mod bulk;
mod found;
mod held;
mod json;
mod names;
mod number;
mod numbers;
mod owned;
mod plan;
mod symbols;
mod texts;

pub use bulk::Bulk;
pub use found::Found;
pub use held::Holds;
pub use json::Json;
pub use symbols::{Symbols, Texts};

pub(crate) use bulk::{Change, Check, Owned};
pub(crate) use names::Names;
pub(crate) use numbers::{ByNumber, ascending};
pub(crate) use plan::{Join, Plan};

/// What a [`Value`] is.
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
/// Reading gives a borrow where the heap has one and a handle where it does not, never a deep
/// copy. Building takes the old value and gives the new one: a heap whose values are shared
/// copies the one node that changes, a heap whose values are owned changes it in place.
///
/// A heap of your own answers these questions, and `impl Bulk for MyValue {}` gives it the rest;
/// what it can do at less cost it does in [`Bulk`] itself.
pub trait Value: Bulk + Clone {
    /// What reading gives.
    type Found<'a>: Found<'a, Self>
    where
        Self: 'a;
    /// Numbers for the texts of this heap: [`Texts`], unless it has its own.
    type Symbols: Symbols<Self>;

    /// What this is.
    fn kind(&self) -> Kind;
    /// The text of a string; nothing for other kinds.
    fn text(&self) -> Option<Cow<'_, str>>;
    /// How many items an array has; 0 for other kinds.
    fn len(&self) -> usize;
    /// An array's item.
    fn at(&self, index: usize) -> Option<Self::Found<'_>>;
    /// An object's own value under `key`.
    fn get(&self, key: &str) -> Option<Self::Found<'_>>;
    /// The names of an object's own values, in order.
    fn keys(&self) -> Vec<String>;
    /// Whether the two are one: the same list or object of the heap, the same text, number or
    /// boolean. It costs nothing, and says whether anything can have changed.
    ///
    /// [`serde_json::Value`] is the exception: owned values have no identity, so there it means
    /// "equal", and costs a look at all of both.
    fn same(&self, other: &Self) -> bool;
    /// Whether the two say the same, however deep.
    fn equals(&self, other: &Self) -> bool;

    /// JSON's `null`.
    fn null() -> Self;
    /// A string.
    fn string(text: &str) -> Self;
    /// An array of these items.
    fn array(items: impl IntoIterator<Item = Self>) -> Self;
    /// An object without values.
    fn object() -> Self;
    /// What a JSON text says, if it is one.
    fn parse_json(text: &str) -> Option<Self>;
    /// This object with `value` under `key`: in its old place, or last.
    #[must_use]
    fn with(self, key: &str, value: Self) -> Self;
    /// This object without `key`.
    #[must_use]
    fn without(self, key: &str) -> Self;
    /// This object with all of these values: copied once, where it has to be copied.
    #[must_use]
    fn with_all(self, entries: Vec<(String, Self)>) -> Self {
        entries.into_iter().fold(self, |object, (key, value)| object.with(&key, value))
    }
    /// This object without all of these keys.
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
    /// This array with `delete` items at `index` replaced by `insert`; past the end is the end.
    #[must_use]
    fn splice(self, index: usize, delete: usize, insert: Option<Self>) -> Self;

    /// Whether [`Value::len`] is 0.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The items of an array.
    fn items(&self) -> impl Iterator<Item = Self::Found<'_>> {
        (0..self.len()).filter_map(|index| self.at(index))
    }
    /// Whether this is null, or undefined.
    fn is_null(&self) -> bool {
        self.kind() == Kind::Null
    }
    /// An object's own value under `key`, as a value of its own.
    fn get_owned(&self, key: &str) -> Option<Self> {
        self.get(key).map(Found::into_owned)
    }
    /// An object's own text under `key`.
    fn text_of(&self, key: &str) -> Option<String> {
        self.get(key).and_then(|value| value.text().map(Cow::into_owned))
    }
}
