//! [`Thread`] over the JavaScript heap.

use wasm_bindgen::prelude::*;

use super::heap::{Handle, UNDEFINED};
use super::schema::RawSchema;
use super::{answer, heap, text, value};
use crate::error::Error;
use crate::thread::{Event, Thread};
use crate::value::{Holds, Kind, Value};

/// The thread that the package's `Thread` has.
#[wasm_bindgen]
pub struct RawThread(Thread<Handle>);

/// From here on the numbers are those of events: first that of an unknown one.
const EVENTS: i32 = 15;

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

    /// Asks for what has this number, of up to three values. One entry for all: each of its own would
    /// be a quarter of a kilobyte.
    pub fn ask(&mut self, what: i32, first: i32, second: i32, third: i32) -> i32 {
        let [first, second, third] = [first, second, third].map(Handle::of);
        let thread = &mut self.0;
        // What is made in one call changes in place; the commonest calls make nothing.
        let _edit = match what {
            0 => thread.has_writes(),
            2 | 3 | 5..=7 | EVENTS.. => true,
            _ => false,
        }
        .then(heap::Edit::begin);
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
            7..=10 => end(thread, what, &text(first), second).map(|()| UNDEFINED),
            11 => {
                let text = Event::Text { id: first, text: second };
                thread.receive(text).map(|_| UNDEFINED)
            }
            12 => {
                thread.held(&mut Handle::relocate);
                Ok(UNDEFINED)
            }
            13 => Ok(thread.streaming()),
            14 => Ok(thread.status(&text(first)).map_or(UNDEFINED, |it| Handle::string(it.name()))),
            _ => {
                let event = event(what - EVENTS, [first, second, third]);
                let received = event.and_then(|event| thread.receive(event));
                received.map(|drift| drift.unwrap_or(UNDEFINED))
            }
        })
    }
}

/// Does with an update by hand what has this number.
fn end(thread: &mut Thread<Handle>, how: i32, id: &str, error: Handle) -> Result<(), Error> {
    match how {
        7 => {
            thread.settle(id)?;
        }
        8 => {
            thread.fail(id, error);
        }
        9 => {
            thread.retry(id);
        }
        _ => {
            thread.rollback(id);
        }
    }
    Ok(())
}

/// The event of this number, with what the package's thread/core.ts lists for it.
fn event(kind: i32, parts: [Handle; 3]) -> Result<Event<Handle>, Error> {
    let [first, second, third] = parts;
    let option = |value: Handle| Some(value).filter(|value| !value.is_null());
    Ok(match kind {
        1 => Event::RunStarted { id: option(first), joined: option(second).map(Handle::is_true) },
        2 => Event::RunFinished,
        3 => Event::RunFailed { error: first },
        4 => Event::Message { message: first, after: option(second), streaming: third.is_true() },
        5 if first.kind() == Kind::String => Event::MessageFinished { id: first },
        5 => return Err(Error::value("messageId", "a string")),
        6 => {
            let (client_roles, partial) = (option(second), third.is_true());
            Event::Messages { messages: first, client_roles, partial }
        }
        7 => Event::Update { update: first },
        8 => Event::Values { values: first, partial: second.is_true() },
        9 => Event::State { values: first },
        10 => Event::Delta { operations: first },
        _ => return Err(Error::value("an event's type", "one of those that ThreadEvent names")),
    })
}
