//! The values that a thread holds from one call to the next.
//!
//! Each pattern names every field, so that a new one is not forgotten.

use super::Thread;
use super::local::Local;
use super::pending::{Edit, PendingUpdate, Write};
use super::run::{Run, Start};
use super::updates::Updates;
use crate::value::{Holds, Value};

impl<V: Value> Holds<V> for Thread<V> {
    fn held(&mut self, visit: &mut dyn FnMut(&mut V)) {
        let Self {
            rules: _,
            messages,
            fields,
            updates,
            made: _,
            run,
            standing,
            parts,
            server,
            places,
            streaming,
            broken,
            left,
            predicted,
            predicted_fields,
            echoes: _,
            behind: _,
            stale: _,
            woven,
            written,
            pending_list,
            view,
            confirmed,
        } = self;
        messages.held(visit);
        visit(fields);
        updates.held(visit);
        run.held(visit);
        standing.held(visit);
        parts.held(visit);
        server.held(visit);
        places.held(visit);
        streaming.held(visit);
        broken.held(visit);
        left.held(visit);
        predicted.held(visit);
        predicted_fields.held(visit);
        woven.held(visit);
        written.held(visit);
        pending_list.held(visit);
        view.held(visit);
        confirmed.held(visit);
    }
}

impl<V: Value> Holds<V> for Run<V> {
    fn held(&mut self, visit: &mut dyn FnMut(&mut V)) {
        let Self { id, start, anchor: _, local, spoke_of_messages: _, spoke_of_fields: _ } = self;
        id.held(visit);
        start.held(visit);
        for local in local {
            match local {
                Local::Added { update, settled: _ } => visit(update),
                Local::Renamed { old, id } => {
                    visit(old);
                    visit(id);
                }
            }
        }
    }
}

impl<V: Value> Holds<V> for Start<V> {
    fn held(&mut self, visit: &mut dyn FnMut(&mut V)) {
        let Self { messages, fields, server_messages, server_fields, left } = self;
        visit(messages);
        visit(fields);
        visit(server_messages);
        visit(server_fields);
        visit(left);
    }
}

impl<V: Value> Holds<V> for Updates<V> {
    fn held(&mut self, visit: &mut dyn FnMut(&mut V)) {
        self.all_mut().for_each(|update| update.held(visit));
    }
}

impl<V: Value> Holds<V> for PendingUpdate<V> {
    fn held(&mut self, visit: &mut dyn FnMut(&mut V)) {
        let Self {
            id: _,
            update,
            status: _,
            error,
            manual: _,
            sent_by: _,
            over: _,
            anchor: _,
            edits,
            writes,
            renamed: _,
            told,
        } = self;
        visit(update);
        error.held(visit);
        edits.held(visit);
        writes.held(visit);
        told.held(visit);
    }
}

impl<V: Value> Holds<V> for Edit<V> {
    fn held(&mut self, visit: &mut dyn FnMut(&mut V)) {
        let Self {
            id,
            number: _,
            at: _,
            seat: _,
            does: _,
            message,
            base,
            again: _,
            acknowledged: _,
        } = self;
        visit(id);
        message.held(visit);
        base.held(visit);
    }
}

impl<V: Value> Holds<V> for Write<V> {
    fn held(&mut self, visit: &mut dyn FnMut(&mut V)) {
        let Self { key: _, value, base, acknowledged: _, folded } = self;
        visit(value);
        base.held(visit);
        folded.held(visit);
    }
}
