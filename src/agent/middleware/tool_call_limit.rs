//! Keeps tools from being called too often.

use super::call_limits::{AtLimit, CallLimits, Counted, LimitExceeded};
use super::{Hook, Middleware};
use crate::agent::limits::Limits;
use crate::agent::route::Jump;
use crate::agent::state::{AgentState, AgentUpdate};
use crate::agent::turn::{Turn, answer};
use crate::graph::{BoxError, Ctx};
use crate::typed::Message;

const STOPPED: &str = "Execution stopped before this tool call could run because another tool call in \
                       the same batch exceeded the limit.";

impl Middleware {
    /// Keeps a tool, or all of them, from being called too often, as LangChain's
    /// `ToolCallLimitMiddleware` does.
    #[must_use]
    pub fn tool_call_limit(tool: Option<&str>, limits: CallLimits, at_limit: AtLimit) -> Self {
        let name = match tool {
            Some(tool) => format!("ToolCallLimitMiddleware[{tool}]"),
            None => "ToolCallLimitMiddleware".to_owned(),
        };
        let tool = tool.map(str::to_owned);
        let hook = move |state: AgentState, ctx: Ctx| {
            let update = limited(&state, &ctx, tool.as_deref(), limits, at_limit);
            async move { update }
        };
        Self::new(name).after_model(Hook::new(hook).can_jump_to([Jump::End]))
    }
}

fn limited(
    state: &AgentState,
    ctx: &Ctx,
    tool: Option<&str>,
    most: CallLimits,
    at_limit: AtLimit,
) -> Result<AgentUpdate, BoxError> {
    let field = format!("_tool_calls:{}", tool.unwrap_or("__all__"));
    let calls = Turn::last(&state.messages).calls();
    let before = Counted::read(state, &field, ctx);
    let mut counts = Limits {
        thread: before.thread,
        run: before.run,
        thread_limit: most.thread,
        run_limit: most.run,
    };
    let count = |call: &crate::ToolCall| tool.is_none_or(|tool| call.name == tool);
    let blocked = counts.take(&calls.iter().map(count).collect::<Vec<_>>());
    if blocked.is_empty() && counts.run == before.run {
        return Ok(AgentUpdate::default());
    }
    #[allow(clippy::cast_possible_truncation, reason = "a message has few calls")]
    let over = blocked.len() as u32;
    let tried = counts.run.saturating_add(over);
    let counted = |thread| Counted { thread, run: tried };
    if blocked.is_empty() {
        return Ok(counted(counts.thread).write(AgentUpdate::default(), &field, ctx));
    }
    let exceeded = |what: &str, count: u32, most: Option<u32>| {
        let most = most.filter(|most| count > *most)?;
        Some(format!("{what} limit exceeded ({count}/{most} calls)"))
    };
    let why = [
        exceeded("thread", counts.thread.saturating_add(over), most.thread),
        exceeded("run", tried, most.run),
    ];
    let why = why.into_iter().flatten().collect::<Vec<_>>().join(" and ");
    let who = tool.map_or_else(|| "Tool".to_owned(), |tool| format!("'{tool}' tool"));
    let sentence = format!("{who} call limit reached: {why}.");
    if at_limit == AtLimit::Fail {
        return Err(LimitExceeded(sentence).into());
    }
    let more = tool.map_or_else(
        || "make additional tool calls".to_owned(),
        |tool| format!("call '{tool}' again"),
    );
    let refusal = format!("Tool call limit exceeded. Do not {more}.");
    let is_blocked = |at: usize| blocked.iter().any(|blocked| *blocked as usize == at);
    let mut messages: Vec<Message> = Vec::new();
    let numbered = || calls.iter().enumerate();
    for (_, call) in numbered().filter(|(at, _)| is_blocked(*at)) {
        messages.push(answer(call, &*refusal, true).with_name(&call.name));
    }
    if at_limit == AtLimit::Continue {
        return Ok(counted(counts.thread).write(messages.into(), &field, ctx));
    }
    for (_, call) in numbered().filter(|(at, _)| !is_blocked(*at)) {
        messages.push(answer(call, STOPPED, true).with_name(&call.name));
    }
    messages.push(Message::assistant(sentence));
    // None of them runs, so none counts for the thread.
    let update = AgentUpdate::from(messages).jump_to(Jump::End);
    Ok(counted(before.thread).write(update, &field, ctx))
}
