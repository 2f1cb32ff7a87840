//! An error's form: its code and, after a space, its sentence with braces in place of the parts.
//!
//! One text for both, and in the WebAssembly build JavaScript puts the sentence together: every other way takes more
//! room there.

/// One side of `add_messages` is null or missing: the other one.
pub(crate) const NULL_ARGUMENT: &str = "INVALID_ARGUMENT Must specify non-null arguments for both 'left' and 'right'. Only received: '{}'.";
/// Both sides are.
pub(crate) const NULL_ARGUMENTS: &str =
    "INVALID_ARGUMENT Must specify non-null arguments for both 'left' and 'right'.";
/// An argument, option or field of the wrong shape: its name, and the shape that it needs.
pub(crate) const VALUE: &str = "INVALID_ARGUMENT {} should be {}.";
/// A run started without input.
pub(crate) const NO_INPUT: &str = "INVALID_ARGUMENT Received no input for __start__";
/// A value that is not a message in any accepted form: its fault.
pub(crate) const NOT_A_MESSAGE: &str = "INVALID_MESSAGE Not a message: {}.";
/// A message of the wrong shape: `message`, or `messages` with its position; the wrong field or nothing; and the shape
/// that it needs.
pub(crate) const MESSAGE: &str = "INVALID_MESSAGE {}{} should be {}.";
/// A removal of an id that is not in the list.
pub(crate) const UNKNOWN_REMOVAL: &str =
    "UNKNOWN_MESSAGE Attempting to delete a message with an ID that doesn't exist ('{}')";
/// A removal, after a remove-all, of an id not added between the two.
pub(crate) const REMOVAL_AFTER_ALL: &str = "UNKNOWN_MESSAGE Attempting to delete a message with an ID that doesn't exist ('{}') \
     after all messages were removed";
/// Text for a message that is not in the list: the id as given.
pub(crate) const UNKNOWN_MESSAGE: &str = "UNKNOWN_MESSAGE There is no message with the id '{}'.";
/// A todo list that does not match its schema: a line for each problem.
pub(crate) const TODOS: &str = "INVALID_TODOS {}";
/// More than one `write_todos` call in one assistant message.
pub(crate) const PARALLEL_TODOS: &str = "PARALLEL_TODOS Error: The `write_todos` tool should never be called multiple times in parallel. \
     Please call it only once per model invocation to update the todo list.";
/// Several writes to a field that takes one a super-step.
pub(crate) const CONCURRENT_UPDATE: &str = "CONCURRENT_UPDATE At key '{}': Can receive only one value per step. \
     Use an Annotated key to handle multiple values.";
/// The same for an ephemeral or untracked field with its guard up: the field, and its channel.
pub(crate) const GUARDED_UPDATE: &str = "CONCURRENT_UPDATE At key '{}': {}(guard=True) can receive only one value per step. \
     Use guard=False if you want to store any one of multiple values.";
/// Two `Overwrite`s of one field in one super-step.
pub(crate) const TWO_OVERWRITES: &str =
    "CONCURRENT_UPDATE At key '{}': Can receive only one Overwrite value per super-step.";
/// A caller's update of a field that only the agent writes.
pub(crate) const NOT_INPUT: &str =
    "NOT_INPUT The field '{}' is not input: the schema lacks it, or only the agent writes it.";
/// Two schemas declare one field: the field, the first reducer, the second.
pub(crate) const TWO_REDUCERS: &str =
    "INVALID_SCHEMA The field '{}' is declared with two reducers: '{}' and '{}'.";
/// An invalid patch document, by RFC 6902: the operation's position, its fault.
pub(crate) const PATCH: &str = "INVALID_PATCH Patch operation {}: {}.";
/// A patch path that does not exist: the operation's position, the path.
pub(crate) const PATH_MISSING: &str = "PATCH_FAILED Patch operation {}: nothing is at '{}'.";
/// A patch whose `test` failed: the operation's position, the path.
pub(crate) const TEST_FAILED: &str =
    "PATCH_FAILED Patch operation {}: the value at '{}' is not the one tested for.";
/// A key that would reach an object's prototype.
pub(crate) const FORBIDDEN_KEY: &str =
    "FORBIDDEN_KEY The key '{}' is refused: it would reach an object's prototype.";
/// A reducer of the npm package failed: its message.
pub(crate) const REDUCER: &str = "REDUCER_FAILED A reducer failed: {}";
/// Your own reducer failed: the reason is the error's source.
pub(crate) const OWN_REDUCER: &str = "REDUCER_FAILED A reducer failed";
/// The same, of this field.
pub(crate) const OWN_REDUCER_OF: &str = "REDUCER_FAILED The reducer of '{}' failed";
