//! The update takes the value's place.

use super::Reducer;
use super::function::ReducerFn;
use super::kind::FieldKind;

/// Replaces the value by the update: for a field of any type, as a field without a reducer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Replace;

/// Replaces a text by the update: [`Replace`] as a static, whose type can be written down.
///
/// ```
/// use threadfold::reducer::{REPLACE, Reducer, ReducerFn};
///
/// /// One for larger numbers, in the same way.
/// static HIGHEST: ReducerFn<fn(u32, u32) -> u32> = ReducerFn(|now, next| now.max(next));
///
/// assert_eq!(REPLACE.merge("old".into(), "new".into()), "new");
/// assert_eq!(HIGHEST.merge(3, 2), 3);
/// ```
pub static REPLACE: ReducerFn<fn(String, String) -> String> = ReducerFn(|_, update| update);

impl<T> Reducer<T> for Replace {
    const TWIN: &'static str = "replace";
    const IN_PLACE: bool = true;

    fn merge(&self, _: T, update: T) -> T {
        update
    }

    fn merge_in_place(&self, current: &mut T, update: T) {
        *current = update;
    }

    fn kind(&self) -> FieldKind {
        FieldKind::Replace
    }
}
