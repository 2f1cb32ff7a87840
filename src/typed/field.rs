//! A field's reducer, for `#[derive(State)]`: by [`TryReducer`] if it has it, else by [`Reducer`].
//!
//! The derive knows the reducer as an expression, not its traits. `by.prepare(…)` finds [`MayRefuse`]
//! first, whose receiver is [`By`] itself, and [`AsIs`] only without it: its receiver is a reference.

use std::marker::PhantomData;

use crate::error::Error;
use crate::reducer::{Reducer, TryReducer};

/// The reducer of a field of type `T`, whose updates are of type `U`.
#[derive(Debug)]
pub struct By<'a, T, U, R>(&'a R, PhantomData<fn(T, U)>);

impl<T, U, R> Clone for By<'_, T, U, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, U, R> Copy for By<'_, T, U, R> {}

impl<'a, T, U, R: Reducer<T, U>> By<'a, T, U, R> {
    /// Takes a reducer.
    pub fn new(reducer: &'a R) -> Self {
        Self(reducer, PhantomData)
    }
}

/// A reducer that can refuse.
pub trait MayRefuse<T, U> {
    /// Folds.
    ///
    /// # Errors
    /// The reducer's.
    fn try_merge(self, current: T, update: U) -> Result<T, Error>;

    /// Checks, and returns a closure that folds.
    ///
    /// # Errors
    /// The reducer's.
    fn prepare(self, current: &mut T, update: U) -> Result<impl FnOnce(), Error>;
}

impl<T: Clone, U, R: TryReducer<T, U>> MayRefuse<T, U> for By<'_, T, U, R> {
    fn try_merge(self, current: T, update: U) -> Result<T, Error> {
        self.0.try_merge(current, update)
    }

    fn prepare(self, current: &mut T, update: U) -> Result<impl FnOnce(), Error> {
        self.0.prepare(current, update)
    }
}

/// A reducer that takes every update.
pub trait AsIs<T, U> {
    /// Folds.
    ///
    /// # Errors
    /// None.
    fn try_merge(self, current: T, update: U) -> Result<T, Error>;

    /// Returns a closure that folds.
    ///
    /// # Errors
    /// None.
    fn prepare(self, current: &mut T, update: U) -> Result<impl FnOnce(), Error>;
}

impl<T: Clone, U, R: Reducer<T, U>> AsIs<T, U> for &By<'_, T, U, R> {
    fn try_merge(self, current: T, update: U) -> Result<T, Error> {
        Ok(self.0.merge(current, update))
    }

    fn prepare(self, current: &mut T, update: U) -> Result<impl FnOnce(), Error> {
        let reducer = self.0;
        Ok(move || reducer.merge_in_place(current, update))
    }
}
