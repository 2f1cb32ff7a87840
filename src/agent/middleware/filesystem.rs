//! Files that the agent keeps in its state.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::SystemTime;

use serde_json::Value;

use super::file_tools::{ALL, FileTool};
use super::large_results::{CHARS_PER_TOKEN, without_large};
use super::{Middleware, Next};
use crate::agent::files::{Clock, normal_path};
use crate::agent::model::ModelRequest;
use crate::agent::state::AgentState;
use crate::agent::tool::{ToolOutput, ToolRequest};
use crate::agent::turn::{Turn, answer};
use crate::graph::sendable::{MaybeSend, MaybeSync};
use crate::graph::{BoxError, Ctx};
use crate::typed::ToolCall;

const PROMPT: &str = "## Files\nYou have files of your own: `ls`, `read_file`, `write_file`, `edit_file`, \
                      `delete`, `glob`, `grep`. All paths are absolute and begin with `/`. Read a file before \
                      you edit it.";

const LIMIT: usize = 20_000;

/// Gives an agent files, as deepagents' `FilesystemMiddleware` does over a graph's state: the tools
/// `ls`, `read_file`, `write_file`, `edit_file`, `delete`, `glob` and `grep` over
/// [`AgentState::files`](super::AgentState::files).
///
/// Calls of one turn run side by side: if two change one path, the second gets an error. Results of
/// other tools that are longer than 20,000 tokens of four characters go to the file
/// `/large_tool_results/ID`. The model gets its path, and the first and last lines.
///
/// ```
/// use serde_json::json;
/// use threadfold::agent::{AgentState, Filesystem, ModelRequest, create_agent};
/// use threadfold::{Message, MessageKind, State, ToolCall};
///
/// async fn model(request: ModelRequest) -> Result<Message, std::io::Error> {
///     let args = json!({ "file_path": "/plan.md", "content": "1. Rest" });
///     Ok(match request.messages.last() {
///         Some(last) if matches!(last.kind, MessageKind::Tool(_)) => Message::assistant("Written."),
///         _ => Message::assistant("").with_tool_calls([ToolCall::new("c1", "write_file", args)]),
///     })
/// }
///
/// # async fn run() -> Result<(), threadfold::graph::BoxError> {
/// let agent = create_agent(model).middleware(Filesystem::new()).compile()?;
/// let state = agent.invoke(AgentState::default().merge("Write a plan.".into())).await?.state;
/// assert_eq!(state.files["/plan.md"]["content"], "1. Rest");
/// assert_eq!(state.messages.last().map(|last| last.text().into_owned()).as_deref(), Some("Written."));
/// # Ok(())
/// # }
/// # let mut run = Box::pin(run());
/// # let waker = std::task::Waker::noop();
/// # assert!(matches!(run.as_mut().poll(&mut std::task::Context::from_waker(waker)), std::task::Poll::Ready(Ok(()))));
/// ```
#[derive(Debug, Clone)]
pub struct Filesystem {
    prompt: String,
    descriptions: HashMap<String, String>,
    limit: Option<usize>,
    clock: Clock,
}

impl Default for Filesystem {
    fn default() -> Self {
        Self {
            prompt: PROMPT.to_owned(),
            descriptions: HashMap::new(),
            limit: Some(LIMIT),
            clock: Clock::default(),
        }
    }
}

impl Filesystem {
    /// Makes one with the prompt and the limit of above.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the instructions to the model about its files.
    #[must_use]
    pub fn system_prompt(mut self, prompt: impl Into<String>) -> Self {
        self.prompt = prompt.into();
        self
    }

    /// Sets the model's description of a tool.
    #[must_use]
    pub fn describe(mut self, tool: &str, description: impl Into<String>) -> Self {
        self.descriptions.insert(tool.to_owned(), description.into());
        self
    }

    /// Sets how many tokens of four characters a tool's result may have before it goes to a file;
    /// `None` or 0 for any number. `read_file` shows no more at once.
    #[must_use]
    pub fn evict_above(mut self, tokens: Option<usize>) -> Self {
        self.limit = tokens.filter(|tokens| *tokens > 0);
        self
    }

    /// Sets the clock that dates files; by default the system's. `wasm32-unknown-unknown` has none:
    /// there the first write is of 1970, and each next one a millisecond later.
    #[must_use]
    pub fn clock(mut self, now: impl Fn() -> SystemTime + MaybeSend + MaybeSync + 'static) -> Self {
        self.clock = Clock(Some(Arc::new(now)));
        self
    }
}

impl From<Filesystem> for Middleware {
    fn from(given: Filesystem) -> Self {
        let Filesystem { prompt, mut descriptions, limit, clock } = given;
        let room = limit.map(|limit| CHARS_PER_TOKEN.saturating_mul(limit));
        let made = Self::new("FilesystemMiddleware")
            .wrap_model(move |request: ModelRequest, next| {
                let request = request.with_instructions(&prompt);
                async move { next.call(request).await }
            })
            .wrap_tool({
                let clock = clock.clone();
                move |request: ToolRequest, next| run(request, next, limit, clock.clone())
            });
        ALL.into_iter().fold(made, |made, tool| {
            let own = descriptions.remove(tool.name());
            made.tool(tool.tool(own, room, clock.clone()))
        })
    }
}

const PARALLEL: &str = "Error: parallel file mutations to the same path are not allowed.";

/// Runs a call, unless an earlier one of the turn changes its path. Long results of all but the file
/// tools go to files: theirs are short enough, or the model asked for that much.
async fn run(
    request: ToolRequest,
    next: Next<ToolRequest, ToolOutput>,
    limit: Option<usize>,
    clock: Clock,
) -> Result<ToolOutput, BoxError> {
    let call = request.call.clone();
    if changed_path(&call).is_some_and(|path| is_second(&request.state, &request.ctx, &call, &path))
    {
        return Ok(answer(&call, PARALLEL, true).with_name(&call.name).into());
    }
    let files = request.state.files.clone();
    let output = next.call(request).await?;
    match limit.filter(|_| FileTool::named(&call.name).is_none()) {
        Some(limit) => without_large(output, &call, &files, limit, &clock),
        None => Ok(output),
    }
}

/// The path that a call changes, if it changes one.
fn changed_path(call: &ToolCall) -> Option<String> {
    let tool = FileTool::named(&call.name).filter(|tool| tool.is_changing());
    let path = tool.and_then(|_| call.args.get("file_path")).and_then(Value::as_str)?;
    normal_path(path).ok()
}

/// The calls of a turn: the place of the first with an id, and of the first that changes a path.
struct Changes {
    ids: HashMap<Option<String>, usize>,
    paths: HashMap<String, usize>,
}

impl Changes {
    fn of(calls: &[ToolCall]) -> Self {
        let mut changes = Self { ids: HashMap::new(), paths: HashMap::new() };
        for (place, call) in calls.iter().enumerate() {
            changes.ids.entry(call.id.clone()).or_insert(place);
            if let Some(path) = changed_path(call) {
                changes.paths.entry(path).or_insert(place);
            }
        }
        changes
    }
}

/// Whether an earlier call of the turn changes the path, too. Reads the turn once for all its calls.
fn is_second(state: &AgentState, ctx: &Ctx, call: &ToolCall, path: &str) -> bool {
    let made = |_: &[_]| Changes::of(Turn::last(&state.messages).calls());
    ctx.with_memo(made, |Changes { ids, paths }| {
        let first = paths.get(path);
        let own = ids.get(&call.id).copied().unwrap_or(usize::MAX);
        first.is_some_and(|first| *first < own)
    })
}
