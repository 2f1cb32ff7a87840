//! What is shown: the pending updates over the confirmed state, and which of them that holds.

use std::borrow::Cow;

use super::Thread;
use super::pending::Write;
use crate::value::Value;

impl<V: Value> Thread<V> {
    /// Retires what the confirmed state holds.
    pub(super) fn look_for_pending(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let mut pending = std::mem::take(&mut self.pending);
        for update in &mut pending {
            update.look_for_messages(&self.messages);
            for write in update.writes.iter_mut().filter(|write| !write.held) {
                write.held = self.holds(write);
            }
            update.seen |= update.is_held();
        }
        if !self.run.as_ref().is_some_and(|run| run.active) {
            pending.retain(|update| !update.is_held());
        }
        self.pending = pending;
        self.view.fresh = false;
    }

    /// Whether the confirmed state has what was written to a field: the value it came to, or one
    /// that writing it again would not change.
    fn holds(&self, write: &Write<V>) -> bool {
        let Some(own) = self.fields.get(&write.key) else { return false };
        if let Some((before, after)) = &write.folded {
            if before.as_ref().is_some_and(|before| before.same(&*own)) {
                return false;
            }
            if after.equals(&own) {
                return true;
            }
        }
        let again = self.write(
            V::object().with(&write.key, own.clone().into_owned()),
            &write.key,
            write.value.clone(),
        );
        again.is_ok_and(|again| again.get(&write.key).is_some_and(|value| value.equals(&own)))
    }

    /// The confirmed fields with the pending writes over them. A field that did not change since is
    /// not written anew.
    pub(super) fn written_over(&mut self) -> V {
        let mut fields = self.fields.clone();
        let mut pending = std::mem::take(&mut self.pending);
        for update in &mut pending {
            for write in update.writes.iter_mut().filter(|write| !write.held) {
                let before = fields.get(&write.key).map(Cow::into_owned);
                let known = write.folded.as_ref().filter(|(known, _)| match (known, &before) {
                    (Some(known), Some(before)) => known.same(before),
                    (known, before) => known.is_none() && before.is_none(),
                });
                if let Some((_, value)) = known {
                    fields = fields.with(&write.key, value.clone());
                    continue;
                }
                // A write that the confirmed state has made impossible is not shown.
                if let Ok(written) = self.write(fields.clone(), &write.key, write.value.clone()) {
                    let value = written.get(&write.key).map(Cow::into_owned);
                    write.folded = value.map(|value| (before, value));
                    fields = written;
                }
            }
        }
        self.pending = pending;
        fields
    }
}
