//! The fields of a message that have no name here.

use serde_json::{Map, Value as Json};

/// Unknown fields, in their order.
///
/// Includes known fields that came empty (`"name": null`, `"tool_calls": []`); they are written as
/// they came, unless the field has a value by then.
///
/// Most messages have none: it is a pointer, so that a list of messages stays compact.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Extra(Option<Box<Map<String, Json>>>);

impl Extra {
    /// Returns the field's value, if there is one.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.0.as_ref()?.get(key)
    }

    /// Sets a field; returns its old value.
    pub fn insert(&mut self, key: impl Into<String>, value: Json) -> Option<Json> {
        self.0.get_or_insert_default().insert(key.into(), value)
    }

    /// Takes the field's value, leaving null in its place.
    pub(super) fn take(&mut self, key: &str) -> Json {
        self.0.as_mut().and_then(|fields| fields.get_mut(key)).map(Json::take).unwrap_or_default()
    }

    /// Iterates over the fields, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &Json)> {
        self.0.iter().flat_map(|fields| fields.iter())
    }
}

impl From<Map<String, Json>> for Extra {
    fn from(fields: Map<String, Json>) -> Self {
        Self((!fields.is_empty()).then(|| Box::new(fields)))
    }
}
