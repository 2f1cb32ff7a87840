//! Objects of JavaScript by key, and the names that Rust's types give their keys.

use std::cell::RefCell;

use js_sys::JsString;
use serde::de::Error as _;
use wasm_bindgen::prelude::*;

use crate::error::Error;

#[wasm_bindgen]
extern "C" {
    /// An object without `Reflect`, which takes longer.
    #[derive(Debug)]
    #[wasm_bindgen(extends = js_sys::Object)]
    pub type Dict;
    #[wasm_bindgen(method, indexing_getter)]
    pub fn get(this: &Dict, key: &JsString) -> JsValue;
    #[wasm_bindgen(method, indexing_setter)]
    pub fn set(this: &Dict, key: &JsString, value: &JsValue);
}

impl Dict {
    pub fn new() -> Self {
        js_sys::Object::new().unchecked_into()
    }

    /// Sets the field of a name that some type has.
    pub fn set_named(&self, name: &'static str, value: &JsValue) {
        type Known = Vec<(&'static str, JsString)>;
        thread_local! {
            /// Sorted by address.
            static NAMES: RefCell<Known> = const { RefCell::new(Vec::new()) };
        }
        let place = |name: &'static str| (name.as_ptr(), name.len());
        NAMES.with_borrow_mut(|names| {
            let at = names.binary_search_by_key(&place(name), |(known, _)| place(known));
            let at = at.unwrap_or_else(|at| {
                names.insert(at, (name, name.into()));
                at
            });
            if let Some((_, key)) = names.get(at) {
                self.set(key, value);
            }
        });
    }
}

/// Refuses a key that would be the prototype of the object that it is written into.
pub fn check_key(key: &str) -> Result<(), Error> {
    if key == "__proto__" {
        return Err(Error::custom("the key __proto__ is not allowed"));
    }
    Ok(())
}
