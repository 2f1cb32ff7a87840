//! Asks for a yes before tools run.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::approval_answer::{Unfit, action, kind, names, reply};
use super::approval_gates::Gates;
use super::call_approval::{CallDecided, decide_call};
use super::edited_call::{EDITED, edit_of, run_edited};
use super::open_calls::answered;
use super::{Hook, Middleware, Next};
use crate::agent::approval::{Decision, Gate, Outcome, settle};
use crate::agent::model::ModelRequest;
use crate::agent::state::{AgentState, AgentUpdate};
use crate::agent::tool::ToolRequest;
use crate::agent::turn::Turn;
use crate::graph::{BoxError, Ctx};
use crate::typed::{Message, MessageList};

const NOTICE: &str = "Note: a human reviewer replaced this tool call before it ran. The call recorded \
                      in your message is the one you produced, not the one that executed. This was \
                      intentional and authorized. Do not re-issue your original call.";

/// Asks for a yes before tools run, as LangChain's `HumanInTheLoopMiddleware` does: one interrupt
/// for all calls of a turn that need one. With [`per_call`](Self::per_call) each asks for itself.
///
/// The question is `{ action_requests, review_configs }`. Answer it with `{ "decisions": […] }`, one
/// for each call in order: `{ "type": "approve" }`, `{ "type": "edit", "edited_action": { name, args
/// } }`, `{ "type": "reject", "message" }` or `{ "type": "respond", "message" }`. Calls that need no
/// yes run, whatever is decided about the others.
///
/// Decisions that do not fit fail the run, and the question is open again. An edit may name any tool
/// of the agent, as in LangChain: also one that needs a yes of its own.
///
/// ```
/// use serde_json::{Value, json};
/// use threadfold::agent::{AgentUpdate, HumanInTheLoop, ModelRequest, Tool, create_agent};
/// use threadfold::graph::MemorySaver;
/// use threadfold::{Message, MessageKind, ToolCall};
///
/// async fn model(request: ModelRequest) -> Result<Message, std::io::Error> {
///     Ok(match request.messages.last() {
///         Some(last) if matches!(last.kind, MessageKind::Tool(_)) => Message::assistant("Sent."),
///         _ => Message::assistant("").with_tool_calls([ToolCall::new("c1", "send", json!({}))]),
///     })
/// }
///
/// # async fn run() -> Result<(), threadfold::graph::BoxError> {
/// let send = Tool::new("send", "Sends it.", |_: Value, _| async { Ok::<_, std::io::Error>("Done.") });
/// let agent = create_agent(model)
///     .tool(send)
///     .middleware(HumanInTheLoop::new().ask("send"))
///     .checkpointer(MemorySaver::new())
///     .compile()?;
/// let thread = agent.on("1");
/// let asked = thread.invoke("Send it.".into()).await?;
/// assert_eq!(asked.interrupts[0].value["action_requests"][0]["name"], "send");
/// let done = thread.resume(json!({ "decisions": [{ "type": "approve" }] })).await?;
/// assert_eq!(done.state.messages.len(), 4);
/// # Ok(())
/// # }
/// # let mut run = Box::pin(run());
/// # let waker = std::task::Waker::noop();
/// # assert!(run.as_mut().poll(&mut std::task::Context::from_waker(waker)).is_ready());
/// ```
#[derive(Debug, Clone)]
pub struct HumanInTheLoop {
    gates: Gates,
    notice: Option<String>,
    is_per_call: bool,
}

impl Default for HumanInTheLoop {
    fn default() -> Self {
        Self { gates: Gates::default(), notice: Some(NOTICE.to_owned()), is_per_call: false }
    }
}

impl HumanInTheLoop {
    /// Makes one that asks for no tool.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks for the calls of this tool, which allow all decisions.
    #[must_use]
    pub fn ask(self, tool: &str) -> Self {
        self.ask_for(tool, [Decision::Approve, Decision::Edit, Decision::Reject, Decision::Respond])
    }

    /// Asks for the calls of this tool, which allow these decisions.
    #[must_use]
    pub fn ask_for(mut self, tool: &str, decisions: impl IntoIterator<Item = Decision>) -> Self {
        self.gates.add(tool, decisions.into_iter().collect());
        self
    }

    /// Describes the calls of a tool that is asked for to the person who decides.
    #[must_use]
    pub fn describe(mut self, tool: &str, description: impl Into<String>) -> Self {
        self.gates.describe(tool, description.into());
        self
    }

    /// Sets the note to the model about a call that was edited; `None` for no note.
    #[must_use]
    pub fn notice(mut self, notice: Option<&str>) -> Self {
        self.notice = notice.map(str::to_owned);
        self
    }

    /// Has each call ask by an interrupt of its own as it starts, while the others run. The question is
    /// `{ type: "tool_approval", tool_call_id, name, args, description }`, its answer a single decision.
    /// An edit then changes the arguments, not the tool. Answer several by the interrupts' ids:
    /// [`Resume::Answers`](crate::graph::Resume::Answers).
    #[must_use]
    pub fn per_call(mut self) -> Self {
        self.is_per_call = true;
        self
    }

    /// Asks for all calls of a turn at once. Returns the answers to those that do not run, and the
    /// edited calls.
    fn decide(&self, state: &AgentState, ctx: &Ctx) -> Result<AgentUpdate, BoxError> {
        if self.is_per_call {
            return Ok(AgentUpdate::default());
        }
        let calls = Turn::last(&state.messages).calls();
        let asked: Vec<_> = calls.iter().map(|call| self.gates.get(&call.name)).collect();
        if asked.iter().all(Option::is_none) {
            let is_edited = state.fields.get(EDITED).is_some_and(|edits| *edits != json!({}));
            let none = AgentUpdate::default();
            return Ok(if is_edited { none.with_field(EDITED, json!({})) } else { none });
        }
        let waiting =
            || calls.iter().zip(&asked).filter_map(|(call, asked)| Some((call, (*asked)?)));
        let requests = waiting().map(|(call, asked)| asked.request(call)).collect::<Vec<_>>();
        let configs = waiting().map(|(call, asked)| {
            json!({ "action_name": call.name, "allowed_decisions": names(&asked.decisions) })
        });
        let question = json!({
            "action_requests": requests,
            "review_configs": configs.collect::<Vec<_>>(),
        });
        let answered = ctx.interrupt(question)?;
        let decisions = answered.get("decisions").and_then(Value::as_array);
        let decisions = decisions.ok_or_else(Unfit::form)?;
        let gates: Vec<Gate> = asked
            .iter()
            .map(|asked| asked.map_or_else(Gate::default, |asked| Gate::of(&asked.decisions)))
            .collect();
        let kinds: Vec<_> = decisions.iter().map(kind).collect();
        let allowed = |call: usize| {
            asked
                .get(call)
                .copied()
                .flatten()
                .map(|asked| names(&asked.decisions))
                .unwrap_or_default()
        };
        let outcomes = settle(&gates, &kinds)
            .map_err(|refusal| Unfit::refused(&refusal, decisions, calls, allowed))?;
        let (mut messages, mut edits) = (Vec::new(), Map::new());
        let decision = |at: u32| decisions.get(at as usize).unwrap_or(&Value::Null);
        for (call, outcome) in calls.iter().zip(outcomes) {
            match outcome {
                Outcome::Run => {}
                Outcome::RunEdited(at) => {
                    let action = action(call, decision(at))?;
                    edits.insert(call.id.clone().unwrap_or_default(), action);
                }
                Outcome::Answer(at) => messages.push(reply(call, decision(at))?),
            }
        }
        Ok(AgentUpdate::from(messages).with_field(EDITED, edits))
    }
}

impl From<HumanInTheLoop> for Middleware {
    fn from(given: HumanInTheLoop) -> Self {
        let given = Arc::new(given);
        let own = Arc::clone(&given);
        Self::new("HumanInTheLoopMiddleware")
            .after_model(Hook::new(move |state: AgentState, ctx: Ctx| {
                let update = given.decide(&state, &ctx);
                async move { update }
            }))
            .wrap_model(|request: ModelRequest, next| next_of(request, next))
            .wrap_tool(move |request: ToolRequest, next: Next<_, _>| {
                let own = Arc::clone(&own);
                async move {
                    let decided = if own.is_per_call {
                        decide_call(&own.gates, &request)?
                    } else {
                        edit_of(&request).map_or(CallDecided::Run, CallDecided::RunEdited)
                    };
                    match decided {
                        CallDecided::Run => next.call(request).await,
                        CallDecided::Answer(message) => Ok(message.into()),
                        CallDecided::RunEdited(edit) => {
                            run_edited(request, next, edit, own.notice.as_deref()).await
                        }
                    }
                }
            })
    }
}

/// Continuing without an answer leaves calls open, and models refuse those: they are answered.
async fn next_of(
    mut request: ModelRequest,
    next: Next<ModelRequest, Message>,
) -> Result<Message, BoxError> {
    if let Some(answered) = answered(&request.messages) {
        request.messages = MessageList::new(answered)?;
    }
    next.call(request).await
}
