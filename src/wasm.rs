//! The only place that knows JavaScript: the core over the JavaScript heap, as the npm package
//! calls it. The types that users see are the package's own, in TypeScript.

use wasm_bindgen::prelude::*;

use crate::ag_ui::{Compat, langgraph_default_merge_state};
use crate::error::Error;
use crate::reducer::messages::MessageRules;
use crate::reducer::tools::Prefer;

mod heap;
mod message_list;
mod schema;
mod thread;

pub use message_list::RawMessageList;
pub use schema::RawSchema;
pub use thread::RawThread;

/// Has errors made by a function of `code`, `message` and `[cause]` or undefined.
#[wasm_bindgen(js_name = useErrors)]
pub fn use_errors(make: &js_sys::Function) {
    heap::use_errors(make);
}

/// What JavaScript gets: the answer, or what went wrong. Whatever user code threw while its
/// values were read goes before either, because the answer was made without it.
fn answer<T>(result: Result<T, Error>) -> Result<T, JsValue> {
    let cause = heap::take_failure();
    match result {
        Ok(answer) if cause.is_none() => Ok(answer),
        Err(error) if cause.is_none() || matches!(error, Error::ReducerFailed { .. }) => {
            Err(heap::fail(error.code(), &error.to_string(), cause))
        }
        _ => Err(heap::fail("UNREADABLE_VALUE", "Reading a value threw: see the cause.", cause)),
    }
}

fn rules(name: Option<&str>) -> Result<MessageRules, Error> {
    match name {
        None | Some("langgraph") => Ok(MessageRules::LangGraph),
        Some("deepagents") => Ok(MessageRules::DeepAgents),
        Some(_) => Err(Error::value("rules", "'langgraph' or 'deepagents'")),
    }
}

fn preference(name: Option<&str>) -> Result<Prefer, Error> {
    match name {
        None | Some("first") => Ok(Prefer::First),
        Some("last") => Ok(Prefer::Last),
        Some(_) => Err(Error::value("prefer", "'first' or 'last'")),
    }
}

/// An option's text; nothing when it is left out.
fn option(value: &JsValue, what: &str) -> Result<Option<String>, Error> {
    match value.as_string() {
        None if value.is_undefined() => Ok(None),
        None => Err(Error::value(what, "a string")),
        text => Ok(text),
    }
}

/// [`crate::add_messages`].
#[wasm_bindgen(js_name = addMessages)]
pub fn add_messages(left: JsValue, right: JsValue, by: &JsValue) -> Result<JsValue, JsValue> {
    let merged = option(by, "rules").and_then(|by| rules(by.as_deref()));
    answer(merged.and_then(|rules| crate::add_messages(left, right, rules)))
}

/// [`crate::merge_tools`].
#[wasm_bindgen(js_name = mergeTools)]
pub fn merge_tools(left: JsValue, right: JsValue, prefer: &JsValue) -> Result<JsValue, JsValue> {
    let merged = option(prefer, "prefer").and_then(|prefer| preference(prefer.as_deref()));
    answer(merged.and_then(|prefer| crate::merge_tools(left, right, prefer)))
}

/// [`crate::replace_todos`].
#[wasm_bindgen(js_name = replaceTodos)]
pub fn replace_todos(left: JsValue, right: JsValue) -> Result<JsValue, JsValue> {
    answer(crate::replace_todos(left, right))
}

/// [`crate::check_todo_calls`].
#[wasm_bindgen(js_name = checkTodoCalls)]
pub fn check_todo_calls(messages: &JsValue) -> Result<(), JsValue> {
    answer(crate::check_todo_calls(messages))
}

/// [`crate::merge_files`].
#[wasm_bindgen(js_name = mergeFiles)]
pub fn merge_files(left: JsValue, right: JsValue) -> Result<JsValue, JsValue> {
    answer(crate::merge_files(left, right))
}

/// [`crate::langgraph_default_merge_state`].
#[wasm_bindgen(js_name = langGraphDefaultMergeState)]
pub fn merge_state(
    state: JsValue,
    messages: JsValue,
    input: JsValue,
    compat: &JsValue,
) -> Result<JsValue, JsValue> {
    let compat = option(compat, "compat").and_then(|compat| match compat.as_deref() {
        None | Some("accumulate") => Ok(Compat::Accumulate),
        Some("0.0.x") => Ok(Compat::V0_0),
        Some("current") => Ok(Compat::Current),
        Some(_) => Err(Error::value("compat", "'accumulate', '0.0.x' or 'current'")),
    });
    answer(compat.and_then(|compat| langgraph_default_merge_state(state, messages, input, compat)))
}

/// [`crate::apply_patch`].
#[wasm_bindgen(js_name = applyPatch)]
pub fn apply_patch(document: &JsValue, operations: &JsValue) -> Result<JsValue, JsValue> {
    let edit = heap::Edit::begin();
    let patched = crate::apply_patch(document, operations);
    drop(edit);
    answer(patched)
}
