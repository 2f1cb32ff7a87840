//! A thread as JSON: what is confirmed and pending, and where its run stands.

use super::ids::IdSet;
use super::pending::{Base, Does, Edit};
use super::run::Run;
use super::{MESSAGES, Pending, Stale, Status, Thread, list_of_messages};
use crate::diff::diff;
use crate::error::Error;
use crate::patch::apply_own_patch;
use crate::schema::Schema;
use crate::value::{Found, Kind, Value};

/// The version of the records that are written, and read.
const VERSION: &str = "2";

impl<V: Value> Thread<V> {
    /// All of the thread as one object, to be kept somewhere and given to [`Thread::from_json`].
    /// Its parts are the thread's own business; its `version` is `"2"`.
    pub fn to_json(&mut self) -> V {
        let confirmed = self.confirmed();
        self.updates.all_mut().for_each(Pending::with_new_ids);
        let pending = V::array(self.updates.all().map(record_of));
        let run = self.run.as_ref().map_or_else(V::null, |run| {
            let record = V::object()
                .with("id", run.id.clone().unwrap_or_else(V::null))
                .with("anchor", V::string(&run.anchor.to_string()))
                .with("local", V::array(run.local.clone()));
            let record = match &run.start {
                // What the run has done, undone.
                Some((messages, fields)) => {
                    record.with("start", diff(&confirmed, &V::headed(MESSAGES, messages, fields)))
                }
                None => record,
            };
            let flags = [
                ("active", run.active),
                ("spokeOfMessages", run.spoke_of_messages),
                ("spokeOfFields", run.spoke_of_fields),
            ];
            flags
                .into_iter()
                .filter(|(_, is)| *is)
                .fold(record, |record, (name, _)| mark(record, name))
        });
        let anchors = self.places.anchors.iter().map(|(anchor, had)| {
            let ids = V::array(had.items().filter_map(|message| message.get_owned("id")));
            V::object().with("name", V::string(&anchor.to_string())).with("ids", ids)
        });
        let seats = self.places.seats.iter().map(|id| id.clone().unwrap_or_else(V::null));
        let names: Vec<V> = self.rules.schema.fields().map(|(key, _)| V::string(key)).collect();
        V::object()
            .with("version", V::string(VERSION))
            .with("schema", if self.rules.open { V::null() } else { V::array(names) })
            .with("confirmed", confirmed)
            .with("pending", pending)
            .with("anchors", V::array(anchors))
            .with("seats", V::array(seats))
            .with("run", run)
            .with("streaming", self.streaming.list())
            .with("broken", self.broken.list())
    }

    /// A thread from what [`Thread::to_json`] gave.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] for what is no such object, for one of another version, and for one
    /// of a thread with a schema when there is none, or none with its fields.
    pub fn from_json(schema: Option<Schema<V>>, record: &V) -> Result<Self, Error> {
        let part = |of: &V, key: &str| of.get_owned(key).unwrap_or_else(V::null);
        if record.text_of("version").as_deref() != Some(VERSION) {
            return Err(Error::value("a thread's record", "of version 2, as toJSON() gives it"));
        }
        let names = part(record, "schema");
        let has = |name: &str| schema.as_ref().is_some_and(|schema| schema.field(name).is_some());
        if !names.items().all(|name| name.text().is_some_and(|name| has(&name))) {
            return Err(Error::value("the schema", "the one of the thread that was recorded"));
        }
        let confirmed = part(record, "confirmed");
        if confirmed.kind() != Kind::Object {
            return Err(Error::value("a thread's record", "what toJSON() gave"));
        }
        let messages = part(&confirmed, MESSAGES).own_list();
        list_of_messages(&messages)?;
        let mut thread = Self::new(schema, &V::object())?;
        thread.messages.set(messages);
        thread.fields = confirmed.clone().without(MESSAGES);
        thread.streaming = IdSet::of(&part(record, "streaming"));
        thread.broken = IdSet::of(&part(record, "broken"));
        for anchor in part(record, "anchors").items() {
            let name = number_of(&*anchor, "name");
            let ids = part(&*anchor, "ids");
            let had = ids.items().map(|id| V::object().with("id", id.into_owned()));
            thread.places.anchors.extend(name.map(|name| (name, V::array(had))));
        }
        let seats = part(record, "seats");
        let id = |id: V::Found<'_>| (!id.is_null()).then(|| id.into_owned());
        thread.places.seats = seats.items().map(id).collect();
        for record in part(record, "pending").items() {
            pending_of(&*record).into_iter().for_each(|update| thread.updates.push(update));
        }
        let run = part(record, "run");
        if run.kind() == Kind::Object {
            let start =
                run.get("start").map(|patch| apply_own_patch(&confirmed, &patch)).transpose()?;
            thread.run = Some(Run {
                id: run.get_owned("id").filter(|id| !id.is_null()),
                active: is_marked(&run, "active"),
                start: start.map(|start| (part(&start, MESSAGES), start.without(MESSAGES))),
                anchor: number_of(&run, "anchor").unwrap_or_default(),
                local: part(&run, "local").items().map(Found::into_owned).collect(),
                spoke_of_messages: is_marked(&run, "spokeOfMessages"),
                spoke_of_fields: is_marked(&run, "spokeOfFields"),
            });
        }
        thread.stale = Stale { edits: true, writes: true };
        Ok(thread)
    }
}

fn mark<V: Value>(record: V, name: &str) -> V {
    record.with(name, V::string("yes"))
}

fn is_marked<V: Value>(record: &V, name: &str) -> bool {
    record.get(name).is_some()
}

/// Numbers are written as text, which every heap can make.
fn number_of<V: Value>(record: &V, name: &str) -> Option<u32> {
    record.text_of(name)?.parse().ok()
}

/// A base as a list: empty, when the server had no value.
fn with_base<V: Value>(record: V, base: &Base<V>) -> V {
    match base {
        Some(value) => record.with("base", V::array(value.clone())),
        None => record,
    }
}

fn base_of<V: Value>(record: &V) -> Base<V> {
    let base = record.get("base")?;
    Some(base.at(0).map(Found::into_owned))
}

fn record_of<V: Value>(update: &Pending<V>) -> V {
    let edits = update.edits.iter().map(|edit| {
        let record = V::object()
            .with("id", edit.id.clone())
            .with("does", V::string(edit.does.name()))
            .with("at", V::string(&edit.at.to_string()))
            .with("seat", V::string(&edit.seat.to_string()));
        let record = match &edit.message {
            Some(message) => record.with("message", message.clone()),
            None => record,
        };
        with_base(record, &edit.base)
    });
    let writes = update
        .writes
        .iter()
        .map(|write| with_base(V::object().with("key", V::string(&write.key)), &write.base));
    let mut record = V::object()
        .with("id", V::string(&update.id))
        .with("status", V::string(update.status.name()))
        .with("update", update.update.clone())
        .with("edits", V::array(edits))
        .with("writes", V::array(writes));
    if let Some(error) = &update.error {
        record = record.with("error", error.clone());
    }
    if let Some(anchor) = update.anchor {
        record = record.with("anchor", V::string(&anchor.to_string()));
    }
    if update.manual {
        record = mark(record, "manual");
    }
    if update.taken {
        record = mark(record, "taken");
    }
    if update.over {
        record = mark(record, "over");
    }
    record
}

fn pending_of<V: Value>(record: &V) -> Option<Box<Pending<V>>> {
    let update = record.get("update").filter(|update| update.kind() == Kind::Object)?.into_owned();
    let mut pending =
        Box::new(Pending::new(record.text_of("id")?, update, is_marked(record, "manual")));
    pending.status = record.text_of("status").and_then(|it| Status::of(&it))?;
    pending.error = record.get_owned("error");
    pending.taken = is_marked(record, "taken");
    pending.over = is_marked(record, "over");
    pending.anchor = number_of(record, "anchor");
    for edit in record.get_owned("edits")?.items() {
        let id = edit.get_owned("id").filter(|id| id.kind() == Kind::String)?;
        let message = edit.get_owned("message").filter(|it| it.kind() == Kind::Object);
        let does = edit.text_of("does").and_then(|it| Does::of(&it, message.is_some()))?;
        let at = number_of(&*edit, "at")?;
        let (seat, base) = (number_of(&*edit, "seat")?, base_of(&*edit));
        pending.edits.push(Edit { seat, base, ..Edit::new(id, at, does, message) });
    }
    let written = record.get_owned("writes")?;
    for (write, record) in pending.writes.iter_mut().zip(written.items()) {
        if record.text_of("key").as_ref() == Some(&write.key) {
            write.base = base_of(&*record);
        }
    }
    Some(pending)
}
