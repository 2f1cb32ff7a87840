//! The keys of maps, which are texts as `serde_json` writes them.

use serde::ser::{Error as _, Impossible, Serialize, Serializer};

use crate::error::Error;

/// Makes a key.
#[derive(Debug)]
pub struct KeyWriter;

fn refused<T>() -> Result<T, Error> {
    Err(Error::custom(
        "invalid key of a map: expected a string, a number, a bool or a unit variant",
    ))
}

/// Returns a float's text.
fn float<T: Serialize>(value: &T, is_finite: bool) -> Result<String, Error> {
    if !is_finite {
        return refused();
    }
    serde_json::to_string(value).map_err(Error::custom)
}

macro_rules! whole {
    ($($name:ident $Type:ty;)*) => {
        $(fn $name(self, value: $Type) -> Result<String, Error> {
            Ok(value.to_string())
        })*
    };
}

impl Serializer for KeyWriter {
    type Ok = String;
    type Error = Error;
    type SerializeSeq = Impossible<String, Error>;
    type SerializeTuple = Impossible<String, Error>;
    type SerializeTupleStruct = Impossible<String, Error>;
    type SerializeTupleVariant = Impossible<String, Error>;
    type SerializeMap = Impossible<String, Error>;
    type SerializeStruct = Impossible<String, Error>;
    type SerializeStructVariant = Impossible<String, Error>;

    whole! {
        serialize_i8 i8;
        serialize_i16 i16;
        serialize_i32 i32;
        serialize_i64 i64;
        serialize_i128 i128;
        serialize_u8 u8;
        serialize_u16 u16;
        serialize_u32 u32;
        serialize_u64 u64;
        serialize_u128 u128;
    }

    fn serialize_bool(self, value: bool) -> Result<String, Error> {
        self.serialize_str(if value { "true" } else { "false" })
    }

    fn serialize_f32(self, value: f32) -> Result<String, Error> {
        float(&value, value.is_finite())
    }

    fn serialize_f64(self, value: f64) -> Result<String, Error> {
        float(&value, value.is_finite())
    }

    fn serialize_char(self, value: char) -> Result<String, Error> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<String, Error> {
        crate::dict::check_key(value)?;
        Ok(value.into())
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
    ) -> Result<String, Error> {
        self.serialize_str(name)
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<String, Error> {
        value.serialize(self)
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<String, Error> {
        refused()
    }

    fn serialize_none(self) -> Result<String, Error> {
        refused()
    }

    fn serialize_some<T: ?Sized + Serialize>(self, _: &T) -> Result<String, Error> {
        refused()
    }

    fn serialize_unit(self) -> Result<String, Error> {
        refused()
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<String, Error> {
        refused()
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<String, Error> {
        refused()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, Error> {
        refused()
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, Error> {
        refused()
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct, Error> {
        refused()
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Error> {
        refused()
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Error> {
        refused()
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct, Error> {
        refused()
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Error> {
        refused()
    }
}
