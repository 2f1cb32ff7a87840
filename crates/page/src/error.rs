//! An error in a value, and its place.

use std::fmt;

use serde::de::{self, Expected, Unexpected};
use serde::ser;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = String)]
    fn text_of(value: &JsValue) -> String;
}

/// An error at a place. The place is only put together once there is an error.
#[derive(Debug)]
pub struct Error {
    /// Such as `[3].qty`.
    place: String,
    says: String,
}

impl Error {
    /// Returns it as one that happened in a field of an object.
    pub fn in_field(mut self, name: &str) -> Self {
        let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        self.place = if is_plain {
            [".", name, &self.place].concat()
        } else {
            ["[\"", name, "\"]", &self.place].concat()
        };
        self
    }

    /// Returns it as one that happened in an item of a list.
    pub fn in_item(mut self, at: u32) -> Self {
        self.place = ["[", &at.to_string(), "]", &self.place].concat();
        self
    }

    /// Returns it as one of a map's key.
    pub fn in_key(mut self) -> Self {
        self.says.insert_str(0, "invalid key: ");
        self
    }

    /// Returns its text, for a value of this name.
    pub fn at(&self, name: &str) -> String {
        [name, &self.place, ": ", &self.says].concat()
    }
}

fn got(unexpected: Unexpected<'_>) -> String {
    match unexpected {
        // By JavaScript: Rust's own way takes 14 KB.
        Unexpected::Float(value) => text_of(&JsValue::from_f64(value)),
        Unexpected::Unsigned(value) => value.to_string(),
        Unexpected::Signed(value) => value.to_string(),
        Unexpected::Bool(value) => if value { "true" } else { "false" }.to_owned(),
        Unexpected::Str(text) => ["\"", text, "\""].concat(),
        Unexpected::Unit | Unexpected::Option => "null".to_owned(),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "an object".to_owned(),
        Unexpected::Other(text) => text.to_owned(),
        _ => "another type".to_owned(),
    }
}

fn unlike(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Error {
    let says = ["expected ", &expected.to_string(), ", got ", &got(unexpected)].concat();
    Error { place: String::new(), says }
}

impl de::Error for Error {
    fn custom<T: fmt::Display>(says: T) -> Self {
        Self { place: String::new(), says: says.to_string() }
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        unlike(unexpected, expected)
    }

    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        unlike(unexpected, expected)
    }
}

impl ser::Error for Error {
    fn custom<T: fmt::Display>(says: T) -> Self {
        de::Error::custom(says)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.says)
    }
}

impl std::error::Error for Error {}
