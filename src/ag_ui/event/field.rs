//! The fields of an object of AG-UI, read from JSON and written to it.

use crate::stream::StreamError;
use crate::value::{Json, Kind, Value};

/// The type of a field.
pub trait Field: Sized {
    /// The expected form, for an error.
    const EXPECTED: &'static str;

    /// Reads a field; `None` if it is missing or has another type.
    fn read(value: Option<Json>) -> Option<Self>;
    /// Returns the field's value; `None` leaves the field out.
    fn written(&self) -> Option<Json>;
}

impl Field for String {
    const EXPECTED: &'static str = "a string";

    fn read(value: Option<Json>) -> Option<Self> {
        value?.as_str().map(str::to_owned)
    }

    fn written(&self) -> Option<Json> {
        Some(self.as_str().into())
    }
}

impl Field for bool {
    const EXPECTED: &'static str = "a boolean";

    fn read(value: Option<Json>) -> Option<Self> {
        value?.as_bool()
    }

    fn written(&self) -> Option<Json> {
        Some((*self).into())
    }
}

/// Any value, also null.
impl Field for Json {
    const EXPECTED: &'static str = "a value";

    fn read(value: Option<Json>) -> Option<Self> {
        value
    }

    fn written(&self) -> Option<Json> {
        Some(self.clone())
    }
}

impl<T: Field> Field for Vec<T> {
    const EXPECTED: &'static str = "a list";

    fn read(value: Option<Json>) -> Option<Self> {
        let list = value.filter(|list| list.kind() == Kind::Array)?;
        list.iter().map(|item| T::read(Some(item.clone()))).collect()
    }

    fn written(&self) -> Option<Json> {
        Some(self.iter().filter_map(T::written).collect())
    }
}

/// A field that may be missing or null.
impl<T: Field> Field for Option<T> {
    const EXPECTED: &'static str = T::EXPECTED;

    fn read(value: Option<Json>) -> Option<Self> {
        match value {
            Some(value) if !value.is_null() => T::read(Some(value)).map(Some),
            _ => Some(None),
        }
    }

    fn written(&self) -> Option<Json> {
        self.as_ref().and_then(T::written)
    }
}

/// A form that a field needs, besides its type.
pub struct Check<T> {
    pub expected: &'static str,
    pub holds: fn(&T) -> bool,
}

/// An object whose fields are read one by one.
pub struct Fields<'a> {
    /// The object's type, for an error.
    pub of: &'a str,
    /// In order, those that were not read.
    left: Vec<(String, Json)>,
}

impl<'a> Fields<'a> {
    pub fn new(of: &'a str, object: &Json) -> Self {
        let left = object.entries().map(|(key, value)| (key.to_owned(), value.clone()));
        Self { of, left: left.collect() }
    }

    fn take(&mut self, name: &str) -> Option<Json> {
        let at = self.left.iter().position(|(own, _)| own == name)?;
        Some(self.left.remove(at).1)
    }

    /// Takes a field out.
    pub fn field<T: Field>(&mut self, name: &'static str) -> Result<T, StreamError> {
        let read = T::read(self.take(name));
        read.ok_or_else(|| StreamError::field_of(self.of, name, T::EXPECTED))
    }

    /// Takes a field out that needs more than its type.
    pub fn checked<T: Field>(
        &mut self,
        name: &'static str,
        check: &Check<T>,
    ) -> Result<T, StreamError> {
        let read = T::read(self.take(name)).filter(check.holds);
        read.ok_or_else(|| StreamError::field_of(self.of, name, check.expected))
    }

    /// Returns the fields that were not read.
    pub fn rest(self) -> Vec<(String, Json)> {
        self.left
    }
}
