//! JSON-shaped data, in whichever heap it lives.
//!
//! The core never owns a copy of a message, a file or a state value: it asks questions of a
//! [`Value`] and has it build the answer where it stands. There are three heaps: [`Json`], whose
//! values are shared; [`serde_json::Value`], whose values have one owner each; and, in the npm
//! package, JavaScript's own, where a value is a handle and nothing is serialised.

use std::borrow::Cow;

mod found;
mod held;
mod json;
mod names;
mod number;
mod numbers;
mod owned;
mod texts;

pub use found::Found;
pub use held::Holds;
pub use json::Json;
pub(crate) use names::Names;
pub use texts::Texts;

pub(crate) use numbers::ByNumber;

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
pub trait Value: Clone {
    /// What reading gives.
    type Found<'a>: Found<'a, Self>
    where
        Self: 'a;
    /// Numbers for the texts of this heap.
    type Symbols: Symbols<Self>;

    /// What this is.
    fn kind(&self) -> Kind;
    /// The text of a string; nothing for other kinds.
    fn text(&self) -> Option<Cow<'_, str>>;
    /// How many items an array has; 0 for other kinds.
    fn len(&self) -> usize;
    /// Whether [`Value::len`] is 0.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
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
    /// A new message id: a uuid v4.
    #[must_use]
    fn new_id() -> String {
        crate::id::new_id()
    }
    /// What a JSON text says, if it is one.
    fn parse_json(text: &str) -> Option<Self>;
    /// This object with `value` under `key`: in its old place, or last.
    #[must_use]
    fn with(self, key: &str, value: Self) -> Self;
    /// This object without `key`.
    #[must_use]
    fn without(self, key: &str) -> Self;
    /// This array with `delete` items at `index` replaced by `insert`; past the end is the end.
    #[must_use]
    fn splice(self, index: usize, delete: usize, insert: Option<Self>) -> Self;
    /// The child under `key` (an object's) for changing it and putting it back by
    /// [`Value::with`]; a heap with owned values may leave a hole until then.
    fn take(&mut self, key: &str) -> Option<Self>;
    /// The same for an array's item, put back by [`Value::splice`].
    fn take_at(&mut self, index: usize) -> Option<Self>;

    /// This value, from now on in two places: a heap that changes its newest values in place
    /// must not do so with what is in it.
    #[must_use]
    fn shared(self) -> Self {
        self
    }

    /// For an instance of a message class the kind it says it is: `human`, `remove`, …
    /// JSON has no instances.
    fn instance_kind(&self) -> Option<String> {
        None
    }
    /// Positions of the items that are not, at first sight, whole messages with an id: those
    /// that [`crate::message::read`] must look at. One pass; may name too many, never too few.
    fn odd_messages(&self) -> Vec<u32>;
    /// Which items of the two arrays carry the same text under `key`. One pass over each.
    fn join(left: &Self, right: &Self, key: &str) -> Join;
    /// `left` changed as `plan` says with the items of `right`. `owned` says that nobody else
    /// has `left`, so that a heap of shared values may change it in place.
    #[must_use]
    fn assemble(left: Self, right: Self, plan: &Plan, owned: bool) -> Self;
    /// This list with the items of another one put in before these of its positions, ascending.
    #[must_use]
    fn insert_all(self, places: &[u32], items: Self) -> Self {
        // Each moves those that follow it by one.
        let places = places.iter().enumerate().map(|(before, at)| *at as usize + before);
        places
            .zip(items.items())
            .fold(self, |list, (at, item)| list.splice(at, 0, Some(item.into_owned())))
    }
    /// This object with the values of `over` laid over it; a null there deletes when `deletes`.
    /// This very object, when that changes nothing.
    #[must_use]
    fn overlay(self, over: &Self, deletes: bool) -> Self;
    /// The object of these messages, under that name, and these other fields.
    #[must_use]
    fn state_of(messages: &Self, fields: &Self) -> Self {
        Self::object().with("messages", messages.clone()).overlay(fields, false)
    }
    /// This value with whatever in it says the same as in `known` taken from there: `known` itself,
    /// when all of it does.
    #[must_use]
    fn reuse(self, known: &Self) -> Self {
        if self.equals(known) { known.clone() } else { self }
    }
    /// The list of these items of two: for each a position in `left`, in `right`, or in both, which
    /// is the right one that [`Value::reuse`]s the left one. [`Join::NONE`] is no position. It is
    /// `left` itself, when it has just its items.
    #[must_use]
    fn compose(left: &Self, right: &Self, picks: &[[u32; 2]]) -> Self {
        let item = |list: &Self, at: u32| list.at(at as usize).map(Found::into_owned);
        let picked =
            picks.iter().filter_map(|[at, from]| match (item(left, *at), item(right, *from)) {
                (Some(left), Some(right)) => Some(right.reuse(&left)),
                (left, right) => left.or(right),
            });
        let items: Vec<Self> = picked.collect();
        let all =
            items.len() == left.len() && left.items().zip(&items).all(|(own, it)| own.same(it));
        if all { left.clone() } else { Self::array(items) }
    }
    /// This list of messages with `text` added to the content of the one at `index`. What is
    /// `owned` may change in place.
    ///
    /// # Errors
    /// The list as it was, when the message's content takes no text.
    fn append_text(self, index: u32, text: &Self, owned: Owned) -> Result<Self, Self>;
    /// The items of an array in an array that nobody else has; other kinds as they are.
    #[must_use]
    fn own_list(self) -> Self {
        self
    }
    /// Whether all that this call has asked for could be read. Where reading can fail, because it
    /// runs somebody's code, what was read of it is nothing, and must not be kept.
    #[must_use]
    fn intact() -> bool {
        true
    }
    /// Goes on as if that had not been tried which could not be read.
    fn forget_failure() {}

    /// The items of an array.
    fn items(&self) -> impl Iterator<Item = Self::Found<'_>> {
        (0..self.len()).filter_map(|index| self.at(index))
    }
    /// Whether this is null, or undefined.
    fn is_null(&self) -> bool {
        self.kind() == Kind::Null
    }
    /// An object's own text under `key`.
    fn text_of(&self, key: &str) -> Option<String> {
        self.get(key).and_then(|value| value.text().map(Cow::into_owned))
    }
}

/// The keys that two arrays have in common, each as a small number: equal texts, equal numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Join {
    /// For each item of the right array its number, counted from 0; [`Join::NONE`] without one.
    pub right: Vec<u32>,
    /// For each item of the left array whose key occurs on the right: its position and number.
    pub left: Vec<[u32; 2]>,
}

impl Join {
    /// The number of an item that has no such key.
    pub const NONE: u32 = u32::MAX;
}

/// Small numbers for texts that recur, as long as a list lives: equal texts, equal numbers,
/// counted from 0.
pub trait Symbols<V>: Default {
    /// For each item of a list the number of its text under `key`, given where it had none;
    /// [`Join::NONE`] for an item without such a text.
    fn numbers(&mut self, list: &V, key: &str) -> Vec<u32>;
    /// The number of a text, if it has one.
    fn find(&self, text: &V) -> Option<u32>;
    /// How many texts have one.
    fn count(&self) -> usize;
}

/// What of a list nobody else has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owned {
    /// The list itself.
    pub list: bool,
    /// The item in question.
    pub item: bool,
}

/// What becomes of two lists, in positions: what a reducer over lists decides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// The left list is dropped whole.
    pub cleared: bool,
    /// Positions in left and the positions in right whose items replace them, the last one of a
    /// position for good; one that is removed, too, is removed.
    pub replaced: Vec<[u32; 2]>,
    /// Positions in left that go, ascending.
    pub removed: Vec<u32>,
    /// Positions in right whose items are appended, in this order.
    pub appended: Vec<u32>,
}

impl Plan {
    /// The two lists that the plan was made for, changed as it says.
    #[must_use]
    pub fn apply<T>(&self, left: Vec<T>, right: Vec<T>) -> Vec<T> {
        let mut items = if self.cleared { Vec::new() } else { left };
        let mut right: Vec<Option<T>> = right.into_iter().map(Some).collect();
        let mut incoming = |position: u32| right.get_mut(position as usize).and_then(Option::take);
        for [position, from] in &self.replaced {
            if let (Some(item), Some(new)) = (items.get_mut(*position as usize), incoming(*from)) {
                *item = new;
            }
        }
        if !self.removed.is_empty() {
            let mut removed = self.removed.iter().copied().peekable();
            let mut position = 0;
            items.retain(|_| {
                let goes = removed.next_if_eq(&position).is_some();
                position += 1;
                !goes
            });
        }
        items.extend(self.appended.iter().copied().filter_map(incoming));
        items
    }

    /// Whether the left list stays as it is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.cleared
            && self.replaced.is_empty()
            && self.removed.is_empty()
            && self.appended.is_empty()
    }
}
