//! [`Thread`] over the JavaScript heap.

use wasm_bindgen::prelude::*;

use super::heap::{Handle, UNDEFINED};
use super::schema::RawSchema;
use super::{answer, heap, value};
use crate::error::Error;
use crate::thread::{Event, Pending, Thread};
use crate::value::{Found, Holds, Kind, Value};

/// The thread that the package's `Thread` has.
#[wasm_bindgen]
pub struct RawThread(Thread<Handle>);

#[wasm_bindgen]
impl RawThread {
    /// [`Thread::new`]. Gives up the schema's handle.
    pub fn make(schema: Option<RawSchema>, values: i32) -> Option<RawThread> {
        answer(Thread::new(schema.map(|schema| schema.0), &Handle::of(values))).map(Self)
    }

    /// [`Thread::from_json`]. Gives up the schema's handle.
    pub fn restore(schema: Option<RawSchema>, record: i32) -> Option<RawThread> {
        let edit = heap::Edit::begin();
        let thread = Thread::from_json(schema.map(|schema| schema.0), &Handle::of(record));
        drop(edit);
        answer(thread).map(Self)
    }

    /// What of the thread has this number: its state, what is confirmed, what is pending, its record.
    pub fn look(&mut self, part: i32) -> i32 {
        let found = match part {
            0 => self.0.state(),
            1 => self.0.confirmed(),
            2 => Handle::array(self.0.pending().map(Pending::shown)),
            _ => self.0.to_json(),
        };
        found.number()
    }

    /// [`Thread::message`].
    #[must_use]
    pub fn message(&self, id: i32) -> i32 {
        self.0.message(&Handle::of(id)).unwrap_or(UNDEFINED).number()
    }

    /// [`Thread::update`].
    pub fn update(&mut self, update: i32) {
        answer(self.0.update(Handle::of(update)));
    }

    /// [`Thread::optimistic`].
    pub fn optimistic(&mut self, update: i32) -> i32 {
        value(self.0.optimistic(Handle::of(update)).map(|id| Handle::string(&id)))
    }

    /// Changes what becomes of an optimistic update: [`Thread::settle`], [`Thread::fail`],
    /// [`Thread::retry`] and [`Thread::rollback`] by number.
    pub fn change(&mut self, how: i32, id: i32, error: i32) {
        let id = Handle::of(id);
        let Some(id) = id.text() else { return };
        match how {
            0 => {
                answer(self.0.settle(&id));
            }
            1 => {
                self.0.fail(&id, Handle::of(error));
            }
            2 => {
                self.0.retry(&id);
            }
            _ => {
                self.0.rollback(&id);
            }
        }
    }

    /// Text for a message: the one call for each token.
    pub fn text(&mut self, id: i32, text: i32) {
        answer(self.0.receive(Event::Text { id: Handle::of(id), text: Handle::of(text) }));
    }

    /// [`Thread::receive`], of an event as the package declares them; gives the drift, if any.
    pub fn receive(&mut self, event: i32) -> i32 {
        let edit = heap::Edit::begin();
        let received = read_event(Handle::of(event)).and_then(|event| self.0.receive(event));
        drop(edit);
        value(received.map(|drift| drift.unwrap_or(UNDEFINED)))
    }

    /// Keeps what it holds for the next call.
    pub fn relocate(&mut self) {
        self.0.held(&mut Handle::relocate);
    }
}

fn read_event(event: Handle) -> Result<Event<Handle>, Error> {
    let part = |key: &str| event.get(key).map_or(UNDEFINED, Found::into_owned);
    let text = |key: &'static str| {
        Some(part(key))
            .filter(|id| id.kind() == Kind::String)
            .ok_or_else(|| Error::value(key, "a string"))
    };
    let option = |key: &str| Some(part(key)).filter(|value| !value.is_null());
    Ok(match event.text_of("type").as_deref() {
        Some("run-started") => Event::RunStarted { id: option("runId") },
        Some("run-finished") => Event::RunFinished,
        Some("run-failed") => Event::RunFailed { error: part("error") },
        Some("message") => Event::Message {
            message: part("message"),
            after: option("after"),
            streaming: part("streaming").is_true(),
        },
        Some("text") => Event::Text { id: text("messageId")?, text: text("text")? },
        Some("message-finished") => Event::MessageFinished { id: text("messageId")? },
        Some("messages") => {
            Event::Messages { messages: part("messages"), client_roles: option("clientRoles") }
        }
        Some("update") => Event::Update { update: part("update") },
        Some("values") => Event::Values { values: part("values") },
        Some("state") => Event::State { values: part("values") },
        Some("delta") => Event::Delta { operations: part("operations") },
        _ => return Err(Error::value("an event's type", "one of those that ThreadEvent names")),
    })
}
