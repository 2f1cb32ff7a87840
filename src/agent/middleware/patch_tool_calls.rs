//! Answers calls that were never answered.

use super::open_calls::answered;
use super::{Hook, Middleware};
use crate::agent::state::{AgentState, AgentUpdate};
use crate::graph::{BoxError, Ctx};
use crate::typed::Message;

impl Middleware {
    /// Answers calls that were never answered, such as those of a stopped run, before the agent
    /// begins, as deepagents' `PatchToolCallsMiddleware` does.
    #[must_use]
    pub fn patch_tool_calls() -> Self {
        let patch = |state: AgentState, _: Ctx| async move {
            let Some(patched) = answered(&state.messages) else {
                return Ok::<_, BoxError>(AgentUpdate::default());
            };
            let all = std::iter::once(Message::remove_all()).chain(patched);
            Ok(AgentUpdate::of_messages(all))
        };
        Self::new("PatchToolCallsMiddleware").before_agent(Hook::new(patch))
    }
}
