//! Functions and closures as reducers.

use std::fmt;

use super::{Reducer, TryReducer};
use crate::error::Error;

/// A function is a reducer: `fn(T, U) -> T`, or `fn(T, U) -> Result<T, Error>` for one that may
/// refuse an update.
impl<T: Clone, U, O: IntoResult<T>, F: Fn(T, U) -> O> Reducer<T, U> for F {
    fn merge(&self, current: T, update: U) -> T {
        O::accepted(current, |current| self(current, update))
    }
}

impl<T: Clone, U, O: IntoResult<T>, F: Fn(T, U) -> O> TryReducer<T, U> for F {
    fn try_merge(&self, current: T, update: U) -> Result<T, Error> {
        self(current, update).into_result()
    }
}

/// The value that a function returns which is a [`Reducer`]: the folded value, or a [`Result`] of it.
pub trait IntoResult<T>: Sized {
    /// Returns the folded value, or the error.
    ///
    /// # Errors
    /// The function's own.
    fn into_result(self) -> Result<T, Error>;

    /// Folds, and returns the folded value; `current` itself if that fails.
    #[doc(hidden)]
    fn accepted(current: T, fold: impl FnOnce(T) -> Self) -> T;
}

impl<T> IntoResult<T> for T {
    fn into_result(self) -> Result<T, Error> {
        Ok(self)
    }

    fn accepted(current: T, fold: impl FnOnce(T) -> Self) -> T {
        fold(current)
    }
}

impl<T: Clone> IntoResult<T> for Result<T, Error> {
    fn into_result(self) -> Self {
        self
    }

    fn accepted(current: T, fold: impl FnOnce(T) -> Self) -> T {
        fold(current.clone()).unwrap_or(current)
    }
}

/// Makes a reducer from a function that accepts every update. For one that may refuse, use
/// [`TryReducerFn`].
///
/// ```
/// use threadfold::reducer::{Reducer, ReducerFn};
///
/// let highest = ReducerFn(|current: u32, update| current.max(update));
/// assert_eq!(highest.merge(3, 2), 3);
/// let latest = ReducerFn(|_, new| new);
/// assert_eq!(latest.merge("old", "new"), "new");
/// ```
#[derive(Clone, Copy)]
pub struct ReducerFn<F>(pub F);

impl<T, U, F: Fn(T, U) -> T> Reducer<T, U> for ReducerFn<F> {
    fn merge(&self, current: T, update: U) -> T {
        (self.0)(current, update)
    }
}

impl<F> fmt::Debug for ReducerFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReducerFn").finish_non_exhaustive()
    }
}

/// Makes a reducer from a function that may refuse an update. `merge` then returns a copy of the
/// current value.
///
/// ```
/// use threadfold::Error;
/// use threadfold::reducer::{Reducer, TryReducer, TryReducerFn};
///
/// let sum = TryReducerFn(|sum: u8, more| {
///     sum.checked_add(more).ok_or_else(|| Error::reducer("too many"))
/// });
/// assert_eq!(sum.try_merge(250, 5)?, 255);
/// assert_eq!(sum.try_merge(250, 6).unwrap_err().code(), "REDUCER_FAILED");
/// assert_eq!(sum.merge(250, 6), 250);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct TryReducerFn<F>(pub F);

impl<T: Clone, U, F: Fn(T, U) -> Result<T, Error>> Reducer<T, U> for TryReducerFn<F> {
    fn merge(&self, current: T, update: U) -> T {
        (self.0)(current.clone(), update).unwrap_or(current)
    }
}

impl<T: Clone, U, F: Fn(T, U) -> Result<T, Error>> TryReducer<T, U> for TryReducerFn<F> {
    fn try_merge(&self, current: T, update: U) -> Result<T, Error> {
        (self.0)(current, update)
    }
}

impl<F> fmt::Debug for TryReducerFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TryReducerFn").finish_non_exhaustive()
    }
}
