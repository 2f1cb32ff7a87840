//! The wasm of the npm package: the core over JavaScript's own values, and the choices that belong
//! to a final program, such as its allocator. Users see the package's own types, in TypeScript.
//!
//! Values cross as numbers: `slots.js` explains how. So do options, in the order in which the
//! package's TypeScript lists them.
#![cfg(target_arch = "wasm32")]
#![allow(missing_debug_implementations)] // Nobody prints a handle in Rust.

use std::borrow::Cow;

use wasm_bindgen::prelude::*;

use threadfold::{Error, MessageRules, Prefer, Value, unstable};

/// The types of the numbers that cross, for the declarations of the functions below.
#[wasm_bindgen(typescript_custom_section)]
const NUMBERS: &str =
    r#"import type { ApplyNumber, AskNumber, EventNumber, ListNumber } from "./numbers.js";"#;

#[cfg(test)]
mod boundary_tests;
mod heap;
mod message_list;
mod numbers;
mod schema;
mod thread;

use heap::{Handle, UNDEFINED};
pub use message_list::RawMessageList;
pub use schema::RawSchema;
pub use thread::RawThread;

/// A third of the size of Rust's own, which is made for programs that allocate more.
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

/// Returns the answer; keeps an error for JavaScript, which throws it.
fn answer<T>(result: Result<T, Error>) -> Option<T> {
    match result {
        Ok(answer) => Some(answer),
        Err(error) => {
            unstable::with_parts(&error, |form, [first, second, third]| {
                heap::refuse(form, first, second, third);
            });
            None
        }
    }
}

/// Returns the number of the value in an answer.
fn value(result: Result<Handle, Error>) -> i32 {
    answer(result).unwrap_or(UNDEFINED).number()
}

/// Returns the text of a value that should be text.
fn text(value: Handle) -> String {
    value.text().map(Cow::into_owned).unwrap_or_default()
}

fn rules(by: i32) -> MessageRules {
    if by == numbers::rules::DEEPAGENTS {
        MessageRules::DeepAgents
    } else {
        MessageRules::LangGraph
    }
}

fn preference(prefer: i32) -> Prefer {
    if prefer == numbers::prefer::LAST { Prefer::Last } else { Prefer::First }
}

/// [`threadfold::add_json_messages`].
#[wasm_bindgen(js_name = addMessages)]
#[must_use]
pub fn add_messages(left: i32, right: i32, by: i32) -> i32 {
    value(threadfold::add_json_messages(Handle::of(left), Handle::of(right), rules(by)))
}

/// [`threadfold::merge_tools`].
#[wasm_bindgen(js_name = mergeTools)]
#[must_use]
pub fn merge_tools(left: i32, right: i32, prefer: i32) -> i32 {
    value(threadfold::merge_tools(Handle::of(left), Handle::of(right), preference(prefer)))
}

/// [`threadfold::replace_todos`].
#[wasm_bindgen(js_name = replaceTodos)]
#[must_use]
pub fn replace_todos(left: i32, right: i32) -> i32 {
    value(threadfold::replace_todos(Handle::of(left), Handle::of(right)))
}

/// [`threadfold::unstable::check_todo_calls`].
#[wasm_bindgen(js_name = checkTodoCalls)]
pub fn check_todo_calls(messages: i32) {
    answer(threadfold::unstable::check_todo_calls(&Handle::of(messages)));
}

/// [`threadfold::merge_files`].
#[wasm_bindgen(js_name = mergeFiles)]
#[must_use]
pub fn merge_files(left: i32, right: i32) -> i32 {
    value(threadfold::merge_files(Handle::of(left), Handle::of(right)))
}

/// [`threadfold::apply_patch`].
#[wasm_bindgen(js_name = applyPatch)]
#[must_use]
pub fn apply_patch(document: i32, operations: i32) -> i32 {
    let edit = heap::Edit::begin();
    let patched = threadfold::apply_patch(&Handle::of(document), &Handle::of(operations));
    drop(edit);
    value(patched)
}
