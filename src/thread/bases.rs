//! The bases of parts go along when another update is confirmed: that says nothing about them.

use super::view::moved;
use super::{MESSAGES, Thread};
use crate::message::REMOVE_ALL_MESSAGES;
use crate::value::{Found, Value};

/// Confirmed's values before an update is confirmed.
pub(super) struct Before<V> {
    fields: V,
    /// Of messages that pending parts concern.
    messages: Vec<(V, Option<V>)>,
}

impl<V: Value> Thread<V> {
    /// Notes confirmed's values, of messages those with these ids.
    pub(super) fn before(&self, ids: impl Iterator<Item = V>) -> Before<V> {
        let pending = ids.filter(|id| !self.updates.edits_of(id).is_empty());
        let messages = pending.map(|id| (id.clone(), self.message(&id))).collect();
        Before { fields: self.fields.clone(), messages }
    }

    /// Notes them for an update.
    pub(super) fn before_update(&self, update: &V) -> Before<V> {
        let Some(list) = update.get_owned(MESSAGES).filter(|_| self.updates.edit_count > 0) else {
            return self.before(std::iter::empty());
        };
        let ids = list.items().filter_map(|item| item.get_owned("id"));
        let ids = ids.chain(list.get_owned("id")).collect::<Vec<_>>();
        let clears = |id: &V| id.text().is_some_and(|id| id == REMOVE_ALL_MESSAGES);
        if self.rules.of_messages().is_some() && !ids.iter().any(clears) {
            return self.before(ids.into_iter());
        }
        let edits = self.updates.iter().flat_map(|update| &update.edits);
        self.before(edits.map(|edit| edit.id.clone()))
    }

    /// Gives each part whose base was the value before the change the value after it.
    pub(super) fn move_bases(&mut self, before: &Before<V>) {
        for (id, old) in &before.messages {
            for place in self.updates.edits_of(id).to_vec() {
                let now = self.message(id);
                let Some(edit) = self.updates.edit_mut(place) else { continue };
                if edit.base.is_some() && !moved(edit.base.as_ref(), old.clone()) {
                    edit.base = Some(now);
                    edit.look(&self.messages);
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
                write.look(&self.fields);
            }
        }
    }
}
