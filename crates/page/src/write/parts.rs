//! Lists and objects, filled one part after another.

use js_sys::{Array, JsString};
use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};
use wasm_bindgen::JsValue;

use super::key::KeyWriter;
use super::{Writer, variant};
use crate::dict::Dict;
use crate::error::Error;

fn named(value: JsValue, name: Option<&'static str>) -> JsValue {
    match name {
        Some(name) => variant(name, &value),
        None => value,
    }
}

/// A list, or a variant with one.
#[derive(Debug)]
pub struct Items {
    pub list: Array,
    pub variant: Option<&'static str>,
}

impl SerializeSeq for Items {
    type Ok = JsValue;
    type Error = Error;

    fn serialize_element<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
        self.list.push(&value.serialize(Writer)?);
        Ok(())
    }

    fn end(self) -> Result<JsValue, Error> {
        Ok(named(self.list.into(), self.variant))
    }
}

macro_rules! items {
    ($($Trait:ident $add:ident;)*) => { $(
        impl $Trait for Items {
            type Ok = JsValue;
            type Error = Error;

            fn $add<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
                SerializeSeq::serialize_element(self, value)
            }

            fn end(self) -> Result<JsValue, Error> {
                SerializeSeq::end(self)
            }
        }
    )* };
}

items! {
    SerializeTuple serialize_element;
    SerializeTupleStruct serialize_field;
    SerializeTupleVariant serialize_field;
}

/// An object, or a variant with one.
#[derive(Debug)]
pub struct Fields {
    pub object: Dict,
    /// The key of a map whose value comes next.
    pub key: Option<JsString>,
    pub variant: Option<&'static str>,
}

impl SerializeMap for Fields {
    type Ok = JsValue;
    type Error = Error;

    fn serialize_key<T: ?Sized + Serialize>(&mut self, key: &T) -> Result<(), Error> {
        self.key = Some(key.serialize(KeyWriter)?);
        Ok(())
    }

    fn serialize_value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
        if let Some(key) = self.key.take() {
            self.object.set(&key, &value.serialize(Writer)?);
        }
        Ok(())
    }

    fn end(self) -> Result<JsValue, Error> {
        Ok(named(self.object.into(), self.variant))
    }
}

macro_rules! fields {
    ($($Trait:ident)*) => { $(
        impl $Trait for Fields {
            type Ok = JsValue;
            type Error = Error;

            fn serialize_field<T: ?Sized + Serialize>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), Error> {
                self.object.set_named(name, &value.serialize(Writer)?);
                Ok(())
            }

            fn end(self) -> Result<JsValue, Error> {
                SerializeMap::end(self)
            }
        }
    )* };
}

fields!(SerializeStruct SerializeStructVariant);
