//! The values that a thread holds from one call to the next.
//!
//! Each pattern names every field, so that a new one is not forgotten.

use super::pending::{Edit, Pending, Write};
use super::{Run, Shown, Thread};
use crate::value::{Holds, Value};

impl<V: Value> Holds<V> for Thread<V> {
    fn held(&mut self, visit: &mut dyn FnMut(&mut V)) {
        let Self {
            schema: _,
            open: _,
            messages,
            fields,
            pending,
            run,
            streaming,
            predicted,
            predicted_fields: _,
            view,
            confirmed,
            woven,
            written,
        } = self;
        messages.held(visit);
        visit(fields);
        pending.held(visit);
        run.held(visit);
        streaming.held(visit);
        predicted.held(visit);
        view.held(visit);
        confirmed.held(visit);
        woven.held(visit);
        written.held(visit);
    }
}

impl<V: Value> Holds<V> for Run<V> {
    fn held(&mut self, visit: &mut dyn FnMut(&mut V)) {
        let Self { id, active: _, start, local } = self;
        id.held(visit);
        start.held(visit);
        local.held(visit);
    }
}

impl<V: Value> Holds<V> for Shown<V> {
    fn held(&mut self, visit: &mut dyn FnMut(&mut V)) {
        let Self { state, messages, fields, fresh: _ } = self;
        visit(state);
        visit(messages);
        visit(fields);
    }
}

impl<V: Value> Holds<V> for Pending<V> {
    fn held(&mut self, visit: &mut dyn FnMut(&mut V)) {
        let Self { id: _, update, status: _, error, after, edits, writes, seen: _, over: _ } = self;
        visit(update);
        error.held(visit);
        after.held(visit);
        edits.held(visit);
        writes.held(visit);
    }
}

impl<V: Value> Holds<V> for Edit<V> {
    fn held(&mut self, visit: &mut dyn FnMut(&mut V)) {
        let Self { id, does: _, message, held: _ } = self;
        visit(id);
        message.held(visit);
    }
}

impl<V: Value> Holds<V> for Write<V> {
    fn held(&mut self, visit: &mut dyn FnMut(&mut V)) {
        let Self { key: _, value, held: _, held_before: _, folded, asked } = self;
        visit(value);
        folded.held(visit);
        asked.held(visit);
    }
}
