//! [`Schema`] over the JavaScript heap.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;

use super::{answer, heap, option, preference, rules};
use crate::error::Error;
use crate::schema::{CustomReducer, Field, FieldReducer, Lifetime, Schema};
use crate::state::Filtered;
use crate::value::{Kind, Value};

/// The handle that the package's `Schema` holds.
#[wasm_bindgen]
pub struct RawSchema(pub(super) Schema<JsValue>);

#[wasm_bindgen]
impl RawSchema {
    /// A schema from an object of field declarations `{ kind, input?, output?, private?, … }`.
    #[wasm_bindgen(constructor)]
    pub fn new(declared: &JsValue) -> Result<RawSchema, JsValue> {
        answer(declared_schema(declared)).map(Self)
    }

    /// One schema from several, the base schema last. Gives up the handles in `schemas`.
    #[allow(clippy::needless_pass_by_value, reason = "handles in a list cross only by value")]
    pub fn combine(schemas: Vec<RawSchema>) -> Result<RawSchema, JsValue> {
        let schemas: Vec<_> = schemas.iter().map(|schema| &schema.0).collect();
        answer(Schema::combine(&schemas)).map(Self)
    }

    /// Another handle of the same schema.
    #[wasm_bindgen(js_name = clone)]
    #[must_use]
    pub fn again(&self) -> RawSchema {
        Self(self.0.clone())
    }

    /// [`Schema::merge`].
    pub fn merge(&self, state: JsValue, update: &JsValue) -> Result<JsValue, JsValue> {
        answer(self.0.merge(state, update))
    }

    /// [`Schema::step`].
    pub fn step(&self, state: JsValue, updates: &JsValue) -> Result<JsValue, JsValue> {
        answer(self.0.step(state, updates))
    }

    /// [`Schema::input`], as `{ values, dropped }`.
    pub fn input(&self, values: JsValue) -> Result<JsValue, JsValue> {
        filtered(self.0.input(values))
    }

    /// [`Schema::output`], as `{ values, dropped }`.
    pub fn output(&self, state: JsValue) -> Result<JsValue, JsValue> {
        filtered(self.0.output(state))
    }

    /// [`Schema::checkpoint`], as `{ values, dropped }`.
    pub fn checkpoint(&self, state: JsValue) -> Result<JsValue, JsValue> {
        filtered(self.0.checkpoint(state))
    }
}

fn filtered(filtered: Result<Filtered<JsValue>, Error>) -> Result<JsValue, JsValue> {
    answer(filtered.map(|Filtered { values, dropped }| {
        let dropped = dropped.iter().map(|key| JsValue::from_str(key)).collect();
        JsValue::object().with("values", values).with("dropped", JsValue::array(dropped))
    }))
}

fn declared_schema(declared: &JsValue) -> Result<Schema<JsValue>, Error> {
    if declared.kind() != Kind::Object {
        return Err(Error::value("a schema", "an object of fields"));
    }
    let mut fields = Vec::new();
    for key in declared.keys() {
        let Some(declaration) = declared.get(&key) else { continue };
        let field = declared_field(&declaration, &key)?;
        fields.push((key, field));
    }
    Schema::new(fields)
}

fn declared_field(declaration: &JsValue, key: &str) -> Result<Field<JsValue>, Error> {
    let flag = |name: &str, otherwise: bool| match declaration.get(name) {
        None => Ok(otherwise),
        Some(value) => {
            value.as_bool().ok_or_else(|| Error::value(format!("{key}.{name}"), "true or false"))
        }
    };
    let text = |name: &str| {
        let value = declaration.get(name);
        value.map_or(Ok(None), |value| option(&value, &format!("{key}.{name}")))
    };
    let guard = flag("guard", true)?;
    let reducer = match declaration.text_of("kind").as_deref() {
        Some("replace" | "ephemeral" | "untracked") => FieldReducer::Replace,
        Some("todos") => FieldReducer::Todos,
        Some("messages") => FieldReducer::Messages(rules(text("rules")?.as_deref())?),
        Some("tools") => FieldReducer::Tools(preference(text("prefer")?.as_deref())?),
        Some("files") => FieldReducer::Files,
        Some("append") => FieldReducer::Append,
        Some("merge") => FieldReducer::Merge,
        Some("reducer") => FieldReducer::Custom(custom(declaration, key)?),
        _ => {
            let reason = format!("'{key}' is no field: make one with field.messages() and its kin");
            return Err(Error::InvalidSchema { reason });
        }
    };
    let lifetime = match declaration.text_of("kind").as_deref() {
        Some("ephemeral") => Lifetime::Ephemeral { guard },
        Some("untracked") => Lifetime::Untracked { guard },
        _ => Lifetime::Kept,
    };
    let field = Field {
        input: flag("input", true)?,
        output: flag("output", true)?,
        ..Field::new(reducer).lasting(lifetime)
    };
    Ok(if flag("private", false)? { field.private() } else { field })
}

fn custom(declaration: &JsValue, key: &str) -> Result<CustomReducer<JsValue>, Error> {
    let function = |name: &str| {
        let value = declaration.get(name).map(std::borrow::Cow::into_owned);
        value.map(JsValue::dyn_into::<js_sys::Function>).transpose()
    };
    let not_a_function = |name: &str| Error::value(format!("{key}.{name}"), "a function");
    let merge = function("reducer").ok().flatten().ok_or_else(|| not_a_function("reducer"))?;
    let initial = function("default").map_err(|_| not_a_function("default"))?;
    // Not `merge.name()`: a proxy may throw when it is asked, and it can do without a name.
    let name = js_sys::Reflect::get(&merge, &JsValue::from_str("name")).ok();
    let name = name.and_then(|name| name.as_string()).filter(|name| !name.is_empty());
    Ok(CustomReducer {
        name: name.unwrap_or_else(|| "a function".to_owned()),
        id: heap::function_number(&merge),
        merge: Rc::new(move |current, update| {
            if !JsValue::intact() {
                return Err(Error::value("a value", "readable"));
            }
            let current = match (current, &initial) {
                (Some(current), _) => current,
                (None, Some(initial)) => called(initial.call0(&JsValue::UNDEFINED))?,
                // As in LangGraph, the first write to a field without a default is its value.
                (None, None) => return Ok(update),
            };
            called(merge.call2(&JsValue::UNDEFINED, &current, &update))
        }),
    })
}

fn called(result: Result<JsValue, JsValue>) -> Result<JsValue, Error> {
    result.map_err(|cause| {
        heap::note(&cause);
        let reason = heap::reason(&cause);
        Error::ReducerFailed { reason }
    })
}
