//! Reads typed values from [`Json`]: `T::deserialize(&json)`.

use serde::de::value::{
    BorrowedStrDeserializer, MapAccessDeserializer, MapDeserializer, SeqDeserializer,
};
use serde::de::{Deserializer, Error as _, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::Error;

use super::{DEEPEST, Json, Node};

/// Reads any type from a value, without a copy of it; text may be borrowed.
///
/// Reads what [`serde_json::from_value`] reads of the same JSON. A value nested more than 127 deep is
/// an error, as in text.
///
/// ```
/// use serde::Deserialize;
/// use threadfold::json;
///
/// #[derive(Deserialize)]
/// struct Todo<'a> {
///     content: &'a str,
///     done: Option<bool>,
/// }
///
/// let state = json!({ "todos": [{ "content": "Plan" }, { "content": "Write", "done": true }] });
/// let todos = Vec::<Todo>::deserialize(&state["todos"])?;
/// assert_eq!((todos[0].content, todos[1].done), ("Plan", Some(true)));
/// # Ok::<(), serde_json::Error>(())
/// ```
impl<'de> Deserializer<'de> for &'de Json {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        Nested(self, 0).deserialize_any(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        Nested(self, 0).deserialize_option(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        Nested(self, 0).deserialize_newtype_struct(name, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        Nested(self, 0).deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, Error> for &'de Json {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// A value, and how deep it is in the one that is read.
#[derive(Clone, Copy)]
struct Nested<'de>(&'de Json, u32);

impl<'de> Nested<'de> {
    /// The depth of what is in a list or an object.
    fn deeper(self) -> Result<u32, Error> {
        if self.1 >= DEEPEST {
            return Err(Error::custom("A value should be nested at most 127 deep."));
        }
        Ok(self.1 + 1)
    }

    fn entries(self, depth: u32) -> impl Iterator<Item = (Key<'de>, Nested<'de>)> {
        self.0.entries().map(move |(key, value)| (Key(key), Nested(value, depth)))
    }

    fn is_null(self) -> bool {
        matches!(self.0.0, Node::Null)
    }
}

impl<'de> Deserializer<'de> for Nested<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match &self.0.0 {
            Node::Null => visitor.visit_unit(),
            Node::Bool(it) => visitor.visit_bool(*it),
            Node::Number(number) => number.deserialize_any(visitor),
            Node::String(text) => visitor.visit_borrowed_str(text),
            Node::Array(items) => {
                let depth = self.deeper()?;
                let mut items = SeqDeserializer::new(items.iter().map(|item| Nested(item, depth)));
                let value = visitor.visit_seq(&mut items)?;
                items.end().map(|()| value)
            }
            Node::Object(_) => {
                let mut fields = MapDeserializer::new(self.entries(self.deeper()?));
                let value = visitor.visit_map(&mut fields)?;
                fields.end().map(|()| value)
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
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
        match &self.0.0 {
            Node::String(name) => {
                let name: BorrowedStrDeserializer<'de, Error> = BorrowedStrDeserializer::new(name);
                name.deserialize_enum("", &[], visitor)
            }
            Node::Object(fields) if fields.0.len() == 1 => {
                let fields = MapDeserializer::new(self.entries(self.deeper()?));
                MapAccessDeserializer::new(fields).deserialize_enum("", &[], visitor)
            }
            _ => Err(Error::custom(
                "expected a text or an object with one key, as an enum is written",
            )),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, Error> for Nested<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// A key of an object. Numbers and booleans are read from its text, as `serde_json` writes them.
#[derive(Clone, Copy)]
struct Key<'de>(&'de str);

impl<'de> IntoDeserializer<'de, Error> for Key<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

macro_rules! parsed {
    ($($deserialize:ident as $Number:ty, by $visit:ident;)*) => { $(
        fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match self.0.parse::<$Number>() {
                Ok(number) => visitor.$visit(number),
                Err(_) => visitor.visit_borrowed_str(self.0),
            }
        }
    )* };
}

impl<'de> Deserializer<'de> for Key<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(self.0)
    }

    parsed! {
        deserialize_bool as bool, by visit_bool;
        deserialize_i8 as i64, by visit_i64;
        deserialize_i16 as i64, by visit_i64;
        deserialize_i32 as i64, by visit_i64;
        deserialize_i64 as i64, by visit_i64;
        deserialize_i128 as i128, by visit_i128;
        deserialize_u8 as u64, by visit_u64;
        deserialize_u16 as u64, by visit_u64;
        deserialize_u32 as u64, by visit_u64;
        deserialize_u64 as u64, by visit_u64;
        deserialize_u128 as u128, by visit_u128;
        deserialize_f32 as f64, by visit_f64;
        deserialize_f64 as f64, by visit_f64;
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
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let key: BorrowedStrDeserializer<'de, Error> = BorrowedStrDeserializer::new(self.0);
        key.deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier
        ignored_any
    }
}
