//! The keys of maps: a key of an object is a text, which is read as `serde_json` reads it.

use std::fmt::Display;
use std::str::FromStr;

use serde::Deserializer;
use serde::de::value::StrDeserializer;
use serde::de::{Error as _, Unexpected, Visitor};
use serde::forward_to_deserialize_any;

use crate::error::Error;

/// A key to read.
#[derive(Debug)]
pub struct KeyReader<'a>(pub &'a str);

impl KeyReader<'_> {
    fn unlike<T>(&self, expected: &dyn serde::de::Expected) -> Result<T, Error> {
        Err(Error::invalid_type(Unexpected::Str(self.0), expected))
    }

    /// Returns the number that is written so, and not otherwise, such as `+1` or `01`.
    fn whole<T: FromStr + Display>(&self) -> Option<T> {
        self.0.parse::<T>().ok().filter(|number| number.to_string() == self.0)
    }

    /// Returns the float of a number in JSON without space around it.
    fn float(&self) -> Option<f64> {
        let is_bare = self.0.trim_ascii().len() == self.0.len();
        serde_json::from_str(self.0).ok().filter(|_| is_bare)
    }
}

macro_rules! numbers {
    ($($name:ident $read:ident, $visit:ident;)*) => {
        $(fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match self.$read() {
                Some(number) => visitor.$visit::<Error>(number),
                None => self.unlike(&visitor),
            }
        })*
    };
}

impl<'de> Deserializer<'de> for KeyReader<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_str(self.0)
    }

    numbers! {
        deserialize_i8 whole, visit_i64;
        deserialize_i16 whole, visit_i64;
        deserialize_i32 whole, visit_i64;
        deserialize_i64 whole, visit_i64;
        deserialize_i128 whole, visit_i128;
        deserialize_u8 whole, visit_u64;
        deserialize_u16 whole, visit_u64;
        deserialize_u32 whole, visit_u64;
        deserialize_u64 whole, visit_u64;
        deserialize_u128 whole, visit_u128;
        deserialize_f32 float, visit_f64;
        deserialize_f64 float, visit_f64;
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            _ => self.unlike(&visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(StrDeserializer::new(self.0))
    }

    forward_to_deserialize_any! {
        char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier
        ignored_any
    }
}
