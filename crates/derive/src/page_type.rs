//! Generates the type in TypeScript that serde makes of a struct or an enum.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt as _, quote};
use syn::ext::IdentExt;
use syn::{
    Attribute, Data, DeriveInput, Error, Expr, ExprLit, Fields, Lit, LitStr, Meta, Path, Result,
    Token, Type,
};

use crate::wire::{Container, Wire, renamed, renamed_variant};

/// The options in `#[page(…)]`.
#[derive(Default)]
pub struct Options {
    /// The type in TypeScript.
    pub ty: Option<String>,
    /// The same for a field's updates.
    pub update: Option<String>,
    /// Another name in TypeScript.
    pub name: Option<String>,
    /// Whether a field contains its own struct.
    pub recursive: bool,
    /// The path of threadfold.
    pub threadfold: Option<TokenStream>,
}

impl Options {
    pub fn read(attributes: &[Attribute]) -> Result<Self> {
        let mut options = Self::default();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("page")) {
            attribute.parse_nested_meta(|meta| {
                let text = || -> Result<_> { Ok(Some(meta.value()?.parse::<LitStr>()?.value())) };
                if meta.path.is_ident("type") {
                    options.ty = text()?;
                } else if meta.path.is_ident("update") {
                    options.update = text()?;
                } else if meta.path.is_ident("name") {
                    options.name = text()?;
                } else if meta.path.is_ident("recursive") {
                    options.recursive = true;
                } else if meta.path.is_ident("crate") {
                    let path = meta.value()?.call(Path::parse_mod_style)?;
                    options.threadfold = Some(path.into_token_stream());
                } else {
                    return Err(meta.error(
                        "known are `type = \"…\"`, `update = \"…\"`, `name = \"…\"`, `recursive` and \
                         `crate = path`",
                    ));
                }
                Ok(())
            })?;
        }
        Ok(options)
    }
}

/// A type in TypeScript, as expressions: its `Text`, and the `Types` that it needs.
pub type Shape = (TokenStream, TokenStream);

/// Returns the type of a value in Rust, or the one that is named.
pub fn of(threadfold: &TokenStream, ty: &Type, named: Option<&str>) -> Shape {
    let page = quote!(#threadfold::typed::page);
    match named {
        Some(text) => (quote!(#page::Text::of(#text)), quote!(#page::Types::NONE)),
        None => (quote!(<#ty as #page::PageType>::NAME), quote!(<#ty as #page::PageType>::NEEDS)),
    }
}

/// Returns documentation as a comment.
pub fn comment(docs: &[&Attribute]) -> String {
    let lines = docs.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(line), .. }) => Some(line.value().trim().to_owned()),
            _ => None,
        },
        _ => None,
    });
    let text = lines.collect::<Vec<_>>().join(" ").replace("*/", "* /");
    if text.is_empty() { text } else { format!("/** {text} */ ") }
}

/// Generates `PageType` of a struct or an enum.
pub fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let options = Options::read(&input.attrs)?;
    let threadfold = options.threadfold.unwrap_or_else(|| quote!(::threadfold));
    let page = quote!(#threadfold::typed::page);
    let container = Container::read(&input.attrs)?;
    // One name cannot stand for a generic type with every argument.
    let is_named = input.generics.params.is_empty();
    let own = is_named.then_some(&input.ident);
    let writer = Writer { threadfold: &threadfold, page: &page, own };
    if let (None, Some(error)) = (&options.ty, &container.converted) {
        return Err(error.clone());
    }
    let (text, needs) = match &options.ty {
        Some(named) => (quote!(#page::Text::of(#named)), quote!(#page::Types::NONE)),
        None => match &input.data {
            Data::Struct(data) => {
                let is_one = container.is_transparent;
                let rule = container.rename_all.as_deref();
                let (text, needs) = writer.fields(&data.fields, rule, is_one)?;
                // It is written, and need not be there when it is read.
                let tag =
                    container.tag.iter().map(|tag| format!(" & {{ readonly {tag:?}?: string }}"));
                (quote!(#text #(.with(#tag))*), needs)
            }
            Data::Enum(data) => writer.variants(&data.variants, &container)?,
            Data::Union(_) => return Err(Error::new_spanned(&input.ident, "serde has no unions")),
        },
    };
    let ident = &input.ident;
    let name = options.name.unwrap_or_else(|| ident.unraw().to_string());
    let (with_bounds, names, bounds) = input.generics.split_for_impl();
    let key = options.ty.is_none().then(|| written_as(input, &container)).flatten();
    let key = key.map(|ty| quote!(const KEY: #page::Text = #page::key::<Self, #ty>();));
    let body = if is_named {
        let opens = format!("export type {name} = ");
        quote! {
            const NAME: #page::Text = #page::Text::of(#name);
            const NEEDS: #page::Types = {
                const DECLARED: &#page::Text = &#page::Text::of(#opens).and(&#text).with(";");
                #needs.with(DECLARED.as_str())
            };
        }
    } else {
        quote! {
            const NAME: #page::Text = #page::Text::of("(").and(&#text).with(")");
            const NEEDS: #page::Types = #needs;
        }
    };
    let params = input.generics.type_params().map(|param| &param.ident);
    let bounds = bounds.map_or_else(|| quote!(where), |bounds| quote!(#bounds));
    Ok(quote! {
        #[automatically_derived]
        #[allow(clippy::all, clippy::pedantic)]
        impl #with_bounds #page::PageType for #ident #names #bounds #(#params: #page::PageType,)* {
            #body
            #key
        }
    })
}

/// Returns the type of a struct's only field, if serde writes the struct as that field.
fn written_as<'a>(input: &'a DeriveInput, container: &Container) -> Option<&'a Type> {
    let Data::Struct(data) = &input.data else { return None };
    let is_shown = |field: &&syn::Field| {
        let is_skipped = Wire::read(&field.attrs).is_ok_and(|wire| wire.skip_serializing);
        let is_named = Options::read(&field.attrs).is_ok_and(|options| options.ty.is_some());
        !is_skipped && !is_named
    };
    let is_one = matches!(&data.fields, Fields::Unnamed(all) if all.unnamed.len() == 1);
    let mut shown = data.fields.iter().filter(is_shown);
    let ty = &shown.next().filter(|_| is_one || container.is_transparent)?.ty;
    shown.next().is_none().then_some(ty)
}

/// Returns a type with `()` for each of the type that contains it: the rest of what it needs.
fn without(own: &Ident, tokens: TokenStream) -> TokenStream {
    let mut tokens = tokens.into_iter().peekable();
    let mut kept = TokenStream::new();
    let mut is_path = false;
    while let Some(token) = tokens.next() {
        let goes_on =
            matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == ':');
        let is_own = matches!(&token, TokenTree::Ident(name) if name == own);
        is_path = match token {
            TokenTree::Punct(sign) if sign.as_char() == ':' => {
                kept.append(sign);
                true
            }
            TokenTree::Group(group) => {
                kept.append(Group::new(group.delimiter(), without(own, group.stream())));
                false
            }
            _ if is_own && !is_path && !goes_on => {
                kept.extend(quote!(()));
                false
            }
            token => {
                kept.append(token);
                false
            }
        };
    }
    kept
}

struct Writer<'a> {
    threadfold: &'a TokenStream,
    page: &'a TokenStream,
    /// The type whose fields these are, if it has a name of its own in TypeScript.
    own: Option<&'a Ident>,
}

impl Writer<'_> {
    fn text(&self, text: &str) -> TokenStream {
        let page = self.page;
        quote!(#page::Text::of(#text))
    }

    fn none(&self) -> TokenStream {
        let page = self.page;
        quote!(#page::Types::NONE)
    }

    /// Returns the type of one field.
    fn field(&self, field: &syn::Field, wire: &Wire) -> Result<Shape> {
        let options = Options::read(&field.attrs)?;
        if wire.is_custom() && options.ty.is_none() {
            let says = "only its functions know its shape in JSON: write its type in TypeScript, such as \
                        `#[page(type = \"string\")]`";
            return Err(Error::new_spanned(&field.ty, says));
        }
        let (text, needs) = of(self.threadfold, &field.ty, options.ty.as_deref());
        let needs = match self.own {
            _ if options.recursive => self.none(),
            Some(own) if options.ty.is_none() => {
                let (page, ty) = (self.page, without(own, field.ty.to_token_stream()));
                quote!(<#ty as #page::PageType>::NEEDS)
            }
            _ => needs,
        };
        Ok((text, needs))
    }

    /// Returns the type of the fields of a struct or a variant.
    fn fields(&self, fields: &Fields, rule: Option<&str>, is_one: bool) -> Result<Shape> {
        let mut needs = self.none();
        let mut shown = Vec::new();
        for field in fields {
            let wire = Wire::read(&field.attrs)?;
            if wire.skip_serializing {
                continue;
            }
            let (text, needed) = self.field(field, &wire)?;
            needs = quote!(#needs.and(#needed));
            shown.push((field, wire, text));
        }
        let is_newtype = matches!(fields, Fields::Unnamed(all) if all.unnamed.len() == 1);
        if let (true, [(_, _, text)]) = (is_one || is_newtype, shown.as_slice()) {
            return Ok((text.clone(), needs));
        }
        let text = match fields {
            Fields::Unit => self.text("null"),
            Fields::Unnamed(_) => {
                let items = shown.iter().enumerate().map(|(at, (_, _, text))| {
                    let comma = if at == 0 { "" } else { ", " };
                    quote!(.with(#comma).and(&#text))
                });
                let opens = self.text("readonly [");
                quote!(#opens #(#items)*.with("]"))
            }
            Fields::Named(_) => {
                let mut own = self.text("{");
                let mut more = TokenStream::new();
                let mut comma = " ";
                for (field, wire, text) in &shown {
                    let ident = field.ident.as_ref().map(|ident| ident.unraw().to_string());
                    let ident = ident.unwrap_or_default();
                    if wire.flatten {
                        more = quote!(#more.with(" & (").and(&#text).with(")"));
                        continue;
                    }
                    let name = wire.name.clone().unwrap_or_else(|| renamed(&ident, rule));
                    let mark = if wire.may_be_absent { "?" } else { "" };
                    let key = format!("{comma}readonly {name:?}{mark}: ");
                    own = quote!(#own.with(#key).and(&#text));
                    comma = "; ";
                }
                quote!(#own.with(" }")#more)
            }
        };
        Ok((text, needs))
    }

    /// Returns the type of an enum.
    fn variants(
        &self,
        variants: &syn::punctuated::Punctuated<syn::Variant, Token![,]>,
        container: &Container,
    ) -> Result<Shape> {
        let (mut all, mut needs) = (self.text(""), self.none());
        let mut bar = "";
        for variant in variants {
            let wire = Wire::read(&variant.attrs)?;
            if wire.skip_serializing {
                continue;
            }
            let ident = variant.ident.unraw().to_string();
            let named = || renamed_variant(&ident, container.rename_all.as_deref());
            let name = wire.name.clone().unwrap_or_else(named);
            let own = Container::read(&variant.attrs)?;
            let rule = own.rename_all.as_deref().or(container.rename_all_fields.as_deref());
            let (text, needed) = self.fields(&variant.fields, rule, false)?;
            let is_unit = matches!(variant.fields, Fields::Unit);
            let one = match (&container.tag, &container.content) {
                (None, _) if container.is_untagged || wire.is_untagged => text,
                (None, _) if is_unit => self.text(&format!("{name:?}")),
                (None, _) => {
                    let opens = self.text(&format!("{{ readonly {name:?}: "));
                    quote!(#opens.and(&#text).with(" }"))
                }
                (Some(tag), _) if is_unit => {
                    self.text(&format!("{{ readonly {tag:?}: {name:?} }}"))
                }
                (Some(tag), None) => {
                    let opens = self.text(&format!("({{ readonly {tag:?}: {name:?} }} & ("));
                    quote!(#opens.and(&#text).with("))"))
                }
                (Some(tag), Some(content)) => {
                    let opens = format!("{{ readonly {tag:?}: {name:?}; readonly {content:?}: ");
                    let opens = self.text(&opens);
                    quote!(#opens.and(&#text).with(" }"))
                }
            };
            all = quote!(#all.with(#bar).and(&#one));
            bar = " | ";
            needs = quote!(#needs.and(#needed));
        }
        Ok((if bar.is_empty() { self.text("never") } else { all }, needs))
    }
}
