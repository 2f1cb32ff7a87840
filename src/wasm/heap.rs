//! [`Value`] over the JavaScript heap: every question is one call of `heap.js`.

use std::borrow::Cow;

use wasm_bindgen::prelude::*;

use crate::value::{Join, Kind, Owned, Plan, Value};

#[wasm_bindgen(module = "/src/wasm/heap.js")]
extern "C" {
    #[wasm_bindgen(js_name = useErrors)]
    pub fn use_errors(make: &js_sys::Function);
    pub fn fail(code: &str, message: &str, cause: Option<JsValue>) -> JsValue;
    /// Keeps what user code threw, for the answer.
    pub fn note(cause: &JsValue);
    #[wasm_bindgen(js_name = takeFailure)]
    pub fn take_failure() -> Option<JsValue>;
    /// Whether user code threw.
    pub fn failed() -> bool;
    /// What was thrown, in words.
    pub fn reason(cause: &JsValue) -> String;
    #[wasm_bindgen(js_name = functionNumber)]
    pub fn function_number(function: &js_sys::Function) -> u32;

    fn kind(value: &JsValue) -> u32;
    fn length(value: &JsValue) -> u32;
    fn item(list: &JsValue, index: u32) -> JsValue;
    fn get(object: &JsValue, key: &str) -> JsValue;
    fn keys(object: &JsValue) -> Vec<String>;
    fn same(left: &JsValue, right: &JsValue) -> bool;
    fn equals(left: &JsValue, right: &JsValue) -> bool;
    #[wasm_bindgen(js_name = parseJson)]
    fn parse_json(text: &str) -> JsValue;

    #[wasm_bindgen(js_name = beginEdit)]
    fn begin_edit();
    #[wasm_bindgen(js_name = endEdit)]
    fn end_edit();
    fn share();
    #[wasm_bindgen(js_name = withKey)]
    fn with_key(object: &JsValue, key: &str, value: &JsValue) -> JsValue;
    #[wasm_bindgen(js_name = withoutKey)]
    fn without_key(object: &JsValue, key: &str) -> JsValue;
    fn splice(list: &JsValue, index: u32, count: u32, inserted: &JsValue) -> JsValue;
    fn overlay(left: &JsValue, right: &JsValue, deletes: bool) -> JsValue;

    #[wasm_bindgen(js_name = instanceKind)]
    fn instance_kind(message: &JsValue) -> Option<String>;
    #[wasm_bindgen(js_name = oddMessages)]
    fn odd_messages(list: &JsValue) -> Vec<u32>;
    fn join(left: &JsValue, right: &JsValue, key: &str) -> Vec<u32>;
    fn assemble(
        left: &JsValue,
        right: &JsValue,
        owned: bool,
        cleared: bool,
        replaced: &[u32],
        removed: &[u32],
        appended: &[u32],
    ) -> JsValue;
    #[wasm_bindgen(js_name = ownList)]
    fn own_list(list: &JsValue) -> JsValue;
    #[wasm_bindgen(js_name = appendText)]
    fn append_text(
        list: &JsValue,
        position: u32,
        text: &JsValue,
        list_owned: bool,
        message_owned: bool,
    ) -> Option<JsValue>;

    /// Numbers for ids: a `Map` in the JavaScript heap, where the ids are.
    pub type Symbols;
    #[wasm_bindgen(constructor)]
    fn new() -> Symbols;
    #[wasm_bindgen(method)]
    fn numbers(this: &Symbols, list: &JsValue, key: &str) -> Vec<u32>;
    #[wasm_bindgen(method)]
    fn find(this: &Symbols, text: &JsValue) -> u32;
    #[wasm_bindgen(method, getter)]
    fn size(this: &Symbols) -> u32;
}

/// While it lives, nodes that were made since it began change in place.
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

impl Default for Symbols {
    fn default() -> Self {
        Self::new()
    }
}

impl crate::value::Symbols<JsValue> for Symbols {
    fn numbers(&mut self, list: &JsValue, key: &str) -> Vec<u32> {
        Symbols::numbers(self, list, key)
    }

    fn find(&self, text: &JsValue) -> Option<u32> {
        Some(Symbols::find(self, text)).filter(|number| *number != Join::NONE)
    }

    fn count(&self) -> usize {
        self.size() as usize
    }
}

/// `undefined` is how the heap says that there is nothing.
fn found(value: JsValue) -> Option<JsValue> {
    if value.is_undefined() { None } else { Some(value) }
}

fn position(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

impl Value for JsValue {
    type Symbols = Symbols;

    fn kind(&self) -> Kind {
        match kind(self) {
            0 => Kind::Null,
            1 => Kind::String,
            2 => Kind::Array,
            3 => Kind::Object,
            _ => Kind::Other,
        }
    }

    fn text(&self) -> Option<Cow<'_, str>> {
        self.as_string().map(Cow::Owned)
    }

    fn len(&self) -> usize {
        length(self) as usize
    }

    fn at(&self, index: usize) -> Option<Cow<'_, Self>> {
        let item = item(self, position(index));
        (!item.is_undefined() || index < Value::len(self)).then_some(Cow::Owned(item))
    }

    fn get(&self, key: &str) -> Option<Cow<'_, Self>> {
        found(get(self, key)).map(Cow::Owned)
    }

    fn keys(&self) -> Vec<String> {
        keys(self)
    }

    fn same(&self, other: &Self) -> bool {
        same(self, other)
    }

    fn equals(&self, other: &Self) -> bool {
        equals(self, other)
    }

    fn null() -> Self {
        JsValue::NULL
    }

    fn string(text: &str) -> Self {
        JsValue::from_str(text)
    }

    fn array(items: Vec<Self>) -> Self {
        items.into_iter().collect::<js_sys::Array>().into()
    }

    fn object() -> Self {
        js_sys::Object::new().into()
    }

    fn parse_json(text: &str) -> Option<Self> {
        found(parse_json(text))
    }

    fn with(self, key: &str, value: Self) -> Self {
        with_key(&self, key, &value)
    }

    fn without(self, key: &str) -> Self {
        without_key(&self, key)
    }

    fn splice(self, index: usize, delete: usize, insert: Option<Self>) -> Self {
        let inserted: js_sys::Array = insert.into_iter().collect();
        splice(&self, position(index), position(delete), &inserted)
    }

    fn take(&mut self, key: &str) -> Option<Self> {
        found(get(self, key))
    }

    fn take_at(&mut self, index: usize) -> Option<Self> {
        self.at(index).map(Cow::into_owned)
    }

    fn shared(self) -> Self {
        share();
        self
    }

    fn instance_kind(&self) -> Option<String> {
        instance_kind(self)
    }

    fn odd_messages(&self) -> Vec<u32> {
        odd_messages(self)
    }

    fn join(left: &Self, right: &Self, key: &str) -> Join {
        let mut right_numbers = join(left, right, key);
        let pairs = right_numbers.split_off(Value::len(right).min(right_numbers.len()));
        let left = pairs.chunks_exact(2).filter_map(|pair| match pair {
            [position, number] => Some((*position, *number)),
            _ => None,
        });
        Join { left: left.collect(), right: right_numbers }
    }

    fn assemble(left: Self, right: Self, plan: &Plan, owned: bool) -> Self {
        let replaced: Vec<u32> =
            plan.replaced.iter().flat_map(|(position, from)| [*position, *from]).collect();
        assemble(&left, &right, owned, plan.cleared, &replaced, &plan.removed, &plan.appended)
    }

    fn overlay(self, over: &Self, deletes: bool) -> Self {
        overlay(&self, over, deletes)
    }

    fn append_text(self, index: u32, text: &Self, owned: Owned) -> Result<Self, Self> {
        append_text(&self, index, text, owned.list, owned.item).ok_or(self)
    }

    fn own_list(self) -> Self {
        own_list(&self)
    }

    fn intact() -> bool {
        !failed()
    }
}
