//! [`Thread`] over the JavaScript heap.

use wasm_bindgen::prelude::*;

use super::heap::{Handle, UNDEFINED};
use super::schema::RawSchema;
use super::{answer, heap, value};
use crate::error::Error;
use crate::thread::{Event, Thread};
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
        let _edit = heap::Edit::begin();
        let made = if how & 1 == 0 {
            Thread::new(schema, &values)
        } else {
            Thread::from_json(schema, &values)
        };
        answer(made).map(Self)
    }

    /// Asks for what has this number, of one or two values. One entry for all: each of its own would
    /// be a quarter of a kilobyte.
    pub fn ask(&mut self, what: i32, first: i32, second: i32) -> i32 {
        let (first, second) = (Handle::of(first), Handle::of(second));
        let thread = &mut self.0;
        // What is made in one call changes in place; the commonest calls make nothing.
        let _edit = match what {
            0 => thread.has_writes(),
            2 | 3 | 5..=7 | 12 => true,
            _ => false,
        }
        .then(heap::Edit::begin);
        let id = || first.text().unwrap_or_default();
        value(match what {
            0 => Ok(thread.state()),
            1 => Ok(thread.confirmed()),
            2 => Ok(thread.pending_list()),
            3 => Ok(thread.to_json()),
            4 => Ok(thread.message(&first).unwrap_or(UNDEFINED)),
            5 => thread.update(first).map(|()| UNDEFINED),
            6 => {
                let show =
                    if second.is_true() { Thread::optimistic_manual } else { Thread::optimistic };
                show(thread, first).map(|id| Handle::string(&id))
            }
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
                let received = read_event(first).and_then(|event| thread.receive(event));
                received.map(|drift| drift.unwrap_or(UNDEFINED))
            }
            14 => Ok(thread.streaming()),
            15 => Ok(thread.status(&id()).map_or(UNDEFINED, |it| Handle::string(it.name()))),
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
    let is = |key: &str| part(key).is_true();
    Ok(match event.text_of("type").as_deref() {
        Some("run-started") => {
            Event::RunStarted { id: option("runId"), joined: option("joined").map(Handle::is_true) }
        }
        Some("run-finished") => Event::RunFinished,
        Some("run-failed") => Event::RunFailed { error: part("error") },
        Some("message") => Event::Message {
            message: part("message"),
            after: option("after"),
            streaming: is("streaming"),
        },
        Some("text") => Event::Text { id: text("messageId")?, text: text("text")? },
        Some("message-finished") => Event::MessageFinished { id: text("messageId")? },
        Some("messages") => Event::Messages {
            messages: part("messages"),
            client_roles: option("clientRoles"),
            partial: is("partial"),
        },
        Some("update") => Event::Update { update: part("update") },
        Some("values") => Event::Values { values: part("values"), partial: is("partial") },
        Some("state") => Event::State { values: part("values") },
        Some("delta") => Event::Delta { operations: part("operations") },
        _ => return Err(Error::value("an event's type", "one of those that ThreadEvent names")),
    })
}
