//! Converts [`Json`] from and to [`serde_json::Value`], and everything serde reads and writes.

use std::fmt;
use std::sync::Arc;

use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::{DEEPEST, Json, Map, Node};

impl From<Value> for Json {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Json::NULL,
            Value::Bool(it) => it.into(),
            Value::Number(number) => Json(Node::Number(number)),
            Value::String(text) => text.into(),
            Value::Array(items) => items.into_iter().map(Json::from).collect(),
            Value::Object(map) => Json::of_fields(
                map.into_iter().map(|(key, value)| (Arc::from(key), value.into())).collect(),
            ),
        }
    }
}

/// Fails for a value nested more than 127 deep: a deeper `Value` may overflow the stack, at the latest
/// when it is dropped.
impl TryFrom<Json> for Value {
    type Error = serde_json::Error;

    fn try_from(value: Json) -> Result<Self, Self::Error> {
        Self::try_from(&value)
    }
}

/// As by [`serde_json::to_value`].
impl TryFrom<&Json> for Value {
    type Error = serde_json::Error;

    fn try_from(value: &Json) -> Result<Self, Self::Error> {
        serde_json::to_value(value)
    }
}

/// Writes what [`serde_json`] reads: up to 127 lists and objects in one another. More are an error, for
/// a serializer has no stack of its own. [`Display`](std::fmt::Display) writes any depth.
impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Nested(self, 0).serialize(serializer)
    }
}

/// A value, and how deep it is in the one that is written.
struct Nested<'a>(&'a Json, u32);

impl Serialize for Nested<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(value, depth) = *self;
        if depth > DEEPEST {
            return Err(S::Error::custom("A value should be nested at most 127 deep."));
        }
        let inner = |value| Nested(value, depth + 1);
        match &value.0 {
            Node::Null => serializer.serialize_unit(),
            Node::Bool(it) => serializer.serialize_bool(*it),
            Node::Number(number) => number.serialize(serializer),
            Node::String(text) => serializer.serialize_str(text),
            Node::Array(items) => serializer.collect_seq(items.iter().map(inner)),
            Node::Object(_) => {
                serializer.collect_map(value.entries().map(|(key, value)| (key, inner(value))))
            }
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    /// Accepts the same as [`serde_json::Value`]. Fields keep their order.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reading)
    }
}

/// The key by which `serde_json` hands over a number of any length, with its feature
/// `arbitrary_precision`.
const OF_ANY_LENGTH: &str = "$serde_json::private::Number";

struct Reading;

impl<'de> Visitor<'de> for Reading {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(text.into())
    }

    fn visit_string<E>(self, text: String) -> Result<Json, E> {
        Ok(text.into())
    }

    fn visit_none<E>(self) -> Result<Json, E> {
        Ok(Json::NULL)
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::NULL)
    }

    fn visit_some<D: Deserializer<'de>>(self, value: D) -> Result<Json, D::Error> {
        Json::deserialize(value)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        std::iter::from_fn(|| items.next_element::<Json>().transpose()).collect()
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Json, A::Error> {
        let mut read = Map::default();
        while let Some(key) = fields.next_key::<String>()? {
            if read.is_empty() && key == OF_ANY_LENGTH {
                let number = fields.next_value::<String>()?.parse().map_err(A::Error::custom)?;
                return Ok(Json(Node::Number(number)));
            }
            read.insert(key.into(), fields.next_value()?);
        }
        Ok(Json::of_fields(read))
    }
}
