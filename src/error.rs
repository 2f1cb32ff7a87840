//! Errors: one opaque type, whose code says how to handle it. Cases that a caller handles alike share one.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use crate::digits::digits;

pub(crate) mod forms;

/// Why an update was refused. The state is unchanged.
///
/// Where a reference system has a sentence for the case, this uses that sentence.
///
/// ```
/// use serde_json::json;
/// use threadfold::{add_json_messages, Error, MessageRules};
///
/// let gone = json!([{ "type": "remove", "id": "zz" }]);
/// let error = add_json_messages(json!([]), gone, MessageRules::default()).unwrap_err();
/// assert_eq!(error.code(), "UNKNOWN_MESSAGE");
/// assert_eq!(error.to_string(), "Attempting to delete a message with an ID that doesn't exist ('zz')");
/// ```
///
/// | code | refuses |
/// | --- | --- |
/// | `INVALID_ARGUMENT` | an argument, option or field of the wrong shape, or none where one is needed |
/// | `INVALID_MESSAGE` | a value that is not a message in any accepted form |
/// | `UNKNOWN_MESSAGE` | a removal of, or text for, a message that is not in the list |
/// | `INVALID_TODOS`, `PARALLEL_TODOS` | a todo list that does not match its schema; two lists in one turn |
/// | `CONCURRENT_UPDATE` | several writes to a field that takes one a super-step |
/// | `NOT_INPUT` | a caller's update of a field that only the agent writes |
/// | `INVALID_SCHEMA` | two schemas that declare one field with different reducers |
/// | `INVALID_PATCH`, `PATCH_FAILED` | a patch document; one whose path does not exist or whose `test` failed |
/// | `FORBIDDEN_KEY` | a key that would reach an object's prototype |
/// | `REDUCER_FAILED` | an update that your own reducer refuses: its error is the [`source`](StdError::source) |
#[derive(Clone, PartialEq, Eq)]
pub struct Error {
    /// One of [`forms`].
    form: &'static str,
    /// The texts in place of the form's braces, in order.
    parts: Vec<String>,
    source: Option<Own>,
}

/// The error of a program's own code. Two are equal if they display the same.
#[derive(Debug, Clone)]
struct Own(Arc<dyn StdError + Send + Sync>);

impl PartialEq for Own {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_string() == other.0.to_string()
    }
}

impl Eq for Own {}

impl Error {
    /// Makes the error of a reducer of your own. It keeps `error` as its source; a text is one, too.
    ///
    /// ```
    /// use std::error::Error as _;
    /// use threadfold::Error;
    ///
    /// let error = Error::reducer("too many");
    /// assert_eq!(error.code(), "REDUCER_FAILED");
    /// assert_eq!(error.source().map(ToString::to_string).as_deref(), Some("too many"));
    /// ```
    #[must_use]
    pub fn reducer(error: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self { source: Some(Own(error.into().into())), ..Self::new(forms::OWN_REDUCER, &[]) }
    }

    /// Returns the stable name of this kind of error: the `code` of a JavaScript `ThreadfoldError`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.form.split(' ').next().unwrap_or_default()
    }

    /// Makes an error of this form, with its parts.
    pub(crate) fn new(form: &'static str, parts: &[&str]) -> Self {
        let parts = parts.iter().map(|part| String::from(*part)).collect();
        Self { form, parts, source: None }
    }

    pub(crate) fn value(what: &str, expected: &str) -> Self {
        Self::new(forms::VALUE, &[what, expected])
    }

    /// A value that is not a message, for this reason.
    pub(crate) fn message(reason: &str) -> Self {
        Self::new(forms::NOT_A_MESSAGE, &[reason])
    }

    /// A message whose `field` (such as `.id`; empty for the message itself) does not have the
    /// `expected` form.
    pub(crate) fn message_field(field: &str, expected: &str) -> Self {
        Self::new(forms::MESSAGE, &["message", field, expected])
    }

    /// Returns the error of a reducer under the name of its field.
    pub(crate) fn of(mut self, key: &str) -> Self {
        match (self.form, self.parts.first_mut()) {
            (forms::VALUE, Some(what)) => key.clone_into(what),
            (forms::OWN_REDUCER_OF, Some(field)) => field.insert_str(0, &[key, "."].concat()),
            (forms::OWN_REDUCER, _) => {
                (self.form, self.parts) = (forms::OWN_REDUCER_OF, vec![key.to_owned()]);
            }
            _ => {}
        }
        self
    }

    /// Returns the error for a message at this position of its list.
    pub(crate) fn at(mut self, position: usize) -> Self {
        if let (forms::MESSAGE, Some(message)) = (self.form, self.parts.first_mut()) {
            *message = ["messages[", &digits(position), "]"].concat();
        }
        self
    }

    /// Returns the form: one of [`forms`].
    pub(crate) fn form(&self) -> &'static str {
        self.form
    }

    /// Returns the part at this place of the form: empty where the form has none.
    pub(crate) fn part(&self, place: usize) -> &str {
        self.parts.get(place).map_or("", String::as_str)
    }

    /// Writes the sentence.
    fn sentence(&self) -> String {
        let (_, form) = self.form.split_once(' ').unwrap_or_default();
        let parts = self.parts.iter().map(String::as_str).chain([""]);
        form.split("{}").zip(parts).flat_map(|(before, part)| [before, part]).collect()
    }
}

/// Writes the sentence.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence())
    }
}

/// Writes the code and the sentence.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code(), self.sentence())
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&*self.source.as_ref()?.0)
    }
}
