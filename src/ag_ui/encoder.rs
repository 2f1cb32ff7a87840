//! A graph's run as AG-UI's events.

use std::collections::HashSet;
use std::sync::Arc;

use indexmap::IndexMap;
use serde::Serialize;

use super::event::{Event, EventKind, RunFinishedOutcome};
use super::run_input::RunAgentInput;
use crate::graph::{Interrupt, Outcome, RunPart, TaskName};
use crate::stream::StreamError;
use crate::typed::State;
use crate::value::{Json, Value};

mod chunk_form;
mod inside_told;
pub(super) mod interrupt_form;
mod json_form;
mod open_message;
mod patch_between;
mod told_messages;
mod told_state;

use chunk_form::{chunk, is_message};
use interrupt_form::{OPEN_INTERRUPTS, interrupt};
pub(super) use json_form::{is_private, json_of, name_of, sentence, shown};
use told_messages::ToldMessages;
pub(super) use told_messages::ag_ui_messages;
use told_state::ToldState;

/// Encodes a graph's run as AG-UI's events, as `serveAgUi` of the npm package does.
///
/// It does no input or output: give it the [parts](crate::graph::Running::parts) of the run, and send
/// the events that it returns. [`Service`](super::Service) does so.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use threadfold::State;
/// use threadfold::ag_ui::RunAgentInput;
/// use threadfold::graph::{BoxError, Ctx, START, StateGraph};
/// use threadfold::unstable::RunEncoder;
///
/// #[derive(Debug, Clone, Default, Serialize, Deserialize, State)]
/// #[state(derive(Clone, Serialize, Deserialize))]
/// struct Mood {
///     mood: String,
/// }
///
/// async fn feel(_: &Mood, _: Ctx) -> Result<MoodUpdate, BoxError> {
///     Ok(MoodUpdate { mood: Some("good".into()) })
/// }
///
/// # async fn run() -> Result<(), BoxError> {
/// let graph = StateGraph::<Mood>::new().node("feel", feel).edge(START, "feel").compile()?;
/// let mut encoder = RunEncoder::new(&RunAgentInput::new("t", "r"));
/// let mut parts = graph.stream(Mood::default()).parts();
/// let mut events = vec![encoder.start()];
/// while let Some(part) = parts.next().await {
///     events.extend(encoder.part(&part)?);
/// }
/// events.extend(encoder.finish());
/// let types: Vec<_> = events.iter().map(|event| event.event_type()).collect();
/// let step = ["STEP_STARTED", "STEP_FINISHED", "STATE_SNAPSHOT", "RUN_FINISHED"];
/// assert_eq!(types, [&["RUN_STARTED"][..], &step].concat());
/// # Ok(())
/// # }
/// # let mut run = Box::pin(run());
/// # let waker = std::task::Waker::noop();
/// # assert!(run.as_mut().poll(&mut std::task::Context::from_waker(waker)).is_ready());
/// ```
#[derive(Debug)]
pub struct RunEncoder {
    thread_id: String,
    run_id: String,
    parent_run_id: Option<String>,
    messages: ToldMessages,
    state: ToldState,
    /// The nodes at work, and how many tasks of each.
    steps: IndexMap<Arc<str>, usize>,
    /// The open interrupts by their ids.
    asked: IndexMap<String, Interrupt>,
    /// The ids of messages that were streamed, or need not be.
    seen: HashSet<String>,
    /// The tasks that have run a graph inside.
    around: HashSet<TaskName>,
    /// The state at the start of the run, until the first node begins.
    first: Option<Json>,
    /// Whether the nodes of the step have written nothing: its state is then not streamed.
    is_quiet: Option<bool>,
}

impl RunEncoder {
    /// Makes the encoder of a run with this input.
    #[must_use]
    pub fn new(input: &RunAgentInput) -> Self {
        let known = input.messages.iter().filter_map(|message| message["id"].as_str());
        Self {
            thread_id: input.thread_id.clone(),
            run_id: input.run_id.clone(),
            parent_run_id: input.parent_run_id.clone(),
            messages: ToldMessages::new(known),
            state: ToldState::default(),
            steps: IndexMap::new(),
            asked: IndexMap::new(),
            seen: HashSet::new(),
            around: HashSet::new(),
            first: Some(Json::NULL),
            is_quiet: None,
        }
    }

    /// Returns the event that begins the run.
    #[must_use]
    pub fn start(&self) -> Event {
        EventKind::RunStarted {
            thread_id: Some(self.thread_id.clone()),
            run_id: self.run_id.clone(),
            protocol_version: Some("1.0".into()),
            parent_run_id: self.parent_run_id.clone(),
            input: None,
        }
        .into()
    }

    /// Returns the events for a part of the run. A state is compared with the one before as a whole:
    /// that costs a look at each of its messages.
    ///
    /// # Errors
    /// `INVALID_STATE` for a state or an update that serde cannot write.
    pub fn part<S>(&mut self, part: &RunPart<S>) -> Result<Vec<Event>, StreamError>
    where
        S: State<Update: Serialize> + Serialize,
    {
        let mut events = Vec::new();
        match part {
            // A node that is still at work here had returned in an earlier run.
            RunPart::Values(_) if self.is_quiet.take() == Some(true) && self.steps.is_empty() => {}
            RunPart::Values(state) => self.values(&json_of(state)?, &mut events),
            RunPart::Started(task) => self.started(task, &mut events),
            RunPart::Message(task, sent) => {
                self.seen.insert(sent.id.clone());
                self.messages.part(&chunk(sent), true, task, &mut events);
            }
            RunPart::Custom(_, value) => events.push(custom(value.clone().into())),
            RunPart::Inside(task, update) => self.inside(task, &update.clone().into(), &mut events),
            RunPart::Finished(task, update) => {
                let update = update.as_ref().map(json_of).transpose()?;
                self.finished(task, update.as_ref(), &mut events);
            }
            RunPart::Asked(task, asked) => {
                self.asked.insert(asked.id.clone(), asked.clone());
                self.messages.end(Some(task), &Json::NULL, &mut events);
                self.step_over(task, &mut events);
            }
            RunPart::Retried(task) => self.messages.retried(task, &mut events),
            // Its message does not end: a client does not keep the half.
            RunPart::Failed(task) => self.step_over(task, &mut events),
        }
        Ok(events)
    }

    /// Returns the events that end a run that has finished, or waits for answers.
    #[must_use]
    pub fn finish(&mut self) -> Vec<Event> {
        let interrupts: Vec<Json> = self.asked.values().map(interrupt).collect();
        let outcome =
            (!interrupts.is_empty()).then_some(RunFinishedOutcome::Interrupt { interrupts });
        self.end(outcome)
    }

    /// Returns the events that end a run that was stopped.
    #[must_use]
    pub fn cancel(&mut self) -> Vec<Event> {
        self.end(Some(RunFinishedOutcome::Cancelled))
    }

    fn end(&mut self, outcome: Option<RunFinishedOutcome>) -> Vec<Event> {
        let mut events = Vec::new();
        for (step_name, _) in std::mem::take(&mut self.steps) {
            events.push(EventKind::StepFinished { step_name: step_name.to_string() }.into());
        }
        self.messages.finish(&mut events);
        for asked in self.asked.values() {
            let text = asked.value.as_str().map(str::to_owned);
            let value = Some(text.unwrap_or_else(|| asked.value.to_string()).into());
            events.push(EventKind::Custom { name: "on_interrupt".into(), value }.into());
        }
        let (thread_id, run_id) = (Some(self.thread_id.clone()), Some(self.run_id.clone()));
        events.push(EventKind::RunFinished { thread_id, run_id, result: None, outcome }.into());
        events
    }

    /// Returns the events that end a run that failed. `open` are the questions that the thread still
    /// asks.
    #[must_use]
    pub fn fail(&self, message: &str, code: &str, open: &[Interrupt]) -> Vec<Event> {
        let mut events: Vec<Event> = Vec::new();
        if !open.is_empty() {
            let value = Some(open.iter().map(interrupt).collect());
            events.push(EventKind::Custom { name: OPEN_INTERRUPTS.into(), value }.into());
        }
        let (message, code) = (message.to_owned(), Some(code.to_owned()));
        events.push(EventKind::RunError { message, code }.into());
        events
    }

    /// Returns the events for the state of a run that ended before.
    pub(super) fn stands<S: Serialize>(
        &mut self,
        outcome: &Outcome<S>,
    ) -> Result<Vec<Event>, StreamError> {
        let mut events = Vec::new();
        self.values(&json_of(&outcome.state)?, &mut events);
        for asked in &outcome.interrupts {
            self.asked.insert(asked.id.clone(), asked.clone());
        }
        Ok(events)
    }

    fn values(&mut self, state: &Json, events: &mut Vec<Event>) {
        if let Some(first) = &mut self.first {
            *first = state.clone();
        }
        events.extend(self.state.tell(shown(state)));
        self.messages.list(&state["messages"], events);
    }

    /// A step is a node at work; several tasks of one node are one step.
    fn started(&mut self, task: &TaskName, events: &mut Vec<Event>) {
        // The run's first messages are not streamed if a node writes them again.
        if let Some(first) = self.first.take() {
            for (_, list) in first.entries() {
                let messages = list.iter().filter(|message| is_message(message));
                self.seen.extend(messages.filter_map(|it| it["id"].as_str()).map(str::to_owned));
            }
        }
        let count = self.steps.entry(task.node.clone()).or_default();
        *count += 1;
        if *count == 1 {
            events.push(EventKind::StepStarted { step_name: task.node.to_string() }.into());
        }
    }

    fn finished(&mut self, task: &TaskName, update: Option<&Json>, events: &mut Vec<Event>) {
        let update = update.unwrap_or(&Json::NULL);
        let is_empty = update.entries().all(|(_, value)| value.is_null());
        self.is_quiet = Some(is_empty && self.is_quiet != Some(false));
        if self.around.remove(task) {
            self.skip_earlier(update);
        }
        self.written(task, update, events);
        self.messages.end(Some(task), &update["messages"], events);
        self.messages.returned(task);
        self.step_over(task, events);
    }

    /// A node of a graph inside has returned: its messages are whole.
    fn inside(&mut self, task: &TaskName, update: &Json, events: &mut Vec<Event>) {
        self.written(task, update, events);
        self.around.insert(task.clone());
        self.messages.end_whole(&update["messages"], events);
        self.messages.keep_inside(task, &update["messages"]);
    }

    /// Skips the messages that a graph inside has made in an earlier run. Streamed now, a call would
    /// follow its result; the list has both in their places.
    fn skip_earlier(&mut self, update: &Json) {
        for (_, value) in update.entries() {
            let ids: Vec<&str> =
                value.iter().filter_map(|message| message["id"].as_str()).collect();
            let last = ids.iter().rposition(|id| self.seen.contains(*id)).unwrap_or_default();
            self.seen.extend(ids.into_iter().take(last).map(str::to_owned));
        }
    }

    /// Streams the messages in an update that were not streamed.
    fn written(&mut self, task: &TaskName, update: &Json, events: &mut Vec<Event>) {
        for (_, value) in update.entries() {
            let own = std::slice::from_ref(value).iter();
            for message in own.chain(value.iter()).filter(|message| is_message(message)) {
                let id = message["id"].as_str();
                if id.is_none_or(|id| self.seen.insert(id.to_owned())) {
                    self.messages.part(message, false, task, events);
                }
            }
        }
    }

    fn step_over(&mut self, task: &TaskName, events: &mut Vec<Event>) {
        let Some(count) = self.steps.get_mut(&task.node) else { return };
        *count -= 1;
        if *count == 0 {
            self.steps.shift_remove(&task.node);
            events.push(EventKind::StepFinished { step_name: task.node.to_string() }.into());
        }
    }
}

/// A value that a node sends: `{ name, value }` becomes an event of that name.
fn custom(sent: Json) -> Event {
    let named = sent["name"].as_str().zip(sent.get("value"));
    let (name, value) = match named.filter(|_| sent.entries().count() == 2) {
        Some((name, value)) => (name.to_owned(), value.clone()),
        None => ("custom".to_owned(), sent),
    };
    EventKind::Custom { name, value: Some(value) }.into()
}
