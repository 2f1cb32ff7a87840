//! A field's reducer, for `#[derive(State)]`: by [`TryReducer`] if it has it, else by [`Reducer`].
//!
//! The derive knows the reducer as an expression, not its traits. `by.prepare(…)` finds [`MayRefuse`]
//! first, whose receiver is [`By`] itself, and [`AsIs`] only without it: its receiver is a reference.

use crate::error::Error;
use crate::reducer::kind::FieldKind;
use crate::reducer::{Reducer, TryReducer};

/// The reducer of a field of type `T`, whose updates are of type `U`.
///
/// Its functions are of [`Reducer`], so that only [`By::new`] reports a reducer that is not one.
#[derive(Debug)]
pub struct By<'a, T, U, R> {
    reducer: &'a R,
    /// The field, which its reducer's error names.
    name: Option<&'static str>,
    merge: fn(&R, T, U) -> T,
    in_place: Option<fn(&R, &mut T, U)>,
    copied: fn(&R, &T, U) -> T,
    identify: fn(&R, &mut U),
    kind: fn(&R) -> FieldKind,
}

impl<T, U, R> Clone for By<'_, T, U, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, U, R> Copy for By<'_, T, U, R> {}

impl<'a, T, U, R> By<'a, T, U, R> {
    /// Takes a reducer.
    pub fn new(reducer: &'a R) -> Self
    where
        R: Reducer<T, U>,
        T: Clone,
    {
        Self {
            reducer,
            name: None,
            merge: R::merge,
            in_place: R::IN_PLACE.then_some(R::merge_in_place),
            copied: |reducer, current, update| reducer.merge(current.clone(), update),
            identify: R::identify,
            kind: R::kind,
        }
    }

    /// Names the field.
    #[must_use]
    pub fn named(self, name: &'static str) -> Self {
        Self { name: Some(name), ..self }
    }

    fn named_in(self, error: Error) -> Error {
        match self.name {
            Some(name) => error.of(name),
            None => error,
        }
    }

    /// Folds.
    pub fn merge(self, current: T, update: U) -> T {
        (self.merge)(self.reducer, current, update)
    }

    /// Gives ids.
    pub fn identify(self, update: &mut U) {
        (self.identify)(self.reducer, update);
    }

    /// Returns the npm package's field that folds so.
    #[must_use]
    pub fn kind(self) -> FieldKind {
        (self.kind)(self.reducer)
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
        self.reducer.try_merge(current, update).map_err(|error| self.named_in(error))
    }

    fn prepare(self, current: &mut T, update: U) -> Result<impl FnOnce(), Error> {
        self.reducer.prepare(current, update).map_err(|error| self.named_in(error))
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

impl<T, U, R> AsIs<T, U> for &By<'_, T, U, R> {
    fn try_merge(self, current: T, update: U) -> Result<T, Error> {
        Ok(self.merge(current, update))
    }

    fn prepare(self, current: &mut T, update: U) -> Result<impl FnOnce(), Error> {
        let change = match self.in_place {
            Some(in_place) => Change::InPlace(in_place, update),
            // A reducer of the program's own may panic: nothing is changed yet.
            None => Change::Made((self.copied)(self.reducer, current, update)),
        };
        Ok(move || match change {
            Change::InPlace(in_place, update) => in_place(self.reducer, current, update),
            Change::Made(merged) => *current = merged,
        })
    }
}

/// A change that is made once nothing can fail.
enum Change<T, U, R> {
    InPlace(fn(&R, &mut T, U), U),
    Made(T),
}
