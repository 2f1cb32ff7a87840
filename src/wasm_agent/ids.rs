//! Ids for JavaScript. A text crosses as bytes, in the buffer's place.

use std::cell::RefCell;

use uuid::Uuid;
use wasm_bindgen::prelude::*;

use crate::graph::ids;

thread_local! {
    static TEXT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static CHECKPOINTS: RefCell<ids::CheckpointIds> = RefCell::default();
}

/// Returns where a text of so many bytes goes; its id will be in its first sixteen.
#[wasm_bindgen]
#[must_use]
pub fn text(length: usize) -> *mut u8 {
    TEXT.with_borrow_mut(|text| {
        if text.len() < length {
            text.resize(length, 0);
        }
        text.as_mut_ptr()
    })
}

fn answer(id: impl FnOnce(&[u8]) -> [u8; 16], length: usize) {
    TEXT.with_borrow_mut(|text| {
        let id = id(text.get(..length).unwrap_or_default());
        if let Some(place) = text.get_mut(..16) {
            place.copy_from_slice(&id);
        }
    });
}

/// Makes the uuid5 of a text: behind the sixteen bytes of its namespace.
#[wasm_bindgen]
pub fn task_id(length: usize) {
    answer(
        |text| {
            let (namespace, name) = text.split_at_checked(16).unwrap_or_default();
            let namespace = Uuid::from_slice(namespace).unwrap_or_default();
            ids::task_id(namespace, name).into_bytes()
        },
        length,
    );
}

/// Makes a uuid6; the text is six random bytes.
#[wasm_bindgen]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Saturates, and wraps.
pub fn next_checkpoint_id(milliseconds: f64, sequence: i32) {
    CHECKPOINTS.with_borrow_mut(|checkpoints| {
        answer(
            |node| {
                let node = node.try_into().unwrap_or_default();
                checkpoints.next(milliseconds as u64, sequence as u16, node).into_bytes()
            },
            6,
        );
    });
}

/// Makes the `xxh3_128` of a text.
#[wasm_bindgen]
pub fn interrupt_id(length: usize) {
    answer(|text| xxhash_rust::xxh3::xxh3_128(text).to_be_bytes(), length);
}
