//! The parts of lists, objects and variants, one after another.

use std::rc::Rc;

use js_sys::{Array, JsString, Object};
use serde::Deserializer;
use serde::de::value::{BorrowedStrDeserializer, StrDeserializer, StringDeserializer};
use serde::de::{
    DeserializeSeed, EnumAccess, Error as _, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use wasm_bindgen::{JsCast, JsValue};

use super::key::KeyReader;
use super::{Reader, names_of};
use crate::dict::{Dict, check_key};
use crate::error::Error;

/// The items of a list.
#[derive(Debug)]
pub struct Items {
    list: Array,
    at: u32,
    length: u32,
}

impl Items {
    pub fn new(list: Array) -> Self {
        let length = list.length();
        Self { list, at: 0, length }
    }

    /// Returns what was made of them, if it took all.
    pub fn end<T>(&self, value: T) -> Result<T, Error> {
        if self.at < self.length {
            return Err(Error::custom("the list has more items than expected"));
        }
        Ok(value)
    }
}

impl<'de> SeqAccess<'de> for &mut Items {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        if self.at >= self.length {
            return Ok(None);
        }
        let at = self.at;
        self.at += 1;
        let value = seed.deserialize(Reader::new(self.list.get(at)));
        value.map(Some).map_err(|error| error.in_item(at))
    }

    fn size_hint(&self) -> Option<usize> {
        usize::try_from(self.length.saturating_sub(self.at)).ok()
    }
}

/// The fields of an object that a struct knows, by its own names; then those that it does not.
pub struct Known {
    object: Dict,
    names: &'static [&'static str],
    keys: Rc<[JsString]>,
    at: usize,
    value: JsValue,
    /// How many keys the object has that the struct does not know, once they are looked for.
    unknown: Option<Array>,
    found: u32,
}

impl Known {
    pub fn new(object: Object, names: &'static [&'static str]) -> Self {
        let keys = names_of(names);
        let object = object.unchecked_into();
        Self { object, names, keys, at: 0, value: JsValue::UNDEFINED, unknown: None, found: 0 }
    }

    /// Returns a key that the struct does not know. It says what becomes of that.
    fn next_unknown(&mut self) -> Option<String> {
        let Self { object, names, found, .. } = self;
        let unknown = self.unknown.get_or_insert_with(|| {
            let keys = Object::keys(object.unchecked_ref::<Object>());
            let is_unknown =
                |key: JsValue| !key.as_string().is_some_and(|key| names.contains(&&*key));
            if keys.length() == *found {
                Array::new()
            } else {
                keys.iter().filter(|key| is_unknown(key.clone())).collect()
            }
        });
        unknown.pop().as_string()
    }
}

impl<'de> MapAccess<'de> for Known {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        while let (Some(name), Some(key)) = (self.names.get(self.at), self.keys.get(self.at)) {
            self.at += 1;
            self.value = self.object.get(key);
            if !self.value.is_undefined() {
                self.found += 1;
                return seed.deserialize(BorrowedStrDeserializer::new(name)).map(Some);
            }
        }
        self.value = JsValue::UNDEFINED;
        match self.next_unknown() {
            Some(name) => seed.deserialize(StringDeserializer::new(name)).map(Some),
            None => Ok(None),
        }
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Error> {
        let name = self.at.checked_sub(1).and_then(|at| self.names.get(at));
        let value = std::mem::replace(&mut self.value, JsValue::UNDEFINED);
        let value = seed.deserialize(Reader::new(value));
        value.map_err(|error| error.in_field(name.copied().unwrap_or_default()))
    }
}

/// All fields of an object.
pub struct Entries {
    list: Array,
    at: u32,
    name: String,
    value: JsValue,
}

impl Entries {
    pub fn new(object: &Object) -> Self {
        let list = Object::entries(object);
        Self { list, at: 0, name: String::new(), value: JsValue::UNDEFINED }
    }
}

impl<'de> MapAccess<'de> for Entries {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        while self.at < self.list.length() {
            let entry: Array = self.list.get(self.at).unchecked_into();
            self.at += 1;
            self.value = entry.get(1);
            if self.value.is_undefined() {
                continue;
            }
            self.name = entry.get(0).as_string().unwrap_or_default();
            check_key(&self.name)?;
            let key = seed.deserialize(KeyReader(&self.name));
            return key.map(Some).map_err(Error::in_key);
        }
        Ok(None)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Error> {
        let value = std::mem::replace(&mut self.value, JsValue::UNDEFINED);
        seed.deserialize(Reader::new(value)).map_err(|error| error.in_field(&self.name))
    }
}

/// A variant of an enum, and its content; undefined if it is a name alone.
pub struct Variant {
    pub name: String,
    pub content: JsValue,
}

impl<'de> EnumAccess<'de> for Variant {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self), Error> {
        let value = seed.deserialize(StrDeserializer::<Error>::new(&self.name))?;
        Ok((value, self))
    }
}

impl Variant {
    fn read<T>(self, read: impl FnOnce(Reader) -> Result<T, Error>) -> Result<T, Error> {
        let Self { name, content } = self;
        read(Reader::new(content)).map_err(|error| error.in_field(&name))
    }
}

impl<'de> VariantAccess<'de> for Variant {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        self.read(serde::Deserialize::deserialize)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        self.read(|content| seed.deserialize(content))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.read(|content| content.deserialize_seq(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.read(|content| content.deserialize_struct("", fields, visitor))
    }
}
