//! Events read from JSON and written to it.

use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::checks::is_object;
use super::field::Fields;
use super::{Event, EventKind};
use crate::stream::StreamError;
use crate::value::Json;

/// Reads an event from a text, such as the data of a server-sent event. Fails with `INVALID_ARGUMENT` for a
/// text that is not JSON, and for an event that lacks a field; see [`StreamError::field`].
impl FromStr for Event {
    type Err = StreamError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::read(&text.parse().map_err(StreamError::not_json)?)
    }
}

impl TryFrom<Json> for Event {
    type Error = StreamError;

    fn try_from(value: Json) -> Result<Self, Self::Error> {
        Self::read(&value)
    }
}

impl Event {
    fn read(value: &Json) -> Result<Self, StreamError> {
        if !is_object(value) {
            let reason = "Expected an object with a `type`.";
            return Err(StreamError::new("INVALID_ARGUMENT", "", reason));
        }
        let Some(event_type) = value["type"].as_str() else {
            return Err(StreamError::field_of("", "type", "a string"));
        };
        let mut fields = Fields::new(event_type, value);
        fields.field::<String>("type")?;
        let metadata: Option<Json> = fields.field("metadata")?;
        if metadata.as_ref().is_some_and(|metadata| !is_object(metadata)) {
            return Err(StreamError::field_of(event_type, "metadata", "an object"));
        }
        let subagent_run_id = fields.field("subagentRunId")?;
        let kind = EventKind::read(&mut fields)?;
        Ok(Self { kind, subagent_run_id, metadata, extra: fields.rest() })
    }
}

impl From<&Event> for Json {
    fn from(event: &Event) -> Self {
        let own = event.kind.written();
        let own = own.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        let common = [
            ("subagentRunId", event.subagent_run_id.as_deref().map(Json::from)),
            ("metadata", event.metadata.clone()),
        ];
        let common = common.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        let name = ("type".to_owned(), Json::from(event.event_type()));
        std::iter::once(name).chain(own).chain(common).chain(event.extra.iter().cloned()).collect()
    }
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Json::from(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read(&Json::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}
