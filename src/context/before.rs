//! The message before which a context is edited.

use super::call_fields::id_of;
use crate::value::Value;

/// The message before which a context is edited. A boundary that is stored, and moves only when
/// something is due, keeps the start of the context as it is, and so a provider's prompt cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditedBefore<'a> {
    /// The message at this position.
    Index(usize),
    /// The message of this id; if there is none, nothing is edited.
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
