//! The parts of lists and objects, each written with texts as keys.

use serde::ser::{
    Error as _, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant,
};

use super::key::KeyWriter;
use super::{JsonKeys, Part};

macro_rules! items {
    ($($Trait:ident $add:ident;)*) => { $(
        impl<S: $Trait> $Trait for JsonKeys<S> {
            type Ok = S::Ok;
            type Error = S::Error;

            fn $add<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), S::Error> {
                self.0.$add(&Part(value))
            }

            fn end(self) -> Result<S::Ok, S::Error> {
                self.0.end()
            }
        }
    )* };
}

items! {
    SerializeSeq serialize_element;
    SerializeTuple serialize_element;
    SerializeTupleStruct serialize_field;
    SerializeTupleVariant serialize_field;
}

macro_rules! fields {
    ($($Trait:ident)*) => { $(
        impl<S: $Trait> $Trait for JsonKeys<S> {
            type Ok = S::Ok;
            type Error = S::Error;

            fn serialize_field<T: ?Sized + Serialize>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), S::Error> {
                self.0.serialize_field(name, &Part(value))
            }

            fn end(self) -> Result<S::Ok, S::Error> {
                self.0.end()
            }
        }
    )* };
}

fields!(SerializeStruct SerializeStructVariant);

impl<S: SerializeMap> SerializeMap for JsonKeys<S> {
    type Ok = S::Ok;
    type Error = S::Error;

    fn serialize_key<T: ?Sized + Serialize>(&mut self, key: &T) -> Result<(), S::Error> {
        self.0.serialize_key(&key.serialize(KeyWriter).map_err(S::Error::custom)?)
    }

    fn serialize_value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), S::Error> {
        self.0.serialize_value(&Part(value))
    }

    fn end(self) -> Result<S::Ok, S::Error> {
        self.0.end()
    }
}
