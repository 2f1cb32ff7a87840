//! A part of a server's stream, and its position.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::merge::is_dict;
use crate::stream::StreamError;
use crate::thread::StreamPosition;
use crate::value::Json;

/// A part of a `LangGraph` server's stream: a server-sent event, with its data parsed.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Part {
    /// The stream mode, such as `values`; `values|namespace` for a subgraph.
    pub event: String,
    /// The part's data.
    pub data: Json,
    /// The `id` of the server-sent event, if it has one.
    pub id: Option<String>,
}

impl Part {
    /// Makes a part.
    #[must_use]
    pub fn new(event: impl Into<String>, data: Json) -> Self {
        Self { event: event.into(), data, id: None }
    }

    /// Reads the data of a server-sent event.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a text that is not JSON.
    pub fn from_json(event: &str, data: &str) -> Result<Self, StreamError> {
        let data = if data.is_empty() { Ok(Json::NULL) } else { data.parse() };
        data.map(|data| Self::new(event, data)).map_err(StreamError::not_json)
    }

    /// Returns this part with the id of its server-sent event.
    #[must_use]
    pub fn with_id(self, id: impl Into<String>) -> Self {
        Self { id: Some(id.into()), ..self }
    }

    /// Returns the stream mode and the subgraph's namespace.
    pub(super) fn mode(&self) -> (&str, Vec<&str>) {
        let mut segments = self.event.split('|');
        (segments.next().unwrap_or_default(), segments.collect())
    }
}

/// Reads `{ event, data, id? }`.
impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let part = Json::deserialize(deserializer)?;
        let Some(event) = part["event"].as_str() else {
            return Err(D::Error::custom("A part of the stream needs an `event`."));
        };
        let own = Self::new(event, part["data"].clone());
        Ok(match part["id"].as_str() {
            Some(id) => own.with_id(id),
            None => own,
        })
    }
}

/// Finds the positions of a stream's parts. A clock id may name several parts: the development server
/// numbers by the millisecond alone. So the content distinguishes a part from its neighbours. A run is
/// rejoined after the previous id, whose parts have all come.
#[derive(Debug, Default)]
pub(super) struct Positions {
    id: Option<String>,
    before: Option<String>,
    counts: HashMap<u64, usize>,
}

impl Positions {
    pub(super) fn next(&mut self, part: &Part) -> StreamPosition<Json> {
        let Some(id) = part.id.as_deref().filter(|id| !id.is_empty()) else {
            return StreamPosition::default();
        };
        if clock(id).is_none() {
            return StreamPosition { id: Some(id.into()), key: None };
        }
        if self.id.as_deref() != Some(id) {
            self.before = self.id.replace(id.to_owned());
            self.counts.clear();
        }
        let content = content_of(part);
        let count = self.counts.entry(content).or_default();
        let key = format!("{id}:{content}:{count}");
        *count += 1;
        StreamPosition { id: self.before.as_deref().map(Json::from), key: Some(key.into()) }
    }
}

/// Returns a number for the content of a part. Reads only the end of a state: all of it would cost
/// too much.
fn content_of(part: &Part) -> u64 {
    let mut hash = DefaultHasher::new();
    part.event.hash(&mut hash);
    let data = &part.data;
    if is_dict(data) {
        data.entries().for_each(|(key, _)| key.hash(&mut hash));
        let messages = &data["messages"];
        messages.iter().count().hash(&mut hash);
        messages.iter().next_back().map(Json::to_string).hash(&mut hash);
    } else if part.mode().0 == "messages" {
        data[0].to_string().hash(&mut hash);
    } else {
        data.to_string().hash(&mut hash);
    }
    hash.finish()
}

/// Reads an id that is made of the time in milliseconds.
fn clock(id: &str) -> Option<[u64; 3]> {
    let (time, rest) = id.split_once('-')?;
    let (number, fraction) = rest.split_once('.').unwrap_or((rest, "0"));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if time.len() < 10 || ![time, number, fraction].iter().all(|text| digits(text)) {
        return None;
    }
    Some([time.parse().ok()?, number.parse().ok()?, fraction.parse().ok()?])
}

/// Whether an id of the clock is before another; false if they cannot be compared.
pub(super) fn is_before(id: Option<&str>, other: Option<&str>) -> bool {
    let clocks = id.and_then(clock).zip(other.and_then(clock));
    clocks.is_some_and(|(one, other)| one < other)
}
