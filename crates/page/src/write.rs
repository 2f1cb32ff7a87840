//! Writes JavaScript's values: those that `JSON.parse` makes of what `serde_json` writes.

mod key;
mod parts;

use js_sys::Array;
use serde::ser::{Error as _, Serialize, Serializer};
use wasm_bindgen::JsValue;

use crate::dict::Dict;
use crate::error::Error;

use parts::{Fields, Items};

/// Makes a value.
#[derive(Debug, Clone, Copy)]
pub struct Writer;

/// Returns a whole number, if JavaScript can hold it exactly.
fn whole<T: Copy + ToString + TryInto<i64>>(value: T) -> Result<JsValue, Error> {
    const END: u64 = 1 << 53;
    match value.try_into() {
        #[allow(clippy::cast_precision_loss, reason = "it is small enough")]
        Ok(number) if number.unsigned_abs() < END => Ok(JsValue::from_f64(number as f64)),
        _ => Err(Error::custom(
            [&value.to_string(), " can't be represented as a JavaScript number: use f64"].concat(),
        )),
    }
}

/// Returns an object with one key, the name of a variant.
fn variant(name: &'static str, content: &JsValue) -> JsValue {
    let object = Dict::new();
    object.set_named(name, content);
    object.into()
}

macro_rules! plain {
    ($($name:ident $Type:ty;)*) => {
        $(fn $name(self, value: $Type) -> Result<JsValue, Error> {
            Ok(value.into())
        })*
    };
}

macro_rules! whole {
    ($($name:ident $Type:ty;)*) => {
        $(fn $name(self, value: $Type) -> Result<JsValue, Error> {
            whole(value)
        })*
    };
}

impl Serializer for Writer {
    type Ok = JsValue;
    type Error = Error;
    type SerializeSeq = Items;
    type SerializeTuple = Items;
    type SerializeTupleStruct = Items;
    type SerializeTupleVariant = Items;
    type SerializeMap = Fields;
    type SerializeStruct = Fields;
    type SerializeStructVariant = Fields;

    plain! {
        serialize_bool bool;
        serialize_i8 i8;
        serialize_i16 i16;
        serialize_i32 i32;
        serialize_u8 u8;
        serialize_u16 u16;
        serialize_u32 u32;
        serialize_f32 f32;
        serialize_f64 f64;
        serialize_str &str;
    }

    whole! {
        serialize_i64 i64;
        serialize_i128 i128;
        serialize_u64 u64;
        serialize_u128 u128;
    }

    fn serialize_char(self, value: char) -> Result<JsValue, Error> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<JsValue, Error> {
        self.collect_seq(value)
    }

    fn serialize_none(self) -> Result<JsValue, Error> {
        self.serialize_unit()
    }

    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result<JsValue, Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<JsValue, Error> {
        Ok(JsValue::NULL)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<JsValue, Error> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
    ) -> Result<JsValue, Error> {
        self.serialize_str(name)
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<JsValue, Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        value: &T,
    ) -> Result<JsValue, Error> {
        Ok(variant(name, &value.serialize(self)?))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Items, Error> {
        Ok(Items { list: Array::new(), variant: None })
    }

    fn serialize_tuple(self, length: usize) -> Result<Items, Error> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_struct(self, _: &'static str, length: usize) -> Result<Items, Error> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<Items, Error> {
        Ok(Items { list: Array::new(), variant: Some(name) })
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Fields, Error> {
        Ok(Fields { object: Dict::new(), key: None, variant: None })
    }

    fn serialize_struct(self, _: &'static str, length: usize) -> Result<Fields, Error> {
        self.serialize_map(Some(length))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<Fields, Error> {
        Ok(Fields { object: Dict::new(), key: None, variant: Some(name) })
    }
}
