//! The request of a run: AG-UI's `RunAgentInput`.

use std::collections::{HashMap, HashSet};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::event::checks::MESSAGES;
use super::event::field::{Check, Field, Fields};
use super::message::to_ag_ui;
use crate::stream::StreamError;
use crate::thread::Thread;
use crate::value::{Json, Kind, Value};

/// The body of a request for a run.
///
/// A server reads it by serde; a client makes it of a thread and writes it by serde.
///
/// ```
/// use serde_json::json;
/// use threadfold::ag_ui::RunAgentInput;
/// use threadfold::{Json, Thread};
///
/// let mut thread: Thread<Json> = Thread::new(None, &json!({}).into())?;
/// let question = json!({ "id": "q", "role": "user", "content": "Hi" });
/// thread.optimistic(json!({ "messages": [question], "mood": "curious" }).into())?;
///
/// let mut input = RunAgentInput::of(&mut thread, "t1")?;
/// input.tools.push(json!({ "name": "confirm" }).into());
/// let body = serde_json::to_string(&input)?;
/// # drop(body);
/// assert_eq!(input.state, json!({ "mood": "curious" }));
///
/// let received: RunAgentInput = serde_json::from_value(json!({
///     "threadId": "t1", "runId": "r1", "messages": [{ "id": "q", "role": "user", "content": "Hi" }],
///     "resume": [{ "interruptId": "i", "status": "resolved", "payload": true }],
/// }))?;
/// assert_eq!(received.resume[0].payload, Some(true.into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RunAgentInput {
    /// The thread's id.
    pub thread_id: String,
    /// The run's id. That of the thread's last run asks for that run again.
    pub run_id: String,
    /// The id of the run that it continues.
    pub parent_run_id: Option<String>,
    /// The messages, in AG-UI's form.
    pub messages: Vec<Json>,
    /// The state, any JSON.
    pub state: Json,
    /// The tools of the front end, each with a `name`.
    pub tools: Vec<Json>,
    /// Context for the agent, each with a `description` and a `value`.
    pub context: Vec<Json>,
    /// Options that AG-UI does not define.
    pub forwarded_props: Json,
    /// Answers to the interrupts of the last run.
    pub resume: Vec<ResumeEntry>,
    /// All other fields.
    pub extra: Vec<(String, Json)>,
}

/// An answer to an interrupt.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ResumeEntry {
    /// The interrupt's id.
    pub interrupt_id: String,
    /// Whether the user cancelled it instead.
    pub cancelled: bool,
    /// The answer.
    pub payload: Option<Json>,
}

impl ResumeEntry {
    /// Makes an answer.
    #[must_use]
    pub fn resolved(interrupt_id: impl Into<String>, payload: Json) -> Self {
        Self { interrupt_id: interrupt_id.into(), cancelled: false, payload: Some(payload) }
    }

    /// Makes the answer of a user who cancelled.
    #[must_use]
    pub fn cancelled(interrupt_id: impl Into<String>) -> Self {
        Self { interrupt_id: interrupt_id.into(), cancelled: true, payload: None }
    }
}

impl RunAgentInput {
    /// Makes an empty one.
    #[must_use]
    pub fn new(thread_id: impl Into<String>, run_id: impl Into<String>) -> Self {
        Self {
            thread_id: thread_id.into(),
            run_id: run_id.into(),
            parent_run_id: None,
            messages: Vec::new(),
            state: Json::object(),
            tools: Vec::new(),
            context: Vec::new(),
            forwarded_props: Json::object(),
            resume: Vec::new(),
            extra: Vec::new(),
        }
    }

    /// Makes the request of a thread's next run, with a new id. It has the shown messages and, of the
    /// state, [`Thread::unsent_fields`]. Leaves out updates that failed, messages that are incomplete,
    /// and activities, which are only for the screen.
    ///
    /// # Errors
    /// Those of [`Thread::unsent_fields`]. `INVALID_MESSAGE` for a message in `LangChain`'s form whose
    /// content has media: add such messages in AG-UI's form.
    pub fn of(
        thread: &mut Thread<Json>,
        thread_id: impl Into<String>,
    ) -> Result<Self, crate::Error> {
        let (shown, _) = thread.without_failed()?;
        let incomplete = thread.incomplete_ids();
        let incomplete: HashSet<&str> = incomplete.iter().filter_map(Json::as_str).collect();
        let is_whole =
            |message: &Json| !message["id"].as_str().is_some_and(|id| incomplete.contains(id));
        let mut own = Self::new(thread_id, crate::id::new_id());
        for (at, message) in shown["messages"].iter().enumerate() {
            if is_whole(message) && message["role"].as_str() != Some("activity") {
                own.messages.push(to_ag_ui(message).map_err(|error| error.at(at))?);
            }
        }
        own.state = thread.unsent_fields()?;
        Ok(own)
    }

    /// Keeps only the messages that the server lacks or has otherwise, for a server that keeps its
    /// threads.
    pub fn only_new_messages(&mut self, thread: &Thread<Json>) {
        let said = thread.said("messages").unwrap_or_default();
        let known: HashMap<&str, &Json> =
            said.iter().filter_map(|it| Some((it["id"].as_str()?, it))).collect();
        let is_known = |message: &Json| {
            let known = message["id"].as_str().and_then(|id| known.get(id));
            known.and_then(|known| to_ag_ui(known).ok()).is_some_and(|known| known == *message)
        };
        self.messages.retain(|message| !is_known(message));
    }
}

const OBJECTS: Check<Option<Vec<Json>>> = Check {
    expected: "a list of objects",
    holds: |list| list.iter().flatten().all(|it| it.kind() == Kind::Object),
};

impl Field for ResumeEntry {
    const EXPECTED: &'static str = "a list of answers, each with an `interruptId` and the `status` \
                                    `resolved` or `cancelled`";

    fn read(value: Option<Json>) -> Option<Self> {
        let answer = value?;
        let cancelled = match answer["status"].as_str()? {
            "resolved" => false,
            "cancelled" => true,
            _ => return None,
        };
        let interrupt_id = answer["interruptId"].as_str()?.to_owned();
        Some(Self { interrupt_id, cancelled, payload: answer.get("payload").cloned() })
    }

    fn written(&self) -> Option<Json> {
        let status = if self.cancelled { "cancelled" } else { "resolved" };
        let id = self.interrupt_id.as_str();
        let answer = Json::from([("interruptId", id.into()), ("status", status.into())]);
        Some(match &self.payload {
            Some(payload) => answer.with("payload", payload.clone()),
            None => answer,
        })
    }
}

fn answers(fields: &mut Fields<'_>) -> Result<Vec<ResumeEntry>, StreamError> {
    let invalid = || StreamError::field_of("RunAgentInput", "resume", ResumeEntry::EXPECTED);
    let Some(given) = fields.field::<Option<Json>>("resume")? else { return Ok(Vec::new()) };
    Field::read(Some(given)).ok_or_else(invalid)
}

impl TryFrom<Json> for RunAgentInput {
    type Error = StreamError;

    fn try_from(value: Json) -> Result<Self, Self::Error> {
        if value.kind() != Kind::Object {
            let reason = "Expected an object with a `threadId` and a `runId`.";
            return Err(StreamError::new("INVALID_ARGUMENT", "RunAgentInput", reason));
        }
        let mut fields = Fields::new("RunAgentInput", &value);
        Ok(Self {
            thread_id: fields.field("threadId")?,
            run_id: fields.field("runId")?,
            parent_run_id: fields.field("parentRunId")?,
            messages: fields.checked("messages", &MESSAGES)?,
            state: fields.field::<Option<Json>>("state")?.unwrap_or_else(Json::object),
            tools: fields.checked("tools", &OBJECTS)?.unwrap_or_default(),
            context: fields.checked("context", &OBJECTS)?.unwrap_or_default(),
            forwarded_props: fields
                .field::<Option<Json>>("forwardedProps")?
                .unwrap_or_else(Json::object),
            resume: answers(&mut fields)?,
            extra: fields.rest(),
        })
    }
}

impl From<&RunAgentInput> for Json {
    fn from(input: &RunAgentInput) -> Self {
        let resume = Some(&input.resume).filter(|answers| !answers.is_empty());
        let own = [
            ("threadId", input.thread_id.written()),
            ("runId", input.run_id.written()),
            ("parentRunId", input.parent_run_id.written()),
            ("messages", input.messages.written()),
            ("state", input.state.written()),
            ("tools", input.tools.written()),
            ("context", input.context.written()),
            ("forwardedProps", input.forwarded_props.written()),
            ("resume", resume.and_then(Field::written)),
        ];
        let own = own.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        own.chain(input.extra.iter().cloned()).collect()
    }
}

impl Serialize for RunAgentInput {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Json::from(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RunAgentInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Json::deserialize(deserializer)?.try_into().map_err(D::Error::custom)
    }
}
