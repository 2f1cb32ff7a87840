//! [`Schema`] over the JavaScript heap.

use std::sync::Arc;

use wasm_bindgen::prelude::*;

use super::heap::{Handle, Root};
use super::numbers::{apply, field, ways};
use super::{answer, heap, preference, rules, text, value};
use threadfold::{
    CustomReducer, Error, Field, FieldReducer, Filtered, Lifetime, Schema, Value, unstable,
};

/// The core of the package's `Schema`.
#[wasm_bindgen]
pub struct RawSchema(pub(super) Schema<Handle>);

#[wasm_bindgen]
impl RawSchema {
    /// Makes a schema without fields.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn empty() -> RawSchema {
        Self(unstable::empty_schema())
    }

    /// Adds a field. Its kind, its ways and the rules of its messages or tools are numbers: see
    /// `numbers.rs`. One with the caller's reducer has a root of functions in their place, equal
    /// numbers for equal ones, and a name.
    pub fn add(&mut self, key: i32, kind: i32, its: i32, by: i32, id: i32, name: i32) {
        let reducer = match kind {
            field::MESSAGES => FieldReducer::Messages(rules(by)),
            field::TOOLS => FieldReducer::Tools(preference(by)),
            field::TODOS => FieldReducer::Todos,
            field::FILES => FieldReducer::Files,
            field::APPEND => FieldReducer::Append,
            field::MERGE => FieldReducer::Merge,
            field::REDUCER => FieldReducer::Custom(CustomReducer {
                name: text(Handle::of(name)),
                id: id.cast_unsigned(),
                merge: custom(Root::of(by)),
            }),
            _ => FieldReducer::Replace,
        };
        let guard = its & ways::GUARD != 0;
        let lifetime = match kind {
            field::EPHEMERAL => Lifetime::Ephemeral { guard },
            field::UNTRACKED => Lifetime::Untracked { guard },
            _ => Lifetime::Kept,
        };
        let (input, output) = (its & ways::INPUT != 0, its & ways::OUTPUT != 0);
        let field = Field { reducer, lifetime, input, output };
        answer(unstable::add_field(&mut self.0, &text(Handle::of(key)), field));
    }

    /// Merges a schema into this one: see [`Schema::combine`].
    pub fn extend(&mut self, later: &RawSchema) {
        answer(unstable::extend(&mut self.0, &later.0));
    }

    /// Makes the call of this number on a state: [`Schema::merge`] and [`Schema::step`] with an
    /// update or several; [`Schema::input`], [`Schema::output`] and [`Schema::checkpoint`], which
    /// return `{ values, dropped }`.
    #[must_use]
    pub fn apply(
        &self,
        #[wasm_bindgen(unchecked_param_type = "ApplyNumber")] how: i32,
        state: i32,
        update: i32,
    ) -> i32 {
        let (state, update) = (Handle::of(state), Handle::of(update));
        let _edit = heap::Edit::begin();
        value(match how {
            apply::MERGE => self.0.merge(state, &update),
            apply::STEP => self.0.step(state, &update),
            apply::INPUT => self.0.input(state).map(filtered),
            apply::OUTPUT => self.0.output(state).map(filtered),
            _ => self.0.checkpoint(state).map(filtered),
        })
    }
}

/// Returns the caller's reducer.
fn custom(
    functions: Root,
) -> Arc<impl Fn(Option<Handle>, Handle) -> Result<Handle, Error> + Send + Sync> {
    Arc::new(move |current, update| {
        if heap::user_code_threw() {
            return Err(unstable::invalid("a value", "readable"));
        }
        let folded = functions.fold(current, update);
        if heap::user_code_threw() {
            return Err(unstable::reducer_failed(&heap::reason()));
        }
        Ok(folded)
    })
}

fn filtered(Filtered { values, dropped, .. }: Filtered<Handle>) -> Handle {
    let dropped = Handle::array(dropped.iter().map(|key| Handle::string(key)));
    Handle::object().with("values", values).with("dropped", dropped)
}
