//! Reads the declaration of a state.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::meta::ParseNestedMeta;
use syn::parse::Parse;
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Data, DeriveInput, Error, Fields, Generics, Ident, Path, Result, Token, Type,
    Visibility, parenthesized,
};

/// A state to implement.
pub struct State<'a> {
    pub ident: &'a Ident,
    pub visibility: &'a Visibility,
    pub generics: &'a Generics,
    /// The name of its update.
    pub update: Ident,
    /// The traits its update derives.
    pub derives: Vec<Path>,
    /// The path of threadfold.
    pub threadfold: TokenStream,
    /// The names that `#[serde(…)]` gives its fields.
    pub serde: Vec<TokenStream>,
    pub fields: Vec<Field<'a>>,
}

/// A field of the state.
pub struct Field<'a> {
    pub ident: &'a Ident,
    pub visibility: &'a Visibility,
    pub ty: &'a Type,
    /// The type of its updates.
    pub written: Type,
    pub reducer: Reducer,
    /// Its documentation.
    pub docs: Vec<&'a Attribute>,
    /// The name that `#[serde(…)]` gives it.
    pub serde: Vec<TokenStream>,
}

/// How a field folds updates.
pub enum Reducer {
    /// No reducer: the update replaces the value.
    Replace,
    /// `|current, update| …`
    Closure(TokenStream),
    /// Any other expression.
    Value(TokenStream),
}

impl State<'_> {
    /// Whether the update derives a trait of this name.
    pub fn derives(&self, name: &str) -> bool {
        let last = |path: &Path| path.segments.last().is_some_and(|last| last.ident == name);
        self.derives.iter().any(last)
    }
}

/// Reads the declaration of a state.
pub fn state(input: &DeriveInput) -> Result<State<'_>> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "a state is a struct"));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(Error::new_spanned(&input.ident, "the fields of a state have names"));
    };
    let mut state = State {
        ident: &input.ident,
        visibility: &input.vis,
        generics: &input.generics,
        update: format_ident!("{}Update", input.ident),
        derives: Vec::new(),
        threadfold: quote!(::threadfold),
        serde: names(&input.attrs, &["rename_all"])?,
        fields: fields.named.iter().map(field).collect::<Result<_>>()?,
    };
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("state")) {
        attribute.parse_nested_meta(|meta| option(&mut state, &meta))?;
    }
    Ok(state)
}

/// Reads one of the options in `#[state(…)]`.
fn option(state: &mut State<'_>, meta: &ParseNestedMeta<'_>) -> Result<()> {
    if meta.path.is_ident("update") {
        state.update = meta.value()?.parse()?;
    } else if meta.path.is_ident("crate") {
        state.threadfold = meta.value()?.call(Path::parse_mod_style)?.into_token_stream();
    } else if meta.path.is_ident("derive") {
        let paths;
        parenthesized!(paths in meta.input);
        state.derives.extend(Punctuated::<Path, Token![,]>::parse_terminated(&paths)?);
    } else {
        return Err(meta.error("known are `derive(…)`, `update = Name` and `crate = path`"));
    }
    Ok(())
}

fn field(field: &syn::Field) -> Result<Field<'_>> {
    let Some(ident) = &field.ident else {
        return Err(Error::new_spanned(field, "the fields of a state have names"));
    };
    let written = only(&field.attrs, "update")?;
    let written =
        written.map_or_else(|| Ok(field.ty.clone()), |it| it.parse_args_with(Type::parse))?;
    let reducer = only(&field.attrs, "reducer")?;
    let reducer = reducer.map_or(Ok(Reducer::Replace), |it| {
        let tokens = it.meta.require_list()?.tokens.clone();
        match tokens.clone().into_iter().next() {
            None => Err(Error::new_spanned(it, "a reducer goes in the parentheses")),
            Some(TokenTree::Punct(first)) if first.as_char() == '|' => Ok(Reducer::Closure(tokens)),
            Some(TokenTree::Ident(first)) if first == "move" => Ok(Reducer::Closure(tokens)),
            Some(_) => Ok(Reducer::Value(tokens)),
        }
    })?;
    Ok(Field {
        ident,
        visibility: &field.vis,
        ty: &field.ty,
        written,
        reducer,
        docs: field.attrs.iter().filter(|attribute| attribute.path().is_ident("doc")).collect(),
        serde: names(&field.attrs, &["rename", "alias"])?,
    })
}

/// Returns the attribute of this name, which may occur once.
fn only<'a>(attributes: &'a [Attribute], name: &str) -> Result<Option<&'a Attribute>> {
    let mut named = attributes.iter().filter(|attribute| attribute.path().is_ident(name));
    let first = named.next();
    match named.next() {
        Some(second) => Err(Error::new_spanned(second, format!("a field has one `{name}`"))),
        None => Ok(first),
    }
}

/// Those items of `#[serde(…)]` that have one of these names.
fn names(attributes: &[Attribute], wanted: &[&str]) -> Result<Vec<TokenStream>> {
    let mut found = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("serde")) {
        attribute.parse_nested_meta(|meta| {
            let path = &meta.path;
            let mut item = path.to_token_stream();
            if meta.input.peek(Token![=]) {
                let value: syn::Lit = meta.value()?.parse()?;
                item.extend(quote!(= #value));
            } else if meta.input.peek(syn::token::Paren) {
                let inner;
                parenthesized!(inner in meta.input);
                let inner: TokenStream = inner.parse()?;
                item.extend(quote!((#inner)));
            }
            if wanted.iter().any(|name| path.is_ident(name)) {
                found.push(item);
            }
            Ok(())
        })?;
    }
    Ok(found)
}
