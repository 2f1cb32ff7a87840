//! Ends a run that calls the model too often.

use super::call_limits::{AtLimit, CallLimits, Counted, LimitExceeded};
use super::{Hook, Middleware};
use crate::agent::limits::Limits;
use crate::agent::route::Jump;
use crate::agent::state::{AgentState, AgentUpdate};
use crate::graph::{BoxError, Ctx};
use crate::typed::Message;

const FIELD: &str = "_model_calls";

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
