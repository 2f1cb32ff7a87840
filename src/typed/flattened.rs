//! Reads a flattened field of an update: a write, if the update has any of its fields.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, MapAccess, Visitor};
use serde::{Deserializer, forward_to_deserialize_any};

/// Reads the fields that serde hands over for a flattened one. `None` if none of them is there.
///
/// # Errors
/// The value's own, if some are there.
pub fn flattened<'de, D: Deserializer<'de>, T>(
    fields: D,
    read: impl FnOnce(Fields<'_, D>) -> Result<T, D::Error>,
) -> Result<Option<T>, D::Error> {
    let seen = Cell::new(false);
    let value = read(Fields { fields, seen: &seen });
    if seen.get() { value.map(Some) } else { Ok(None) }
}

/// Fields that notice whether there are any.
#[derive(Debug)]
pub struct Fields<'a, T> {
    fields: T,
    seen: &'a Cell<bool>,
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Fields<'_, D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        let visitor = Fields { fields: visitor, seen: self.seen };
        self.fields.deserialize_map(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let visitor = Fields { fields: visitor, seen: self.seen };
        self.fields.deserialize_struct(name, known, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let value = self.fields.deserialize_enum(name, variants, visitor);
        self.seen.set(value.is_ok());
        value
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string
        bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier ignored_any
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Fields<'_, V> {
    type Value = V::Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fields.expecting(formatter)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.fields.visit_map(Fields { fields: map, seen: self.seen })
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Fields<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        let key = self.fields.next_key_seed(seed)?;
        self.seen.set(self.seen.get() || key.is_some());
        Ok(key)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.fields.next_value_seed(seed)
    }
}
