//! What a heap may do with many values at once, in a way of its own.

use super::{Found, Join, Kind, Plan, Symbols, Texts, Value};

/// What a heap may do with many values at once, in a way of its own: a default for each is put
/// together from the questions of [`Value`].
///
/// `impl Bulk for MyValue {}` is all that a heap needs.
pub trait Bulk: Sized {
    /// A new id: a uuid v4.
    #[must_use]
    fn new_id() -> String {
        crate::id::new_id()
    }
    /// What an update writes under `key`. In JavaScript that may be `undefined`, which elsewhere is
    /// no value; JSON has none.
    fn written(&self, key: &str) -> Option<Self>
    where
        Self: Value,
    {
        self.get_owned(key)
    }
    /// The child under `key` (an object's) for changing it and putting it back by
    /// [`Value::with`]; a heap with owned values may leave a hole until then.
    fn take(&mut self, key: &str) -> Option<Self>
    where
        Self: Value,
    {
        self.get_owned(key)
    }
    /// The same for an array's item, put back by [`Value::splice`].
    fn take_at(&mut self, index: usize) -> Option<Self>
    where
        Self: Value,
    {
        self.at(index).map(Found::into_owned)
    }
    /// This value, from now on in two places: a heap that changes its newest values in place
    /// must not do so with what is in it.
    #[must_use]
    fn shared(self) -> Self {
        self
    }
    /// For an instance of a class the kind that it says it is. JSON has no instances.
    fn instance_kind(&self) -> Option<String> {
        None
    }
    /// This text with another one after it.
    #[must_use]
    fn concat(self, text: &Self) -> Self
    where
        Self: Value,
    {
        let texts = [self.text().unwrap_or_default(), text.text().unwrap_or_default()];
        Self::string(&texts.concat())
    }

    /// Positions of the items that do not pass a check: one pass. It may name too many, never too few.
    fn failing(&self, check: &Check<Self>) -> Vec<u32>
    where
        Self: Value,
    {
        check.failing(self)
    }
    /// This list with its item at `index` changed. What is `owned` may change in place.
    ///
    /// # Errors
    /// The list as it was, when the item cannot be changed so.
    fn change(
        self,
        index: u32,
        change: &Change<Self>,
        by: &Self,
        _owned: Owned,
    ) -> Result<Self, Self>
    where
        Self: Value,
    {
        change.make(self, index, by)
    }

    /// Which items of the two arrays carry the same text under `key`. One pass over each.
    fn join(left: &Self, right: &Self, key: &str) -> Join
    where
        Self: Value,
    {
        let mut texts = Texts::default();
        let right = texts.numbers(right, key);
        let known = left.items().map(|item| texts.find(&*item.get(key)?));
        let left = (0..).zip(known).filter_map(|(at, number)| Some([at, number?])).collect();
        Join { right, left }
    }
    /// `left` changed as `plan` says with the items of `right`. `owned` says that nobody else
    /// has `left`, so that a heap of shared values may change it in place.
    #[must_use]
    fn assemble(left: Self, right: Self, plan: &Plan, _owned: bool) -> Self
    where
        Self: Value,
    {
        Self::array(plan.apply(items(&left), items(&right)))
    }
    /// This list with the items of another one put in before these of its positions, ascending.
    #[must_use]
    fn insert_all(self, places: &[u32], inserted: Self) -> Self
    where
        Self: Value,
    {
        Self::array(insert_all(items(&self), places, items(&inserted)))
    }
    /// Whether two lists have the same items: one pass.
    fn same_items(&self, other: &Self) -> bool
    where
        Self: Value,
    {
        self.kind() == Kind::Array
            && other.kind() == Kind::Array
            && self.len() == other.len()
            && self.items().zip(other.items()).all(|(own, it)| own.same(&it))
    }
    /// The items of an array in an array that nobody else has; other kinds as they are.
    #[must_use]
    fn own_list(self) -> Self {
        self
    }

    /// This object with the values of `over` laid over it; a null there deletes when `deletes`.
    /// This very object, when that changes nothing.
    #[must_use]
    fn overlay(self, over: &Self, deletes: bool) -> Self
    where
        Self: Value,
    {
        if self.kind() != Kind::Object {
            return self;
        }
        over.keys().iter().fold(self, |made, key| match (made.get(key), over.get(key)) {
            (Some(_), Some(value)) if deletes && value.is_null() => made.without(key),
            (None, Some(value)) if deletes && value.is_null() => made,
            (Some(known), Some(value)) if known.same(&value) => made,
            (_, Some(value)) => made.with(key, value.into_owned()),
            (_, None) => made,
        })
    }
    /// The object that has `value` first, under `key`, and these other fields.
    #[must_use]
    fn headed(key: &str, value: &Self, fields: &Self) -> Self
    where
        Self: Value,
    {
        Self::object().with(key, value.clone()).overlay(fields, false)
    }

    /// This value with whatever in it says the same as in `known` taken from there: `known` itself,
    /// when all of it does.
    #[must_use]
    fn reuse(self, known: &Self) -> Self
    where
        Self: Value,
    {
        if self.equals(known) { known.clone() } else { self }
    }
    /// The list of these items of two: for each a position in `left`, in `right`, or in both, which
    /// is the right one that [`Bulk::reuse`]s the left one. No position is [`u32::MAX`]. It is
    /// `left` itself, when it has just its items.
    #[must_use]
    fn compose(left: &Self, right: &Self, picks: &[[u32; 2]]) -> Self
    where
        Self: Value,
    {
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

    /// Whether all that this call has asked for could be read. Where reading can fail, because it
    /// runs somebody's code, what was read of it is nothing, and must not be kept.
    #[must_use]
    fn intact() -> bool {
        true
    }
    /// Goes on as if that had not been tried which could not be read.
    fn forget_failure() {}
}

/// What can be asked of each item of a list. A heap that knows the question by its name may answer
/// it for all of them in a pass of its own.
#[derive(Debug)]
pub struct Check<V> {
    /// Its name.
    pub name: &'static str,
    /// Whether an item passes.
    pub of: fn(&V) -> bool,
}

impl<V: Value> Check<V> {
    /// Positions of the items that do not pass.
    pub fn failing(&self, list: &V) -> Vec<u32> {
        let failing = (0..).zip(list.items()).filter(|(_, item)| !(self.of)(item));
        failing.map(|(position, _)| position).collect()
    }
}

/// What can be done to an item of a list, by another value. A heap that knows it by its name may do
/// it where the item stands.
#[derive(Debug)]
pub struct Change<V> {
    /// Its name.
    pub name: &'static str,
    /// The item changed, or as it was.
    pub of: fn(V, &V) -> Result<V, V>,
}

impl<V: Value> Change<V> {
    /// The list with its item at `index` changed, or as it was.
    pub fn make(&self, mut list: V, index: u32, by: &V) -> Result<V, V> {
        let index = index as usize;
        let Some(item) = list.take_at(index) else { return Err(list) };
        match (self.of)(item, by) {
            Ok(item) => Ok(list.splice(index, 1, Some(item))),
            Err(item) => Err(list.splice(index, 1, Some(item))),
        }
    }
}

/// What of a list nobody else has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owned {
    /// The list itself.
    pub list: bool,
    /// The item in question.
    pub item: bool,
}

fn items<V: Value>(list: &V) -> Vec<V> {
    list.items().map(Found::into_owned).collect()
}

/// A list with other items put in before these of its positions, ascending.
pub(super) fn insert_all<T>(list: Vec<T>, places: &[u32], items: Vec<T>) -> Vec<T> {
    let mut all = Vec::with_capacity(list.len() + items.len());
    let mut inserted = places.iter().zip(items).peekable();
    for (position, item) in (0..).zip(list) {
        while let Some((_, new)) = inserted.next_if(|(place, _)| **place <= position) {
            all.push(new);
        }
        all.push(item);
    }
    all.extend(inserted.map(|(_, item)| item));
    all
}
