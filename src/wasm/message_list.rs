//! [`MessageList`] over the JavaScript heap.

use wasm_bindgen::prelude::*;

use super::{answer, option, rules};
use crate::message_list::MessageList;

/// The handle that the package's `MessageList` holds.
#[wasm_bindgen]
pub struct RawMessageList(MessageList<JsValue>);

#[wasm_bindgen]
impl RawMessageList {
    /// A list of messages, by the rules of that name.
    #[wasm_bindgen(constructor)]
    pub fn new(messages: JsValue, by: &JsValue) -> Result<RawMessageList, JsValue> {
        let rules = option(by, "rules").and_then(|by| rules(by.as_deref()));
        answer(rules.and_then(|rules| MessageList::new(messages, rules))).map(Self)
    }

    /// How many messages there are.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn length(&self) -> usize {
        self.0.len()
    }

    /// Folds messages in.
    pub fn update(&mut self, messages: JsValue) -> Result<(), JsValue> {
        answer(self.0.update(messages))
    }

    /// Adds text to a message.
    pub fn append(&mut self, id: &JsValue, text: &JsValue) -> Result<(), JsValue> {
        // The one call for each token: nothing was thrown when nothing went wrong.
        self.0.append(id, text).or_else(|error| answer(Err(error)))
    }

    /// The list as it is now.
    pub fn snapshot(&mut self) -> JsValue {
        self.0.snapshot()
    }

    /// The positions of the messages made since the last snapshot.
    #[must_use]
    pub fn touched(&self) -> Vec<u32> {
        self.0.touched().filter_map(|position| u32::try_from(position).ok()).collect()
    }
}
