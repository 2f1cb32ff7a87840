//! Limits of the calls of models and tools, and what happens at them.

use std::fmt;

use serde_json::{Value, json};

use super::{Hook, Middleware};
use crate::agent::limits::Limits;
use crate::agent::route::Jump;
use crate::agent::state::{AgentState, AgentUpdate};
use crate::graph::{BoxError, Ctx};
use crate::typed::Message;

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

const FIELD: &str = "model_calls";

impl Middleware {
    /// Ends a run that calls the model too often, as LangChain's `ModelCallLimitMiddleware` does.
    #[must_use]
    pub fn model_call_limit(limits: CallLimits, at_limit: AtLimit) -> Self {
        let before = move |state: AgentState, ctx: Ctx| async move {
            let Counted { thread, run } = Counted::read(&state, FIELD, &ctx);
            let reached = [("thread", thread, limits.thread), ("run", run, limits.run)];
            let reached = reached.into_iter().filter_map(|(what, count, most)| {
                let most = most.filter(|most| count >= *most)?;
                Some(format!("{what} limit ({count}/{most})"))
            });
            let reached = reached.collect::<Vec<_>>().join(", ");
            if reached.is_empty() {
                return Ok(AgentUpdate::default());
            }
            let text = format!("Model call limits exceeded: {reached}");
            if at_limit == AtLimit::Fail {
                return Err(BoxError::from(LimitExceeded(text)));
            }
            Ok(AgentUpdate::from(Message::assistant(text)).jump_to(Jump::End))
        };
        let after = |state: AgentState, ctx: Ctx| async move {
            let Counted { thread, run } = Counted::read(&state, FIELD, &ctx);
            let mut counts = Limits { thread, run, ..Limits::default() };
            counts.take(&[true]);
            let counted = Counted { thread: counts.thread, run: counts.run };
            Ok::<_, BoxError>(counted.write(AgentUpdate::default(), FIELD, &ctx))
        };
        Self::new("ModelCallLimitMiddleware")
            .before_model(Hook::new(before).can_jump_to([Jump::End]))
            .after_model(Hook::new(after))
    }
}
