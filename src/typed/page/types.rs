//! The types of JSON that Rust's types have on the wire, in TypeScript.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use super::text::{Text, Types};
use crate::typed::Message;
use crate::value::Json;

/// A type of a page's state, with its name in TypeScript.
///
/// Derive it for your structs and enums: it follows their `#[serde(…)]` attributes. A field of a type
/// that cannot derive it, or that serde writes by functions of yours, says its type:
/// `#[page(type = "string")]`. A type that contains itself by way of another one says so there, with
/// `#[page(recursive)]`. With `#[page(name = "ShopItem")]` it has another name in TypeScript.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use threadfold::PageType;
///
/// #[derive(Serialize, Deserialize, PageType)]
/// #[serde(rename_all = "camelCase")]
/// struct Item {
///     unit_price: f64,
///     note: Option<String>,
/// }
///
/// assert_eq!(<Vec<Item>>::NAME.as_str(), "ReadonlyArray<Item>");
/// assert_eq!(
///     Item::NEEDS.at(0),
///     "export type Item = { readonly \"unitPrice\": number; readonly \"note\": string | null };",
/// );
/// ```
#[diagnostic::on_unimplemented(
    message = "a page does not know the type of `{Self}` in TypeScript",
    note = "derive `PageType` for a type of your own",
    note = "write a foreign type at its field: `#[page(type = \"string\")]`, with `update = \"…\"` for another one of its updates"
)]
pub trait PageType {
    /// How TypeScript refers to it.
    const NAME: Text;
    /// The same for the keys of a map, which are texts or numbers.
    #[doc(hidden)]
    const KEY: Text = Self::NAME;
    /// The declarations that the name needs.
    const NEEDS: Types = Types::NONE;
}

macro_rules! named {
    ($($text:literal: $($Type:ty),*;)*) => { $($(
        impl PageType for $Type {
            const NAME: Text = Text::of($text);
        }
    )*)* };
}

named! {
    "number": u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64;
    "string": String, str, char;
    "null": ();
    "unknown": serde_json::Value, Json;
    "import(\"threadfold\").LangChainMessage": Message;
}

impl PageType for bool {
    const NAME: Text = Text::of("boolean");
    const KEY: Text = Text::of("\"true\" | \"false\"");
}

/// Returns the key of a type that serde writes as it writes `T`.
#[doc(hidden)]
#[must_use]
pub const fn key<Outer: PageType + ?Sized, T: PageType + ?Sized>() -> Text {
    if T::KEY.is(&T::NAME) { Outer::NAME } else { T::KEY }
}

macro_rules! through {
    ($($before:literal T $after:literal: $($Type:ty, for ($($generics:tt)*)),*;)*) => { $($(
        impl<$($generics)*> PageType for $Type {
            const NAME: Text = Text::of($before).and(&T::NAME).with($after);
            const KEY: Text = key::<Self, T>();
            const NEEDS: Types = T::NEEDS;
        }
    )*)* };
}

through! {
    "" T "": Box<T>, for (T: PageType + ?Sized), Rc<T>, for (T: PageType + ?Sized),
        Arc<T>, for (T: PageType + ?Sized), &T, for (T: PageType + ?Sized),
        Cow<'_, T>, for (T: PageType + ToOwned + ?Sized);
    "" T " | null": Option<T>, for (T: PageType);
    "ReadonlyArray<" T ">": Vec<T>, for (T: PageType), VecDeque<T>, for (T: PageType),
        [T], for (T: PageType), BTreeSet<T>, for (T: PageType), HashSet<T, S>, for (T: PageType, S),
        [T; N], for (T: PageType, const N: usize);
}

macro_rules! maps {
    ($($Map:ty, for ($($generics:tt)*);)*) => { $(
        impl<K: PageType, T: PageType, $($generics)*> PageType for $Map {
            const NAME: Text =
                Text::of("{ readonly [key in ").and(&K::KEY).with("]?: ").and(&T::NAME).with(" }");
            const NEEDS: Types = K::NEEDS.and(T::NEEDS);
        }
    )* };
}

maps! {
    BTreeMap<K, T>, for ();
    HashMap<K, T, S>, for (S);
}

macro_rules! tuples {
    ($(($First:ident $(, $Next:ident)*);)*) => { $(
        impl<$First: PageType, $($Next: PageType),*> PageType for ($First, $($Next,)*) {
            const NAME: Text = Text::of("readonly [")
                .and(&$First::NAME)
                $(.with(", ").and(&$Next::NAME))*
                .with("]");
            const NEEDS: Types = $First::NEEDS $(.and($Next::NEEDS))*;
        }
    )* };
}

tuples! {
    (A);
    (A, B);
    (A, B, C);
    (A, B, C, D);
    (A, B, C, D, E);
}
