//! [`Thread`] over the JavaScript heap.

use wasm_bindgen::prelude::*;

use super::heap::{Handle, UNDEFINED};
use super::numbers::{ask, event, made};
use super::schema::RawSchema;
use super::{answer, heap, text, value};
use threadfold::unstable::{self, Holds};
use threadfold::value::{Kind, Value};
use threadfold::{Error, StreamPosition, Thread, ThreadEvent};

/// The core of the package's `Thread`.
#[wasm_bindgen]
pub struct RawThread(Thread<Handle>);

#[wasm_bindgen]
impl RawThread {
    /// Makes a thread: [`Thread::new`], or with `RECORDED` in `how` [`Thread::from_json`]; with
    /// `OPEN` without the schema.
    pub fn make(schema: &RawSchema, values: i32, how: i32) -> Option<RawThread> {
        let schema = (how & made::OPEN == 0).then(|| schema.0.clone());
        let values = Handle::of(values);
        let _edit = heap::Edit::begin();
        let thread = if how & made::RECORDED == 0 {
            Thread::new(schema, &values)
        } else {
            Thread::from_json(schema, &values)
        };
        answer(thread).map(Self)
    }

    /// Makes the call of this number, with up to three values; for an event also the id and the key
    /// of its part. One entry for all: separate ones would take a quarter of a kilobyte each.
    pub fn ask(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "AskNumber | EventNumber")] what: i32,
        first: i32,
        second: i32,
        third: i32,
        id: i32,
        key: i32,
    ) -> i32 {
        let (first, second, third) = (Handle::of(first), Handle::of(second), Handle::of(third));
        let part = || StreamPosition { id: given(id), key: given(key) };
        let thread = &mut self.0;
        // Nodes made in one call change in place; the commonest calls make none.
        let _edit = match what {
            ask::STATE => unstable::has_to_compute(thread),
            ask::LOOK
            | ask::RUN
            | ask::PENDING
            | ask::RECORD
            | ask::TOLD
            | ask::UPDATE..=ask::SETTLE
            | event::UNKNOWN.. => true,
            _ => false,
        }
        .then(heap::Edit::begin);
        value(match what {
            ask::STATE => Ok(thread.state()),
            ask::CONFIRMED => Ok(thread.confirmed()),
            ask::PENDING => Ok(unstable::pending_list(thread)),
            ask::RUN => Ok(unstable::run_object(thread)),
            ask::LOOK => Ok(Handle::array([
                thread.state(),
                unstable::pending_list(thread),
                unstable::run_object(thread),
            ])),
            ask::HAD => Ok(if unstable::had(thread, &first) { first } else { UNDEFINED }),
            ask::SAID => Ok(unstable::said(thread, &text(first)).unwrap_or(UNDEFINED)),
            ask::RECORD => Ok(thread.to_json()),
            ask::MESSAGE => Ok(thread.message(&first).unwrap_or(UNDEFINED)),
            ask::UPDATE => thread.update(first).map(|()| UNDEFINED),
            ask::OPTIMISTIC => {
                let show =
                    if second.is_true() { Thread::optimistic_manual } else { Thread::optimistic };
                show(thread, first).map(|id| Handle::string(&id))
            }
            ask::SETTLE..=ask::ROLLBACK => {
                end(thread, what, &text(first), second).map(|()| UNDEFINED)
            }
            ask::TEXT => {
                let text = ThreadEvent::Text { id: first, text: second };
                thread.receive_at(part(), text).map(|_| UNDEFINED)
            }
            ask::RELOCATE => {
                thread.held(&mut |handle| handle.relocate(first));
                Ok(UNDEFINED)
            }
            ask::INCOMPLETE => Ok(thread.incomplete_ids()),
            ask::TOLD => Ok(unstable::told(thread, &text(first)).unwrap_or(UNDEFINED)),
            _ => {
                let read = read_event(what, [first, second, third]);
                let received = read.and_then(|event| thread.receive_at(part(), event));
                received.map(|drift| drift.unwrap_or(UNDEFINED))
            }
        })
    }
}

/// Returns the value of this number, if there is one.
fn given(number: i32) -> Option<Handle> {
    Some(Handle::of(number)).filter(|_| number != 0)
}

/// Makes the call of this number on an optimistic update.
fn end(thread: &mut Thread<Handle>, how: i32, id: &str, error: Handle) -> Result<(), Error> {
    match how {
        ask::SETTLE => {
            thread.settle(id)?;
        }
        ask::FAIL => {
            thread.fail(id, error);
        }
        ask::RETRY => {
            thread.retry(id);
        }
        _ => {
            thread.rollback(id);
        }
    }
    Ok(())
}

/// Returns the event of this number, with the arguments that the package's thread/core.ts lists for
/// it.
fn read_event(kind: i32, parts: [Handle; 3]) -> Result<ThreadEvent<Handle>, Error> {
    let [first, second, third] = parts;
    let option = |value: Handle| Some(value).filter(|value| !value.is_null());
    Ok(match kind {
        event::RUN_STARTED => ThreadEvent::RunStarted {
            id: option(first),
            joined: option(second).map(Handle::is_true),
        },
        event::RUN_FINISHED => {
            let (stopped, folded) = (second.is_true(), third.is_true());
            ThreadEvent::RunFinished { interrupts: option(first), stopped, folded }
        }
        event::DISCONNECTED => ThreadEvent::Disconnected { error: option(first) },
        event::RUN_ERROR => ThreadEvent::RunError { error: first },
        event::MESSAGE => ThreadEvent::Message {
            message: first,
            after: option(second),
            streaming: third.is_true(),
        },
        event::MESSAGE_FINISHED if first.kind() == Kind::String => {
            ThreadEvent::MessageFinished { id: first }
        }
        event::MESSAGE_FINISHED => return Err(unstable::invalid("messageId", "a string")),
        event::MESSAGES => {
            let (client_roles, partial) = (option(second), third.is_true());
            ThreadEvent::Messages { messages: first, client_roles, partial }
        }
        event::UPDATE => ThreadEvent::Update { update: first },
        event::VALUES => ThreadEvent::Values { values: first, partial: second.is_true() },
        event::STATE => ThreadEvent::State { values: first, own: option(second) },
        event::DELTA => ThreadEvent::Delta { operations: first },
        _ => {
            return Err(unstable::invalid(
                "an event's type",
                "one of those that ThreadEvent names",
            ));
        }
    })
}
