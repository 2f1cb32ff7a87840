//! `#[derive(State)]` of [threadfold](https://docs.rs/threadfold), which documents it.

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

mod read;
mod wire;
mod write;

/// Generates a state's partial update, and implements `threadfold::State`.
///
/// Give a field its reducer with `#[reducer(EXPRESSION)]`: any value that is a
/// `threadfold::reducer::Reducer` of the field's type, a `fn`, or a closure `|current, update| …`. An
/// update replaces a field without one. If updates have another type than the field, name it with
/// `#[update(Type)]`.
///
/// The update of `struct Chat` is `struct ChatUpdate`, with the same visibility, generics and
/// fields, each an `Option` of what is written. Its `Default` writes nothing. On the struct,
/// `#[state(…)]` takes
/// - `derive(Debug, Clone, …)`: traits to derive for the update, too. With serde's `Deserialize` an
///   absent field writes nothing and a `null` writes null; with `Serialize` unwritten fields are
///   absent. The `#[serde(…)]` attributes of the state apply to both structs: names, `with`, `skip`,
///   `flatten`. A flattened field is written if the update has one of its fields. A field with
///   `with` and an `#[update(Type)]` says how that is written: `#[update(Type, serde(with = "…"))]`.
/// - `update = Name`: another name for the update.
/// - `crate = path`: the path of threadfold, if not `::threadfold`.
#[proc_macro_derive(State, attributes(state, reducer, update))]
pub fn derive_state(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    match read::state(&input) {
        Ok(state) => write::state(&state).into(),
        Err(error) => error.into_compile_error().into(),
    }
}
