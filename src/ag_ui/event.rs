//! The events of AG-UI 1.0.

use crate::stream::StreamError;
use crate::value::Json;

pub(super) mod checks;
pub(super) mod field;
mod json;
mod outcome;

use checks::{ACTIVITY, INPUT, MESSAGES, RESULT};
pub use outcome::RunFinishedOutcome;

/// An event of AG-UI.
///
/// Read it by serde or [`str::parse`], write it by serde. It keeps the fields that it does not
/// know, and an event of an unknown type is [`EventKind::Other`]. A known event that lacks a field
/// is an error.
///
/// ```
/// use threadfold::ag_ui::{Event, EventKind};
///
/// let text = r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"a","delta":"Hi","timestamp":5}"#;
/// let event: Event = serde_json::from_str(text)?;
/// assert!(matches!(&event.kind, EventKind::TextMessageContent { delta, .. } if delta == "Hi"));
/// assert_eq!(serde_json::to_string(&event)?, text);
///
/// let ends = Event::from(EventKind::TextMessageEnd { message_id: "a".into() });
/// assert_eq!(serde_json::to_string(&ends)?, r#"{"type":"TEXT_MESSAGE_END","messageId":"a"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Event {
    /// The event's type and its own fields.
    pub kind: EventKind,
    /// The subagent that the event is of; the agent itself without one.
    pub subagent_run_id: Option<String>,
    /// An object that is merged into the `metadata` of the event's message or tool call.
    pub metadata: Option<Json>,
    /// All other fields, such as `timestamp` and `rawEvent`.
    pub extra: Vec<(String, Json)>,
}

impl From<EventKind> for Event {
    fn from(kind: EventKind) -> Self {
        Self { kind, subagent_run_id: None, metadata: None, extra: Vec::new() }
    }
}

impl Event {
    /// Returns the event's type, such as `RUN_STARTED`.
    #[must_use]
    pub fn event_type(&self) -> &str {
        self.kind.event_type()
    }
}

/// Makes the enum, and its reading and writing: `Name = "TYPE" { field: Type = "name" as CHECK }`.
macro_rules! events {
    ($($(#[$doc:meta])* $name:ident = $type:literal {$(
        $(#[$note:meta])* $field:ident: $of:ty = $key:literal $(as $check:ident)?
    ),*$(,)?})*) => {
        /// An event's type and its own fields.
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum EventKind {
            $($(#[$doc])* $name { $($(#[$note])* $field: $of,)* },)*
            /// An event of a type that AG-UI 1.0 does not have. Its fields are in [`Event::extra`].
            Other {
                /// The type.
                event_type: String,
            },
        }

        impl EventKind {
            /// Returns the event's type, such as `RUN_STARTED`.
            #[must_use]
            fn event_type(&self) -> &str {
                match self {
                    $(Self::$name { .. } => $type,)*
                    Self::Other { event_type } => event_type,
                }
            }

            fn read(fields: &mut field::Fields<'_>) -> Result<Self, StreamError> {
                Ok(match fields.of {
                    $($type => Self::$name {
                        $($field: events!(@read fields, $key, $($check)?),)*
                    },)*
                    other => Self::Other { event_type: other.to_owned() },
                })
            }

            fn written(&self) -> Vec<(&'static str, Option<Json>)> {
                match self {
                    $(Self::$name { $($field),* } => {
                        vec![$(($key, field::Field::written($field))),*]
                    })*
                    Self::Other { .. } => Vec::new(),
                }
            }
        }
    };
    (@read $fields:ident, $key:literal,) => { $fields.field($key)? };
    (@read $fields:ident, $key:literal, $check:ident) => { $fields.checked($key, &$check)? };
}

events! {
    /// A run begins.
    RunStarted = "RUN_STARTED" {
        /// The thread's id.
        thread_id: Option<String> = "threadId",
        /// The run's id.
        run_id: String = "runId",
        /// The version of AG-UI that the server speaks.
        protocol_version: Option<String> = "protocolVersion",
        /// The id of the run that it continues.
        parent_run_id: Option<String> = "parentRunId",
        /// The run's `RunAgentInput`: its `messages` that the thread lacks are added.
        input: Option<Json> = "input" as INPUT,
    }
    /// A run finished, or waits for answers.
    RunFinished = "RUN_FINISHED" {
        /// The thread's id.
        thread_id: Option<String> = "threadId",
        /// The run's id.
        run_id: Option<String> = "runId",
        /// The run's result.
        result: Option<Json> = "result",
        /// How it ended; successfully without one.
        outcome: Option<RunFinishedOutcome> = "outcome",
    }
    /// A run failed.
    RunError = "RUN_ERROR" {
        /// The error as text.
        message: String = "message",
        /// The server's name of the error.
        code: Option<String> = "code",
    }
    /// A step of the run begins.
    StepStarted = "STEP_STARTED" {
        /// The step's name.
        step_name: String = "stepName",
    }
    /// A step of the run is over.
    StepFinished = "STEP_FINISHED" {
        /// The step's name.
        step_name: String = "stepName",
    }
    /// A message begins, or more of one.
    TextMessageStart = "TEXT_MESSAGE_START" {
        /// The message's id.
        message_id: String = "messageId",
        /// The message's role; `assistant` without one.
        role: Option<String> = "role",
        /// The speaker's name.
        name: Option<String> = "name",
    }
    /// Text to append to a message.
    TextMessageContent = "TEXT_MESSAGE_CONTENT" {
        /// The message's id.
        message_id: String = "messageId",
        /// The text.
        delta: String = "delta",
    }
    /// A message is complete.
    TextMessageEnd = "TEXT_MESSAGE_END" {
        /// The message's id.
        message_id: String = "messageId",
    }
    /// Stands for a message's start, content and end.
    TextMessageChunk = "TEXT_MESSAGE_CHUNK" {
        /// The message's id, at least in its first chunk.
        message_id: Option<String> = "messageId",
        /// The message's role; `assistant` without one.
        role: Option<String> = "role",
        /// The speaker's name.
        name: Option<String> = "name",
        /// Text to append.
        delta: Option<String> = "delta",
    }
    /// A tool call begins.
    ToolCallStart = "TOOL_CALL_START" {
        /// The call's id.
        tool_call_id: String = "toolCallId",
        /// The tool's name.
        tool_call_name: String = "toolCallName",
        /// The assistant message that has the call. If it names another kind of message or none, the
        /// call gets a message of its own.
        parent_message_id: Option<String> = "parentMessageId",
    }
    /// Text to append to a call's arguments.
    ToolCallArgs = "TOOL_CALL_ARGS" {
        /// The call's id.
        tool_call_id: String = "toolCallId",
        /// The text.
        delta: String = "delta",
    }
    /// A call's arguments are complete.
    ToolCallEnd = "TOOL_CALL_END" {
        /// The call's id.
        tool_call_id: String = "toolCallId",
    }
    /// Stands for a tool call's start, arguments and end.
    ToolCallChunk = "TOOL_CALL_CHUNK" {
        /// The call's id, at least in its first chunk.
        tool_call_id: Option<String> = "toolCallId",
        /// The tool's name, at least in the call's first chunk.
        tool_call_name: Option<String> = "toolCallName",
        /// The assistant message that has the call.
        parent_message_id: Option<String> = "parentMessageId",
        /// Text to append to the arguments.
        delta: Option<String> = "delta",
    }
    /// The result of a tool call: a message after it.
    ToolCallResult = "TOOL_CALL_RESULT" {
        /// The message's id.
        message_id: String = "messageId",
        /// The call's id.
        tool_call_id: String = "toolCallId",
        /// The result: a text or a list of parts.
        content: Json = "content" as RESULT,
        /// The message's role; `tool` without one.
        role: Option<String> = "role",
    }
    /// The whole state.
    StateSnapshot = "STATE_SNAPSHOT" {
        /// The state.
        snapshot: Json = "snapshot",
    }
    /// A JSON Patch of the state.
    StateDelta = "STATE_DELTA" {
        /// Its operations. Those that RFC 6902 does not have are skipped.
        delta: Vec<Json> = "delta",
    }
    /// All messages.
    MessagesSnapshot = "MESSAGES_SNAPSHOT" {
        /// The messages, each with an `id` and a `role`.
        messages: Vec<Json> = "messages" as MESSAGES,
    }
    /// A message of the role `activity`.
    ActivitySnapshot = "ACTIVITY_SNAPSHOT" {
        /// The message's id.
        message_id: String = "messageId",
        /// The kind of activity.
        activity_type: String = "activityType",
        /// An object.
        content: Json = "content" as ACTIVITY,
        /// Whether it replaces a message of that id: by default it does.
        replace: Option<bool> = "replace",
    }
    /// A JSON Patch of an activity's content.
    ActivityDelta = "ACTIVITY_DELTA" {
        /// The message's id.
        message_id: String = "messageId",
        /// The kind of activity.
        activity_type: String = "activityType",
        /// Its operations. Those that RFC 6902 does not have are skipped.
        patch: Vec<Json> = "patch",
    }
    /// An event of the agent's own framework.
    Raw = "RAW" {
        /// The event.
        event: Option<Json> = "event",
        /// The framework's name.
        source: Option<String> = "source",
    }
    /// An event that AG-UI does not define.
    Custom = "CUSTOM" {
        /// Its name.
        name: String = "name",
        /// Its value.
        value: Option<Json> = "value",
    }
    /// Reasoning begins.
    ReasoningStart = "REASONING_START" {
        /// Its id.
        message_id: Option<String> = "messageId",
    }
    /// A message of the role `reasoning` begins.
    ReasoningMessageStart = "REASONING_MESSAGE_START" {
        /// The message's id.
        message_id: String = "messageId",
    }
    /// Text to append to a reasoning message.
    ReasoningMessageContent = "REASONING_MESSAGE_CONTENT" {
        /// The message's id.
        message_id: String = "messageId",
        /// The text.
        delta: String = "delta",
    }
    /// A reasoning message is complete.
    ReasoningMessageEnd = "REASONING_MESSAGE_END" {
        /// The message's id.
        message_id: String = "messageId",
    }
    /// Stands for a reasoning message's start, content and end.
    ReasoningMessageChunk = "REASONING_MESSAGE_CHUNK" {
        /// The message's id, at least in its first chunk.
        message_id: Option<String> = "messageId",
        /// Text to append.
        delta: Option<String> = "delta",
    }
    /// Reasoning is over.
    ReasoningEnd = "REASONING_END" {
        /// Its id.
        message_id: Option<String> = "messageId",
    }
    /// Reasoning that only the model's provider can read.
    ReasoningEncryptedValue = "REASONING_ENCRYPTED_VALUE" {
        /// `message` or `tool-call`: the owner of the value.
        subtype: String = "subtype",
        /// The owner's id.
        entity_id: String = "entityId",
        /// The value.
        encrypted_value: String = "encryptedValue",
    }
    /// A subagent begins.
    SubagentStarted = "SUBAGENT_STARTED" {
        /// Its name.
        name: Option<String> = "name",
    }
    /// A subagent finished, or waits for answers.
    SubagentFinished = "SUBAGENT_FINISHED" {
        /// Its result.
        result: Option<Json> = "result",
        /// How it ended.
        outcome: Option<Json> = "outcome",
    }
    /// A subagent failed.
    SubagentError = "SUBAGENT_ERROR" {
        /// The error as text.
        message: Option<String> = "message",
    }
    /// [`EventKind::ReasoningStart`], from a server before AG-UI 1.0.
    ThinkingStart = "THINKING_START" {}
    /// [`EventKind::ReasoningMessageStart`], from a server before AG-UI 1.0.
    ThinkingTextMessageStart = "THINKING_TEXT_MESSAGE_START" {}
    /// [`EventKind::ReasoningMessageContent`], from a server before AG-UI 1.0.
    ThinkingTextMessageContent = "THINKING_TEXT_MESSAGE_CONTENT" {
        /// The text.
        delta: String = "delta",
    }
    /// [`EventKind::ReasoningMessageEnd`], from a server before AG-UI 1.0.
    ThinkingTextMessageEnd = "THINKING_TEXT_MESSAGE_END" {}
    /// [`EventKind::ReasoningEnd`], from a server before AG-UI 1.0.
    ThinkingEnd = "THINKING_END" {}
}
