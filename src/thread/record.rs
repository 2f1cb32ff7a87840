//! A thread as JSON: what is confirmed and pending, and where its run stands.

use super::{MESSAGES, Pending, Run, Status, Thread};
use crate::diff::diff;
use crate::error::Error;
use crate::patch::apply_patch;
use crate::schema::Schema;
use crate::value::{Kind, Value};
use std::borrow::Cow;

impl<V: Value> Thread<V> {
    /// All of the thread as one object: `{ confirmed, pending, run, streaming }`, to be kept
    /// somewhere and given to [`Thread::from_json`].
    pub fn to_json(&mut self) -> V {
        let confirmed = self.confirmed();
        let pending = self.pending.iter().map(|pending| {
            let record = V::object()
                .with("id", V::string(&pending.id))
                .with("status", V::string(pending.status.name()))
                .with("update", pending.update.clone())
                .with("after", pending.after.clone().unwrap_or_else(V::null));
            match &pending.error {
                Some(error) => record.with("error", error.clone()),
                None => record,
            }
        });
        let pending = V::array(pending.collect());
        let run = self.run.as_ref().map_or_else(V::null, |run| {
            let (messages, fields) = run.start.clone();
            let start = V::object().with(MESSAGES, messages).overlay(&fields, false);
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
        let part = |of: &V, key: &str| of.get(key).map_or_else(V::null, Cow::into_owned);
        let confirmed = part(record, "confirmed");
        if confirmed.kind() != Kind::Object {
            return Err(Error::value("a thread's record", "what toJSON() gave"));
        }
        let mut thread =
            Self::new(schema, &V::object().with(MESSAGES, part(&confirmed, MESSAGES)))?;
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
                local: local.items().map(Cow::into_owned).collect(),
            });
        }
        thread.streaming = part(record, "streaming").items().map(Cow::into_owned).collect();
        let view = thread.messages.snapshot();
        for saved in part(record, "pending").items() {
            let Some(id) = saved.text_of("id") else { continue };
            let after = saved.get("after").map(Cow::into_owned).filter(|after| !after.is_null());
            let mut pending = Pending::new(id, part(&saved, "update"), &view, after)?;
            let status = saved.text_of("status");
            pending.status = status.and_then(|it| Status::of(&it)).unwrap_or(Status::Pending);
            pending.error = saved.get("error").map(Cow::into_owned);
            thread.pending.push(pending);
        }
        thread.look_for_pending();
        Ok(thread)
    }
}
