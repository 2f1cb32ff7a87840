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
    /// [`Thread::new`], or with 1 in `how` [`Thread::from_json`]; with 2 in it without the schema.
    pub fn make(schema: &RawSchema, values: i32, how: i32) -> Option<RawThread> {
        let schema = (how & 2 == 0).then(|| schema.0.clone());
        let values = Handle::of(values);
        let made = if how & 1 == 0 {
            Thread::new(schema, &values)
        } else {
            let _edit = heap::Edit::begin();
            Thread::from_json(schema, &values)
        };
        answer(made).map(Self)
    }

    /// Asks for what has this number, of one or two values. One entry for all: each of its own would
    /// be a quarter of a kilobyte.
    pub fn ask(&mut self, what: i32, first: i32, second: i32) -> i32 {
        let (first, second) = (Handle::of(first), Handle::of(second));
        let thread = &mut self.0;
        let id = || first.text().unwrap_or_default();
        value(match what {
            0 => Ok(thread.state()),
            1 => Ok(thread.confirmed()),
            2 => Ok(Handle::array(thread.pending().map(Pending::shown))),
            3 => Ok(thread.to_json()),
            4 => Ok(thread.message(&first).unwrap_or(UNDEFINED)),
            5 => thread.update(first).map(|()| UNDEFINED),
            6 => thread.optimistic(first).map(|id| Handle::string(&id)),
            7 => thread.settle(&id()).map(|_| UNDEFINED),
            8 => {
                thread.fail(&id(), second);
                Ok(UNDEFINED)
            }
            9 => {
                thread.retry(&id());
                Ok(UNDEFINED)
            }
            10 => {
                thread.rollback(&id());
                Ok(UNDEFINED)
            }
            11 => {
                let text = Event::Text { id: first, text: second };
                thread.receive(text).map(|_| UNDEFINED)
            }
            12 => {
                let _edit = heap::Edit::begin();
                let received = read_event(first).and_then(|event| thread.receive(event));
                received.map(|drift| drift.unwrap_or(UNDEFINED))
            }
            _ => {
                thread.held(&mut Handle::relocate);
                Ok(UNDEFINED)
            }
        })
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
