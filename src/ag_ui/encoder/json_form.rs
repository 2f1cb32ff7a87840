//! States and updates as shared JSON.

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
pub fn json_of(value: &impl Serialize) -> Result<Json, StreamError> {
    let written = serde_json::to_string(value).and_then(|text| text.parse());
    written.map_err(|error| {
        let reason = format!("serde cannot write the state: {error}.");
        StreamError::new("INVALID_STATE", "", reason)
    })
}
