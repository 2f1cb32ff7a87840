//! What is shown: the pending updates over the confirmed state, and which of them that holds.

use super::Thread;
use super::pending::{Pending, look};
use super::weave::weave;
use crate::value::{Found, Value};

impl<V: Value> Thread<V> {
    /// The confirmed messages with the pending ones among them.
    pub(super) fn woven(&mut self) -> V {
        let confirmed = self.messages.snapshot();
        if let Some((of, list)) = &self.woven
            && of.same(&confirmed)
        {
            return list.clone();
        }
        let list = weave(&mut self.messages, &self.pending, None);
        self.woven = Some((confirmed, list.clone()));
        list
    }

    /// The confirmed fields with the pending writes over them. A field that did not change since is
    /// not written anew.
    pub(super) fn written_over(&mut self) -> V {
        if let Some((of, fields)) = &self.written
            && of.same(&self.fields)
        {
            return fields.clone();
        }
        let mut fields = self.fields.clone();
        let mut pending = std::mem::take(&mut self.pending);
        for update in pending.iter_mut().filter(|update| !update.over) {
            for write in update.writes.iter_mut().filter(|write| !write.held) {
                let before = fields.get(&write.key).map(Found::into_owned);
                let known = write.folded.as_ref().filter(|(known, _)| match (known, &before) {
                    (Some(known), Some(before)) => known.same(before),
                    (known, before) => known.is_none() && before.is_none(),
                });
                if let Some((_, value)) = known {
                    fields = fields.with(&write.key, value.clone());
                    continue;
                }
                // A write that the confirmed state has made impossible is not shown.
                write.folded = None;
                if let Some(written) = self.tried(fields.clone(), &write.key, &write.value) {
                    let value = written.get(&write.key).map(Found::into_owned);
                    write.folded = value.map(|value| (before, value));
                    fields = written;
                }
            }
        }
        self.pending = pending;
        self.written = Some((self.fields.clone(), fields.clone()));
        fields
    }

    /// The fields with a write, if its reducer takes it.
    fn tried(&self, fields: V, key: &str, value: &V) -> Option<V> {
        if !V::intact() {
            return None;
        }
        let written = self.write(fields, key, value.clone());
        if V::intact() {
            return written.ok();
        }
        V::forget_failure();
        None
    }

    /// The confirmed fields before a change, and what the pending writes come to over them.
    pub(super) fn before(&mut self) -> V {
        if self.pending.iter().any(|update| !update.writes.is_empty()) {
            self.written_over();
        }
        self.fields.clone()
    }

    /// Retires what the confirmed state holds. `before` are the fields before they changed.
    pub(super) fn look_for_pending(&mut self, before: &V) {
        self.changed();
        if self.pending.is_empty() {
            return;
        }
        let mut pending = std::mem::take(&mut self.pending);
        if look(&mut pending, &self.messages) {
            self.woven = None;
        }
        if self.look_for_writes(&mut pending, before) {
            self.written = None;
        }
        let active = self.run.as_ref().is_some_and(|run| run.active);
        for update in pending.iter_mut().filter(|update| update.is_held()) {
            update.seen = true;
            update.over |= !active;
        }
        if self.run.is_none() {
            pending.retain(|update| !update.over);
        }
        self.pending = pending;
    }

    /// Finds out which writes the confirmed fields hold. One that has just come to the value which
    /// some write came to holds that and those before it; one that the first write would not change
    /// holds that. Whether there are more than before.
    fn look_for_writes(&self, pending: &mut [Pending<V>], before: &V) -> bool {
        let mut found = false;
        for at in 0..pending.len() {
            let (earlier, rest) = pending.split_at_mut(at);
            let Some(update) = rest.first_mut().filter(|update| !update.over) else { continue };
            for write in update.writes.iter_mut().filter(|write| !write.held) {
                let Some(own) = self.fields.get(&write.key) else { continue };
                let before = before.get(&write.key);
                let changed = before.is_none_or(|before| !before.same(&own));
                let came = changed && write.folded.as_ref().is_some_and(|(_, it)| it.equals(&own));
                let mut others = earlier
                    .iter_mut()
                    .filter(|update| !update.over)
                    .flat_map(|update| &mut update.writes)
                    .filter(|other| !other.held && other.key == write.key)
                    .peekable();
                if came {
                    others.for_each(|other| other.held = true);
                    write.held = true;
                } else if others.peek().is_none()
                    && !write.asked.as_ref().is_some_and(|asked| asked.same(&own))
                {
                    let own = own.into_owned();
                    let one = V::object().with(&write.key, own.clone());
                    let again = self.tried(one, &write.key, &write.value);
                    let again = again.as_ref().and_then(|again| again.get(&write.key));
                    write.held = again.is_some_and(|again| again.equals(&own));
                    write.asked = (!write.held).then_some(own);
                }
                found |= write.held;
            }
        }
        found
    }
}
