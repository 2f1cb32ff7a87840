//! Numbers that do not fit.

use std::fmt;

use crate::Error;

/// A number that names no channel, node or task of the graph. Nothing has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Misfit {
    /// The wrong value.
    pub what: &'static str,
    /// The expected value.
    pub expected: &'static str,
}

impl Misfit {
    pub(super) fn new(what: &'static str, expected: &'static str) -> Self {
        Self { what, expected }
    }
}

impl From<Misfit> for Error {
    fn from(Misfit { what, expected }: Misfit) -> Self {
        Self::value(what, expected)
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Error::from(*self).fmt(f)
    }
}

impl std::error::Error for Misfit {}
