//! The beginning of a graph's run: its input, made of an AG-UI client's request.

use std::collections::{HashMap, HashSet};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::encoder::interrupt_form::cancelled;
use super::encoder::{is_private, json_of, name_of, sentence};
use super::message::to_ag_ui;
use super::run_input::RunAgentInput;
use crate::graph::{Interrupt, KnownThread, Resume};
use crate::merge_state::{Compat, langgraph_default_merge_state};
use crate::message::{Ids, Read, is_on_screen, read};
use crate::stream::StreamError;
use crate::typed::{Message, State};
use crate::value::{Json, Kind, Value};

/// How a run begins.
pub(super) enum RunStart<U> {
    /// With new input.
    Input(U),
    /// With answers, or where the thread stopped.
    Resume(Resume),
}

/// A thread as a run finds it.
pub(super) struct Found {
    /// The state, with what a step that did not end has written.
    pub state: Json,
    /// The state without that: new input begins there.
    pub at_checkpoint: Json,
    pub interrupts: Vec<Interrupt>,
    /// Answers that nodes have failed with.
    pub given: Vec<(String, serde_json::Value)>,
    /// Whether its last run did not end.
    pub is_unfinished: bool,
}

impl Found {
    pub fn of<S: Serialize>(known: &KnownThread<S>) -> Result<Self, StreamError> {
        Ok(Self {
            state: json_of(&known.outcome.state)?,
            at_checkpoint: json_of(&known.at_checkpoint)?,
            interrupts: known.outcome.interrupts.clone(),
            given: known.given.clone(),
            is_unfinished: !known.outcome.is_ended(),
        })
    }
}

/// The error for an answer to what the thread does not ask.
pub(super) const NO_QUESTION: &str = "NO_QUESTION";

/// Returns how a run begins. Answers resume the thread. Otherwise the input is what is new: the
/// messages that the thread lacks, and the fields in which the client differs. If the client sends the
/// user's last message again, everything after it is removed. The thread continues if its last run did
/// not end and nothing is new.
pub(super) fn run_start<S>(
    input: &RunAgentInput,
    found: Option<&Found>,
) -> Result<RunStart<S::Update>, StreamError>
where
    S: State<Update: DeserializeOwned> + Default + Serialize,
{
    if let Some(start) = answered(input, found)? {
        check_alone(input, found.map_or(&Json::NULL, |found| &found.state["messages"]))?;
        return Ok(RunStart::Resume(start));
    }
    let fields = json_of(&S::default())?;
    let null = Json::NULL;
    let (known, at) = found.map_or((&null, &null), |found| (&found.state, &found.at_checkpoint));
    let is_unfinished = found.is_some_and(|found| found.is_unfinished);
    let is_news = !is_unfinished || brings_news(input, &known["messages"]);
    if !is_news && own_fields(input, &fields, known).next().is_none() {
        return Ok(RunStart::Resume(Resume::GoOn));
    }
    let kept = if at["messages"].is_null() { Json::array([]) } else { at["messages"].clone() };
    let sent: Json = input.messages.iter().filter(|it| is_said(it)).cloned().collect();
    let tools_and_context = Json::from([
        ("tools", Json::from(input.tools.clone())),
        ("context", Json::from(input.context.clone())),
    ]);
    let state = Json::from([("messages", kept)]);
    let merged = langgraph_default_merge_state(state, sent, tools_and_context, Compat::Current)
        .map_err(|error| StreamError::of("RunAgentInput", error))?;
    let has = |name: &str| fields.get(name).is_some();
    let own = own_fields(input, &fields, at).filter(|(name, _)| merged.get(name).is_none());
    let known = merged.entries().filter(|(name, _)| *name != "messages" && has(name));
    let mut update: Json =
        own.chain(known).map(|(name, value)| (name.to_owned(), value.clone())).collect();
    if has("messages") {
        let messages = undone(&at["messages"], &input.messages);
        let messages = messages.into_iter().chain(merged["messages"].iter().cloned()).collect();
        update = update.with("messages", messages);
    }
    Ok(RunStart::Input(updated::<S>(&update)?))
}

/// Reads an update of a state. An error names the first field that does not fit.
fn updated<S: State<Update: DeserializeOwned>>(update: &Json) -> Result<S::Update, StreamError> {
    let read = |update: &Json| <S::Update as serde::Deserialize>::deserialize(update);
    let error = match read(update) {
        Ok(update) => return Ok(update),
        Err(error) => error,
    };
    let alone = |(name, value): (&str, &Json)| {
        let error = read(&Json::from([(name.to_owned(), value.clone())])).err()?;
        Some((format!("field `{name}` of the state"), error))
    };
    let found = update.entries().find_map(alone);
    let (what, error) = found.unwrap_or_else(|| ("state".to_owned(), error));
    let reason = format!("Invalid {what} `{}`: {}", name_of::<S>(), sentence(&error));
    Err(StreamError::new("INVALID_ARGUMENT", "RunAgentInput", reason))
}

/// The fields of the client's state that the graph has and the thread has otherwise.
fn own_fields<'i>(
    input: &'i RunAgentInput,
    fields: &'i Json,
    known: &'i Json,
) -> impl Iterator<Item = (&'i str, &'i Json)> {
    input.state.entries().filter(move |(name, value)| {
        *name != "messages"
            && !is_private(name)
            && fields.get(name).is_some()
            && known.get(name) != Some(value)
    })
}

/// The answers to what the thread asks; none if the client sends none.
pub(super) fn answered(
    input: &RunAgentInput,
    found: Option<&Found>,
) -> Result<Option<Resume>, StreamError> {
    let legacy = &input.forwarded_props["command"]["resume"];
    if input.resume.is_empty() && legacy.is_null() {
        return Ok(None);
    }
    let Some(Found { interrupts, .. }) = found else {
        let reason = "The thread has no question to answer: the graph does not know it.";
        return Err(StreamError::new(NO_QUESTION, "", reason));
    };
    if input.resume.is_empty() {
        let answer = match legacy.as_str().map(str::parse) {
            Some(Ok(parsed)) => parsed,
            _ => legacy.clone(),
        };
        return Ok(Some(Resume::Answer(plain(&answer)?)));
    }
    let (mut answers, mut given) = (Vec::new(), HashMap::new());
    for answer in &input.resume {
        let id = &answer.interrupt_id;
        if given.insert(id.as_str(), answer).is_some_and(|before| before != answer) {
            let reason = format!("Two answers to {}. Send one.", Json::from(id.as_str()));
            return Err(StreamError::new("INVALID_ARGUMENT", "RunAgentInput", reason));
        }
        let asked = interrupts.iter().find(|asked| asked.id == *id);
        match asked {
            Some(asked) if answer.cancelled => answers.push((id.clone(), cancelled(asked))),
            Some(_) => {
                let payload = answer.payload.clone().unwrap_or_default();
                answers.push((id.clone(), plain(&payload)?));
            }
            // The question is not open: a cancelled one is asked again.
            None if answer.cancelled => {}
            None => {
                let id = Json::from(id.as_str());
                let reason = format!("The thread does not ask {id}.");
                return Err(StreamError::new(NO_QUESTION, "", reason));
            }
        }
    }
    Ok(Some(if answers.is_empty() { Resume::GoOn } else { Resume::Answers(answers) }))
}

/// Refuses a new user message beside answers: the graph continues with the answers alone.
fn check_alone(input: &RunAgentInput, known: &Json) -> Result<(), StreamError> {
    if known.kind() != Kind::Array {
        return Ok(());
    }
    let has: HashSet<&str> = known.iter().filter_map(|it| it["id"].as_str()).collect();
    let is_known = |message: &&Json| message["id"].as_str().is_some_and(|id| has.contains(id));
    // Before one that the thread has, it was removed there.
    let new = input.messages.iter().rev().take_while(|it| !is_known(it));
    let Some(message) = new.filter(|it| it["role"].as_str() == Some("user")).last() else {
        return Ok(());
    };
    let id = &message["id"];
    let reason = format!(
        "`resume` comes with the new message {id}, which this run would not see. Send the answers \
         alone, and the message in the next run."
    );
    Err(StreamError::new("INVALID_ARGUMENT", "RunAgentInput", reason))
}

fn plain(value: &Json) -> Result<serde_json::Value, StreamError> {
    value.try_into().map_err(|error: serde_json::Error| {
        let reason = format!("Invalid answer: {}", sentence(&error));
        StreamError::new("INVALID_ARGUMENT", "RunAgentInput", reason)
    })
}

/// Whether the client sends something that the thread lacks, or the user's last message again. Output
/// of a failed step does not count as new: that step runs again.
fn brings_news(input: &RunAgentInput, known: &Json) -> bool {
    let sent = &input.messages;
    if sent.last().is_some_and(|last| last["role"].as_str() == Some("user")) {
        return true;
    }
    let has: HashSet<&str> = known.iter().filter_map(|it| it["id"].as_str()).collect();
    let names: HashSet<&str> = input.tools.iter().filter_map(|it| it["name"].as_str()).collect();
    let sent_calls = sent.iter().flat_map(|it| it["toolCalls"].iter());
    let sent_calls = sent_calls.map(|call| (&call["id"], &call["function"]["name"]));
    let known_calls = known.iter().flat_map(|it| it["tool_calls"].iter());
    let known_calls = known_calls.map(|call| (&call["id"], &call["name"]));
    let of_page: HashSet<&str> = sent_calls
        .chain(known_calls)
        .filter(|(_, name)| name.as_str().is_some_and(|name| names.contains(name)))
        .filter_map(|(id, _)| id.as_str())
        .collect();
    let is_news = |message: &Json| match message["role"].as_str() {
        Some("tool") => message["toolCallId"].as_str().is_some_and(|id| of_page.contains(id)),
        role => role != Some("assistant"),
    };
    sent.iter().any(|message| {
        let is_known = message["id"].as_str().is_some_and(|id| has.contains(id));
        !is_known && is_said(message) && is_news(message)
    })
}

/// Removes everything after a user message that the client sends again, or edited, as the last one that
/// the thread knows.
fn undone(known: &Json, sent: &[Json]) -> Vec<Json> {
    let places: HashMap<&str, usize> =
        known.iter().enumerate().filter_map(|(at, it)| Some((it["id"].as_str()?, at))).collect();
    let place = |message: &Json| message["id"].as_str().and_then(|id| places.get(id)).copied();
    let last = sent.iter().enumerate().rev().find_map(|(at, it)| Some((at, it, place(it)?)));
    let Some((at, last, place)) = last else { return Vec::new() };
    if last["role"].as_str() != Some("user") {
        return Vec::new();
    }
    let said = langchain(last);
    let was = &known[place]["content"];
    let is_edited = said["content"] != *was;
    let are_texts = said["content"].as_str().is_some() && was.as_str().is_some();
    // Before another message only a text is known to be edited: what else it has may come back in
    // another form.
    if at + 1 < sent.len() && !(is_edited && are_texts) {
        return Vec::new();
    }
    let kept: HashSet<&str> = sent.iter().filter_map(|it| it["id"].as_str()).collect();
    let after = known.iter().skip(place + 1).filter_map(|it| it["id"].as_str());
    let gone = after.filter(|id| !kept.contains(id));
    let gone = gone.map(|id| Json::from([("type", "remove".into()), ("id", id.into())]));
    is_edited.then_some(said).into_iter().chain(gone).collect()
}

/// A message as the state would have it; as it is, if the crate cannot read it.
pub(super) fn langchain(message: &Json) -> Json {
    let read: Result<Message, _> = serde::Deserialize::deserialize(message);
    read.ok().and_then(|message| json_of(&message).ok()).unwrap_or_else(|| message.clone())
}

/// Reasoning and activities are for the screen.
pub(super) fn is_said(message: &Json) -> bool {
    !message["role"].as_str().is_some_and(is_on_screen)
}

/// Whether a list of messages would take this for a removal.
fn is_removal(message: &Json) -> bool {
    matches!(read(message, Ids::Keep), Ok(Read::Remove(_)))
}

/// Checks what every run needs: a thread, a run, and messages with ids that remove none.
pub(super) fn check(input: &RunAgentInput) -> Result<(), StreamError> {
    for (name, id) in [("threadId", &input.thread_id), ("runId", &input.run_id)] {
        if id.is_empty() {
            return Err(StreamError::field_of("RunAgentInput", name, "a string that is not empty"));
        }
    }
    if !matches!(input.state.kind(), Kind::Object | Kind::Null) {
        return Err(StreamError::field_of("RunAgentInput", "state", "an object of fields"));
    }
    for message in &input.messages {
        let is_named = message["id"].as_str().is_some_and(|id| !id.is_empty());
        if !is_named || to_ag_ui(message).is_err() || is_removal(message) {
            let expected = "messages with ids, and no removals";
            return Err(StreamError::field_of("RunAgentInput", "messages", expected));
        }
    }
    Ok(())
}
