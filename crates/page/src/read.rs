//! Reads JavaScript's values as `serde_json` reads JSON, and says where one is not as expected.

mod access;
mod key;

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, JsString, Object};
use serde::Deserializer;
use serde::de::{Error as _, Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use wasm_bindgen::{JsCast, JsValue};

use crate::error::Error;

use access::{Entries, Items, Known, Variant};

/// A value to read.
pub struct Reader(JsValue);

impl Reader {
    pub fn new(value: JsValue) -> Self {
        Self(value)
    }

    fn is_nothing(&self) -> bool {
        self.0.is_null() || self.0.is_undefined()
    }

    /// Returns the number, if it is whole and exact.
    fn whole(&self) -> Option<f64> {
        self.0.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < SAFE)
    }

    /// Returns the error of a value of another type.
    fn unlike<T>(&self, expected: &dyn serde::de::Expected) -> Result<T, Error> {
        let text;
        Err(Error::invalid_type(
            if let Some(number) = self.0.as_f64() {
                Unexpected::Float(number)
            } else if let Some(said) = self.0.as_string() {
                text = said;
                Unexpected::Str(&text)
            } else {
                Unexpected::Other(if self.0.is_null() {
                    "null"
                } else if self.0.is_undefined() {
                    "undefined"
                } else if self.0 == true {
                    "true"
                } else if self.0 == false {
                    "false"
                } else if Array::is_array(&self.0) {
                    "a list"
                } else if self.0.is_object() {
                    "an object"
                } else {
                    "a value that JSON lacks"
                })
            },
            expected,
        ))
    }
}

/// The first whole number that JavaScript confuses with the next.
const SAFE: f64 = 9_007_199_254_740_992.0;

macro_rules! numbers {
    (signed $($signed:ident)*; unsigned $($unsigned:ident)*;) => {
        $(fn $signed<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match self.whole() {
                #[allow(clippy::cast_possible_truncation, reason = "it is whole and small enough")]
                Some(number) => visitor.visit_i64(number as i64),
                None => self.unlike(&visitor),
            }
        })*
        $(fn $unsigned<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match self.whole() {
                #[allow(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "it is whole, small enough and not negative"
                )]
                Some(number) if number >= 0.0 => visitor.visit_u64(number as u64),
                _ => self.unlike(&visitor),
            }
        })*
    };
}

impl<'de> Deserializer<'de> for Reader {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.is_nothing() {
            visitor.visit_unit()
        } else if let Some(flag) = self.0.as_bool() {
            visitor.visit_bool(flag)
        } else if let Some(number) = self.whole() {
            if number < 0.0 { self.deserialize_i64(visitor) } else { self.deserialize_u64(visitor) }
        } else if let Some(number) = self.0.as_f64() {
            visitor.visit_f64(number)
        } else if let Some(text) = self.0.as_string() {
            visitor.visit_string(text)
        } else if Array::is_array(&self.0) {
            self.deserialize_seq(visitor)
        } else {
            self.deserialize_map(visitor)
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0.as_bool() {
            Some(flag) => visitor.visit_bool(flag),
            None => self.unlike(&visitor),
        }
    }

    numbers! {
        signed deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64;
        unsigned deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64;
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0.as_f64() {
            Some(number) => visitor.visit_f64(number),
            None => self.unlike(&visitor),
        }
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_string(visitor)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_string(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0.as_string() {
            Some(text) => visitor.visit_string(text),
            None => self.unlike(&visitor),
        }
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_string(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.is_nothing() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.is_nothing() { visitor.visit_unit() } else { self.unlike(&visitor) }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if !Array::is_array(&self.0) {
            return self.unlike(&visitor);
        }
        let mut items = Items::new(self.0.unchecked_into());
        let value = visitor.visit_seq(&mut items)?;
        items.end(value)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if !self.0.is_object() || Array::is_array(&self.0) {
            return self.unlike(&visitor);
        }
        visitor.visit_map(Entries::new(self.0.unchecked_ref()))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if Array::is_array(&self.0) {
            return self.deserialize_seq(visitor);
        }
        if !self.0.is_object() {
            return self.unlike(&visitor);
        }
        visitor.visit_map(Known::new(self.0.unchecked_into(), fields))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if let Some(name) = self.0.as_string() {
            return visitor.visit_enum(Variant { name, content: JsValue::UNDEFINED });
        }
        if !self.0.is_object() || Array::is_array(&self.0) {
            return self.unlike(&visitor);
        }
        let entries = Object::entries(self.0.unchecked_ref());
        if entries.length() != 1 {
            return Err(Error::custom("expected an object with one key, the name of a variant"));
        }
        let entry: Array = entries.get(0).unchecked_into();
        let name = entry.get(0).as_string().unwrap_or_default();
        visitor.visit_enum(Variant { name, content: entry.get(1) })
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    forward_to_deserialize_any! { i128 u128 }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }
}

/// Structs by the address of their names, each with these as JavaScript's strings.
type Names = Vec<(*const &'static str, Rc<[JsString]>)>;

/// Returns the names of a struct's fields as JavaScript's strings, which are made once.
fn names_of(fields: &'static [&'static str]) -> Rc<[JsString]> {
    thread_local! {
        static NAMES: RefCell<Names> = const { RefCell::new(Vec::new()) };
    }
    NAMES.with_borrow_mut(|names| {
        let known =
            names.iter().find(|(at, made)| *at == fields.as_ptr() && made.len() == fields.len());
        if let Some((_, made)) = known {
            return Rc::clone(made);
        }
        let made: Rc<[JsString]> = fields.iter().map(|name| JsString::from(*name)).collect();
        names.push((fields.as_ptr(), Rc::clone(&made)));
        made
    })
}
