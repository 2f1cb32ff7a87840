//! Errors: one variant for each case that a caller can handle, each with a stable code.

use std::fmt;

use crate::digits::digits;

/// Why an update was refused. The state is unchanged.
///
/// Where a reference system has a sentence for the case, this uses that sentence.
///
/// ```
/// use serde_json::json;
/// use threadfold::{add_messages, Error, MessageRules};
///
/// let gone = json!([{ "type": "remove", "id": "zz" }]);
/// let error = add_messages(json!([]), gone, MessageRules::default()).unwrap_err();
/// assert_eq!(error.code(), "UNKNOWN_MESSAGE_REMOVED");
/// assert_eq!(error.to_string(), "Attempting to delete a message with an ID that doesn't exist ('zz')");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
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
        /// What that field should be; without a field, what is wrong with the message.
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
    /// A value of the wrong shape.
    InvalidValue {
        /// The name of the value: an argument or a field.
        what: String,
        /// What it should be.
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
    /// An invalid schema: an unknown reducer, visibility or lifetime.
    InvalidSchema {
        /// What is wrong with it.
        reason: String,
    },
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
        /// What is wrong with it.
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
    /// Your own reducer failed.
    ReducerFailed {
        /// Its message.
        reason: String,
    },
}

impl Error {
    /// Returns the stable name of this kind of error: the `code` of a JavaScript `ThreadfoldError`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NullArgument { .. } => "NULL_ARGUMENT",
            Self::InvalidMessage { .. } => "INVALID_MESSAGE",
            Self::UnknownMessageRemoved { .. } => "UNKNOWN_MESSAGE_REMOVED",
            Self::RemovedAfterRemoveAll { .. } => "REMOVED_AFTER_REMOVE_ALL",
            Self::UnknownMessage { .. } => "UNKNOWN_MESSAGE",
            Self::InvalidTodos { .. } => "INVALID_TODOS",
            Self::ParallelTodos => "PARALLEL_TODOS",
            Self::InvalidValue { .. } => "INVALID_VALUE",
            Self::ConcurrentUpdate { .. } => "CONCURRENT_UPDATE",
            Self::TwoOverwrites { .. } => "TWO_OVERWRITES",
            Self::NotInput { .. } => "NOT_INPUT",
            Self::NoInput => "NO_INPUT",
            Self::InvalidSchema { .. } => "INVALID_SCHEMA",
            Self::ReducerConflict { .. } => "REDUCER_CONFLICT",
            Self::InvalidPatch { .. } => "INVALID_PATCH",
            Self::PatchPathMissing { .. } => "PATCH_PATH_MISSING",
            Self::PatchTestFailed { .. } => "PATCH_TEST_FAILED",
            Self::ForbiddenKey { .. } => "FORBIDDEN_KEY",
            Self::ReducerFailed { .. } => "REDUCER_FAILED",
        }
    }

    pub(crate) fn value(what: impl Into<String>, expected: &'static str) -> Self {
        Self::InvalidValue { what: what.into(), expected }
    }

    pub(crate) fn message(reason: impl Into<String>) -> Self {
        Self::InvalidMessage { index: None, field: None, reason: reason.into() }
    }

    /// A message whose `field` (such as `.id`; empty for the message itself) is not what is
    /// `expected`.
    pub(crate) fn message_field(field: &'static str, expected: impl Into<String>) -> Self {
        Self::InvalidMessage { index: None, field: Some(field), reason: expected.into() }
    }

    /// Returns the error of a reducer under the name of its field.
    pub(crate) fn of(mut self, key: &str) -> Self {
        if let Self::InvalidValue { what, .. } = &mut self {
            key.clone_into(what);
        }
        self
    }

    /// Returns the error for a message at this position of its list.
    pub(crate) fn at(mut self, position: usize) -> Self {
        if let Self::InvalidMessage { index, .. } = &mut self {
            *index = Some(position);
        }
        self
    }

    /// Writes the sentence.
    ///
    /// Avoids `format!`, whose machinery would be as large in the WebAssembly build as a reducer.
    pub(crate) fn sentence(&self) -> String {
        if let Self::InvalidTodos { problems } = self {
            return problems.join("\n");
        }
        let index = match self {
            Self::InvalidMessage { index: Some(index), .. }
            | Self::InvalidPatch { index, .. }
            | Self::PatchPathMissing { index, .. }
            | Self::PatchTestFailed { index, .. } => digits(*index),
            _ => String::new(),
        };
        let mut parts = self.parts(&index).into_iter();
        let mut sentence = String::new();
        for char in self.form().chars() {
            match char {
                '{' => sentence.extend(parts.next()),
                '}' => {}
                other => sentence.push(other),
            }
        }
        sentence
    }

    /// Returns the sentence, with braces in place of its parts.
    fn form(&self) -> &'static str {
        match self {
            Self::NullArgument { received: Some(_) } => {
                "Must specify non-null arguments for both 'left' and 'right'. Only received: '{}'."
            }
            Self::NullArgument { received: None } => {
                "Must specify non-null arguments for both 'left' and 'right'."
            }
            Self::InvalidMessage { field: None, .. } => "Not a message: {}.",
            Self::InvalidMessage { index: Some(_), .. } => "messages[{}]{} should be {}.",
            Self::InvalidMessage { index: None, .. } => "message{}{} should be {}.",
            Self::UnknownMessageRemoved { .. } => {
                "Attempting to delete a message with an ID that doesn't exist ('{}')"
            }
            Self::RemovedAfterRemoveAll { .. } => {
                "Attempting to delete a message with an ID that doesn't exist ('{}') \
                 after all messages were removed"
            }
            Self::UnknownMessage { .. } => "There is no message with the id '{}'.",
            Self::InvalidTodos { .. } => "",
            Self::ParallelTodos => {
                "Error: The `write_todos` tool should never be called multiple times in parallel. \
                 Please call it only once per model invocation to update the todo list."
            }
            Self::InvalidValue { .. } => "{} should be {}.",
            Self::ConcurrentUpdate { guard: None, .. } => {
                "At key '{}': Can receive only one value per step. \
                 Use an Annotated key to handle multiple values."
            }
            Self::ConcurrentUpdate { guard: Some(_), .. } => {
                "At key '{}': {}(guard=True) can receive only one value per step. \
                 Use guard=False if you want to store any one of multiple values."
            }
            Self::TwoOverwrites { .. } => {
                "At key '{}': Can receive only one Overwrite value per super-step."
            }
            Self::NotInput { .. } => "The field '{}' is not input: only the agent writes it.",
            Self::NoInput => "Received no input for __start__",
            Self::InvalidSchema { .. } => "This schema cannot be: {}.",
            Self::ReducerConflict { .. } => {
                "The field '{}' is declared with two reducers: '{}' and '{}'."
            }
            Self::InvalidPatch { .. } => "Patch operation {}: {}.",
            Self::PatchPathMissing { .. } => "Patch operation {}: nothing is at '{}'.",
            Self::PatchTestFailed { .. } => {
                "Patch operation {}: the value at '{}' is not the one tested for."
            }
            Self::ForbiddenKey { .. } => {
                "The key '{}' is refused: it would reach an object's prototype."
            }
            Self::ReducerFailed { .. } => "A reducer failed: {}",
        }
    }

    /// Returns the parts of the sentence, in order.
    fn parts<'a>(&'a self, index: &'a str) -> [&'a str; 3] {
        match self {
            Self::NullArgument { received } => [received.unwrap_or_default(), "", ""],
            Self::InvalidMessage { field: None, reason: part, .. }
            | Self::UnknownMessageRemoved { id: part }
            | Self::RemovedAfterRemoveAll { id: part }
            | Self::UnknownMessage { id: part }
            | Self::TwoOverwrites { key: part }
            | Self::NotInput { key: part }
            | Self::InvalidSchema { reason: part }
            | Self::ForbiddenKey { key: part }
            | Self::ReducerFailed { reason: part } => [part, "", ""],
            Self::InvalidMessage { field: Some(field), reason, .. } => [index, field, reason],
            Self::InvalidValue { what, expected } => [what, expected, ""],
            Self::ConcurrentUpdate { key, guard } => [key, guard.unwrap_or_default(), ""],
            Self::ReducerConflict { key, first, second } => [key, first, second],
            Self::InvalidPatch { reason: part, .. }
            | Self::PatchPathMissing { path: part, .. }
            | Self::PatchTestFailed { path: part, .. } => [index, part, ""],
            Self::InvalidTodos { .. } | Self::ParallelTodos | Self::NoInput => ["", "", ""],
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence())
    }
}

impl std::error::Error for Error {}
