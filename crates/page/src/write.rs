//! Writes JavaScript's values by serde-wasm-bindgen, with the keys of maps as `serde_json` writes them.

mod key;
mod parts;

use serde::ser::{Serialize, Serializer};

/// `null` for nothing, objects for maps, as in JSON.
const TO_JAVASCRIPT: serde_wasm_bindgen::Serializer =
    serde_wasm_bindgen::Serializer::json_compatible();

/// Returns what makes a value.
pub const fn writer() -> JsonKeys<&'static serde_wasm_bindgen::Serializer> {
    JsonKeys(&TO_JAVASCRIPT)
}

/// A serializer, or a part of one, whose maps have texts as keys.
#[derive(Debug, Clone, Copy)]
pub struct JsonKeys<S>(S);

/// A value inside of another.
struct Part<'a, T: ?Sized>(&'a T);

impl<T: ?Sized + Serialize> Serialize for Part<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(JsonKeys(serializer))
    }
}

/// Returns the error of a number that JavaScript confuses with another.
fn unsafe_number<E: serde::ser::Error>(value: impl std::fmt::Display) -> E {
    E::custom(format_args!("{value} can't be represented as a JavaScript number"))
}

macro_rules! plain {
    ($($name:ident $Type:ty;)*) => {
        $(fn $name(self, value: $Type) -> Result<S::Ok, S::Error> {
            self.0.$name(value)
        })*
    };
}

impl<S: Serializer> Serializer for JsonKeys<S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = JsonKeys<S::SerializeSeq>;
    type SerializeTuple = JsonKeys<S::SerializeTuple>;
    type SerializeTupleStruct = JsonKeys<S::SerializeTupleStruct>;
    type SerializeTupleVariant = JsonKeys<S::SerializeTupleVariant>;
    type SerializeMap = JsonKeys<S::SerializeMap>;
    type SerializeStruct = JsonKeys<S::SerializeStruct>;
    type SerializeStructVariant = JsonKeys<S::SerializeStructVariant>;

    plain! {
        serialize_bool bool;
        serialize_i8 i8;
        serialize_i16 i16;
        serialize_i32 i32;
        serialize_i64 i64;
        serialize_u8 u8;
        serialize_u16 u16;
        serialize_u32 u32;
        serialize_u64 u64;
        serialize_f32 f32;
        serialize_f64 f64;
        serialize_char char;
        serialize_str &str;
        serialize_unit_struct &'static str;
    }

    fn serialize_i128(self, value: i128) -> Result<S::Ok, S::Error> {
        let small = i64::try_from(value).map_err(|_| unsafe_number(value))?;
        self.0.serialize_i64(small)
    }

    fn serialize_u128(self, value: u128) -> Result<S::Ok, S::Error> {
        let small = u64::try_from(value).map_err(|_| unsafe_number(value))?;
        self.0.serialize_u64(small)
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<S::Ok, S::Error> {
        self.collect_seq(value)
    }

    fn serialize_none(self) -> Result<S::Ok, S::Error> {
        self.0.serialize_none()
    }

    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result<S::Ok, S::Error> {
        self.0.serialize_some(&Part(value))
    }

    fn serialize_unit(self) -> Result<S::Ok, S::Error> {
        self.0.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        of: &'static str,
        at: u32,
        name: &'static str,
    ) -> Result<S::Ok, S::Error> {
        self.0.serialize_unit_variant(of, at, name)
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        self.0.serialize_newtype_struct(name, &Part(value))
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        of: &'static str,
        at: u32,
        name: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        self.0.serialize_newtype_variant(of, at, name, &Part(value))
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Self::SerializeSeq, S::Error> {
        self.0.serialize_seq(length).map(JsonKeys)
    }

    fn serialize_tuple(self, length: usize) -> Result<Self::SerializeTuple, S::Error> {
        self.0.serialize_tuple(length).map(JsonKeys)
    }

    fn serialize_tuple_struct(
        self,
        name: &'static str,
        length: usize,
    ) -> Result<Self::SerializeTupleStruct, S::Error> {
        self.0.serialize_tuple_struct(name, length).map(JsonKeys)
    }

    fn serialize_tuple_variant(
        self,
        of: &'static str,
        at: u32,
        name: &'static str,
        length: usize,
    ) -> Result<Self::SerializeTupleVariant, S::Error> {
        self.0.serialize_tuple_variant(of, at, name, length).map(JsonKeys)
    }

    fn serialize_map(self, length: Option<usize>) -> Result<Self::SerializeMap, S::Error> {
        self.0.serialize_map(length).map(JsonKeys)
    }

    fn serialize_struct(
        self,
        name: &'static str,
        length: usize,
    ) -> Result<Self::SerializeStruct, S::Error> {
        self.0.serialize_struct(name, length).map(JsonKeys)
    }

    fn serialize_struct_variant(
        self,
        of: &'static str,
        at: u32,
        name: &'static str,
        length: usize,
    ) -> Result<Self::SerializeStructVariant, S::Error> {
        self.0.serialize_struct_variant(of, at, name, length).map(JsonKeys)
    }
}
