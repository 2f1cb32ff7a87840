//! Some fields of a struct as JSON, without writing the others.

use serde::Serialize;
use serde::ser::{Error as _, Impossible, SerializeMap, SerializeStruct, Serializer};
use serde_json::{Error, Value};

use crate::finite::json_of;
use crate::row::Object;

/// Writes the fields of a struct or a map that are wanted.
///
/// # Errors
/// The value's own, or if it is neither. A number that JSON cannot hold: it names the field.
pub fn some_fields<T: Serialize>(
    value: &T,
    wanted: impl Fn(&str) -> bool,
) -> Result<Object, Error> {
    value.serialize(Fields(wanted))
}

struct Fields<F>(F);

struct Picked<F> {
    wanted: F,
    object: Object,
    key: Option<String>,
}

type No = Impossible<Object, Error>;

fn no<T>() -> Result<T, Error> {
    Err(Error::custom("a state and its updates are written as objects of fields"))
}

macro_rules! refuse {
    ($($name:ident($($ty:ty),*) -> $made:ty;)*) => {
        $(fn $name(self, $(_: $ty),*) -> Result<$made, Error> { no() })*
    };
}

impl<F: Fn(&str) -> bool> Serializer for Fields<F> {
    type Ok = Object;
    type Error = Error;
    type SerializeSeq = No;
    type SerializeTuple = No;
    type SerializeTupleStruct = No;
    type SerializeTupleVariant = No;
    type SerializeMap = Picked<F>;
    type SerializeStruct = Picked<F>;
    type SerializeStructVariant = No;

    refuse! {
        serialize_bool(bool) -> Object;
        serialize_i8(i8) -> Object;
        serialize_i16(i16) -> Object;
        serialize_i32(i32) -> Object;
        serialize_i64(i64) -> Object;
        serialize_u8(u8) -> Object;
        serialize_u16(u16) -> Object;
        serialize_u32(u32) -> Object;
        serialize_u64(u64) -> Object;
        serialize_f32(f32) -> Object;
        serialize_f64(f64) -> Object;
        serialize_char(char) -> Object;
        serialize_str(&str) -> Object;
        serialize_bytes(&[u8]) -> Object;
        serialize_none() -> Object;
        serialize_unit() -> Object;
        serialize_unit_struct(&'static str) -> Object;
        serialize_unit_variant(&'static str, u32, &'static str) -> Object;
        serialize_seq(Option<usize>) -> No;
        serialize_tuple(usize) -> No;
        serialize_tuple_struct(&'static str, usize) -> No;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> No;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> No;
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Object, Error> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<Object, Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<Object, Error> {
        no()
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Picked<F>, Error> {
        Ok(Picked { wanted: self.0, object: Object::new(), key: None })
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Picked<F>, Error> {
        self.serialize_map(None)
    }
}

impl<F: Fn(&str) -> bool> Picked<F> {
    fn add<T: Serialize + ?Sized>(&mut self, key: String, value: &T) -> Result<(), Error> {
        if (self.wanted)(&key) {
            let value = json_of(&key, value)?;
            self.object.insert(key, value);
        }
        Ok(())
    }
}

impl<F: Fn(&str) -> bool> SerializeStruct for Picked<F> {
    type Ok = Object;
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.add(key.to_owned(), value)
    }

    fn end(self) -> Result<Object, Error> {
        Ok(self.object)
    }
}

impl<F: Fn(&str) -> bool> SerializeMap for Picked<F> {
    type Ok = Object;
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        match serde_json::to_value(key)? {
            Value::String(key) => self.key = Some(key),
            other => self.key = Some(other.to_string()),
        }
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let key = self.key.take().unwrap_or_default();
        self.add(key, value)
    }

    fn end(self) -> Result<Object, Error> {
        Ok(self.object)
    }
}
