//! The last run's status, and how far its stream has come.

use std::fmt;

use super::Thread;
use super::object::with;
use super::run::Starts;
use crate::value::{Holds, Kind, Value};

/// The last run's status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunStatus {
    /// The run ended well, or there was none.
    Ready,
    /// The run is requested, and the server has not been heard.
    Submitted,
    /// The server has begun the run.
    Streaming,
    /// The run waits for an answer.
    Interrupted,
    /// The run failed.
    Error,
    /// The connection broke, or the thread was recorded in mid-run: you can join the run.
    Disconnected,
}

/// Writes `ready`, `submitted`, `streaming`, `interrupted`, `error` or `disconnected`.
impl fmt::Display for RunStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl RunStatus {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Submitted => "submitted",
            Self::Streaming => "streaming",
            Self::Interrupted => "interrupted",
            Self::Error => "error",
            Self::Disconnected => "disconnected",
        }
    }

    /// Whether a run with this status has not ended.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, Self::Submitted | Self::Streaming | Self::Disconnected)
    }
}

/// The last run's state, as [`Thread::run`] returns it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RunState<V> {
    /// The run's id, if it has one.
    pub id: Option<V>,
    /// Its status.
    pub status: RunStatus,
    /// Why it failed, or why the connection broke.
    pub error: Option<V>,
    /// The interrupts that it waits for. They are kept while the next run has no id yet, and when
    /// that run fails without one: the answers may not have arrived.
    pub interrupts: Option<V>,
    /// The id of the stream's last part: join the run after it.
    pub last_event_id: Option<V>,
}

pub(super) struct Standing<V> {
    pub status: RunStatus,
    error: Option<V>,
    interrupts: Option<V>,
    pub last_event_id: Option<V>,
    /// The last object returned, and whether it still holds.
    told: V,
    fresh: bool,
}

impl<V: Value> Standing<V> {
    pub(super) fn ready() -> Self {
        Self {
            status: RunStatus::Ready,
            error: None,
            interrupts: None,
            last_event_id: None,
            told: V::null(),
            fresh: false,
        }
    }

    /// Reads it from a record. A run that was under way is disconnected: its connection ended with
    /// the program that recorded it.
    pub(super) fn of(record: &V) -> Self {
        let mut own = Self::ready();
        let is_list = |list: &V| list.kind() == Kind::Array;
        let interrupts = record.get_owned("interrupts").filter(is_list);
        own.status = match record.text_of("status").as_deref() {
            Some("submitted" | "streaming" | "disconnected") => RunStatus::Disconnected,
            Some("error") => RunStatus::Error,
            Some("interrupted") if interrupts.is_some() => RunStatus::Interrupted,
            _ => RunStatus::Ready,
        };
        own.interrupts = interrupts.filter(|_| own.status != RunStatus::Ready);
        if matches!(own.status, RunStatus::Disconnected | RunStatus::Error) {
            own.error = record.get_owned("error");
        }
        let id = record.get_owned("lastEventId");
        own.last_event_id = id.filter(|id| id.kind() == Kind::String);
        own
    }

    /// Notes a change of the run's status.
    pub(super) fn set(&mut self, status: RunStatus, error: Option<V>) {
        (self.status, self.error, self.fresh) = (status, error, false);
    }

    /// Notes that a run begins: the last run's interrupts are settled once the next has an id. Only
    /// the start of another run may be the caller's own.
    pub(super) fn begin(&mut self, starts: Starts, has_id: bool) {
        let is_own = starts == Starts::Another;
        self.set(if is_own { RunStatus::Submitted } else { RunStatus::Streaming }, None);
        if has_id {
            self.interrupts = None;
        }
    }

    /// Notes the id of the stream's last part.
    pub(super) fn at(&mut self, id: Option<V>) {
        (self.last_event_id, self.fresh) = (id, false);
    }

    /// Notes that the run ended well, or waits for these.
    pub(super) fn finish(&mut self, interrupts: Option<V>) {
        self.interrupts = interrupts.filter(|list| list.kind() == Kind::Array && !list.is_empty());
        let status = match self.interrupts {
            Some(_) => RunStatus::Interrupted,
            None => RunStatus::Ready,
        };
        self.set(status, None);
    }
}

impl<V: Value> Thread<V> {
    /// Returns the last run's state.
    #[must_use]
    pub fn run(&self) -> RunState<V> {
        RunState {
            id: self.run_id().cloned(),
            status: self.standing.status,
            error: self.standing.error.clone(),
            interrupts: self.standing.interrupts.clone(),
            last_event_id: self.standing.last_event_id.clone(),
        }
    }

    pub(super) fn run_id(&self) -> Option<&V> {
        self.run.as_ref().and_then(|run| run.id.as_ref())
    }

    /// Whether the last run has this id.
    pub(super) fn is_run(&self, id: Option<&V>) -> bool {
        matches!((self.run_id(), id), (Some(last), Some(id)) if last.same(id))
    }

    /// Whether the last run has begun and not ended.
    pub(super) fn is_active(&self) -> bool {
        self.run.is_some() && self.standing.status.is_open()
    }

    /// Returns it as an object, `{ id?, status, error?, interrupts?, lastEventId? }`: the same one
    /// until it changes.
    pub(crate) fn run_object(&mut self) -> V {
        if !self.standing.fresh {
            let RunState { id, status, error, interrupts, last_event_id } = self.run();
            let run = with(V::object(), "id", id.as_ref());
            let run = run.with("status", V::string(status.name()));
            let run = with(with(run, "error", error.as_ref()), "interrupts", interrupts.as_ref());
            let run = with(run, "lastEventId", last_event_id.as_ref());
            // The caller may add to it in the same call, but only to a copy.
            let run = run.shared().reuse(&self.standing.told);
            if !V::intact() {
                // A read threw, and so does the call: the next one makes the object again.
                return run;
            }
            self.standing.told = run;
            self.standing.fresh = true;
        }
        self.standing.told.clone()
    }

    /// Something arrived: there is a connection.
    pub(super) fn connected(&mut self) {
        if matches!(self.standing.status, RunStatus::Submitted | RunStatus::Disconnected) {
            self.standing.set(RunStatus::Streaming, None);
        }
    }

    /// The connection broke. A run that has ended needs none.
    pub(super) fn disconnected(&mut self, error: Option<V>) {
        if self.standing.status.is_open() {
            self.standing.set(RunStatus::Disconnected, error);
        }
    }
}

impl<V: Value> Holds<V> for Standing<V> {
    fn held(&mut self, visit: &mut dyn FnMut(&mut V)) {
        let Self { status: _, error, interrupts, last_event_id, told, fresh: _ } = self;
        error.held(visit);
        interrupts.held(visit);
        last_event_id.held(visit);
        visit(told);
    }
}
