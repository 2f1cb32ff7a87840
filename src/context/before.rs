//! The message before which a context is edited.

use super::call_fields::id_of;
use crate::value::Value;

/// The message before which a context is edited. Store it and move it only when something is due.
/// Then the start of the context stays the same, and a provider's prompt cache holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditedBefore<'a> {
    /// The message at this position.
    Index(usize),
    /// The message with this id; without one, nothing is edited.
    Id(&'a str),
}

impl EditedBefore<'_> {
    pub(super) fn position<V: Value>(self, messages: &V) -> usize {
        match self {
            Self::Index(index) => index.min(messages.len()),
            Self::Id(id) => {
                let mut ids = messages.items().map(|message| id_of(&*message));
                ids.position(|own| own.as_deref() == Some(id)).unwrap_or(0)
            }
        }
    }
}
