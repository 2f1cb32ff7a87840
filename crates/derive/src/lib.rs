//! `#[derive(State)]` of [threadfold](https://docs.rs/threadfold), which documents it.

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

mod page;
mod page_type;
mod read;
#[cfg(test)]
mod tests;
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
///   `flatten`. One that an update cannot follow, such as `tag`, is an error that names it. A
///   flattened field is written if the update has one of its fields. A field with
///   `with` and an `#[update(Type)]` says how that is written: `#[update(Type, serde(with = "…"))]`.
/// - `update = Name`: another name for the update.
/// - `page`: implements `threadfold::typed::page::PageState`, so that a page can fold it by
///   `threadfold-page`. A field's type in TypeScript is that of its Rust type, or the one that
///   `#[page(type = "…")]` names.
/// - `crate = path`: the path of threadfold, if not `::threadfold`.
#[proc_macro_derive(State, attributes(state, reducer, update, page))]
pub fn derive_state(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let written = read::state(&input).and_then(|state| {
        let page = if state.is_page { Some(page::state(&state)?) } else { None };
        let state = write::state(&state);
        Ok(quote::quote!(#state #page))
    });
    written.unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Implements `threadfold::typed::page::PageType`, which documents it: the type in TypeScript that
/// serde makes of a struct or an enum.
#[proc_macro_derive(PageType, attributes(page))]
pub fn derive_page_type(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    page_type::derive(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}
