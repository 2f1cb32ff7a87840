//! Operations on many values at once, which a heap may implement in its own way.

use super::{Found, Join, Kind, Plan, Scalar, Symbols, Texts, Value};

/// Operations on many values at once, which a heap may implement in its own way. The defaults use
/// the methods of [`Value`].
///
/// It is hidden, which seals [`Value`].
pub trait Bulk: Sized {
    /// Numbers for the texts of this heap: [`Texts`], unless it has its own.
    type Symbols: Symbols<Self>;

    /// Returns a new id: a uuid v4.
    #[must_use]
    fn new_id() -> Self
    where
        Self: Value,
    {
        Self::string(&crate::id::new_id())
    }
    /// Returns an update's write under `key`. In JavaScript that may be `undefined`, which JSON
    /// does not have.
    fn written(&self, key: &str) -> Option<Self>
    where
        Self: Value,
    {
        self.get_owned(key)
    }
    /// Takes the child under `key` of an object, to change it and put it back by [`Value::with`]. A
    /// heap of owned values may leave a hole until then.
    fn take(&mut self, key: &str) -> Option<Self>
    where
        Self: Value,
    {
        self.get_owned(key)
    }
    /// Takes an array's item so, to put it back by [`Value::splice`].
    fn take_at(&mut self, index: usize) -> Option<Self>
    where
        Self: Value,
    {
        self.at(index).map(Found::into_owned)
    }
    /// Returns this value, from now on in two places: a heap that changes its newest values in
    /// place must not change its contents.
    #[must_use]
    fn shared(self) -> Self {
        self
    }
    /// Returns the kind that an instance of a class declares. JSON has no instances.
    fn instance_kind(&self) -> Option<String> {
        None
    }
    /// Returns a number or a boolean as one. Only token counting asks for it, and JavaScript counts
    /// its own.
    fn scalar(&self) -> Option<Scalar> {
        None
    }
    /// Returns this text with another appended.
    #[must_use]
    fn concat(self, text: &Self) -> Self
    where
        Self: Value,
    {
        let texts = [self.text().unwrap_or_default(), text.text().unwrap_or_default()];
        Self::string(&texts.concat())
    }

    /// Returns the positions of items that fail a check, in one pass. May return too many, never
    /// too few.
    fn failing(&self, check: &Check<Self>) -> Vec<u32>
    where
        Self: Value,
    {
        check.failing(self)
    }
    /// Returns this list with its item at `index` changed. May change an `owned` list in place.
    ///
    /// # Errors
    /// Returns the unchanged list when the item cannot be changed so.
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

    /// Finds the items of the two arrays with the same text under `key`, in one pass over each.
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
    /// Changes `left` as `plan` says with the items of `right`. `owned` means that `left` is not
    /// shared, so that a heap of shared values may change it in place.
    #[must_use]
    fn assemble(left: Self, right: Self, plan: &Plan, _owned: bool) -> Self
    where
        Self: Value,
    {
        Self::array(plan.apply(items(&left), items(&right)))
    }
    /// Returns this list with the items of another inserted before these of its positions,
    /// ascending.
    #[must_use]
    fn insert_all(self, places: &[u32], inserted: Self) -> Self
    where
        Self: Value,
    {
        Self::array(insert_all(items(&self), places, items(&inserted)))
    }
    /// Returns whether two lists have the same items, in one pass.
    fn same_items(&self, other: &Self) -> bool
    where
        Self: Value,
    {
        self.kind() == Kind::Array
            && other.kind() == Kind::Array
            && self.len() == other.len()
            && self.items().zip(other.items()).all(|(own, it)| own.same(&it))
    }
    /// Returns how many items at the start of two lists are the same.
    fn same_prefix(&self, other: &Self) -> usize
    where
        Self: Value,
    {
        self.items().zip(other.items()).take_while(|(own, it)| own.same(it)).count()
    }
    /// Returns an array's items in an array of its own; other kinds unchanged.
    #[must_use]
    fn own_list(self) -> Self {
        self
    }

    /// Returns this list with messages made whole that lack only an id, or have a role and no type. A
    /// heap may leave any of them as they are: the core reads those one by one.
    #[must_use]
    fn completed(self) -> Self
    where
        Self: Value,
    {
        self
    }

    /// Merges the values of `over` into this object; null deletes a key when `deletes`. Returns
    /// this object itself when nothing changes.
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
    /// Returns the object with `value` first, under `key`, then these other fields.
    #[must_use]
    fn headed(key: &str, value: &Self, fields: &Self) -> Self
    where
        Self: Value,
    {
        Self::object().with(key, value.clone()).overlay(fields, false)
    }

    /// Returns this value with every part equal to one in `known` replaced by that one: `known`
    /// itself when all are.
    #[must_use]
    fn reuse(self, known: &Self) -> Self
    where
        Self: Value,
    {
        if self.equals(known) { known.clone() } else { self }
    }
    /// As [`reuse`](Self::reuse), for a value that a patch made of `known`. A heap need not look for equal
    /// parts that are deep down: a patch then costs what it changes, however deep the value is.
    #[must_use]
    fn reuse_patched(self, known: &Self) -> Self
    where
        Self: Value,
    {
        self.reuse(known)
    }
    /// Returns the list that `picks` makes of two: each is a position in `left`, in `right`, or in
    /// both. [`u32::MAX`] means none. A position in both takes the right item, which
    /// [`Bulk::reuse`]s the left one. Returns `left` itself when it has just its items.
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

    /// Returns whether everything read in this call could be read. Where reading runs user code, it
    /// can fail: the result is then empty and must not be kept.
    #[must_use]
    fn intact() -> bool {
        true
    }
    /// Continues as if the failed read had not been tried.
    fn forget_failure() {}
}

/// A check of each item of a list. A heap that knows the check by name may run it in a pass of its
/// own.
#[derive(Debug)]
pub struct Check<V> {
    /// Its name.
    pub name: &'static str,
    /// Returns whether an item passes.
    pub of: fn(&V) -> bool,
}

impl<V: Value> Check<V> {
    /// Returns the positions of the items that fail.
    pub fn failing(&self, list: &V) -> Vec<u32> {
        let failing = (0..).zip(list.items()).filter(|(_, item)| !(self.of)(item));
        failing.map(|(position, _)| position).collect()
    }
}

/// A change of a list's item by another value. A heap that knows the change by name may make it in
/// place.
#[derive(Debug)]
pub struct Change<V> {
    /// Its name.
    pub name: &'static str,
    /// Returns the item changed, or unchanged on failure.
    pub of: fn(V, &V) -> Result<V, V>,
}

impl<V: Value> Change<V> {
    /// Returns the list with its item at `index` changed.
    ///
    /// # Errors
    /// Returns the unchanged list when the item cannot be changed so.
    pub fn make(&self, mut list: V, index: u32, by: &V) -> Result<V, V> {
        let index = index as usize;
        let Some(item) = list.take_at(index) else { return Err(list) };
        match (self.of)(item, by) {
            Ok(item) => Ok(list.splice(index, 1, Some(item))),
            Err(item) => Err(list.splice(index, 1, Some(item))),
        }
    }
}

/// The parts of a list that are not shared.
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

/// Returns a list with other items inserted before these of its positions, ascending.
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
