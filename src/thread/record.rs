//! A thread as JSON: what is confirmed and pending, and where its run stands.

use super::pending::{Does, Edit, Write};
use super::{MESSAGES, Pending, Run, Status, Thread};
use crate::diff::diff;
use crate::error::Error;
use crate::message;
use crate::patch::apply_patch;
use crate::schema::Schema;
use crate::value::{Found, Kind, Value};

impl<V: Value> Thread<V> {
    /// All of the thread as one object: `{ confirmed, pending, run, streaming }`, to be kept
    /// somewhere and given to [`Thread::from_json`].
    pub fn to_json(&mut self) -> V {
        let confirmed = self.confirmed();
        let pending = V::array(self.pending.iter().map(record_of));
        let run = self.run.as_ref().map_or_else(V::null, |run| {
            let (messages, fields) = run.start.clone();
            let start = V::headed(MESSAGES, &messages, &fields);
            V::object()
                .with("id", run.id.clone().unwrap_or_else(V::null))
                .with("status", V::string(if run.active { "running" } else { "idle" }))
                // What the run has done, undone.
                .with("start", diff(&confirmed, &start))
                .with("local", V::array(run.local.clone()))
        });
        V::object()
            .with("confirmed", confirmed)
            .with("pending", pending)
            .with("run", run)
            .with("streaming", V::array(self.streaming.clone()))
    }

    /// A thread from what [`Thread::to_json`] gave.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] for what is no such object, and those of [`Thread::new`].
    pub fn from_json(schema: Option<Schema<V>>, record: &V) -> Result<Self, Error> {
        let part = |of: &V, key: &str| of.get(key).map_or_else(V::null, Found::into_owned);
        let confirmed = part(record, "confirmed");
        if confirmed.kind() != Kind::Object {
            return Err(Error::value("a thread's record", "what toJSON() gave"));
        }
        let messages = part(&confirmed, MESSAGES).own_list();
        let is_one = |at: u32| messages.at(at as usize).is_some_and(|it| it.kind() == Kind::Object);
        if messages.kind() != Kind::Array || !message::odd(&messages).into_iter().all(is_one) {
            return Err(Error::value("a thread's messages", "a list of messages"));
        }
        let mut thread = Self::new(schema, &V::object())?;
        thread.messages.set(messages);
        thread.fields = confirmed.clone().without(MESSAGES);
        let run = part(record, "run");
        if run.kind() == Kind::Object {
            let start = apply_patch(&confirmed, &part(&run, "start"))?;
            let id = Some(part(&run, "id")).filter(|id| !id.is_null());
            let local = part(&run, "local");
            thread.run = Some(Run {
                id,
                active: run.text_of("status").as_deref() == Some("running"),
                start: (part(&start, MESSAGES), start.without(MESSAGES)),
                local: local.items().map(Found::into_owned).collect(),
            });
        }
        thread.streaming = part(record, "streaming").items().map(Found::into_owned).collect();
        thread.pending =
            part(record, "pending").items().filter_map(|it| pending_of(&*it)).collect();
        Ok(thread)
    }
}

fn record_of<V: Value>(pending: &Pending<V>) -> V {
    let stage = match pending {
        Pending { over: true, .. } => "over",
        Pending { seen: true, .. } => "seen",
        _ => "open",
    };
    let edits = pending.edits.iter().map(|edit| {
        let record =
            V::object().with("id", edit.id.clone()).with("does", V::string(edit.does.name()));
        let record = if edit.held { record.with("held", V::string("yes")) } else { record };
        match &edit.message {
            Some(message) => record.with("message", message.clone()),
            None => record,
        }
    });
    let keys = |chosen: fn(&Write<V>) -> bool| {
        let keys = pending.writes.iter().filter(|write| chosen(write));
        V::array(keys.map(|write| V::string(&write.key)))
    };
    let record = pending
        .shown()
        .with("stage", V::string(stage))
        .with("edits", V::array(edits))
        .with("held", keys(|write| write.held))
        .with("heldBefore", keys(|write| write.held_before));
    match &pending.after {
        Some(after) => record.with("after", after.clone()),
        None => record,
    }
}

impl<V: Value> Pending<V> {
    /// It as an object: `{ id, status, update, error? }`.
    pub(crate) fn shown(&self) -> V {
        let shown = V::object()
            .with("id", V::string(&self.id))
            .with("status", V::string(self.status.name()))
            .with("update", self.update.clone());
        match &self.error {
            Some(error) => shown.with("error", error.clone()),
            None => shown,
        }
    }
}

fn pending_of<V: Value>(record: &V) -> Option<Pending<V>> {
    let update = record.get("update").filter(|update| update.kind() == Kind::Object)?.into_owned();
    let list = |key: &str| record.get(key).map_or_else(V::null, Found::into_owned);
    let mut pending = Pending::of(record.text_of("id")?, update);
    pending.status = record.text_of("status").and_then(|it| Status::of(&it))?;
    pending.after = record.get("after").map(Found::into_owned);
    pending.error = record.get("error").map(Found::into_owned);
    let stage = record.text_of("stage");
    pending.over = stage.as_deref() == Some("over");
    pending.seen = pending.over || stage.as_deref() == Some("seen");
    for edit in list("edits").items() {
        let Some(id) = edit.get("id").filter(|id| id.kind() == Kind::String) else { continue };
        let message = edit.get("message").map(Found::into_owned);
        let does = edit.text_of("does").and_then(|it| Does::of(&it, message.is_some()))?;
        let held = edit.get("held").is_some();
        if message.as_ref().is_none_or(|message| message.kind() == Kind::Object) {
            pending.edits.push(Edit { id: id.into_owned(), does, message, held });
        }
    }
    let (held, before) = (list("held"), list("heldBefore"));
    for write in &mut pending.writes {
        let named =
            |list: &V| list.items().any(|key| key.text().is_some_and(|key| key == write.key));
        (write.held, write.held_before) = (named(&held), named(&before));
    }
    Some(pending)
}
