//! Limits of calls, what happens at them, and the calls so far.

use std::fmt;

use serde_json::{Value, json};

use crate::agent::state::{AgentState, AgentUpdate};
use crate::graph::Ctx;

/// The most calls of a thread, over all its runs, and of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallLimits {
    /// The most of a thread.
    pub thread: Option<u32>,
    /// The most of a run.
    pub run: Option<u32>,
}

/// The behaviour at a limit of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AtLimit {
    /// The call gets an error, and the model continues. Only for tools; a model ends.
    Continue,
    /// The run ends with a message that says so.
    End,
    /// The run fails with [`LimitExceeded`].
    Fail,
}

/// A limit of calls was reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitExceeded(pub(super) String);

impl fmt::Display for LimitExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LimitExceeded {}

/// The calls of a thread and of its last run, in a field of the state.
pub(super) struct Counted {
    pub thread: u32,
    pub run: u32,
}

impl Counted {
    /// Reads the counts. Those of another run do not count for this one.
    pub fn read(state: &AgentState, field: &str, ctx: &Ctx) -> Self {
        let own = state.fields.get(field).unwrap_or(&Value::Null);
        let count = |name| own.get(name).and_then(Value::as_u64).unwrap_or_default();
        let number = |name| u32::try_from(count(name)).unwrap_or(u32::MAX);
        let is_now = own.get("run_id").and_then(Value::as_str) == Some(ctx.run_id());
        Self { thread: number("thread"), run: if is_now { number("run") } else { 0 } }
    }

    pub fn write(&self, update: AgentUpdate, field: &str, ctx: &Ctx) -> AgentUpdate {
        let counts = json!({ "thread": self.thread, "run": self.run, "run_id": ctx.run_id() });
        update.with_field(field, counts)
    }
}
