//! Looks for NaN and infinities, which JSON lacks: `serde_json` writes null for them.

use serde::Serialize;
use serde::ser::{
    Error as _, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use serde_json::{Error, Value};

/// Returns a field's value as JSON.
///
/// # Errors
/// The value's own. A number that JSON cannot hold, which would be null when the thread is read again.
pub fn json_of<T: Serialize + ?Sized>(name: &str, value: &T) -> Result<Value, Error> {
    let json = serde_json::to_value(value)?;
    if has_null(&json) && value.serialize(Finite).is_err() {
        return Err(Error::custom(format!(
            "Cannot save the field '{name}': it has NaN or an infinity, which JSON lacks. Write a finite \
             number, or None to an optional field."
        )));
    }
    Ok(json)
}

fn has_null(json: &Value) -> bool {
    match json {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(fields) => fields.values().any(has_null),
        _ => false,
    }
}

/// Writes nothing, and fails at a number that is not finite.
struct Finite;

fn check(is_finite: bool) -> Result<(), Error> {
    if is_finite { Ok(()) } else { Err(Error::custom("not finite")) }
}

macro_rules! accept {
    ($($name:ident($($ty:ty),*);)*) => {
        $(fn $name(self, $(_: $ty),*) -> Result<(), Error> { Ok(()) })*
    };
}

macro_rules! look_inside {
    ($($name:ident($($ty:ty),*) -> $part:ident;)*) => {
        $(fn $name(self, $(_: $ty),*) -> Result<Self::$part, Error> { Ok(self) })*
    };
}

impl Serializer for Finite {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    accept! {
        serialize_bool(bool);
        serialize_i8(i8);
        serialize_i16(i16);
        serialize_i32(i32);
        serialize_i64(i64);
        serialize_u8(u8);
        serialize_u16(u16);
        serialize_u32(u32);
        serialize_u64(u64);
        serialize_char(char);
        serialize_str(&str);
        serialize_bytes(&[u8]);
        serialize_none();
        serialize_unit();
        serialize_unit_struct(&'static str);
        serialize_unit_variant(&'static str, u32, &'static str);
    }

    look_inside! {
        serialize_seq(Option<usize>) -> SerializeSeq;
        serialize_tuple(usize) -> SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> SerializeTupleVariant;
        serialize_map(Option<usize>) -> SerializeMap;
        serialize_struct(&'static str, usize) -> SerializeStruct;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> SerializeStructVariant;
    }

    fn serialize_f32(self, value: f32) -> Result<(), Error> {
        check(value.is_finite())
    }

    fn serialize_f64(self, value: f64) -> Result<(), Error> {
        check(value.is_finite())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(self)
    }
}

macro_rules! look_at_each {
    ($($trait:ident by $name:ident($($key:ty)?);)*) => { $(
        impl $trait for Finite {
            type Ok = ();
            type Error = Error;

            fn $name<T: Serialize + ?Sized>(&mut self, $(_: $key,)? value: &T) -> Result<(), Error> {
                value.serialize(Self)
            }

            fn end(self) -> Result<(), Error> {
                Ok(())
            }
        }
    )* };
}

look_at_each! {
    SerializeSeq by serialize_element();
    SerializeTuple by serialize_element();
    SerializeTupleStruct by serialize_field();
    SerializeTupleVariant by serialize_field();
    SerializeStruct by serialize_field(&'static str);
    SerializeStructVariant by serialize_field(&'static str);
}

impl SerializeMap for Finite {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, _: &T) -> Result<(), Error> {
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(Self)
    }

    fn end(self) -> Result<(), Error> {
        Ok(())
    }
}
