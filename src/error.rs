//! Errors: one opaque type, whose code says how to handle it. Cases that a caller handles alike share one.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use crate::digits::digits;

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
pub struct Error(ErrorKind);

/// The case of an error, with the parts of its sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ErrorKind {
    /// One side of `add_messages` is null or missing.
    NullArgument {
        /// The side that was given, `left` or `right`; `None` when both are missing.
        received: Option<&'static str>,
    },
    /// A value that is not a message in any accepted form.
    InvalidMessage {
        /// Its position, if it came in a list.
        index: Option<usize>,
        /// The wrong field, such as `.id`; empty for the message itself.
        field: Option<&'static str>,
        /// The form that the field needs; without a field, the fault of the message.
        reason: String,
    },
    /// A removal of an id that is not in the list.
    UnknownMessageRemoved {
        /// The removal's id.
        id: String,
    },
    /// A removal, after a remove-all, of an id not added between the two.
    RemovedAfterRemoveAll {
        /// The removal's id.
        id: String,
    },
    /// Text for a message that is not in the list.
    UnknownMessage {
        /// The id as given.
        id: String,
    },
    /// A todo list that does not match its schema; one line for each problem.
    InvalidTodos {
        /// `todos.0.status: …` for each problem, in list order.
        problems: Vec<String>,
    },
    /// More than one `write_todos` call in one assistant message.
    ParallelTodos,
    /// An argument, option or field of the wrong shape.
    InvalidArgument {
        /// The name of the value: an argument or a field.
        what: String,
        /// The form that it needs.
        expected: &'static str,
    },
    /// Several writes to a field that takes one a super-step.
    ConcurrentUpdate {
        /// The field.
        key: String,
        /// Whether the field is ephemeral or untracked with its guard up.
        guard: Option<&'static str>,
    },
    /// Two `Overwrite`s of one field in one super-step.
    TwoOverwrites {
        /// The field.
        key: String,
    },
    /// A caller's update of a field that only the agent writes.
    NotInput {
        /// The field.
        key: String,
    },
    /// A run started without input.
    NoInput,
    /// Two schemas declare one field with different reducers.
    ReducerConflict {
        /// The field.
        key: String,
        /// The first reducer.
        first: String,
        /// The second reducer.
        second: String,
    },
    /// An invalid patch document, by RFC 6902.
    InvalidPatch {
        /// The operation's position in the patch.
        index: usize,
        /// The fault.
        reason: String,
    },
    /// A patch path that does not exist.
    PatchPathMissing {
        /// The operation's position in the patch.
        index: usize,
        /// The JSON Pointer that does not exist.
        path: String,
    },
    /// A patch whose `test` failed.
    PatchTestFailed {
        /// The operation's position in the patch.
        index: usize,
        /// The JSON Pointer tested.
        path: String,
    },
    /// A key that would reach an object's prototype.
    ForbiddenKey {
        /// The key.
        key: String,
    },
    /// A reducer of the npm package failed.
    ReducerFailed {
        /// Its message.
        reason: String,
    },
    /// Your own reducer failed.
    Own {
        /// Its error.
        error: Own,
        /// Its field, if it folds one.
        field: Option<String>,
    },
}

/// The error of a program's own code. Two are equal if they display the same.
#[derive(Debug, Clone)]
pub(crate) struct Own(Arc<dyn StdError + Send + Sync>);

impl PartialEq for Own {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_string() == other.0.to_string()
    }
}

impl Eq for Own {}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self(kind)
    }
}

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
        Self(ErrorKind::Own { error: Own(error.into().into()), field: None })
    }

    /// Returns the stable name of this kind of error: the `code` of a JavaScript `ThreadfoldError`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.0.form().split(' ').next().unwrap_or_default()
    }

    pub(crate) fn value(what: impl Into<String>, expected: &'static str) -> Self {
        Self(ErrorKind::InvalidArgument { what: what.into(), expected })
    }

    pub(crate) fn message(reason: impl Into<String>) -> Self {
        Self(ErrorKind::InvalidMessage { index: None, field: None, reason: reason.into() })
    }

    /// A message whose `field` (such as `.id`; empty for the message itself) does not have the
    /// `expected` form.
    pub(crate) fn message_field(field: &'static str, expected: impl Into<String>) -> Self {
        Self(ErrorKind::InvalidMessage { index: None, field: Some(field), reason: expected.into() })
    }

    /// Returns the error of a reducer under the name of its field.
    pub(crate) fn of(mut self, key: &str) -> Self {
        match &mut self.0 {
            ErrorKind::InvalidArgument { what, .. } => key.clone_into(what),
            ErrorKind::Own { field: Some(field), .. } => field.insert_str(0, &[key, "."].concat()),
            ErrorKind::Own { field, .. } => *field = Some(key.to_owned()),
            _ => {}
        }
        self
    }

    /// Returns the error for a message at this position of its list.
    pub(crate) fn at(mut self, position: usize) -> Self {
        if let ErrorKind::InvalidMessage { index, .. } = &mut self.0 {
            *index = Some(position);
        }
        self
    }

    pub(crate) fn kind(&self) -> &ErrorKind {
        &self.0
    }
}

impl ErrorKind {
    /// Writes the sentence.
    fn sentence(&self) -> String {
        let own = self.own_part();
        let (_, form) = self.form().split_once(' ').unwrap_or_default();
        let parts = self.parts(&own).into_iter().chain([""]);
        form.split("{}").zip(parts).flat_map(|(before, part)| [before, part]).collect()
    }

    /// Returns the code and, after a space, the sentence with braces in place of its parts. One text
    /// for both, and in the WebAssembly build JavaScript puts the sentence together: every other way
    /// takes more room there.
    pub(crate) fn form(&self) -> &'static str {
        match self {
            Self::NullArgument { received: Some(_) } => {
                "INVALID_ARGUMENT Must specify non-null arguments for both 'left' and 'right'. Only received: '{}'."
            }
            Self::NullArgument { received: None } => {
                "INVALID_ARGUMENT Must specify non-null arguments for both 'left' and 'right'."
            }
            Self::InvalidMessage { field: None, .. } => "INVALID_MESSAGE Not a message: {}.",
            Self::InvalidMessage { index: Some(_), .. } => {
                "INVALID_MESSAGE messages[{}]{} should be {}."
            }
            Self::InvalidMessage { index: None, .. } => "INVALID_MESSAGE message{}{} should be {}.",
            Self::UnknownMessageRemoved { .. } => {
                "UNKNOWN_MESSAGE Attempting to delete a message with an ID that doesn't exist ('{}')"
            }
            Self::RemovedAfterRemoveAll { .. } => {
                "UNKNOWN_MESSAGE Attempting to delete a message with an ID that doesn't exist ('{}') \
                 after all messages were removed"
            }
            Self::UnknownMessage { .. } => "UNKNOWN_MESSAGE There is no message with the id '{}'.",
            Self::InvalidTodos { .. } => "INVALID_TODOS {}",
            Self::ParallelTodos => {
                "PARALLEL_TODOS Error: The `write_todos` tool should never be called multiple times in parallel. \
                 Please call it only once per model invocation to update the todo list."
            }
            Self::InvalidArgument { .. } => "INVALID_ARGUMENT {} should be {}.",
            Self::ConcurrentUpdate { guard: None, .. } => {
                "CONCURRENT_UPDATE At key '{}': Can receive only one value per step. \
                 Use an Annotated key to handle multiple values."
            }
            Self::ConcurrentUpdate { guard: Some(_), .. } => {
                "CONCURRENT_UPDATE At key '{}': {}(guard=True) can receive only one value per step. \
                 Use guard=False if you want to store any one of multiple values."
            }
            Self::TwoOverwrites { .. } => {
                "CONCURRENT_UPDATE At key '{}': Can receive only one Overwrite value per super-step."
            }
            Self::NotInput { .. } => {
                "NOT_INPUT The field '{}' is not input: the schema lacks it, or only the agent writes it."
            }
            Self::NoInput => "INVALID_ARGUMENT Received no input for __start__",
            Self::ReducerConflict { .. } => {
                "INVALID_SCHEMA The field '{}' is declared with two reducers: '{}' and '{}'."
            }
            Self::InvalidPatch { .. } => "INVALID_PATCH Patch operation {}: {}.",
            Self::PatchPathMissing { .. } => "PATCH_FAILED Patch operation {}: nothing is at '{}'.",
            Self::PatchTestFailed { .. } => {
                "PATCH_FAILED Patch operation {}: the value at '{}' is not the one tested for."
            }
            Self::ForbiddenKey { .. } => {
                "FORBIDDEN_KEY The key '{}' is refused: it would reach an object's prototype."
            }
            Self::ReducerFailed { .. } => "REDUCER_FAILED A reducer failed: {}",
            Self::Own { field: None, .. } => "REDUCER_FAILED A reducer failed",
            Self::Own { field: Some(_), .. } => "REDUCER_FAILED The reducer of '{}' failed",
        }
    }

    /// Returns the part of the sentence that is not text yet: a position, or the problems.
    pub(crate) fn own_part(&self) -> String {
        match self {
            Self::InvalidTodos { problems } => problems.join("\n"),
            Self::InvalidMessage { index: Some(index), .. }
            | Self::InvalidPatch { index, .. }
            | Self::PatchPathMissing { index, .. }
            | Self::PatchTestFailed { index, .. } => digits(*index),
            _ => String::new(),
        }
    }

    /// Returns the parts of the sentence, in order.
    pub(crate) fn parts<'a>(&'a self, own: &'a str) -> [&'a str; 3] {
        match self {
            Self::NullArgument { received } => [received.unwrap_or_default(), "", ""],
            Self::InvalidMessage { field: None, reason: part, .. }
            | Self::UnknownMessageRemoved { id: part }
            | Self::RemovedAfterRemoveAll { id: part }
            | Self::UnknownMessage { id: part }
            | Self::TwoOverwrites { key: part }
            | Self::NotInput { key: part }
            | Self::ForbiddenKey { key: part }
            | Self::Own { field: Some(part), .. }
            | Self::ReducerFailed { reason: part } => [part, "", ""],
            Self::InvalidMessage { field: Some(field), reason, .. } => [own, field, reason],
            Self::InvalidArgument { what, expected } => [what, expected, ""],
            Self::ConcurrentUpdate { key, guard } => [key, guard.unwrap_or_default(), ""],
            Self::ReducerConflict { key, first, second } => [key, first, second],
            Self::InvalidPatch { reason: part, .. }
            | Self::PatchPathMissing { path: part, .. }
            | Self::PatchTestFailed { path: part, .. } => [own, part, ""],
            Self::InvalidTodos { .. } => [own, "", ""],
            Self::ParallelTodos | Self::NoInput | Self::Own { field: None, .. } => ["", "", ""],
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.sentence())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match &self.0 {
            ErrorKind::Own { error, .. } => Some(&*error.0),
            _ => None,
        }
    }
}
