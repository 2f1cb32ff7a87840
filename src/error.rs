//! What can go wrong: one variant for each thing a caller can act on, each with a stable code.

use std::fmt;

use crate::digits::digits;

/// Why an update was refused. The state it was meant for is as it was before.
///
/// Where a reference system has a sentence for the case, the sentence is that system's own.
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
        /// The side that was given: `left` or `right`; neither, when both are missing.
        received: Option<&'static str>,
    },
    /// A value that no accepted form of a message describes.
    InvalidMessage {
        /// Its position, when it came in a list.
        index: Option<usize>,
        /// The field that is wrong, such as `.id`; empty for the message itself.
        field: Option<&'static str>,
        /// What that should be; without a field, what is wrong with the message.
        reason: String,
    },
    /// A removal of an id that the list does not hold.
    UnknownMessageRemoved {
        /// The id named by the removal.
        id: String,
    },
    /// A removal, after a remove-all, of an id that did not come between the two.
    RemovedAfterRemoveAll {
        /// The id named by the removal.
        id: String,
    },
    /// Text for a message that the list does not hold.
    UnknownMessage {
        /// The id as it was given.
        id: String,
    },
    /// A todo list that does not fit its schema; a line for each problem.
    InvalidTodos {
        /// `todos.0.status: …` for each problem, in the order of the list.
        problems: Vec<String>,
    },
    /// More than one `write_todos` call in one assistant message.
    ParallelTodos,
    /// A value of the wrong shape.
    InvalidValue {
        /// Which value: an argument's or a field's name.
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
    /// A caller's update of a field that is not the caller's to give.
    NotInput {
        /// The field.
        key: String,
    },
    /// A run started with nothing.
    NoInput,
    /// A schema that cannot be: an unknown reducer, visibility or lifetime.
    InvalidSchema {
        /// What is wrong with it.
        reason: String,
    },
    /// Two schemas declare one field with different reducers.
    ReducerConflict {
        /// The field.
        key: String,
        /// The reducer that was there.
        first: String,
        /// The reducer that came to it.
        second: String,
    },
    /// A patch document that is not RFC 6902.
    InvalidPatch {
        /// The operation's position in the patch.
        index: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A patch that points at nothing.
    PatchPathMissing {
        /// The operation's position in the patch.
        index: usize,
        /// The JSON Pointer that leads nowhere.
        path: String,
    },
    /// A patch whose `test` does not hold.
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
    /// A reducer of the caller's own failed.
    ReducerFailed {
        /// What it said.
        reason: String,
    },
}

impl Error {
    /// The stable name of this kind of error, the `code` of a JavaScript `ThreadfoldError`.
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

    /// A message whose `field` (such as `.id`; empty for itself) is not what is `expected`.
    pub(crate) fn message_field(field: &'static str, expected: impl Into<String>) -> Self {
        Self::InvalidMessage { index: None, field: Some(field), reason: expected.into() }
    }

    /// The error of a reducer, by the name of its field.
    pub(crate) fn of(mut self, key: &str) -> Self {
        if let Self::InvalidValue { what, .. } = &mut self {
            key.clone_into(what);
        }
        self
    }

    /// The error, of a message at this position of its list.
    pub(crate) fn at(mut self, position: usize) -> Self {
        if let Self::InvalidMessage { index, .. } = &mut self {
            *index = Some(position);
        }
        self
    }

    /// What is wrong, in a sentence.
    ///
    /// Put together without the machinery behind `format!`, which would be as large in the
    /// WebAssembly build as a reducer.
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

    /// The sentence, with braces in the places of its parts.
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

    /// The parts of the sentence, in their order.
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
