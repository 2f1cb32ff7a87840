//! Reducers: functions that fold an update into a field's value.
//!
//! Functions over any [`Value`](crate::Value): [`crate::add_json_messages`], [`crate::merge_tools`],
//! [`crate::replace_todos`], [`crate::merge_files`]. A [`Reducer`] for a field of a typed state:
//! [`AddMessages`], [`Append`], [`Replace`], [`MergeTools`], [`MergeFiles`], [`ReplaceTodos`], a `fn`
//! or a closure.
//!
//! A [`Reducer`] takes every update. One that can refuse some is a [`TryReducer`], too: then `merge`
//! ignores what `try_merge` refuses.

use crate::error::Error;

use kind::FieldKind;

mod add_messages;
mod append;
pub(crate) mod files;
mod function;
mod json;
#[doc(hidden)]
pub mod kind;
pub(crate) mod list;
pub(crate) mod messages;
mod replace;
pub(crate) mod todos;
pub(crate) mod tools;

pub use add_messages::AddMessages;
pub use append::Append;
pub use function::{ReducerFn, TryReducerFn};
pub use json::{MergeFiles, MergeTools, ReplaceTodos};
pub use replace::{REPLACE, Replace};

/// Folds an update of type `U` into a value of type `T`.
///
/// ```
/// use threadfold::reducer::Reducer;
///
/// struct Longest;
///
/// impl Reducer<String> for Longest {
///     fn merge(&self, current: String, update: String) -> String {
///         if update.len() > current.len() { update } else { current }
///     }
/// }
///
/// assert_eq!(Longest.merge("tea".into(), "to".into()), "tea");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not fold updates of type `{U}` into `{T}`",
    label = "expected a reducer of `{T}`",
    note = "a reducer is a `fn({T}, {U}) -> {T}`, such a closure, or a type that implements \
            `Reducer<{T}, {U}>`",
    note = "if updates have another type than the field, name it with `#[update(Type)]`"
)]
pub trait Reducer<T, U = T> {
    /// The function of npm's `field` whose types the field has; empty if those are Rust's.
    #[doc(hidden)]
    const TWIN: &'static str = "";

    /// Whether a state's update folds by [`merge_in_place`](Self::merge_in_place), after everything that
    /// may refuse or panic. Otherwise it folds into a copy before anything is changed.
    #[doc(hidden)]
    const IN_PLACE: bool = false;

    /// Folds `update` into `current` and returns the new value.
    fn merge(&self, current: T, update: U) -> T;

    /// Folds `update` into `current` in place. The default folds into a copy; [`Append`] and
    /// [`Replace`] make none.
    ///
    /// A state's [`update`](crate::State::update) calls [`merge`](Self::merge) of your own reducers, so that
    /// a panic changes nothing. To have it fold in place, implement [`TryReducer::prepare`].
    fn merge_in_place(&self, current: &mut T, update: U)
    where
        T: Clone,
    {
        *current = self.merge(current.clone(), update);
    }

    /// Gives ids to the items of `update` that lack one and would get one, so that to fold it again
    /// gives the same. The default does nothing.
    fn identify(&self, update: &mut U) {
        let _ = update;
    }

    /// Returns the field of the npm package that folds as this reducer does. By default, the page folds with the reducer itself.
    #[doc(hidden)]
    fn kind(&self) -> FieldKind {
        FieldKind::Own
    }
}

/// A reducer that can refuse an update. Its [`merge`](Reducer::merge) then ignores what it refuses.
///
/// A state's [`merge`](crate::State::merge) uses [`Reducer::merge`] for each field. Its
/// [`try_merge`](crate::State::try_merge) and [`update`](crate::State::update) use this trait for
/// the fields whose reducers have it.
///
/// ```
/// use threadfold::Error;
/// use threadfold::reducer::{Reducer, TryReducer};
///
/// /// What is left of a budget.
/// struct Spend;
///
/// impl Reducer<u32> for Spend {
///     fn merge(&self, left: u32, spent: u32) -> u32 {
///         left.checked_sub(spent).unwrap_or(left)
///     }
/// }
///
/// impl TryReducer<u32> for Spend {
///     fn try_merge(&self, left: u32, spent: u32) -> Result<u32, Error> {
///         let reason = || format!("{spent} is more than the {left} that are left");
///         left.checked_sub(spent).ok_or_else(|| Error::reducer(reason()))
///     }
/// }
///
/// assert_eq!(Spend.merge(3, 4), 3);
/// assert!(Spend.try_merge(3, 4).is_err());
/// ```
pub trait TryReducer<T, U = T>: Reducer<T, U> {
    /// Folds `update` into `current` and returns the new value, or says why it cannot.
    ///
    /// # Errors
    /// The reducer's own, for an update that it refuses.
    fn try_merge(&self, current: T, update: U) -> Result<T, Error>;

    /// Checks whether `update` can be folded into `current`, and returns a closure that folds it. In
    /// two halves, an update of many fields is folded whole or not at all.
    ///
    /// The default folds into a copy of `current`. [`AddMessages`] of typed items makes no copy.
    ///
    /// # Errors
    /// As [`TryReducer::try_merge`]; `current` is then unchanged.
    fn prepare(&self, current: &mut T, update: U) -> Result<impl FnOnce(), Error>
    where
        T: Clone,
        Self: Sized,
    {
        let merged = self.try_merge(current.clone(), update)?;
        Ok(move || *current = merged)
    }
}
