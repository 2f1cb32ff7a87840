//! The core's insides that the npm package's wasms need (`crates/core-wasm`, `crates/agent-wasm`),
//! `crates/checkpoint`, and the tests that hold both languages to one answer.
//!
//! Semver does not cover this module: any version may change it.

pub use crate::ag_ui::encoder::RunEncoder;
pub use crate::context::count::{message_tokens, tool_tokens};
pub use crate::context::cut::{NONE, Row, Track};
pub use crate::context::due::Decision;
pub use crate::context::estimate::Estimate;
pub use crate::context::estimate_message::{TOKENS_PER_IMAGE, estimate_message};
pub use crate::context::ledger::{Ledger, Usage};
pub use crate::context::limits::{Limits, Measure, Threshold};
pub use crate::context::meter::Meter;
pub use crate::context::record::summary_message;
pub use crate::context::repair::Step;
pub use crate::langgraph::chunk::MessageParts;
pub use crate::message::{TEXT, WHOLE};
pub use crate::message_list::JsonMessageList;
pub use crate::reducer::todos::check_todo_calls;
pub use crate::value::bulk::{Bulk, Change, Check, Owned};
pub use crate::value::held::Holds;
pub use crate::value::plan::{Join, Plan};
pub use crate::value::scalar::Scalar;
pub use crate::value::symbols::{Symbols, Texts};

/// The decisions of an agent's loop, over positions, ids as small numbers, and flags.
pub mod agent {
    /// Calls that need an approval.
    pub mod approval {
        pub use crate::agent::approval::{Decision, Gate, Outcome, Refusal, settle};
    }
    /// Limits of calls.
    pub mod limits {
        pub use crate::agent::limits::Limits;
    }
    /// The next step of the loop.
    pub mod route {
        pub use crate::agent::route::{Call, Jump, Next, Turn, after_model};
    }
    /// The fields that a subagent returns.
    pub mod subagents {
        pub use crate::agent::sub_agent_state::{OWN_FIELDS, changed_files};
    }
    /// Refused lists of todos.
    pub mod todos {
        pub use crate::agent::todos::refused;
    }
}

/// The rest of a checkpoint, for a checkpointer that writes LangGraph's format (`crates/checkpoint`).
pub mod checkpoint {
    pub use crate::graph::checkpoint::{Ended, Finished, Pending, Source, TaskError};
    pub use crate::graph::ids::{Naming, PlannedTask, is_within};
    pub use crate::graph::interrupt::Answered;
    pub use crate::graph::names::Names;
}

/// The decision who runs next in a graph, in numbers.
pub mod planner {
    pub use crate::graph::planner::{
        Answer, By, Cause, Channel, ChannelState, Join, Misfit, Node, Options, Plan, PlanSpec,
        PlanState, Run, Status, Task, Writes,
    };
}

use crate::error::{Error, forms};
use crate::reducer::messages::MessageRules;
use crate::schema::{Field, Schema};
use crate::thread::Thread;
use crate::value::Value;

/// Calls `write` with an error's code and sentence, which has braces in place of its parts, and
/// with these parts.
pub fn with_parts<T>(error: &Error, write: impl FnOnce(&'static str, [&str; 3]) -> T) -> T {
    write(error.form(), [error.part(0), error.part(1), error.part(2)])
}

/// Returns the error for an argument of the wrong shape.
#[must_use]
pub fn invalid(what: &str, expected: &'static str) -> Error {
    Error::value(what, expected)
}

/// Returns the error of a reducer that failed with this message. It has no source.
#[must_use]
pub fn reducer_failed(reason: &str) -> Error {
    Error::new(forms::REDUCER, &[reason])
}

/// Returns a list's messages.
pub fn items<V: Value>(list: &JsonMessageList<V>) -> &V {
    list.items()
}

/// Makes a list without messages.
#[must_use]
pub fn empty_list<V: Value>(rules: MessageRules) -> JsonMessageList<V> {
    JsonMessageList::empty(rules)
}

/// Returns the positions of the messages made since the last snapshot.
pub fn touched<V: Value>(list: &JsonMessageList<V>) -> impl Iterator<Item = usize> {
    list.touched()
}

/// Makes a schema without fields.
#[must_use]
pub fn empty_schema<V>() -> Schema<V> {
    Schema::empty()
}

/// Adds a field to a schema.
///
/// # Errors
/// `FORBIDDEN_KEY` for `__proto__`.
pub fn add_field<V>(schema: &mut Schema<V>, key: &str, field: Field<V>) -> Result<(), Error> {
    schema.add(key, field)
}

/// Distinguishes two declarations of one field: its channel, as errors name it.
#[must_use]
pub fn channel<V>(field: &Field<V>) -> &str {
    field.channel()
}

/// Merges a later schema into this one: see [`Schema::combine`].
///
/// # Errors
/// `INVALID_SCHEMA`; the fields before the conflict are then merged.
pub fn extend<V: Clone>(schema: &mut Schema<V>, later: &Schema<V>) -> Result<(), Error> {
    schema.extend(later)
}

/// Returns the server's value of a field, or of `"messages"`.
pub fn said<V: Value>(thread: &Thread<V>, key: &str) -> Option<V> {
    thread.said(key)
}

/// Returns whether one of the last 256 parts of the run has this key, or id if it has no key.
pub fn had<V: Value>(thread: &Thread<V>, key: &V) -> bool {
    thread.had(key)
}

/// Returns whether reading the state has to compute anything.
pub fn has_to_compute<V: Value>(thread: &Thread<V>) -> bool {
    thread.has_to_compute()
}

/// Returns the updates that the server does not have as a list of `{ id, status, update, error?,
/// manual? }`: the same list until one of them changes.
pub fn pending_list<V: Value>(thread: &mut Thread<V>) -> V {
    thread.pending_list()
}

/// Returns an update as [`pending_list`] has it; `None` once the server has it or it is gone.
pub fn told<V: Value>(thread: &mut Thread<V>, id: &str) -> Option<V> {
    thread.told(id)
}

/// Returns the run as an object, `{ id?, status, error?, interrupts?, lastEventId? }`: the same one
/// until it changes.
pub fn run_object<V: Value>(thread: &mut Thread<V>) -> V {
    thread.run_object()
}
