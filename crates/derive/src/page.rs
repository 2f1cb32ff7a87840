//! Generates what a page needs of a state: its fields, folded one by one, and their types.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::{Error, Result};

use crate::read::{Field, State};
use crate::write::expression;

/// Generates `PageState` of a state.
pub fn state(state: &State<'_>) -> Result<TokenStream> {
    if !state.generics.params.is_empty() {
        return Err(Error::new_spanned(state.generics, "a page's state has no generics"));
    }
    let (ident, threadfold) = (state.ident, &state.threadfold);
    let page = quote!(#threadfold::typed::page);
    let serde = quote!(#threadfold::typed::__private);
    let kept = state.fields.iter().filter(|field| !is_skipped(field)).collect::<Vec<_>>();
    let names = kept.iter().map(|field| name(state, field)).collect::<Result<Vec<_>>>()?;
    let kinds = kept.iter().map(|field| kind(state, field)).collect::<Vec<_>>();
    let initials = kept.iter().zip(&kinds).zip(0_usize..).map(|((field, kind), at)| {
        let Field { ident, ty, wire, .. } = field;
        let plain = quote!(<#ty as #serde::Serialize>::serialize);
        let serialize = wire.serialize.as_ref().unwrap_or(&plain);
        quote! {
            #at if #page::has_initial(#kind) => {
                #serialize(&<Self as ::core::default::Default>::default().#ident, serializer)
            }
        }
    });
    let folds = kept.iter().zip(&kinds).zip(0_usize..).map(|((field, kind), at)| {
        let Field { ty, written, wire, .. } = field;
        let by = expression(state, field);
        let plain = quote!(<#ty as #serde::Serialize>::serialize);
        let serialize = wire.serialize.as_ref().unwrap_or(&plain);
        let plain = quote!(<#ty as #serde::Deserialize<'de>>::deserialize);
        let read = wire.deserialize.as_ref().unwrap_or(&plain);
        let plain = quote!(<#written as #serde::Deserialize<'de>>::deserialize);
        let read_update = field.update_wire().deserialize.as_ref().unwrap_or(&plain);
        quote! {
            #at if #page::is_own(#kind) => {
                let now: #ty = #read(now).map_err(#page::FoldError::Now)?;
                let update: #written = #read_update(update).map_err(#page::FoldError::Update)?;
                let by = &#by;
                let by = #serde::By::<#ty, #written, _>::new(by);
                let folded = by.try_merge(now, update).map_err(#page::FoldError::Reducer)?;
                #serialize(&folded, serializer).map_err(#page::FoldError::Result)
            }
        }
    });
    let numbered = (0_usize..).zip(&kinds).map(|(at, kind)| quote!(#at => #kind));
    let types = kept.iter().zip(&names).map(|(field, name)| declared(state, field, name));
    let types = types.collect::<Result<Vec<_>>>()?;
    let class = ident.unraw().to_string();
    Ok(quote! {
        #[automatically_derived]
        #[allow(clippy::all, clippy::pedantic)]
        impl #page::PageState for #ident {
            const NAMES: &'static [&'static str] = &[#(#names),*];
            const FIELDS: &'static [#page::Declared] = &[#(#types),*];
            const NAME: &'static str = #class;

            fn kind(at: usize) -> #threadfold::reducer::kind::FieldKind {
                match at {
                    #(#numbered,)*
                    _ => #threadfold::reducer::kind::FieldKind::Own,
                }
            }

            fn initial<S: #serde::Serializer>(
                at: usize,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                match at {
                    #(#initials)*
                    _ => serializer.serialize_none(),
                }
            }

            fn fold<'de, D: #serde::Deserializer<'de>, S: #serde::Serializer>(
                at: usize,
                now: D,
                update: D,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, #page::FoldError<D::Error, S::Error>> {
                #[allow(unused_imports)]
                use #serde::{AsIs as _, MayRefuse as _};
                match at {
                    #(#folds)*
                    _ => ::core::result::Result::Err(#page::FoldError::Foreign),
                }
            }
        }
    })
}

/// Returns the types of a field.
fn declared(state: &State<'_>, field: &Field<'_>, name: &str) -> Result<TokenStream> {
    let named = field.page.ty.as_deref();
    // An update of another type than the field's does not have the field's type in TypeScript.
    let named_update = field.page.update.as_deref().or(if field.is_other { None } else { named });
    let is_unshown = field.wire.is_custom() && named.is_none()
        || field.update_wire().is_custom() && named_update.is_none();
    if is_unshown {
        let says = "only its functions know its shape in JSON: write its type in TypeScript, such as \
                    `#[page(type = \"string\")]`";
        return Err(Error::new_spanned(field.ident, says));
    }
    let threadfold = &state.threadfold;
    let page = quote!(#threadfold::typed::page);
    let Field { ty, written, docs, .. } = field;
    let docs = crate::page_type::comment(docs);
    let (value, value_needs) = crate::page_type::of(threadfold, ty, named);
    let (update, update_needs) = crate::page_type::of(threadfold, written, named_update);
    let by = expression(state, field);
    let twin = quote!(#page::twin::<#ty, #written, _, _>(&|| #by));
    let twin = if is_shaped(field) { quote!(#page::shaped_twin(#twin)) } else { twin };
    Ok(quote!(#page::Declared {
        name: #name,
        docs: #docs,
        twin: #twin,
        value: #value,
        update: #update,
        needs: #value_needs.and(#update_needs),
    }))
}

fn is_skipped(field: &Field<'_>) -> bool {
    field.wire.skip_serializing || field.wire.skip_deserializing
}

/// Returns a field's name on the wire.
fn name(state: &State<'_>, field: &Field<'_>) -> Result<String> {
    if field.wire.flatten {
        let says = "a page folds each field by its name, and a flattened one has none";
        return Err(Error::new_spanned(field.ident, says));
    }
    Ok(state.name(field))
}

/// Whether a field has a shape or updates of its own: then npm's twin of its reducer cannot fold it.
fn is_shaped(field: &Field<'_>) -> bool {
    field.is_other || field.wire.is_custom()
}

/// Returns the kind of a field as an expression.
fn kind(state: &State<'_>, field: &Field<'_>) -> TokenStream {
    let threadfold = &state.threadfold;
    let Field { ty, written, .. } = field;
    let by = expression(state, field);
    let kind = quote!(#threadfold::reducer::Reducer::<#ty, #written>::kind(&#by));
    if is_shaped(field) { quote!(#threadfold::typed::page::shaped(#kind)) } else { kind }
}
