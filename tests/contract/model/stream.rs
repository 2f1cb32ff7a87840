//! The rules about a run's stream: which starts join a run (6), which part counts (6), the run's
//! status (12), and the server's values (13).

use super::state::{Field, Local, State, field};
use super::{Model, Run};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunStatus {
    #[default]
    Ready,
    Submitted,
    Streaming,
    Interrupted,
    Error,
    Disconnected,
}

/// The model's view of the stream.
#[derive(Clone, Debug, Default)]
pub struct Stream {
    pub status: RunStatus,
    /// Whether the last run waits for answers that nobody may have given.
    pub interrupts: bool,
    pub last_event_id: Option<String>,
    /// The keys of the run's parts.
    parts: Vec<String>,
    /// The values that the server sent, or accepted.
    pub said: State,
    /// The fields that were changed here since the run began.
    here: Vec<&'static str>,
}

/// How many of a run's last parts are remembered.
const REMEMBERED: usize = 256;

impl Model {
    // -- 6. Joining a run, and the parts that count. --

    /// Takes a run's start, which may be a part of the stream.
    pub fn start(&mut self, id: Option<&str>, joined: Option<bool>, part: Option<&str>) {
        let open = self.run.as_ref().is_some_and(|run| run.active);
        let last = self.run.as_ref().and_then(|run| run.id.clone());
        let is_last = id.is_some() && last.as_deref() == id && joined != Some(false);
        if is_last && part.is_some_and(|part| self.had(part)) {
            self.connects();
            return;
        }
        let names = open && last.is_none() && id.is_some() && joined != Some(false);
        if !names {
            self.stream.parts.clear();
            self.stream.last_event_id = None;
        }
        part.into_iter().for_each(|part| self.had_part(part));
        // The start of another run may be the caller's own.
        self.stream.status = RunStatus::Streaming;
        if id.is_some() {
            self.stream.interrupts = false;
        }
        let save_point = self.run.as_ref().is_some_and(|run| run.start.is_some());
        if names {
            self.run.as_mut().unwrap().id = id.map(ToOwned::to_owned);
        } else if is_last && save_point && joined.unwrap_or(open) {
            self.replay();
            self.stream.said = self.run.as_ref().unwrap().said.clone();
        } else {
            self.run_starts(id);
            self.stream.status = RunStatus::Submitted;
            self.stream.here.clear();
            let said = self.stream.said.clone();
            self.run.as_mut().unwrap().said = said;
        }
    }

    /// Takes a part; returns whether it counts.
    pub fn part(&mut self, part: &str) -> bool {
        if self.had(part) {
            return false;
        }
        // A run that was joined midway.
        if self.run.is_none() && self.stream.status == RunStatus::Ready {
            self.stream.status = RunStatus::Streaming;
        }
        self.had_part(part);
        true
    }

    fn had(&self, part: &str) -> bool {
        self.stream.parts.iter().rev().take(REMEMBERED).any(|one| one == part)
    }

    fn had_part(&mut self, part: &str) {
        self.stream.parts.push(part.to_owned());
        self.stream.last_event_id = Some(part.to_owned());
    }

    // -- 12. The last run's status. --

    pub fn run_id(&self) -> Option<&str> {
        self.run.as_ref()?.id.as_deref()
    }

    /// Returns the predicted view if the server's snapshot contradicts it.
    pub fn finishes(&mut self, interrupts: bool, stopped: bool) -> Option<State> {
        let predicted = self.run_ends();
        self.run.get_or_insert_with(Run::unseen);
        self.stream.interrupts = interrupts;
        self.stream.status = if interrupts { RunStatus::Interrupted } else { RunStatus::Ready };
        self.took(stopped);
        predicted
    }

    pub fn fails(&mut self) {
        self.run_fails();
        self.run.get_or_insert_with(Run::unseen);
        self.stream.status = RunStatus::Error;
    }

    pub fn connects(&mut self) {
        if matches!(self.stream.status, RunStatus::Submitted | RunStatus::Disconnected) {
            self.stream.status = RunStatus::Streaming;
        }
    }

    /// The connection breaks; a reload breaks it, too.
    pub fn disconnects(&mut self) {
        if matches!(self.stream.status, RunStatus::Submitted | RunStatus::Streaming) {
            self.stream.status = RunStatus::Disconnected;
        }
    }

    // -- 13. The server's values. --

    pub fn server_says(&mut self, keys: &[&str]) {
        for key in keys {
            let now = field(&self.confirmed, key).clone();
            *said_of(&mut self.stream.said, key) = now;
        }
    }

    pub fn server_says_messages(&mut self) {
        self.stream.said.messages.clone_from(&self.confirmed.messages);
    }

    /// A run took all that was not changed here.
    fn took(&mut self, stopped: bool) {
        if !stopped && !self.stream.here.contains(&"messages") {
            self.server_says_messages();
        }
        for key in ["topic", "log"] {
            if !self.stream.here.contains(&key) {
                self.server_says(&[key]);
            }
        }
    }

    pub(super) fn changed_here(&mut self, local: &Local) {
        if !local.messages.is_empty() {
            self.stream.here.push("messages");
        }
        self.stream.here.extend(local.fields.iter().map(|write| write.key));
    }

    /// Folds a node's update of the log.
    pub fn node_log(&mut self, value: &str) {
        self.confirmed.log.get_or_insert_default().push(value.to_owned());
        self.server_says(&["log"]);
    }
}

fn said_of<'a>(state: &'a mut State, key: &str) -> &'a mut Field {
    if key == "topic" { &mut state.topic } else { &mut state.log }
}
