//! [`MessageList`] over the JavaScript heap.

use wasm_bindgen::prelude::*;

use super::heap::Handle;
use super::{answer, rules};
use crate::message_list::MessageList;
use crate::value::Holds;

/// The list that the package's `MessageList` has.
#[wasm_bindgen]
pub struct RawMessageList(MessageList<Handle>);

#[wasm_bindgen]
impl RawMessageList {
    /// An empty list, by the rules of that number.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new(by: i32) -> RawMessageList {
        Self(MessageList::empty(rules(by)))
    }

    /// How many messages there are.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn length(&self) -> usize {
        self.0.len()
    }

    /// Folds messages in.
    pub fn update(&mut self, messages: i32) {
        answer(self.0.update(Handle::of(messages)));
    }

    /// Adds text to a message.
    pub fn append(&mut self, id: i32, text: i32) {
        answer(self.0.append(&Handle::of(id), &Handle::of(text)));
    }

    /// The list as it is now.
    pub fn snapshot(&mut self) -> i32 {
        self.0.snapshot().number()
    }

    /// The positions of the messages made since the last snapshot.
    #[must_use]
    pub fn touched(&self) -> Vec<u32> {
        self.0.touched().filter_map(|position| u32::try_from(position).ok()).collect()
    }

    /// Keeps what it holds for the next call.
    pub fn relocate(&mut self) {
        self.0.held(&mut Handle::relocate);
    }
}
