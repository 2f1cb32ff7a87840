//! [`Thread`] over the JavaScript heap.

use std::borrow::Cow;

use wasm_bindgen::prelude::*;

use super::schema::RawSchema;
use super::{answer, heap};
use crate::error::Error;
use crate::thread::{Event, Thread};
use crate::value::{Kind, Value};

/// The handle that the package's `Thread` holds.
#[wasm_bindgen]
pub struct RawThread(Thread<JsValue>);

#[wasm_bindgen]
impl RawThread {
    /// [`Thread::new`]. Gives up the schema's handle.
    #[wasm_bindgen(constructor)]
    pub fn new(schema: Option<RawSchema>, values: &JsValue) -> Result<RawThread, JsValue> {
        answer(Thread::new(schema.map(|schema| schema.0), values)).map(Self)
    }

    /// [`Thread::from_json`]. Gives up the schema's handle.
    #[wasm_bindgen(js_name = fromJSON)]
    pub fn from_json(schema: Option<RawSchema>, record: &JsValue) -> Result<RawThread, JsValue> {
        let edit = heap::Edit::begin();
        let thread = Thread::from_json(schema.map(|schema| schema.0), record);
        drop(edit);
        answer(thread).map(Self)
    }

    /// [`Thread::to_json`].
    #[wasm_bindgen(js_name = toJSON)]
    pub fn to_json(&mut self) -> Result<JsValue, JsValue> {
        answer(Ok(self.0.to_json()))
    }

    /// [`Thread::state`].
    pub fn state(&mut self) -> Result<JsValue, JsValue> {
        answer(Ok(self.0.state()))
    }

    /// [`Thread::confirmed`].
    pub fn confirmed(&mut self) -> Result<JsValue, JsValue> {
        answer(Ok(self.0.confirmed()))
    }

    /// [`Thread::message`].
    #[must_use]
    pub fn message(&self, id: &JsValue) -> Option<JsValue> {
        self.0.message(id)
    }

    /// The updates that are pending, as `{ id, update, status, error? }`.
    #[must_use]
    pub fn pending(&self) -> JsValue {
        let pending = self.0.pending().map(|pending| {
            let shown = JsValue::object()
                .with("id", JsValue::from_str(&pending.id))
                .with("update", pending.update.clone())
                .with("status", JsValue::from_str(pending.status.name()));
            match &pending.error {
                Some(error) => shown.with("error", error.clone()),
                None => shown,
            }
        });
        JsValue::array(pending.collect())
    }

    /// [`Thread::update`].
    pub fn update(&mut self, update: JsValue) -> Result<(), JsValue> {
        answer(self.0.update(update))
    }

    /// [`Thread::optimistic`].
    pub fn optimistic(&mut self, update: JsValue) -> Result<String, JsValue> {
        answer(self.0.optimistic(update))
    }

    /// [`Thread::settle`].
    pub fn settle(&mut self, id: &str) -> Result<bool, JsValue> {
        answer(self.0.settle(id))
    }

    /// [`Thread::fail`].
    pub fn fail(&mut self, id: &str, error: JsValue) -> bool {
        self.0.fail(id, error)
    }

    /// [`Thread::retry`].
    pub fn retry(&mut self, id: &str) -> bool {
        self.0.retry(id)
    }

    /// [`Thread::rollback`].
    pub fn rollback(&mut self, id: &str) -> bool {
        self.0.rollback(id)
    }

    /// Text for a message: the one call for each token.
    pub fn text(&mut self, id: JsValue, text: JsValue) -> Result<(), JsValue> {
        match self.0.receive(Event::Text { id, text }) {
            Ok(_) => Ok(()),
            Err(error) => answer(Err(error)),
        }
    }

    /// [`Thread::receive`], of an event as the package declares them; gives the drift, if any.
    pub fn receive(&mut self, event: &JsValue) -> Result<Option<JsValue>, JsValue> {
        let edit = heap::Edit::begin();
        let received = read_event(event).and_then(|event| self.0.receive(event));
        drop(edit);
        answer(received)
    }
}

fn read_event(event: &JsValue) -> Result<Event<JsValue>, Error> {
    let part = |key: &str| event.get(key).map_or(JsValue::UNDEFINED, Cow::into_owned);
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
            streaming: part("streaming").is_truthy(),
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
