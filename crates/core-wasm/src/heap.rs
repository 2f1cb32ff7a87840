//! [`Value`] over the JavaScript heap: every question is one call of `heap.js` or `lists.js`.
//!
//! A value is the number of its slot in a list of `slots.js`, valid for the call that brought it.

use std::borrow::Cow;
use std::num::NonZeroI32;
use std::ops::Deref;

use wasm_bindgen::prelude::*;

use threadfold::unstable::{self, Bulk, Change, Check, Join, Owned, Plan};
use threadfold::value::{Found, Kind, Value};

/// A value in the JavaScript heap.
///
/// Signed, as are all numbers here that cross: they pass unchanged, others through a function of
/// wasm-bindgen's. Never 0, which means no value, so that an `Option` of one is a number, too.
#[derive(Clone, Copy)]
pub struct Handle(NonZeroI32);

#[wasm_bindgen(module = "/src/slots.js")]
extern "C" {
    pub fn refuse(form: &str, first: &str, second: &str, third: &str);
    fn failed() -> i32;
    fn forget();
    /// The thrown error, as text.
    pub fn reason() -> String;
    fn relocate(value: i32) -> i32;
    fn release(root: i32);
    fn fold(reducer: i32, current: i32, update: i32) -> i32;
}

#[wasm_bindgen(module = "/src/heap.js")]
extern "C" {
    #[wasm_bindgen(js_name = newId)]
    fn new_id() -> i32;
    fn kind(value: i32) -> i32;
    fn text(value: i32) -> Option<String>;
    fn length(value: i32) -> i32;
    #[wasm_bindgen(js_name = isTrue)]
    fn is_true(value: i32) -> i32;
    fn item(list: i32, index: i32) -> i32;
    fn get(object: i32, key: &str) -> i32;
    fn written(object: i32, key: &str) -> i32;
    #[wasm_bindgen(js_name = textOf)]
    fn text_of(object: i32, key: &str) -> Option<String>;
    fn keys(object: i32) -> i32;
    fn same(left: i32, right: i32) -> i32;
    fn equals(left: i32, right: i32) -> i32;
    #[wasm_bindgen(js_name = parseJson)]
    fn parse_json(text: &str) -> i32;
    fn string(text: &str) -> i32;
    fn array() -> i32;
    fn push(list: i32, item: i32);
    fn object() -> i32;

    #[wasm_bindgen(js_name = beginEdit)]
    fn begin_edit();
    #[wasm_bindgen(js_name = endEdit)]
    fn end_edit();
    fn share(value: i32);
    #[wasm_bindgen(js_name = freeze)]
    fn freeze_value(value: i32);
    #[wasm_bindgen(js_name = withKey)]
    fn with_key(object: i32, key: &str, value: i32) -> i32;
    #[wasm_bindgen(js_name = withoutKey)]
    fn without_key(object: i32, key: &str) -> i32;
    fn splice(list: i32, index: i32, count: i32, inserted: i32) -> i32;
    fn overlay(left: i32, right: i32, deletes: i32) -> i32;
    #[wasm_bindgen(js_name = stateOf)]
    fn state_of(messages: i32, fields: i32) -> i32;
}

#[wasm_bindgen(module = "/src/lists.js")]
extern "C" {
    #[wasm_bindgen(js_name = instanceKind)]
    fn instance_kind(message: i32) -> Option<String>;
    #[wasm_bindgen(js_name = oddMessages)]
    fn odd_messages(list: i32) -> Vec<u32>;
    fn completed(list: i32) -> i32;
    fn join(left: i32, right: i32, key: &str) -> Vec<u32>;
    fn assemble(
        left: i32,
        right: i32,
        owned: i32,
        cleared: i32,
        replaced: &[u32],
        removed: &[u32],
        appended: &[u32],
    ) -> i32;
    #[wasm_bindgen(js_name = insertAll)]
    fn insert_all(list: i32, places: &[u32], items: i32) -> i32;
    #[wasm_bindgen(js_name = ownList)]
    fn own_list(list: i32) -> i32;
    #[wasm_bindgen(js_name = appendText)]
    fn append_text(list: i32, position: i32, text: i32, list_owned: i32, message_owned: i32)
    -> i32;

    fn symbols() -> i32;
    fn numbers(symbols: i32, list: i32, key: &str) -> Vec<u32>;
    fn find(symbols: i32, text: i32) -> i32;
    fn intern(symbols: i32, text: i32) -> i32;
    #[wasm_bindgen(js_name = sameItems)]
    fn same_items(left: i32, right: i32) -> i32;
    fn count(symbols: i32) -> i32;
}

#[wasm_bindgen(module = "/src/sharing.js")]
extern "C" {
    fn reuse(value: i32, known: i32) -> i32;
    fn compose(left: i32, right: i32, picks: &[u32]) -> i32;
}

const NULL: Handle = Handle(NonZeroI32::new(1).unwrap());
/// The JavaScript `undefined` as a value.
pub const UNDEFINED: Handle = Handle(NonZeroI32::new(2).unwrap());
/// No value, where one is optional.
const NOTHING: i32 = 0;

impl Handle {
    /// Makes the value of this number, as given by JavaScript.
    pub fn of(number: i32) -> Self {
        found(number).unwrap_or(UNDEFINED)
    }

    /// Returns its number, for JavaScript.
    pub fn number(self) -> i32 {
        self.0.get()
    }

    /// Whether it is truthy in JavaScript.
    pub fn is_true(self) -> bool {
        is_true(self.number()) != 0
    }

    /// Moves it to a place that lasts, unless it came before `young`: see `Arena` of `slots.js`.
    pub fn relocate(&mut self, young: Self) {
        if self.number() >= young.number() {
            *self = Self::of(relocate(self.number()));
        }
    }
}

/// Whether user code threw.
pub fn user_code_threw() -> bool {
    failed() != 0
}

/// A found handle.
#[derive(Clone, Copy)]
pub struct Here(Handle);

impl Deref for Here {
    type Target = Handle;

    fn deref(&self) -> &Handle {
        &self.0
    }
}

impl Found<'_, Handle> for Here {
    fn of(value: &Handle) -> Self {
        Self(*value)
    }

    fn into_owned(self) -> Handle {
        self.0
    }

    fn then(self, find: impl FnOnce(&Handle) -> Option<Here>) -> Option<Self> {
        find(&self.0)
    }
}

/// Makes a value immutable.
pub fn freeze(value: Handle) {
    freeze_value(value.number());
}

/// While it lives, nodes made since it began change in place.
pub struct Edit;

impl Edit {
    pub fn begin() -> Self {
        begin_edit();
        Self
    }
}

impl Drop for Edit {
    fn drop(&mut self) {
        end_edit();
    }
}

/// A JavaScript object that the core holds across calls.
pub struct Root(i32);

impl Root {
    /// Takes over the root of this number.
    pub fn of(number: i32) -> Self {
        Self(number)
    }

    /// Calls the caller's reducer with an update.
    pub fn fold(&self, current: Option<Handle>, update: Handle) -> Handle {
        Handle::of(fold(self.0, current.map_or(NOTHING, Handle::number), update.number()))
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        release(self.0);
    }
}

/// Numbers for ids: a `Map` in the JavaScript heap, which holds the ids.
pub struct Symbols(Root);

impl Default for Symbols {
    fn default() -> Self {
        Self(Root(symbols()))
    }
}

impl unstable::Symbols<Handle> for Symbols {
    fn numbers(&mut self, list: &Handle, key: &str) -> Vec<u32> {
        numbers(self.0.0, list.number(), key)
    }

    fn find(&self, text: &Handle) -> Option<u32> {
        u32::try_from(find(self.0.0, text.number())).ok()
    }

    fn intern(&mut self, text: &Handle) -> Option<u32> {
        u32::try_from(intern(self.0.0, text.number())).ok()
    }

    fn count(&self) -> usize {
        usize::try_from(count(self.0.0)).unwrap_or_default()
    }
}

/// The heap returns `undefined` for a missing value.
fn found(value: i32) -> Option<Handle> {
    NonZeroI32::new(value).map(Handle)
}

fn position(index: usize) -> i32 {
    i32::try_from(index).unwrap_or(i32::MAX)
}

impl Value for Handle {
    type Found<'a> = Here;

    fn kind(&self) -> Kind {
        match kind(self.number()) {
            0 => Kind::Null,
            1 => Kind::String,
            2 => Kind::Array,
            3 => Kind::Object,
            _ => Kind::Other,
        }
    }

    fn text(&self) -> Option<Cow<'_, str>> {
        text(self.number()).map(Cow::Owned)
    }

    fn len(&self) -> usize {
        usize::try_from(length(self.number())).unwrap_or_default()
    }

    fn at(&self, index: usize) -> Option<Self::Found<'_>> {
        found(item(self.number(), position(index))).map(Here)
    }

    fn get(&self, key: &str) -> Option<Self::Found<'_>> {
        found(get(self.number(), key)).map(Here)
    }

    fn text_of(&self, key: &str) -> Option<String> {
        text_of(self.number(), key)
    }

    fn keys(&self) -> Vec<String> {
        let keys = Handle::of(keys(self.number()));
        (0..keys.len()).filter_map(|at| text(item(keys.number(), position(at)))).collect()
    }

    fn same(&self, other: &Self) -> bool {
        same(self.number(), other.number()) != 0
    }

    fn equals(&self, other: &Self) -> bool {
        equals(self.number(), other.number()) != 0
    }

    fn null() -> Self {
        NULL
    }

    fn string(text: &str) -> Self {
        Handle::of(string(text))
    }

    fn array(items: impl IntoIterator<Item = Self>) -> Self {
        let list = array();
        for item in items {
            push(list, item.number());
        }
        Handle::of(list)
    }

    fn object() -> Self {
        Handle::of(object())
    }

    fn parse_json(text: &str) -> Option<Self> {
        found(parse_json(text))
    }

    fn with(self, key: &str, value: Self) -> Self {
        Handle::of(with_key(self.number(), key, value.number()))
    }

    fn without(self, key: &str) -> Self {
        Handle::of(without_key(self.number(), key))
    }

    /// In an [`Edit`], with at most one copy.
    fn without_all(self, keys: &[String]) -> Self {
        keys.iter().fold(self, |object, key| object.without(key))
    }

    fn splice(self, index: usize, delete: usize, insert: Option<Self>) -> Self {
        let inserted = insert.map_or(NOTHING, Handle::number);
        Handle::of(splice(self.number(), position(index), position(delete), inserted))
    }
}

impl Bulk for Handle {
    type Symbols = Symbols;

    fn new_id() -> Self {
        Handle::of(new_id())
    }

    fn written(&self, key: &str) -> Option<Self> {
        found(written(self.number(), key))
    }

    fn take(&mut self, key: &str) -> Option<Self> {
        found(get(self.number(), key))
    }

    fn take_at(&mut self, index: usize) -> Option<Self> {
        found(item(self.number(), position(index)))
    }

    fn shared(self) -> Self {
        share(self.number());
        self
    }

    fn instance_kind(&self) -> Option<String> {
        instance_kind(self.number())
    }

    fn failing(&self, check: &Check<Self>) -> Vec<u32> {
        match check.name {
            unstable::WHOLE => odd_messages(self.number()),
            _ => check.failing(self),
        }
    }

    fn completed(self) -> Self {
        Handle::of(completed(self.number()))
    }

    fn change(
        self,
        index: u32,
        change: &Change<Self>,
        by: &Self,
        owned: Owned,
    ) -> Result<Self, Self> {
        match change.name {
            unstable::TEXT => {
                let (list, item) = (i32::from(owned.list), i32::from(owned.item));
                found(append_text(self.number(), index.cast_signed(), by.number(), list, item))
                    .ok_or(self)
            }
            _ => change.make(self, index, by),
        }
    }

    fn join(left: &Self, right: &Self, key: &str) -> Join {
        let mut right_numbers = join(left.number(), right.number(), key);
        let pairs = right_numbers.split_off(right.len().min(right_numbers.len()));
        Join { left: pairs.as_chunks().0.to_vec(), right: right_numbers }
    }

    fn assemble(left: Self, right: Self, plan: &Plan, owned: bool) -> Self {
        let Plan { cleared, replaced, removed, appended } = plan;
        Handle::of(assemble(
            left.number(),
            right.number(),
            owned.into(),
            (*cleared).into(),
            replaced.as_flattened(),
            removed,
            appended,
        ))
    }

    fn insert_all(self, places: &[u32], items: Self) -> Self {
        Handle::of(insert_all(self.number(), places, items.number()))
    }

    fn reuse(self, known: &Self) -> Self {
        Handle::of(reuse(self.number(), known.number()))
    }

    fn compose(left: &Self, right: &Self, picks: &[[u32; 2]]) -> Self {
        Handle::of(compose(left.number(), right.number(), picks.as_flattened()))
    }

    fn headed(key: &str, value: &Self, fields: &Self) -> Self {
        // No keys cross for messages, which are rebuilt at each read.
        if key == "messages" {
            return Handle::of(state_of(value.number(), fields.number()));
        }
        Handle::object().with(key, *value).overlay(fields, false)
    }

    fn overlay(self, over: &Self, deletes: bool) -> Self {
        Handle::of(overlay(self.number(), over.number(), deletes.into()))
    }

    fn same_items(&self, other: &Self) -> bool {
        same_items(self.number(), other.number()) != 0
    }

    fn own_list(self) -> Self {
        Handle::of(own_list(self.number()))
    }

    fn intact() -> bool {
        !user_code_threw()
    }

    fn forget_failure() {
        forget();
    }
}
