//! States and updates as shared JSON.

use serde::Serialize;

use crate::stream::StreamError;
use crate::value::Json;

/// Returns what serde writes, its fields in order.
pub fn json_of(value: &impl Serialize) -> Result<Json, StreamError> {
    let written = serde_json::to_string(value).and_then(|text| text.parse());
    written.map_err(|error| {
        let reason = format!("serde cannot write the state: {error}.");
        StreamError::new("INVALID_STATE", "", reason)
    })
}
