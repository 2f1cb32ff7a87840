//! A run of the agent: which updates it sends, how it ends, and how it is rejoined.

use super::ids::IdSet;
use super::local::Local;
use super::pending::{PendingUpdate, UpdateStatus};
use super::{MESSAGES, Thread, messages_in};
use crate::diff::diff;
use crate::message::Kinds;
use crate::value::{Found, Value};

/// The last run.
pub(super) struct Run<V> {
    pub id: Option<V>,
    /// The save point; `None` once it cannot be replayed.
    pub start: Option<Start<V>>,
    /// The number of the list of messages that the server had then.
    pub anchor: u32,
    /// Local additions since: not the run's, so they survive its replay.
    pub local: Vec<Local<V>>,
    /// Whether the server has sent, during the run, a snapshot of the messages, and of the fields.
    pub spoke_of_messages: bool,
    pub spoke_of_fields: bool,
}

/// A save point: the state when a run began.
#[derive(Clone)]
pub(super) struct Start<V> {
    pub messages: V,
    pub fields: V,
    /// The server's part of them.
    pub server_messages: V,
    pub server_fields: V,
    /// The ids of incomplete messages of earlier runs.
    pub left: V,
}

/// The effect of a run's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Starts {
    /// Another run begins.
    Another,
    /// The last run is sent again from its start.
    Again,
    /// The run that is under way, which began without an id, has this one.
    Named,
}

impl<V: Value> Thread<V> {
    /// Decides whether a start joins a run.
    pub(super) fn starts(&self, id: Option<&V>, joined: Option<bool>) -> Starts {
        let (Some(run), Some(id)) = (&self.run, id) else { return Starts::Another };
        let active = self.is_active();
        match &run.id {
            None if active && joined != Some(false) => Starts::Named,
            Some(last) if last.same(id) && run.start.is_some() && joined.unwrap_or(active) => {
                Starts::Again
            }
            _ => Starts::Another,
        }
    }

    /// Begins a run, or rejoins the last one.
    pub(super) fn start_run(&mut self, starts: Starts, id: Option<V>) {
        self.standing.begin(starts, id.is_some());
        if starts == Starts::Named {
            // The caller began it before knowing the server's id for it.
            if let Some(run) = self.run.as_mut() {
                run.id = id;
            }
            return;
        }
        let left = std::mem::take(&mut self.streaming);
        self.forget_predictions();
        if starts == Starts::Again {
            self.replay();
        } else {
            left.iter().for_each(|id| self.left.insert(id));
            self.begin(id);
        }
        self.updates_changed();
    }

    fn begin(&mut self, id: Option<V>) {
        self.drop_broken();
        self.acknowledge();
        // Updates that the server has when a run starts are done.
        let anchor = self.run.as_ref().map_or(0, |run| run.anchor.wrapping_add(1));
        let had =
            |update: &PendingUpdate<V>| update.over || (!update.manual && update.is_acknowledged());
        if self.updates.drop_had(&had) {
            // An update that is done has no position, unless it stands before one that was sent.
            let sent = self.updates.iter().filter(|update| update.anchor.is_some());
            let last = sent.filter_map(|update| update.edits.last()).last();
            let sent = last.map_or(0, |edit| edit.seat + 1);
            self.places.keep(sent as usize);
            let edits = self.updates.iter_mut().flat_map(|update| &mut update.edits);
            edits.filter(|edit| edit.seat >= sent).for_each(|edit| self.places.seat(edit));
        }
        let had = self.messages.snapshot();
        let (messages, fields) = (&self.messages, &self.fields);
        self.updates.each_live(&mut |update| {
            update.sent_by = (!update.manual).then_some(anchor);
            if !update.manual && update.status == UpdateStatus::Pending {
                update.note_bases(messages, fields);
                update.anchor = Some(anchor);
                update.mark(UpdateStatus::Sent, None);
            }
        });
        self.places.anchor(anchor, had.clone());
        if self.places.is_cluttered() {
            self.places.sweep(self.updates.iter().filter_map(|update| update.anchor));
        }
        self.server.own.clear();
        let start = Start {
            messages: had,
            fields: self.fields.clone(),
            server_messages: self.server.messages.clone(),
            server_fields: self.server.fields.clone(),
            left: self.left.list(),
        };
        self.run = Some(Run {
            id,
            start: Some(start),
            anchor,
            local: Vec::new(),
            spoke_of_messages: false,
            spoke_of_fields: false,
        });
    }

    /// Goes back to where the run began: the updates it sent are sent again, with the same bases.
    fn replay(&mut self) {
        let Some(run) = self.run.as_mut() else { return };
        let Some(start) = run.start.clone() else { return };
        let Start { messages, fields, server_messages, server_fields, left } = start;
        self.left = IdSet::of(&left);
        (self.server.messages, self.server.fields) = (server_messages, server_fields);
        (run.spoke_of_messages, run.spoke_of_fields) = (false, false);
        let (local, anchor) = (std::mem::take(&mut run.local), run.anchor);
        self.broken.clear();
        self.messages.set(messages.clone());
        self.fields = fields;
        // The bases are the save point's, under the ids that the server gave since.
        for local in &local {
            local.rename_in(&mut self.messages);
        }
        self.updates.reopen(anchor);
        self.places.anchor(anchor, messages.clone());
        for update in self.updates.iter_mut().filter(|update| update.sent_by == Some(anchor)) {
            // One that an earlier run sent first has its own base.
            if update.anchor.is_none_or(|first| first == anchor) {
                update.note_bases(&self.messages, &self.fields);
                update.anchor = Some(anchor);
            }
            update.mark(UpdateStatus::Sent, None);
        }
        self.messages.set(messages);
        for local in &local {
            local.rename_in(&mut self.messages);
            if let Local::Added { update, settled } = local {
                self.fold_again(update, *settled);
            }
        }
        if let Some(run) = &mut self.run {
            run.local = local;
        }
        self.messages_changed();
        self.fields_changed();
    }

    /// Folds a local addition again. Leaves out removals of messages that the run has not sent
    /// yet, and fields whose reducer refuses.
    fn fold_again(&mut self, update: &V, settled: bool) {
        let list = messages_in(update).own_list();
        let before = self.before(list.items().filter_map(|it| it.get_owned("id")).collect());
        let one_by_one = self.rules.of_messages().is_some();
        for key in update.keys() {
            let Some(value) = update.get_owned(&key) else { continue };
            let parts: Vec<V> = if one_by_one && key == MESSAGES {
                list.items().map(Found::into_owned).collect()
            } else {
                vec![value]
            };
            for part in parts {
                let folded = self.fold(&V::object().with(&key, part), Kinds::Known);
                if folded.is_err() && !V::intact() {
                    V::forget_failure();
                }
            }
        }
        if settled {
            self.move_bases(&before);
        }
    }

    /// Finishes the run: the updates it sent are done. A snapshot, or updates that were `folded`,
    /// hold for the parts that the server does not have. Otherwise it accepted them unchanged. Notes
    /// the changes of the state.
    pub(super) fn finish_run(&mut self, folded: bool, drift: &mut Vec<V>) {
        self.streaming.clear();
        self.acknowledge();
        let active = self.is_active();
        let Some(run) = self.run.as_mut().filter(|_| active) else { return };
        let messages = folded || run.spoke_of_messages;
        let fields = folded || run.spoke_of_fields;
        let number = run.anchor;
        let over = |update: &PendingUpdate<V>| update.is_sent_by(number);
        let taken = || self.updates.live().filter(|update| over(update));
        let edits = taken().any(|it| it.edits.iter().any(|edit| !edit.acknowledged));
        let writes = taken().any(|it| it.writes.iter().any(|write| !write.acknowledged));
        let ids: Vec<V> = taken().flat_map(|it| &it.edits).map(|edit| edit.id.clone()).collect();
        let contradicted = (messages && edits) || (fields && writes);
        let before = contradicted.then(|| self.state());
        let confirmed = self.before(ids);
        if writes && !fields {
            self.take_writes(&over);
        }
        if edits && !messages {
            self.take_edits(&over);
        }
        self.updates.end(&over);
        self.move_bases(&confirmed);
        self.updates_changed();
        if let Some(before) = before {
            let after = self.state();
            drift.extend(diff(&before, &after).items().map(Found::into_owned));
        }
    }

    /// Confirms these updates' changes of messages, where they are shown.
    fn take_edits(&mut self, chosen: &dyn Fn(&PendingUpdate<V>) -> bool) {
        let weft = self.weft(chosen);
        self.messages.weave(&weft.before, weft.inserted, weft.items, weft.plan);
        self.messages_changed();
    }

    /// Folds these updates' writes into the confirmed fields, except those that their reducers
    /// refuse.
    fn take_writes(&mut self, chosen: &dyn Fn(&PendingUpdate<V>) -> bool) {
        let mut fields = self.fields.clone().shared();
        let writes = self.updates.iter().filter(|update| chosen(update)).flat_map(|it| &it.writes);
        for write in writes.filter(|write| !write.acknowledged) {
            let before = fields.get(&write.key).map(Found::into_owned);
            if let Some(value) = self.rules.tried(&write.key, before, &write.value) {
                fields = fields.with(&write.key, value);
            }
        }
        // They stay the objects that are shown.
        self.fields = fields.reuse(&self.view.fields);
        self.fields_changed();
    }

    /// Fails the run: sent updates that the server does not have whole are marked failed.
    pub(super) fn fail_run(&mut self, error: &V) {
        for id in std::mem::take(&mut self.streaming).iter() {
            self.broken.insert(id);
        }
        self.acknowledge();
        if !self.is_active() {
            return;
        }
        let Some(run) = &self.run else { return };
        let number = run.anchor;
        self.updates.end(&|update| update.is_sent_by(number) && update.is_acknowledged());
        self.updates.each_live(&mut |update| {
            if update.is_sent_by(number) {
                update.mark(UpdateStatus::Failed, Some(error.clone()));
            }
        });
        self.updates_changed();
    }

    /// Drops the messages that a failed run cut off: they are shown until the next one starts.
    fn drop_broken(&mut self) {
        if self.broken.iter().next().is_none() {
            return;
        }
        let broken = (0..).zip(self.unfinished()).filter(|(_, is_one)| *is_one);
        let broken: Vec<u32> = broken.map(|(at, _)| at).collect();
        if !broken.is_empty() {
            self.messages.remove(&broken);
            self.messages_changed();
        }
        self.broken.clear();
    }

    /// A run ended whose start was not received.
    pub(super) fn ended_unseen(&mut self) {
        self.run.get_or_insert_with(|| Run {
            id: None,
            start: None,
            anchor: 0,
            local: Vec::new(),
            spoke_of_messages: false,
            spoke_of_fields: false,
        });
    }
}
