//! The npm package's twin of a ready-made reducer.

use super::messages::MessageRules;
use super::tools::Prefer;

/// The field of the npm package that folds as a reducer does: `field.messages()`, …
///
/// In a page, the npm package folds such a field; only [`FieldKind::Own`] goes to your own wasm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldKind {
    /// `field.messages({ rules })`.
    Messages(MessageRules),
    /// `field.tools({ prefer })`.
    Tools(Prefer),
    /// `field.todos()`.
    Todos,
    /// `field.files()`.
    Files,
    /// `field.replace()`.
    Replace,
    /// `field.append()`.
    Append,
    /// No twin: the reducer itself folds.
    Own,
}
