//! A state in a page: its fields one by one, through serde, and their types in TypeScript.
//!
//! `#[state(page)]` implements [`PageState`]; the crate `threadfold-page` hands it to JavaScript. Derive
//! [`PageType`](trait@PageType) for the structs and enums in its fields.

mod text;
mod types;

use serde::{Deserializer, Serializer};

use crate::error::Error;
use crate::reducer::Reducer;
use crate::reducer::kind::FieldKind;

pub use text::{Text, Types};
pub use types::PageType;
#[doc(hidden)]
pub use types::key;

/// A state whose fields can be folded in a page, each by its number: the output of `#[state(page)]`.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use threadfold::State;
/// use threadfold::typed::page::PageState;
///
/// #[derive(Debug, Clone, Default, Serialize, Deserialize, State)]
/// #[serde(rename_all = "camelCase")]
/// #[state(derive(Serialize, Deserialize), page)]
/// struct Order {
///     #[reducer(|sum, more| sum + more)]
///     items_sold: u32,
/// }
///
/// assert_eq!(Order::NAMES, ["itemsSold"]);
/// let (now, update) = (serde_json::json!(2), serde_json::json!(3));
/// assert_eq!(Order::fold(0, now, update, serde_json::value::Serializer).ok(), Some(5.into()));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no fields that a page can fold",
    note = "derive `State` for it with `#[state(page)]`"
)]
pub trait PageState: Sized {
    /// The state's name.
    const NAME: &'static str;
    /// The names of its fields on the wire.
    const NAMES: &'static [&'static str];
    /// The types of its fields.
    #[doc(hidden)]
    const FIELDS: &'static [Declared];

    /// Returns the field of the npm package that folds this one; [`FieldKind::Own`] if none does.
    fn kind(at: usize) -> FieldKind;

    /// Serializes the value that a field has in [`Default`]. A field that starts empty in the npm
    /// package, such as messages, is null.
    ///
    /// # Errors
    /// The serializer's own.
    fn initial<S: Serializer>(at: usize, serializer: S) -> Result<S::Ok, S::Error>;

    /// Folds an update into the value of a field of [`FieldKind::Own`], and serializes the result.
    ///
    /// # Errors
    /// [`FoldError`], which says what failed.
    fn fold<'de, D: Deserializer<'de>, S: Serializer>(
        at: usize,
        now: D,
        update: D,
        serializer: S,
    ) -> Result<S::Ok, FoldError<D::Error, S::Error>>;
}

/// The reason why a field could not be folded.
#[derive(Debug)]
pub enum FoldError<D, S> {
    /// The current value has another type.
    Now(D),
    /// The update has another type.
    Update(D),
    /// The reducer refused the update.
    Reducer(Error),
    /// The result cannot be serialized.
    Result(S),
    /// The npm package folds this field, or the state has none of this number.
    Foreign,
}

/// The types of a field.
#[doc(hidden)]
#[derive(Debug)]
pub struct Declared {
    pub name: &'static str,
    /// A comment, or nothing.
    pub docs: &'static str,
    /// The function of npm's `field` whose types it has, or nothing.
    pub twin: &'static str,
    pub value: Text,
    pub update: Text,
    pub needs: Types,
}

/// Whether the state's own reducer folds a field.
#[doc(hidden)]
#[must_use]
#[inline]
pub const fn is_own(kind: FieldKind) -> bool {
    matches!(kind, FieldKind::Own)
}

/// Whether a field starts with its value in `Default`.
#[doc(hidden)]
#[must_use]
#[inline]
pub const fn has_initial(kind: FieldKind) -> bool {
    matches!(kind, FieldKind::Own | FieldKind::Replace | FieldKind::Append)
}

/// Returns the kind of a field that has a shape or updates of its own on the wire.
#[doc(hidden)]
#[must_use]
#[inline]
pub const fn shaped(kind: FieldKind) -> FieldKind {
    if matches!(kind, FieldKind::Replace) { kind } else { FieldKind::Own }
}

/// Returns [`Reducer::TWIN`] of the reducer that a function makes.
#[doc(hidden)]
#[must_use]
pub const fn twin<T, U, R: Reducer<T, U>, F: Fn() -> R>(_: &F) -> &'static str {
    R::TWIN
}

/// Returns the same of a field that has a shape or updates of its own on the wire.
#[doc(hidden)]
#[must_use]
pub const fn shaped_twin(twin: &'static str) -> &'static str {
    if matches!(twin.as_bytes(), b"replace") { twin } else { "" }
}
