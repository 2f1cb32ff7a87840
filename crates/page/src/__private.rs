//! Names that the code of `page!` needs.

use std::cell::Cell;
use std::error::Error as _;
use std::panic::{PanicHookInfo, set_hook};
use std::sync::Once;

use js_sys::{Array, Object, Reflect};
use threadfold::reducer::kind::FieldKind;
use threadfold::typed::page::FoldError;
use threadfold::{MessageRules, Prefer};
use wasm_bindgen::JsCast;

use crate::read::Reader;
use crate::write::writer;

pub use crate::typescript::typescript;
pub use threadfold::typed::page::PageState;
pub use wasm_bindgen::{self, JsValue};

/// Returns the fields: `{ name, kind }`, with the option that the kind has.
#[must_use]
pub fn fields<S: PageState>() -> JsValue {
    let list = Array::new();
    for (at, name) in S::NAMES.iter().enumerate() {
        let field = Object::new();
        let set = |key: &str, value: &str| {
            // A fresh object takes every key.
            let _ = Reflect::set(&field, &key.into(), &value.into());
        };
        set("name", name);
        let kind = match S::kind(at) {
            FieldKind::Messages(rules) => {
                let deep = rules == MessageRules::DeepAgents;
                set("rules", if deep { "deepagents" } else { "langgraph" });
                "messages"
            }
            FieldKind::Tools(prefer) => {
                set("prefer", if prefer == Prefer::Last { "last" } else { "first" });
                "tools"
            }
            FieldKind::Todos => "todos",
            FieldKind::Files => "files",
            FieldKind::Replace => "replace",
            FieldKind::Append => "append",
            _ => "reducer",
        };
        set("kind", kind);
        list.push(&field);
    }
    list.into()
}

/// Returns the value that a field starts with.
///
/// # Errors
/// A JavaScript `Error`.
pub fn initial<S: PageState>(at: usize) -> Result<JsValue, JsValue> {
    let name = begun::<S>(at);
    S::initial(at, writer()).map_err(|error| js_sys::Error::new(&unwritten(name, error)).into())
}

/// Returns the text of an error of what was to be written.
fn unwritten(name: &str, error: serde_wasm_bindgen::Error) -> String {
    let error: js_sys::Error = JsValue::from(error).unchecked_into();
    [name, ": ", &String::from(error.message())].concat()
}

/// Folds an update into a field's value.
///
/// # Errors
/// A JavaScript `Error` that names the place.
pub fn fold<S: PageState>(at: usize, now: JsValue, update: JsValue) -> Result<JsValue, JsValue> {
    let name = begun::<S>(at);
    S::fold(at, Reader::new(now), Reader::new(update), writer()).map_err(|error| {
        let text = match error {
            FoldError::Update(error) => error.at(name),
            FoldError::Result(error) => unwritten(name, error),
            FoldError::Now(error) => [&error.at(name), ", in the current value"].concat(),
            FoldError::Reducer(error) => {
                let own = error.source().map(ToString::to_string);
                [name, ": ", &own.unwrap_or_else(|| error.to_string())].concat()
            }
            FoldError::Foreign => [name, ": the npm package folds this field"].concat(),
        };
        let error = js_sys::Error::new(&text);
        // Distinguishes it from a panic, for the npm package.
        error.set_name("StateError");
        error.into()
    })
}

thread_local! {
    /// The field that is folded, or made.
    static FOLDED: Cell<&'static str> = const { Cell::new("") };
}

/// Returns a field's name, and notes it for a panic.
fn begun<S: PageState>(at: usize) -> &'static str {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| set_hook(Box::new(report)));
    let name = S::NAMES.get(at).copied().unwrap_or_default();
    FOLDED.set(name);
    name
}

/// Throws a panic's message and place. No frame of Rust runs afterwards.
fn report(panic: &PanicHookInfo<'_>) {
    wasm_bindgen::throw_str(&[FOLDED.get(), ": ", &panic.to_string()].concat());
}
