//! The view: the confirmed state with the pending updates that the server does not have.

use super::object::have_same;
use super::{MESSAGES, Thread};
use crate::value::{Found, Holds, Value};

/// A returned state, and its sources.
pub(super) struct Shown<V> {
    state: V,
    pub messages: V,
    pub fields: V,
    pub fresh: bool,
}

impl<V: Value> Thread<V> {
    /// Returns the state to show: the confirmed state with pending updates applied; of a schema's
    /// fields those that are output. The same value until something changes.
    pub fn state(&mut self) -> V {
        if !self.view.fresh {
            let messages = self.shown_messages();
            let mut fields = self.shown_fields();
            if !self.rules.open {
                let shown = self.rules.schema.output(fields.clone());
                fields = shown.map_or_else(|_| V::object(), |shown| shown.values);
            }
            // Rebuilt, but maybe equal to the state before.
            if !self.view.state.is_null() && have_same(&fields, &self.view.fields) {
                fields = self.view.fields.clone();
            }
            let shows = self.rules.schema.field(MESSAGES).is_some_and(|field| field.output);
            self.view.take(messages, fields, shows);
        }
        self.view.state.clone()
    }

    /// Returns the state the server has sent, including what [`Thread::update`] added.
    pub fn confirmed(&mut self) -> V {
        if !self.confirmed.fresh {
            let messages = self.messages.snapshot();
            self.confirmed.take(messages, self.fields.clone(), true);
        }
        self.confirmed.state.clone()
    }

    /// Returns the confirmed fields with the pending writes applied. Recomputes only fields that
    /// changed.
    pub(super) fn shown_fields(&mut self) -> V {
        self.acknowledge();
        if self.updates.write_count == 0 {
            return self.fields.clone();
        }
        if let Some(fields) = &self.written {
            return fields.clone();
        }
        let mut fields = self.fields.clone().shared();
        let writes = self.updates.iter_mut().flat_map(|update| &mut update.writes);
        for write in writes.filter(|write| !write.acknowledged) {
            let before = fields.get(&write.key).map(Found::into_owned);
            let known = write.folded.take().filter(|(known, _)| match (known, &before) {
                (Some(known), Some(before)) => known.same(before),
                (known, before) => known.is_none() && before.is_none(),
            });
            // A write that the confirmed state now rules out is not shown.
            let (before, value) = known.unwrap_or_else(|| {
                let value = self.rules.tried(&write.key, before.clone(), &write.value);
                // The next write may go into a copy in place, but not into this one.
                (before, value.map(V::shared))
            });
            if let Some(value) = &value {
                fields = fields.with(&write.key, value.clone());
            }
            write.folded = Some((before, value));
        }
        // Equal parts stay the same objects.
        let fields = fields.reuse(&self.view.fields);
        self.written = Some(fields.clone());
        fields
    }
}

impl<V: Value> Shown<V> {
    pub(super) fn nothing() -> Self {
        Self { state: V::null(), messages: V::null(), fields: V::null(), fresh: false }
    }

    /// Rebuilds the state if either part was replaced.
    fn take(&mut self, messages: V, fields: V, shows_messages: bool) {
        self.fresh = true;
        let first = self.state.is_null();
        if !first && (self.messages.same(&messages) || !shows_messages) && self.fields.same(&fields)
        {
            return;
        }
        self.state = if shows_messages {
            V::headed(MESSAGES, &messages, &fields)
        } else {
            V::object().overlay(&fields, false)
        };
        (self.messages, self.fields) = (messages, fields);
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
