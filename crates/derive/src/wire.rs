//! Reads the `#[serde(…)]` attributes of a state: its update has the same shape.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::meta::ParseNestedMeta;
use syn::{Attribute, Error, ExprPath, LitStr, Result, Token, parenthesized};

/// How serde reads and writes a field.
#[derive(Clone, Default)]
pub struct Wire {
    /// The items that the update's field has as they are: its names.
    pub kept: Vec<TokenStream>,
    /// The name it is written by, if it has one of its own.
    pub name: Option<String>,
    /// The function that writes it.
    pub serialize: Option<TokenStream>,
    /// The function that reads it.
    pub deserialize: Option<TokenStream>,
    pub skip_serializing: bool,
    pub skip_deserializing: bool,
    pub flatten: bool,
}

impl Wire {
    /// Reads a field's attributes.
    pub fn read(attributes: &[Attribute]) -> Result<Self> {
        let mut wire = Self::default();
        each(attributes, |meta| wire.item(meta))?;
        Ok(wire)
    }

    /// Reads one item.
    pub fn item(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        let path = &meta.path;
        let is = |name| path.is_ident(name);
        if is("with") {
            let module = function(meta)?;
            self.serialize = Some(quote!(#module::serialize));
            self.deserialize = Some(quote!(#module::deserialize));
        } else if is("serialize_with") {
            self.serialize = Some(function(meta)?);
        } else if is("deserialize_with") {
            self.deserialize = Some(function(meta)?);
        } else if is("skip") {
            (self.skip_serializing, self.skip_deserializing) = (true, true);
        } else if is("skip_serializing") {
            self.skip_serializing = true;
        } else if is("skip_deserializing") {
            self.skip_deserializing = true;
        } else if is("flatten") {
            self.flatten = true;
        } else {
            let item = whole(meta)?;
            if is("rename") {
                self.name = written_name(&item);
            }
            if ["rename", "alias", "borrow"].into_iter().any(is) {
                self.kept.push(item);
            }
        }
        Ok(())
    }

    /// Whether functions of its own read or write it.
    pub fn is_custom(&self) -> bool {
        self.serialize.is_some() || self.deserialize.is_some()
    }
}

/// How serde reads and writes the struct: the items that the update has as they are, and the rule
/// for names.
#[derive(Default)]
pub struct Container {
    pub kept: Vec<TokenStream>,
    pub rename_all: Option<String>,
    /// An item that makes of the state something else than its fields.
    pub foreign: Option<Error>,
}

impl Container {
    pub fn read(attributes: &[Attribute]) -> Result<Self> {
        let mut container = Self::default();
        each(attributes, |meta| {
            let path = &meta.path;
            let item = whole(meta)?;
            if path.is_ident("rename_all") {
                container.rename_all = written_name(&item);
            }
            if ["rename_all", "deny_unknown_fields", "crate"].iter().any(|it| path.is_ident(it)) {
                container.kept.push(item);
            } else if ["transparent", "from", "try_from", "into"].iter().any(|it| path.is_ident(it))
            {
                let says = "the update has the state's fields, so the state cannot be serialized as \
                            something else";
                container.foreign = Some(Error::new_spanned(path, says));
            }
            Ok(())
        })?;
        Ok(container)
    }
}

/// Reads each item of `#[serde(…)]`.
fn each(
    attributes: &[Attribute],
    mut item: impl FnMut(&ParseNestedMeta<'_>) -> Result<()>,
) -> Result<()> {
    let of_serde = attributes.iter().filter(|attribute| attribute.path().is_ident("serde"));
    of_serde.into_iter().try_for_each(|attribute| attribute.parse_nested_meta(|meta| item(&meta)))
}

/// Returns the path that an item names in quotes.
fn function(meta: &ParseNestedMeta<'_>) -> Result<TokenStream> {
    let path: LitStr = meta.value()?.parse()?;
    Ok(path.parse::<ExprPath>()?.into_token_stream())
}

/// Returns an item as it is written.
fn whole(meta: &ParseNestedMeta<'_>) -> Result<TokenStream> {
    let mut item = meta.path.to_token_stream();
    if meta.input.peek(Token![=]) {
        let value: syn::Lit = meta.value()?.parse()?;
        item.extend(quote!(= #value));
    } else if meta.input.peek(syn::token::Paren) {
        let inner;
        parenthesized!(inner in meta.input);
        let inner: TokenStream = inner.parse()?;
        item.extend(quote!((#inner)));
    }
    Ok(item)
}

/// Returns the name in `rename = "name"` or `rename(serialize = "name", …)`.
fn written_name(item: &TokenStream) -> Option<String> {
    let text = |tokens: TokenStream| syn::parse2::<LitStr>(tokens).ok().map(|text| text.value());
    let mut tokens = item.clone().into_iter().skip(1);
    match tokens.next()? {
        proc_macro2::TokenTree::Group(group) => {
            let mut inner = group.stream().into_iter();
            inner.find(|token| token.to_string() == "serialize")?;
            text(inner.nth(1)?.into())
        }
        _ => text(tokens.collect()),
    }
}
