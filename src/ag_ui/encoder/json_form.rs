//! States and updates as shared JSON.

use std::fmt::Display;

use serde::Serialize;

use crate::stream::StreamError;
use crate::value::Json;

/// Returns the fields of a state that clients see, without its messages: those with `_` in front of their
/// names are private.
pub fn shown(state: &Json) -> Json {
    let own = state.entries().filter(|(name, _)| *name != "messages" && !is_private(name));
    own.map(|(name, value)| (name.to_owned(), value.clone())).collect()
}

/// Whether clients neither see nor write a field.
pub fn is_private(name: &str) -> bool {
    name.starts_with('_')
}

/// Returns what serde writes, its fields in order.
pub fn json_of<T: Serialize>(value: &T) -> Result<Json, StreamError> {
    let written = serde_json::to_string(value).and_then(|text| text.parse());
    written.map_err(|error| {
        let reason = format!("serde cannot write `{}`: {}", name_of::<T>(), sentence(&error));
        StreamError::new("INVALID_STATE", "", reason)
    })
}

/// A type's name without its path.
pub fn name_of<T>() -> &'static str {
    let name = std::any::type_name::<T>();
    let path = name.split('<').next().unwrap_or_default();
    path.rfind("::").and_then(|end| name.get(end + 2..)).unwrap_or(name)
}

/// An error as a sentence, with one full stop.
pub fn sentence(error: &impl Display) -> String {
    format!("{}.", error.to_string().trim_end_matches('.'))
}
