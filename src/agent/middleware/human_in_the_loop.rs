//! Asks for a yes before tools run.

use std::collections::HashMap;
use std::fmt::{self, Write as _};

use serde_json::{Map, Value, json};

use super::open_calls::answered;
use super::{Hook, Middleware, Next};
use crate::agent::approval::{Decision, Gate, Outcome, Refusal, settle};
use crate::agent::model::ModelRequest;
use crate::agent::state::{AgentState, AgentUpdate};
use crate::agent::tool::{ToolOutput, ToolRequest};
use crate::agent::turn::{Turn, answer};
use crate::graph::{BoxError, Ctx};
use crate::typed::{Content, Message, MessageKind, ToolCall};

const FIELD: &str = "hitl_edited_tool_calls";

const NOTICE: &str = "Note: a human reviewer replaced this tool call before it ran. The call recorded \
                      in your message is the one you produced, not the one that executed. This was \
                      intentional and authorized. Do not re-issue your original call.";

/// Asks for a yes before tools run, as LangChain's `HumanInTheLoopMiddleware` does: one interrupt
/// for all calls of a turn that need one.
///
/// The question is `{ action_requests, review_configs }`. Answer it with `{ "decisions": […] }`, one
/// for each call in order: `{ "type": "approve" }`, `{ "type": "edit", "edited_action": { name, args
/// } }`, `{ "type": "reject", "message" }` or `{ "type": "respond", "message" }`. Calls that need no
/// yes run, whatever is decided about the others.
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
    gates: HashMap<String, Asked>,
    prefix: String,
    notice: Option<String>,
}

/// The decisions that the calls of a tool allow.
#[derive(Debug, Clone)]
struct Asked {
    decisions: Vec<Decision>,
    description: Option<String>,
}

impl Default for HumanInTheLoop {
    fn default() -> Self {
        Self {
            gates: HashMap::new(),
            prefix: "Tool execution requires approval".to_owned(),
            notice: Some(NOTICE.to_owned()),
        }
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
        let decisions = decisions.into_iter().collect();
        self.gates.insert(tool.to_owned(), Asked { decisions, description: None });
        self
    }

    /// Describes the calls of a tool that is asked for to the person who decides.
    #[must_use]
    pub fn describe(mut self, tool: &str, description: impl Into<String>) -> Self {
        if let Some(asked) = self.gates.get_mut(tool) {
            asked.description = Some(description.into());
        }
        self
    }

    /// Sets the note to the model about a call that was edited; `None` for no note.
    #[must_use]
    pub fn notice(mut self, notice: Option<&str>) -> Self {
        self.notice = notice.map(str::to_owned);
        self
    }

    /// Asks for all calls of a turn at once. Returns the answers to those that do not run, and the
    /// edited calls.
    fn decide(&self, state: &AgentState, ctx: &Ctx) -> Result<AgentUpdate, BoxError> {
        let calls = Turn::last(&state.messages).calls();
        let asked: Vec<_> = calls.iter().map(|call| self.gates.get(&call.name)).collect();
        if asked.iter().all(Option::is_none) {
            let is_edited = state.fields.get(FIELD).is_some_and(|edits| *edits != json!({}));
            let none = AgentUpdate::default();
            return Ok(if is_edited { none.with_field(FIELD, json!({})) } else { none });
        }
        let waiting =
            || calls.iter().zip(&asked).filter_map(|(call, asked)| Some((call, (*asked)?)));
        let requests = waiting().map(|(call, asked)| self.request(call, asked)).collect::<Vec<_>>();
        let configs = waiting().map(|(call, asked)| {
            json!({ "action_name": call.name, "allowed_decisions": names(&asked.decisions) })
        });
        let question = json!({
            "action_requests": requests,
            "review_configs": configs.collect::<Vec<_>>(),
        });
        let answered = ctx.interrupt(question)?;
        let decisions = answered.get("decisions").and_then(Value::as_array);
        let decisions = decisions.ok_or(Unfit(
            "Invalid answer to an approval: expected { decisions: [{ type: 'approve' }, … ] }, one \
             decision for each call."
                .to_owned(),
        ))?;
        let gates: Vec<Gate> = asked
            .iter()
            .map(|asked| asked.map_or_else(Gate::default, |asked| Gate::of(&asked.decisions)))
            .collect();
        let kinds: Vec<_> = decisions.iter().map(kind).collect();
        let outcomes =
            settle(&gates, &kinds).map_err(|refusal| unfit(&refusal, decisions, calls, &asked))?;
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
        Ok(AgentUpdate::from(messages).with_field(FIELD, edits))
    }

    fn request(&self, call: &ToolCall, asked: &Asked) -> Value {
        let usual = || {
            let args = serde_json::to_string_pretty(&call.args).unwrap_or_default();
            format!("{}\n\nTool: {}\nArgs: {args}", self.prefix, call.name)
        };
        let description = asked.description.clone().unwrap_or_else(usual);
        json!({ "name": call.name, "args": call.args, "description": description })
    }
}

impl From<HumanInTheLoop> for Middleware {
    fn from(given: HumanInTheLoop) -> Self {
        let notice = given.notice.clone();
        Self::new("HumanInTheLoopMiddleware")
            .after_model(Hook::new(move |state: AgentState, ctx: Ctx| {
                let update = given.decide(&state, &ctx);
                async move { update }
            }))
            .wrap_model(|request: ModelRequest, next| next_of(request, next))
            .wrap_tool(move |request: ToolRequest, next: Next<_, _>| {
                let notice = notice.clone();
                async move { run_edited(request, next, notice.as_deref()).await }
            })
    }
}

/// Continuing without an answer leaves calls open, and models refuse those: they are answered.
async fn next_of(
    mut request: ModelRequest,
    next: Next<ModelRequest, Message>,
) -> Result<Message, BoxError> {
    request.messages = answered(&request.messages)?;
    next.call(request).await
}

/// Runs a call, or the one that a decision put in its place.
async fn run_edited(
    request: ToolRequest,
    next: Next<ToolRequest, ToolOutput>,
    notice: Option<&str>,
) -> Result<ToolOutput, BoxError> {
    let id = request.call.id.clone().unwrap_or_default();
    let edit = request.state.fields.get(FIELD).and_then(|edits| edits.get(&id)).cloned();
    let Some(edit) = edit else { return next.call(request).await };
    let name = edit.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let args = edit.get("args").cloned().unwrap_or_default();
    let call = ToolCall { name: name.clone(), args: args.clone(), ..request.call.clone() };
    let request = request.with_call(call);
    // If the tool does not exist, the answer names only that: nothing ran.
    let notice = notice.filter(|_| request.tool.is_some());
    let output = next.call(request).await?;
    let Some(notice) = notice else { return Ok(output) };
    let sentence =
        format!("{notice} Executed instead: {name} with arguments {}.", python_json(&args));
    Ok(match output {
        ToolOutput::Content(content) => ToolOutput::Content(noted(&sentence, content)),
        ToolOutput::Message(message) => ToolOutput::Message(with_note(&sentence, message)),
        ToolOutput::Update(mut update) => {
            let answers = |message: &Message| matches!(&message.kind, MessageKind::Tool(own) if own.tool_call_id == id);
            for message in update.messages.iter_mut().flatten().filter(|message| answers(message)) {
                *message = with_note(&sentence, message.clone());
            }
            ToolOutput::Update(update)
        }
    })
}

fn with_note(sentence: &str, mut message: Message) -> Message {
    if let MessageKind::Tool(own) = &mut message.kind {
        own.content = noted(sentence, std::mem::take(&mut own.content));
    }
    message
}

fn noted(sentence: &str, content: Content) -> Content {
    match content {
        Content::Text(text) if text.is_empty() => sentence.into(),
        Content::Text(text) => format!("{sentence}\n\nTool response:\n{text}").into(),
        Content::Blocks(blocks) => {
            let note = if blocks.is_empty() {
                sentence.to_owned()
            } else {
                [sentence, "\n\nTool response:"].concat()
            };
            let mut all = vec![json!({ "type": "text", "text": note })];
            all.extend(blocks);
            Content::Blocks(all)
        }
    }
}

/// Writes JSON as Python does: with spaces, in ASCII.
fn python_json(value: &Value) -> String {
    let text = match value {
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| {
                format!("{}: {}", Value::from(name.as_str()), python_json(value))
            });
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(python_json).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    };
    let mut ascii = String::with_capacity(text.len());
    for unit in text.encode_utf16() {
        match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii() => ascii.push(char::from(byte)),
            _ => {
                // Writing into a text does not fail.
                let _ = write!(ascii, "\\u{unit:04x}");
            }
        }
    }
    ascii
}

const NAMES: [(Decision, &str); 4] = [
    (Decision::Approve, "approve"),
    (Decision::Edit, "edit"),
    (Decision::Reject, "reject"),
    (Decision::Respond, "respond"),
];

fn names(decisions: &[Decision]) -> Vec<&'static str> {
    let name = |decision: &Decision| NAMES.iter().find(|(known, _)| known == decision);
    decisions.iter().filter_map(name).map(|(_, name)| *name).collect()
}

/// Returns the kind of a decision, if it has a known one.
fn kind(decision: &Value) -> Option<Decision> {
    let name = decision.get("type")?.as_str()?;
    NAMES.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
}

/// An answer that does not fit what was asked, in LangChain's words.
#[derive(Debug)]
struct Unfit(String);

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unfit {}

fn unfit(
    refusal: &Refusal,
    decisions: &[Value],
    calls: &[ToolCall],
    asked: &[Option<&Asked>],
) -> Unfit {
    Unfit(match refusal {
        Refusal::Count { given, waiting } => format!(
            "Number of human decisions ({given}) does not match number of hanging tool calls ({waiting})."
        ),
        Refusal::NotAllowed { decision, call } => {
            let decision = decisions.get(*decision as usize).unwrap_or(&Value::Null);
            let kind = decision.get("type").and_then(Value::as_str).unwrap_or_default();
            let call = *call as usize;
            let tool = calls.get(call).map(|call| &*call.name).unwrap_or_default();
            let allowed = asked.get(call).copied().flatten().map(|asked| names(&asked.decisions));
            format!(
                "Unexpected human decision: {decision}. Decision type '{kind}' is not allowed for tool \
                 '{tool}'. Expected one of {} based on the tool's configuration.",
                json!(allowed)
            )
        }
    })
}

/// Returns the action that replaces an edited call: the original call must not run.
fn action(call: &ToolCall, decision: &Value) -> Result<Value, Unfit> {
    let action = decision.get("edited_action").or_else(|| decision.get("editedAction"));
    let field = |name| action.and_then(|action| action.get(name));
    let needs = match (field("name").is_some_and(Value::is_string), field("args")) {
        (false, _) => "name must be a string",
        (true, Some(Value::Object(_))) => return Ok(action.cloned().unwrap_or_default()),
        (true, _) => "args must be an object",
    };
    Err(Unfit(format!("Invalid edited action for tool \"{}\": {needs}", call.name)))
}

/// The message to the model in place of a result.
fn reply(call: &ToolCall, decision: &Value) -> Result<Message, Unfit> {
    let (name, id) = (&call.name, call.id.as_deref().unwrap_or_default());
    let message = decision.get("message").filter(|message| !message.is_null());
    let is_response = kind(decision) == Some(Decision::Respond);
    let said = match message {
        Some(Value::String(text)) => Some(text.as_str()),
        None if !is_response => None,
        _ => {
            return Err(Unfit(format!("Tool call response for \"{name}\" must be a string.")));
        }
    };
    if is_response {
        return Ok(answer(call, said.unwrap_or_default(), false).with_name(name));
    }
    let rejected = format!("User rejected the tool call for `{name}` with");
    let text = match said.filter(|said| !said.is_empty()) {
        Some(said) => format!("{rejected} reason: {said}"),
        None => format!(
            "{rejected} id {id}. The tool was not executed. Do not retry this tool call unless the user explicitly requests it."
        ),
    };
    Ok(answer(call, text, true).with_name(name))
}
