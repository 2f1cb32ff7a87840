//! The error of an event that cannot be folded.

use std::error::Error as StdError;
use std::fmt;

use crate::error::Error;

/// Why an event of a stream could not be read or folded. The thread's messages and fields are then
/// unchanged, and the stream may continue.
///
/// ```
/// use threadfold::ag_ui::Event;
///
/// let text = r#"{ "type": "TEXT_MESSAGE_CONTENT", "messageId": "a" }"#;
/// let error = text.parse::<Event>().unwrap_err();
/// assert_eq!((error.code(), error.field()), ("INVALID_ARGUMENT", Some("delta")));
/// assert_eq!(error.to_string(), "TEXT_MESSAGE_CONTENT: `delta` is missing or invalid. Expected a string.");
/// ```
#[derive(Debug)]
pub struct StreamError {
    code: &'static str,
    event: String,
    field: Option<&'static str>,
    reason: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl StreamError {
    pub(crate) fn new(code: &'static str, event: &str, reason: impl Into<String>) -> Self {
        Self { code, event: event.to_owned(), field: None, reason: reason.into(), source: None }
    }

    /// A field that is missing or has the wrong type.
    pub(crate) fn field_of(event: &str, field: &'static str, expected: &str) -> Self {
        let reason = format!("`{field}` is missing or invalid. Expected {expected}.");
        Self { field: Some(field), ..Self::new("INVALID_ARGUMENT", event, reason) }
    }

    /// The error of the thread.
    pub(crate) fn of(event: &str, error: Error) -> Self {
        let own = Self::new(error.code(), event, error.to_string());
        Self { source: Some(Box::new(error)), ..own }
    }

    /// A text that is not JSON.
    pub(crate) fn not_json(error: serde_json::Error) -> Self {
        let own = Self::new("INVALID_ARGUMENT", "", "The event is not JSON");
        Self { source: Some(Box::new(error)), ..own }
    }

    /// The stable name of this kind of error: see [`Error::code`].
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// The type of the event; empty if it could not be read.
    #[must_use]
    pub fn event(&self) -> &str {
        &self.event
    }

    /// The field that is missing or invalid.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        self.field
    }
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let between = if self.event.is_empty() { "" } else { ": " };
        write!(f, "{}{between}{}", self.event, self.reason)
    }
}

impl StdError for StreamError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        let source: &(dyn StdError + 'static) = &**self.source.as_ref()?;
        // The thread's error is displayed already: its own source follows.
        source.downcast_ref::<Error>().map_or(Some(source), StdError::source)
    }
}
