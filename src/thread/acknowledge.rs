//! Acknowledging: finding out which parts of the updates the server has.

use super::pending::{Does, Edit, PendingUpdate, Write};
use super::{Stale, Thread};
use crate::message_list::JsonMessageList;
use crate::value::{Found, Value};

impl<V: Value> Thread<V> {
    /// Finds out which parts the server has. It has an added message when it has its id, and any
    /// other sent part when its value differs from the part's base.
    pub(super) fn acknowledge(&mut self) {
        let Stale { edits, writes } = std::mem::take(&mut self.stale);
        if !(edits || writes) {
            return;
        }
        let (messages, fields) = (&self.messages, &self.fields);
        self.updates.found = true;
        for update in self.updates.iter_mut() {
            if edits {
                update.edits.iter_mut().for_each(|edit| edit.acknowledge(messages));
            }
            if writes {
                update.writes.iter_mut().for_each(|write| write.acknowledge(fields));
            }
        }
    }

    fn run_number(&self) -> u32 {
        self.run.as_ref().map_or(NO_RUN, |run| run.anchor)
    }

    /// Acknowledges the edits again after an event of the server's. An added message that it had and
    /// has removed is over.
    pub(super) fn acknowledge_removed(&mut self) {
        if !std::mem::take(&mut self.stale.edits) {
            return;
        }
        let run = self.run_number();
        self.updates.found = true;
        for edit in self.updates.iter_mut().flat_map(|update| &mut update.edits) {
            let had = edit.acknowledged;
            edit.acknowledge(&self.messages);
            if had && !edit.acknowledged && edit.does == Does::Add {
                (edit.again, edit.acknowledged) = (Some(run), true);
            }
        }
    }

    /// Acknowledges the writes of a few fields, when no others have changed.
    pub(super) fn acknowledge_writes(&mut self, keys: &[String]) {
        if keys.is_empty() || keys.len() > 8 || self.updates.write_count == 0 {
            return;
        }
        self.stale.writes = false;
        self.updates.found = true;
        for write in self.updates.iter_mut().flat_map(|update| &mut update.writes) {
            if keys.contains(&write.key) {
                write.acknowledge(&self.fields);
            }
        }
    }

    /// Acknowledges the edits of one message, which the server may have sent itself.
    pub(super) fn acknowledge_message(&mut self, id: &V, said: bool) {
        let edits = self.updates.edits_of(id).to_vec();
        if edits.is_empty() {
            return;
        }
        let run = self.run_number();
        self.updates.found = true;
        for edit in edits {
            self.pending_list.touch(edit);
            if let Some(edit) = self.updates.edit_mut(edit) {
                // Then it is another one than the removed one.
                if said && edit.does == Does::Remove && edit.base.is_some() {
                    edit.again = edit.again.or(Some(run));
                }
                edit.acknowledge(&self.messages);
            }
        }
        self.woven = None;
        self.view.fresh = false;
    }
}

impl<V: Value> PendingUpdate<V> {
    pub(super) fn acknowledge(&mut self, messages: &JsonMessageList<V>, fields: &V) {
        self.edits.iter_mut().for_each(|edit| edit.acknowledge(messages));
        self.writes.iter_mut().for_each(|write| write.acknowledge(fields));
    }
}

impl<V: Value> Edit<V> {
    pub(super) fn acknowledge(&mut self, messages: &JsonMessageList<V>) {
        self.acknowledged = self.is_had(messages);
    }

    pub(super) fn is_had(&self, messages: &JsonMessageList<V>) -> bool {
        let here = messages.find(&self.id);
        match self.does {
            _ if self.again.is_some() => true,
            Does::Add => here.is_some(),
            _ => moved(self.base.as_ref(), here.and_then(|at| messages.item(at))),
        }
    }
}

impl<V: Value> Write<V> {
    pub(super) fn acknowledge(&mut self, fields: &V) {
        let own = fields.get(&self.key).map(Found::into_owned);
        self.acknowledged = moved(self.base.as_ref(), own);
    }
}

/// Whether a value differs from its base, if it has one.
pub(super) fn moved<V: Value>(base: Option<&Option<V>>, now: Option<V>) -> bool {
    match (base, now) {
        (None, _) | (Some(None), None) => false,
        (Some(Some(base)), Some(now)) => !base.same(&now) && !base.equals(&now),
        _ => true,
    }
}

/// The run number before the first run.
const NO_RUN: u32 = u32::MAX;
