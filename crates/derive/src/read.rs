//! Reads the declaration of a state.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;
use syn::meta::ParseNestedMeta;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Data, DeriveInput, Error, Fields, Generics, Ident, LitStr, Path, Result, Token,
    Type, Visibility, parenthesized,
};

use crate::page_type::Options;
use crate::wire::{Container, Wire, renamed};

/// A state to implement.
pub struct State<'a> {
    pub ident: &'a Ident,
    pub visibility: &'a Visibility,
    pub generics: &'a Generics,
    /// The name of its update.
    pub update: Ident,
    /// The traits its update derives.
    pub derives: Vec<Path>,
    /// Whether a page folds it.
    pub is_page: bool,
    /// The path of threadfold.
    pub threadfold: TokenStream,
    /// How serde reads and writes it.
    pub wire: Container,
    pub fields: Vec<Field<'a>>,
}

/// A field of the state.
pub struct Field<'a> {
    pub ident: &'a Ident,
    pub visibility: &'a Visibility,
    pub ty: &'a Type,
    /// Its name on the wire, where serde is written by hand; empty if its own fields are there.
    pub name: Option<String>,
    /// The type of its updates.
    pub written: Type,
    pub reducer: Reducer,
    /// Its documentation.
    pub docs: Vec<&'a Attribute>,
    /// How serde reads and writes it.
    pub wire: Wire,
    /// The same for its updates, if `#[update]` says it.
    pub written_wire: Option<Wire>,
    /// Whether its updates have a type of their own.
    pub is_other: bool,
    /// Its types in a page.
    pub page: Options,
}

impl Field<'_> {
    /// How serde reads and writes its updates.
    pub fn update_wire(&self) -> &Wire {
        self.written_wire.as_ref().unwrap_or(&self.wire)
    }
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
        self.derives.iter().any(|path| ends_in(path, name))
    }

    /// Returns a field's name on the wire.
    pub fn name(&self, field: &Field<'_>) -> String {
        let own = field.ident.unraw().to_string();
        let ruled = || renamed(&own, self.wire.rename_all.as_deref());
        field.name.clone().or_else(|| field.wire.name.clone()).unwrap_or_else(ruled)
    }

    /// Whether its update goes through serde.
    pub fn uses_serde(&self) -> bool {
        self.derives("Serialize") || self.derives("Deserialize")
    }
}

fn ends_in(path: &Path, name: &str) -> bool {
    path.segments.last().is_some_and(|last| last.ident == name)
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
        is_page: false,
        threadfold: quote!(::threadfold),
        wire: Container::read(&input.attrs)?,
        fields: fields.named.iter().map(field).collect::<Result<_>>()?,
    };
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("state")) {
        attribute.parse_nested_meta(|meta| option(&mut state, &meta))?;
    }
    if state.uses_serde() || state.is_page {
        shaped(&mut state)?;
    }
    Ok(state)
}

/// Refuses a state that serde shapes as no update can be shaped.
fn shaped(state: &mut State<'_>) -> Result<()> {
    let of_fields = state.fields.iter_mut().map(|field| &mut field.wire.foreign);
    if let Some(error) = of_fields.chain([&mut state.wire.foreign]).find_map(Option::take) {
        return Err(error);
    }
    let unsaid = |field: &&Field<'_>| {
        field.is_other && field.written_wire.is_none() && field.wire.is_custom()
    };
    match state.fields.iter().find(unsaid) {
        None => Ok(()),
        Some(Field { written, .. }) => Err(Error::new_spanned(
            written,
            "the update has another type than the state, whose `#[serde(with)]` cannot apply to it: \
             write `#[update(Type, serde(with = \"…\"))]`, or `serde()` for none",
        )),
    }
}

/// Reads one of the options in `#[state(…)]`.
fn option(state: &mut State<'_>, meta: &ParseNestedMeta<'_>) -> Result<()> {
    if meta.path.is_ident("update") {
        state.update = meta.value()?.parse()?;
    } else if meta.path.is_ident("crate") {
        state.threadfold = meta.value()?.call(Path::parse_mod_style)?.into_token_stream();
    } else if meta.path.is_ident("page") {
        state.is_page = true;
    } else if meta.path.is_ident("derive") {
        let paths;
        parenthesized!(paths in meta.input);
        let paths = Punctuated::<Path, Token![,]>::parse_terminated(&paths)?;
        // An update has it anyway, whatever its fields have.
        state.derives.extend(paths.into_iter().filter(|path| !ends_in(path, "Default")));
    } else {
        return Err(meta.error("known are `derive(…)`, `update = Name`, `page` and `crate = path`"));
    }
    Ok(())
}

fn field(field: &syn::Field) -> Result<Field<'_>> {
    let Some(ident) = &field.ident else {
        return Err(Error::new_spanned(field, "the fields of a state have names"));
    };
    let update = only(&field.attrs, "update")?;
    let (written, written_wire) = match update {
        None => (field.ty.clone(), None),
        Some(update) => update.parse_args_with(written)?,
    };
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
        name: wire_name(&field.attrs)?,
        written,
        reducer,
        docs: field.attrs.iter().filter(|attribute| attribute.path().is_ident("doc")).collect(),
        wire: Wire::read(&field.attrs)?,
        written_wire,
        is_other: update.is_some(),
        page: Options::read(&field.attrs)?,
    })
}

/// Reads `#[state(name = "…")]`.
fn wire_name(attributes: &[Attribute]) -> Result<Option<String>> {
    let mut name = None;
    if let Some(attribute) = only(attributes, "state")? {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("name") {
                return Err(meta.error("a field's is `name = \"…\"`"));
            }
            name = Some(meta.value()?.parse::<LitStr>()?.value());
            Ok(())
        })?;
    }
    Ok(name)
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

/// Reads `Type` or `Type, serde(…)`.
fn written(input: ParseStream<'_>) -> Result<(Type, Option<Wire>)> {
    let ty = input.call(Type::parse)?;
    if input.is_empty() {
        return Ok((ty, None));
    }
    input.parse::<Token![,]>()?;
    let name: Ident = input.parse()?;
    if name != "serde" {
        return Err(Error::new_spanned(name, "expected `serde(…)` after the type"));
    }
    let items;
    parenthesized!(items in input);
    let items: TokenStream = items.parse()?;
    let mut wire = Wire::default();
    let function = |meta: ParseNestedMeta<'_>| {
        let known = ["with", "serialize_with", "deserialize_with"];
        if known.iter().any(|name| meta.path.is_ident(name)) {
            return wire.item(&meta);
        }
        let says = "known are `with`, `serialize_with` and `deserialize_with`: the rest is the \
                    field's own `#[serde(…)]`";
        Err(meta.error(says))
    };
    syn::meta::parser(function).parse2(items)?;
    Ok((ty, Some(wire)))
}
