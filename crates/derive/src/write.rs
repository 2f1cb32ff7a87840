//! Generates the code for a state.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{GenericParam, Generics, parse_quote};

use crate::read::{Field, Reducer, State};

/// Generates the update of a state, and its folding.
pub fn state(state: &State<'_>) -> TokenStream {
    let update = update(state);
    let folding = folding(state);
    quote!(#update #folding)
}

fn update(state: &State<'_>) -> TokenStream {
    let State { ident, visibility, generics, update, derives, wire, .. } = state;
    let (with_bounds, names, bounds) = generics.split_for_impl();
    let fields = state.fields.iter().map(|field| {
        let Field { ident, visibility, written, docs, .. } = field;
        let serde = of_serde(state, field);
        quote!(#(#docs)* #serde #visibility #ident: ::core::option::Option<#written>)
    });
    let nothing = state.fields.iter().map(|field| field.ident);
    let derive = (!derives.is_empty()).then(|| quote!(#[derive(#(#derives),*)]));
    let serde = wire.kept.iter().cloned().chain(bound(state)).map(|item| quote!(#[serde(#item)]));
    let serde = if state.uses_serde() { quote!(#(#serde)*) } else { TokenStream::new() };
    let functions = state.fields.iter().map(|field| functions(state, field));
    let functions = quote!(#(#functions)*);
    let functions = (!functions.is_empty()).then(|| {
        quote! {
            #[automatically_derived]
            #[doc(hidden)]
            #[allow(clippy::all, clippy::pedantic)]
            impl #with_bounds #update #names #bounds { #functions }
        }
    });
    let says = format!("A partial update of [`{ident}`]: each field is a write, or `None`.");
    quote! {
        #[doc = #says]
        #derive
        #serde
        #visibility struct #update #generics #bounds {
            #(#fields,)*
        }

        #functions

        #[automatically_derived]
        impl #with_bounds ::core::default::Default for #update #names #bounds {
            fn default() -> Self {
                Self { #(#nothing: ::core::option::Option::None,)* }
            }
        }
    }
}

/// Returns a field's attributes for serde.
fn of_serde(state: &State<'_>, field: &Field<'_>) -> TokenStream {
    if !state.uses_serde() {
        return TokenStream::new();
    }
    let Field { ident, wire, .. } = field;
    let by = field.update_wire();
    let generics = state.generics.split_for_impl().1;
    let (update, generics) = (&state.update, generics.as_turbofish());
    let function = |name: &str| {
        let name = format_ident!("__{name}_{ident}", ident = ident.unraw());
        quote!(#update #generics::#name).to_string().replace(' ', "")
    };
    let mut items = wire.kept.clone();
    if wire.flatten {
        items.push(quote!(flatten));
    }
    if state.derives("Serialize") {
        if wire.skip_serializing {
            items.push(quote!(skip_serializing));
        } else {
            items.push(quote!(skip_serializing_if = "::core::option::Option::is_none"));
            if by.serialize.is_some() {
                let function = function("serialize");
                items.push(quote!(serialize_with = #function));
            }
        }
    }
    if state.derives("Deserialize") {
        if wire.skip_deserializing {
            items.push(quote!(skip_deserializing));
        } else {
            let function = if by.deserialize.is_some() || wire.flatten {
                function("deserialize")
            } else {
                private(state, "written")
            };
            items.push(quote!(default, deserialize_with = #function));
        }
    }
    quote!(#[serde(#(#items),*)])
}

/// Returns the functions by which a field's writes are read and written, if the state's own say how.
fn functions(state: &State<'_>, field: &Field<'_>) -> TokenStream {
    let Field { ident, written, wire, .. } = field;
    let threadfold = &state.threadfold;
    let private = quote!(#threadfold::typed::__private);
    let by = field.update_wire();
    let serialize = (!wire.skip_serializing && state.derives("Serialize")).then(|| {
        let name = format_ident!("__serialize_{ident}", ident = ident.unraw());
        by.serialize.as_ref().map(|function| {
            quote! {
                fn #name<S: #private::Serializer>(
                    value: &::core::option::Option<#written>,
                    serializer: S,
                ) -> ::core::result::Result<S::Ok, S::Error> {
                    match value {
                        ::core::option::Option::Some(value) => #function(value, serializer),
                        ::core::option::Option::None => serializer.serialize_none(),
                    }
                }
            }
        })
    });
    let deserialize = (!wire.skip_deserializing && state.derives("Deserialize")).then(|| {
        let name = format_ident!("__deserialize_{ident}", ident = ident.unraw());
        let plain = quote!(<#written as #private::Deserialize<'de>>::deserialize);
        let function = by.deserialize.as_ref().unwrap_or(&plain);
        let read = match (wire.flatten, by.deserialize.is_some()) {
            (true, _) => quote!(#private::flattened(deserializer, |fields| #function(fields))),
            (false, true) => quote!(#function(deserializer).map(::core::option::Option::Some)),
            (false, false) => return None,
        };
        let bounds = (by.deserialize.is_none() && state.generics.type_params().next().is_some())
            .then(|| quote!(where #written: #private::Deserialize<'de>));
        Some(quote! {
            fn #name<'de, D: #private::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<::core::option::Option<#written>, D::Error> #bounds {
                #read
            }
        })
    });
    let (serialize, deserialize) = (serialize.flatten(), deserialize.flatten());
    quote!(#serialize #deserialize)
}

/// Bounds that serde cannot infer, because a function of ours reads the fields.
fn bound(state: &State<'_>) -> Option<TokenStream> {
    let generic = state.generics.type_params().next().is_some();
    if !generic || !state.derives("Deserialize") {
        return None;
    }
    let deserialize = private(state, "Deserialize");
    let plain = |field: &&Field<'_>| {
        !field.wire.skip_deserializing && field.update_wire().deserialize.is_none()
    };
    let bounds = state.fields.iter().filter(plain).map(|field| {
        let written = field.written.to_token_stream();
        format!("{written}: {deserialize}<'de>")
    });
    let bounds = bounds.collect::<Vec<_>>().join(", ");
    Some(quote!(bound(deserialize = #bounds)))
}

/// Returns the path of an item that threadfold exports for this code alone.
fn private(state: &State<'_>, name: &str) -> String {
    format!("{}::typed::__private::{name}", state.threadfold).replace(' ', "")
}

fn folding(state: &State<'_>) -> TokenStream {
    let State { ident, generics, update, threadfold, fields, .. } = state;
    let generics = cloneable(generics);
    let (with_bounds, names, bounds) = generics.split_for_impl();
    let private = quote!(#threadfold::typed::__private);
    let reducers = (0..fields.len()).map(|at| format_ident!("reducer_{at}")).collect::<Vec<_>>();
    let changes = (0..fields.len()).map(|at| format_ident!("change_{at}")).collect::<Vec<_>>();
    let made = fields.iter().zip(&reducers).map(|(field, name)| {
        let Field { ident, ty, written, reducer, .. } = field;
        let by = expression(state, field);
        let key = Some(state.name(field)).filter(|name| !name.is_empty());
        let key = key.unwrap_or_else(|| ident.unraw().to_string());
        // An error points to the reducer.
        let span = match reducer {
            Reducer::Replace => ident.span(),
            Reducer::Closure(tokens) | Reducer::Value(tokens) => tokens.span(),
        };
        let span = span.resolved_at(Span::call_site());
        let mut pointed = name.clone();
        pointed.set_span(span);
        let new = quote_spanned!(span=> ThreadfoldBy::<#ty, #written, _>::new(#pointed));
        quote! {
            let #name = &#by;
            let #name = #new.named(#key);
        }
    });
    let made = quote! {
        #[allow(unused_imports)]
        use #private::{AsIs as _, By as ThreadfoldBy, MayRefuse as _};
        #(#made)*
    };
    let merged = fields.iter().zip(&reducers).map(|(field, by)| {
        let ident = field.ident;
        quote! {
            #ident: match update.#ident {
                ::core::option::Option::Some(update) => #by.merge(self.#ident, update),
                ::core::option::Option::None => self.#ident,
            }
        }
    });
    let tried = fields.iter().zip(&reducers).map(|(field, by)| {
        let ident = field.ident;
        quote! {
            #ident: match update.#ident {
                ::core::option::Option::Some(update) => #by.try_merge(self.#ident, update)?,
                ::core::option::Option::None => self.#ident,
            }
        }
    });
    let prepared = fields.iter().zip(&reducers).zip(&changes).map(|((field, by), change)| {
        let ident = field.ident;
        quote! {
            let #change = match update.#ident {
                ::core::option::Option::Some(update) => {
                    ::core::option::Option::Some(#by.prepare(&mut self.#ident, update)?)
                }
                ::core::option::Option::None => ::core::option::Option::None,
            };
        }
    });
    let identified = fields.iter().zip(&reducers).map(|(field, by)| {
        let ident = field.ident;
        quote! {
            if let ::core::option::Option::Some(update) = &mut update.#ident {
                #by.identify(update);
            }
        }
    });
    let channels = channels(state, &made);
    quote! {
        #[automatically_derived]
        impl #with_bounds #threadfold::State for #ident #names #bounds {
            type Update = #update #names;

            fn merge(self, update: Self::Update) -> Self {
                #made
                Self { #(#merged,)* }
            }

            fn try_merge(
                self,
                update: Self::Update,
            ) -> ::core::result::Result<Self, #threadfold::Error> {
                #made
                ::core::result::Result::Ok(Self { #(#tried,)* })
            }

            fn update(
                &mut self,
                update: Self::Update,
            ) -> ::core::result::Result<(), #threadfold::Error> {
                #made
                #(#prepared)*
                #(if let ::core::option::Option::Some(change) = #changes { change(); })*
                ::core::result::Result::Ok(())
            }

            fn identify(update: &mut Self::Update) {
                #made
                #(#identified)*
            }

            #channels
        }
    }
}

/// Generates the functions that name the fields, and those that an update writes.
fn channels(state: &State<'_>, made: &TokenStream) -> TokenStream {
    let threadfold = &state.threadfold;
    let private = quote!(#threadfold::typed::__private);
    let channels = state.fields.iter().enumerate().map(|(at, field)| {
        let by = format_ident!("reducer_{at}");
        let name = state.name(field);
        let name = if field.wire.flatten || name.is_empty() {
            quote!(::core::option::Option::None)
        } else {
            quote!(::core::option::Option::Some(#name))
        };
        quote!(#private::StateField { name: #name, kind: #by.kind() })
    });
    let writes = state.fields.iter().zip(0_u32..).map(|(field, at)| {
        let ident = field.ident;
        quote!(if update.#ident.is_some() { written.push(#at); })
    });
    quote! {
        fn fields() -> ::std::vec::Vec<#private::StateField> {
            #made
            ::std::vec![#(#channels),*]
        }

        #[allow(unused_mut)]
        fn written(update: &Self::Update) -> ::std::vec::Vec<u32> {
            let mut written = ::std::vec::Vec::new();
            #(#writes)*
            written
        }
    }
}

/// Returns the generics with every type `Clone`, as a state's are.
fn cloneable(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    for param in &mut generics.params {
        if let GenericParam::Type(param) = param {
            param.bounds.push(parse_quote!(::core::clone::Clone));
        }
    }
    generics
}

/// Returns the reducer of a field, as an expression.
pub fn expression(state: &State<'_>, field: &Field<'_>) -> TokenStream {
    let threadfold = &state.threadfold;
    let Field { ty, written, .. } = field;
    match &field.reducer {
        Reducer::Replace => quote!(#threadfold::reducer::Replace),
        Reducer::Closure(closure) => {
            quote!(#threadfold::typed::__private::reducer_fn::<#ty, #written, _>(#closure))
        }
        Reducer::Value(value) => quote!((#value)),
    }
}
