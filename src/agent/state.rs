//! The state of an agent, and its updates.

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

use super::route::Jump;
use crate::reducer::{AddMessages, MergeFiles, ReplaceTodos};
use crate::typed::{Message, MessageList, State, ToolCall};
use crate::value::Json;

/// The state of an agent: its messages, todos and files, and the fields of its middlewares.
///
/// A field besides these is in `fields`, under its name. An update replaces it.
#[derive(Debug, Clone, Default, PartialEq, crate::State)]
#[state(crate = crate, update = AgentUpdate, derive(Debug, Clone, PartialEq))]
#[non_exhaustive]
pub struct AgentState {
    /// The conversation.
    #[reducer(AddMessages)]
    #[update(Vec<Message>)]
    pub messages: MessageList<Message>,
    /// The list of `write_todos`: `{ content, status }`.
    #[reducer(ReplaceTodos)]
    pub todos: Value,
    /// Files by their paths: `{ content, encoding, created_at, modified_at }`. In an update, null
    /// removes one.
    #[reducer(MergeFiles)]
    pub files: Json,
    /// The answer in the form of the agent's [`ResponseFormat`](super::ResponseFormat); null if it has
    /// none.
    pub structured_response: Value,
    /// Every other field. Sub-agents share those that have no `_` in front.
    #[reducer(laid_over)]
    #[state(name = "")]
    pub fields: Map<String, Value>,
    /// Where a middleware wants to go after this step.
    #[state(name = "jump_to")]
    pub(super) jump: Option<Jump>,
    /// The call that a task of the node `tools` runs.
    #[state(name = "tool_call")]
    pub(super) call: Option<ToolCall>,
}

fn laid_over(mut fields: Map<String, Value>, mut more: Map<String, Value>) -> Map<String, Value> {
    fields.append(&mut more);
    fields
}

/// A text, a message or several are an update of the messages:
///
/// ```
/// use threadfold::{Message, State};
/// use threadfold::agent::{AgentState, AgentUpdate};
///
/// let state = AgentState::default().merge("What is 2 + 2?".into());
/// let state = state.merge(Message::assistant("4").into());
/// assert_eq!(state.messages.len(), 2);
/// let state = state.merge(AgentUpdate::default().with_field("mood", "good"));
/// assert_eq!(state.fields["mood"], "good");
/// ```
impl AgentUpdate {
    /// Makes an update of these messages.
    pub fn of_messages(messages: impl IntoIterator<Item = Message>) -> Self {
        Self { messages: Some(messages.into_iter().collect()), ..Self::default() }
    }

    /// Returns this update with a field besides the messages, todos and files.
    #[must_use]
    pub fn with_field(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.fields.get_or_insert_default().insert(name.into(), value.into());
        self
    }

    /// Returns this update with the place to go next. The [hook](super::Hook) must allow it.
    #[must_use]
    pub fn jump_to(mut self, jump: Jump) -> Self {
        self.jump = Some(Some(jump));
        self
    }

    /// Returns this update of a node, which jumps only if it says so.
    pub(super) fn of_node(mut self) -> Self {
        self.jump.get_or_insert(None);
        self
    }
}

impl From<Vec<Message>> for AgentUpdate {
    fn from(messages: Vec<Message>) -> Self {
        Self::of_messages(messages)
    }
}

impl From<Message> for AgentUpdate {
    fn from(message: Message) -> Self {
        Self::of_messages([message])
    }
}

impl From<&str> for AgentUpdate {
    fn from(text: &str) -> Self {
        Message::user(text).into()
    }
}

impl From<String> for AgentUpdate {
    fn from(text: String) -> Self {
        Message::user(text).into()
    }
}

/// A jump, as LangChain names it.
const fn name_of(jump: Jump) -> &'static str {
    match jump {
        Jump::Model => "model",
        Jump::Tools => "tools",
        Jump::End => "end",
    }
}

fn jump_of(name: &str) -> Option<Jump> {
    [Jump::Model, Jump::Tools, Jump::End].into_iter().find(|jump| name_of(*jump) == name)
}

const MESSAGES: &str = "messages";
const TODOS: &str = "todos";
const FILES: &str = "files";
const STRUCTURED: &str = "structured_response";
const JUMP: &str = "jump_to";
const CALL: &str = "tool_call";

/// Writes an object of all fields, as LangGraph has it.
impl Serialize for AgentState {
    fn serialize<Out: Serializer>(&self, serializer: Out) -> Result<Out::Ok, Out::Error> {
        let Self { messages, todos, files, structured_response, fields, jump, call } = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry(MESSAGES, messages)?;
        entry(&mut map, TODOS, Some(todos).filter(|todos| !todos.is_null()))?;
        entry(&mut map, FILES, Some(files).filter(|files| !files.is_null()))?;
        let structured = Some(structured_response).filter(|structured| !structured.is_null());
        entry(&mut map, STRUCTURED, structured)?;
        entry(&mut map, JUMP, jump.map(name_of).as_ref())?;
        entry(&mut map, CALL, call.as_ref())?;
        rest(map, fields)
    }
}

impl Serialize for AgentUpdate {
    fn serialize<Out: Serializer>(&self, serializer: Out) -> Result<Out::Ok, Out::Error> {
        let Self { messages, todos, files, structured_response, fields, jump, call } = self;
        let mut map = serializer.serialize_map(None)?;
        entry(&mut map, MESSAGES, messages.as_ref())?;
        entry(&mut map, TODOS, todos.as_ref().filter(|todos| !todos.is_null()))?;
        entry(&mut map, FILES, files.as_ref().filter(|files| !files.is_null()))?;
        entry(&mut map, STRUCTURED, structured_response.as_ref())?;
        // "" stands for no jump.
        entry(&mut map, JUMP, jump.map(|jump| jump.map_or("", name_of)).as_ref())?;
        entry(&mut map, CALL, call.as_ref().and_then(Option::as_ref))?;
        rest(map, fields.as_ref().unwrap_or(&Map::new()))
    }
}

/// Writes a field that has a value.
fn entry<Out: SerializeMap>(
    map: &mut Out,
    name: &str,
    value: Option<&impl Serialize>,
) -> Result<(), Out::Error> {
    value.map_or(Ok(()), |value| map.serialize_entry(name, value))
}

/// Writes the other fields, and ends the object.
fn rest<Out: SerializeMap>(
    mut map: Out,
    fields: &Map<String, Value>,
) -> Result<Out::Ok, Out::Error> {
    for (name, value) in fields {
        map.serialize_entry(name, value)?;
    }
    map.end()
}

impl<'de> Deserialize<'de> for AgentState {
    fn deserialize<In: Deserializer<'de>>(deserializer: In) -> Result<Self, In::Error> {
        let update = AgentUpdate::deserialize(deserializer)?;
        Self::default().try_merge(update).map_err(In::Error::custom)
    }
}

impl<'de> Deserialize<'de> for AgentUpdate {
    fn deserialize<In: Deserializer<'de>>(deserializer: In) -> Result<Self, In::Error> {
        let mut fields = Map::deserialize(deserializer)?;
        let mut taken = |name| fields.remove(name);
        let messages = taken(MESSAGES).map(Vec::deserialize).transpose();
        let call = taken(CALL).map(ToolCall::deserialize).transpose();
        let jump = taken(JUMP).and_then(|jump| jump.as_str().map(jump_of));
        let (todos, files, structured_response) = (taken(TODOS), taken(FILES), taken(STRUCTURED));
        Ok(Self {
            messages: messages.map_err(In::Error::custom)?,
            todos,
            files: files.map(Json::from),
            structured_response,
            fields: Some(fields).filter(|fields| !fields.is_empty()),
            jump,
            call: call.map_err(In::Error::custom)?.map(Some),
        })
    }
}
