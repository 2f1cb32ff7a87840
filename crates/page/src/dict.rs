//! Objects of JavaScript by key.

use js_sys::JsString;
use serde::de::Error as _;
use wasm_bindgen::prelude::*;

use crate::error::Error;

#[wasm_bindgen]
extern "C" {
    /// An object without `Reflect`, which takes longer.
    pub type Dict;
    #[wasm_bindgen(method, indexing_getter)]
    pub fn get(this: &Dict, key: &JsString) -> JsValue;
}

/// Refuses a key that would be the prototype of the object that it is written into.
pub fn check_key(key: &str) -> Result<(), Error> {
    if key == "__proto__" {
        return Err(Error::custom("the key __proto__ is not allowed"));
    }
    Ok(())
}
