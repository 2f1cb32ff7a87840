//! `#[derive(State)]` of [threadfold](https://docs.rs/threadfold), which documents it.

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

mod read;
mod write;

/// Writes the partial update of a state, and implements `threadfold::State`.
///
/// Each field has its reducer: `#[reducer(EXPRESSION)]`, any value that is a
/// `threadfold::reducer::Reducer` of the field's type, or a closure `|current, update| …`. A field
/// without one is replaced by its update. Where updates are of another type than the field,
/// `#[update(Type)]` names it.
///
/// The update of `struct Chat` is `struct ChatUpdate`, as visible, with the same generics and
/// fields, each an `Option` of what is written. It is `Default`: nothing is written. On the struct,
/// `#[state(…)]` takes
/// - `derive(Debug, Clone, …)`: what is derived for the update, too. With serde's `Deserialize` a
///   field that is absent is no write and a `null` is a write of null; with `Serialize` what is not
///   written is absent. What `#[serde(…)]` says of names holds for both structs.
/// - `update = Name`: another name for it.
/// - `crate = path`: where threadfold is, if not at `::threadfold`.
#[proc_macro_derive(State, attributes(state, reducer, update))]
pub fn derive_state(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    match read::state(&input) {
        Ok(state) => write::state(&state).into(),
        Err(error) => error.into_compile_error().into(),
    }
}
