//! Confirming one update moves the bases of the other pending parts, since it does not confirm those.

use super::Thread;
use super::acknowledge::moved;
use crate::value::{Found, Value};

/// Confirmed's values before an update is confirmed.
pub(super) struct Before<V> {
    fields: V,
    /// Of messages that pending parts concern.
    messages: Vec<(Option<V>, V)>,
}

impl<V: Value> Thread<V> {
    /// Notes confirmed's values, of messages those with these ids.
    pub(super) fn before(&self, mut ids: Vec<V>) -> Before<V> {
        ids.retain(|id| !self.updates.edits_of(id).is_empty());
        let messages = ids.into_iter().map(|id| (self.message(&id), id)).collect();
        Before { fields: self.fields.clone(), messages }
    }

    /// Gives each part whose base was the value before the change the value after it.
    pub(super) fn move_bases(&mut self, before: &Before<V>) {
        for (old, id) in &before.messages {
            for place in self.updates.edits_of(id).to_vec() {
                let now = self.message(id);
                let Some(edit) = self.updates.edit_mut(place) else { continue };
                if edit.base.is_some() && !moved(edit.base.as_ref(), old.clone()) {
                    edit.base = Some(now);
                    edit.acknowledge(&self.messages);
                }
            }
        }
        if self.updates.write_count == 0 || self.fields.same(&before.fields) {
            return;
        }
        for write in self.updates.iter_mut().flat_map(|update| &mut update.writes) {
            let old = before.fields.get(&write.key).map(Found::into_owned);
            if write.base.is_some() && !moved(write.base.as_ref(), old) {
                write.base = Some(self.fields.get(&write.key).map(Found::into_owned));
                write.acknowledge(&self.fields);
            }
        }
    }
}
