//! Reads the `#[serde(…)]` attributes of a state: its update has the same shape.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::meta::ParseNestedMeta;
use syn::{Attribute, Error, ExprPath, LitStr, Result, Token, parenthesized};

/// How serde reads and writes a field.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of serde's")]
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
    /// Whether it may be left out when it is written.
    pub may_be_absent: bool,
    /// Whether a variant has no name on the wire.
    pub is_untagged: bool,
    /// An item that no update can follow.
    pub foreign: Option<Error>,
}

/// Items for serde's own half, or for the state alone: an update has the same shape
/// without it. An absent field of an update writes nothing, whatever its `default`, and a write is
/// written, whatever `skip_serializing_if` says of a value.
const OF_NO_SHAPE: [&str; 3] = ["default", "skip_serializing_if", "bound"];

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
            self.may_be_absent |= is("skip_serializing_if");
            self.is_untagged |= is("untagged");
            let item = whole(meta)?;
            if is("rename") {
                self.name = written_name(&item);
            }
            if ["rename", "alias", "borrow"].into_iter().any(is) {
                self.kept.push(item);
            } else if !OF_NO_SHAPE.into_iter().any(is) {
                self.foreign.get_or_insert_with(|| not_followed(path));
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
    pub rename_all_fields: Option<String>,
    pub tag: Option<String>,
    pub content: Option<String>,
    pub is_untagged: bool,
    pub is_transparent: bool,
    /// An item by which serde writes another type.
    pub converted: Option<Error>,
    /// An item that makes of the state something else than its fields.
    pub foreign: Option<Error>,
}

impl Container {
    pub fn read(attributes: &[Attribute]) -> Result<Self> {
        let mut container = Self::default();
        each(attributes, |meta| {
            let path = &meta.path;
            let item = whole(meta)?;
            container.is_untagged |= path.is_ident("untagged");
            container.is_transparent |= path.is_ident("transparent");
            for (name, text) in [
                ("rename_all", &mut container.rename_all),
                ("rename_all_fields", &mut container.rename_all_fields),
                ("tag", &mut container.tag),
                ("content", &mut container.content),
            ] {
                if path.is_ident(name) {
                    *text = written_name(&item);
                }
            }
            if ["from", "try_from", "into", "remote"].iter().any(|name| path.is_ident(name)) {
                let name = path.to_token_stream();
                let says = format!(
                    "`#[serde({name})]` makes of it another type: write that in TypeScript, such as \
                     `#[page(type = \"string\")]`",
                );
                container.converted.get_or_insert_with(|| Error::new_spanned(path, says));
            }
            let is_one_of = |names: &[&str]| names.iter().any(|name| path.is_ident(name));
            if is_one_of(&["rename", "rename_all", "deny_unknown_fields", "crate"]) {
                container.kept.push(item);
            } else if is_one_of(&["transparent", "from", "try_from", "into", "remote", "tag"]) {
                let name = path.to_token_stream();
                let says = format!(
                    "`#[serde({name})]` makes of the state something else than its fields, and an \
                     update has its fields: leave `{name}` out, or put the state into a struct that \
                     has it",
                );
                container.foreign.get_or_insert_with(|| Error::new_spanned(path, says));
            } else if !is_one_of(&["default", "bound", "expecting"]) {
                container.foreign.get_or_insert_with(|| not_followed(path));
            }
            Ok(())
        })?;
        Ok(container)
    }
}

/// Refuses an item by its name.
fn not_followed(path: &syn::Path) -> Error {
    let name = path.to_token_stream();
    let says = format!(
        "the derived update cannot follow `#[serde({name})]`: leave it out, or keep serde from the \
         update by `#[state(derive(…))]` without `Serialize` and `Deserialize`",
    );
    Error::new_spanned(path, says)
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

/// Returns the name of a field by serde's rule.
pub fn renamed(name: &str, rule: Option<&str>) -> String {
    let camel = || {
        let mut words = name.split('_').filter(|word| !word.is_empty());
        let first = words.next().unwrap_or_default().to_owned();
        words.fold(first, |name, word| name + &upper_first(word))
    };
    match rule {
        Some("UPPERCASE" | "SCREAMING_SNAKE_CASE") => name.to_ascii_uppercase(),
        Some("PascalCase") => upper_first(&camel()),
        Some("camelCase") => camel(),
        Some("kebab-case") => name.replace('_', "-"),
        Some("SCREAMING-KEBAB-CASE") => name.to_ascii_uppercase().replace('_', "-"),
        _ => name.to_owned(),
    }
}

/// Returns the name of a variant by serde's rule.
pub fn renamed_variant(name: &str, rule: Option<&str>) -> String {
    let mut snake = String::new();
    for (at, letter) in name.char_indices() {
        if at > 0 && letter.is_uppercase() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    match rule {
        None | Some("PascalCase") => name.to_owned(),
        Some("lowercase") => name.to_ascii_lowercase(),
        Some("UPPERCASE") => name.to_ascii_uppercase(),
        rule => renamed(&snake, rule),
    }
}

fn upper_first(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
