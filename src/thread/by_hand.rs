//! Updates that are settled, failed, retried or rolled back by hand.

use super::Thread;
use super::pending::{Does, UpdateStatus};
use crate::error::Error;
use crate::value::Value;

impl<V: Value> Thread<V> {
    /// Confirms an update: it stays, and is no longer pending. Returns false for an unknown id.
    ///
    /// # Errors
    /// Those of the fields' reducers; the update then stays pending.
    pub fn settle(&mut self, id: &str) -> Result<bool, Error> {
        let Some(number) = self.updates.number(id) else { return Ok(false) };
        self.acknowledge();
        let Some(update) = self.updates.get(number) else { return Ok(false) };
        let mut fields = self.fields.clone().shared();
        for write in update.writes.iter().filter(|write| !write.acknowledged) {
            fields = self.rules.write(fields, &write.key, write.value.clone())?;
        }
        // They stay the objects that are shown.
        let fields = fields.reuse(&self.view.fields).reuse(&self.fields);
        if !V::intact() {
            return Err(Error::value("an update", "readable"));
        }
        let before = self.before(update.edits.iter().map(|edit| edit.id.clone()).collect());
        let rest = update.rest();
        let written = rest.keys();
        self.set_fields(fields);
        self.confirm_edits(number);
        drop(self.updates.remove(number));
        self.keep_local(rest, true);
        self.move_bases(&before);
        self.acknowledge_writes(&written);
        self.updates_changed();
        Ok(true)
    }

    /// Marks an update failed; it stays shown. Returns false for an unknown id, and for an update
    /// that the server has.
    pub fn fail(&mut self, id: &str, error: V) -> bool {
        self.mark(id, UpdateStatus::Failed, Some(error))
    }

    /// Marks an update pending again, as if it were made now. Returns false for an unknown id, and
    /// for an update that the server has.
    pub fn retry(&mut self, id: &str) -> bool {
        self.mark(id, UpdateStatus::Pending, None)
    }

    /// Removes an update as if it had never been made. Returns false for an unknown id.
    pub fn rollback(&mut self, id: &str) -> bool {
        let gone = self.updates.number(id).and_then(|number| self.updates.remove(number));
        let Some(gone) = gone else { return false };
        // Messages that the server has stay where they are.
        for edit in gone.edits.iter().filter(|edit| self.messages.find(&edit.id).is_none()) {
            self.places.leave(edit.seat);
        }
        self.updates_changed();
        true
    }

    fn mark(&mut self, id: &str, status: UpdateStatus, error: Option<V>) -> bool {
        self.acknowledge();
        let number = self.updates.number(id);
        let update = number.and_then(|number| self.updates.get_mut(number));
        let Some(update) = update.filter(|update| !update.is_acknowledged()) else {
            return false;
        };
        if status == UpdateStatus::Pending {
            update.unsend();
            if update.manual {
                update.note_bases(&self.messages, &self.fields);
            }
            update.acknowledge(&self.messages, &self.fields);
        }
        update.mark(status, error);
        if let Some(number) = number
            && status == UpdateStatus::Pending
        {
            self.updates.revive(number);
            // Positions before it may be forgotten now.
            self.updates.found = true;
        }
        self.updates_changed();
        true
    }

    /// Confirms the edits of an update that the server does not have, where they are shown.
    fn confirm_edits(&mut self, update: u32) {
        let edits = self.updates.get(update).map_or(0, |update| update.edits.len());
        // Removals come last: others may stand after those messages.
        for turn in 0..2 * edits {
            let at = u32::try_from(turn % edits).unwrap_or(u32::MAX);
            let edit = self.updates.edit([update, at]).filter(|edit| !edit.acknowledged);
            let Some(edit) = edit.filter(|it| it.message.is_some() == (turn < edits)) else {
                continue;
            };
            let (id, message, does) = (edit.id.clone(), edit.message.clone(), edit.does);
            let at = self.messages.find(&id);
            let stays = matches!(does, Does::Add | Does::Change) && at.is_some();
            let mut place = None;
            if !stays {
                // Find the place while it is still shown there.
                place = message.as_ref().and_then(|_| self.shown_place(&id));
                if let Some(at) = at {
                    self.messages.remove(&[at]);
                    self.places.head = None;
                    place = place.map(|place| if at < place { place - 1 } else { place });
                }
            }
            if let Some(message) = message {
                // Fails only for a message without an id.
                drop(self.messages.put(message, place.map(|place| place as usize)));
                self.places.head = self.places.head.filter(|_| stays || place.is_some());
            }
            self.acknowledge_message(&id, false);
            (self.behind, self.confirmed.fresh) = (None, false);
        }
        self.forget_gone();
    }
}
