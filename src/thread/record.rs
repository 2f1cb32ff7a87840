//! A thread as JSON: the confirmed state, pending updates and the run's status.

use super::ids::IdSet;
use super::local::Local;
use super::object::with;
use super::parts::Parts;
use super::pending::{Base, Does, Edit};
use super::run::{Run, Start};
use super::standing::Standing;
use super::{MESSAGES, PendingUpdate, Stale, Thread, UpdateStatus, list_of_messages};
use crate::diff::diff;
use crate::digits::{digits, index_of};
use crate::error::Error;
use crate::message::{plain, revived};
use crate::patch::apply_own_patch;
use crate::schema::Schema;
use crate::value::{Found, Kind, Value};

/// The record format's version.
const VERSION: &str = "2";

impl<V: Value> Thread<V> {
    /// Returns the whole thread as one object, to store and give to [`Thread::from_json`]. Its
    /// parts are private to the thread; its `version` is `"2"`.
    pub fn to_json(&mut self) -> V {
        let confirmed = self.confirmed();
        let mut run = self.run_object();
        self.updates.all_mut().for_each(PendingUpdate::with_new_ids);
        let mut record = V::object().with("version", V::string(VERSION));
        if !self.rules.open {
            let names = self.rules.schema.fields().map(|(name, _)| V::string(name));
            record = record.with("schema", V::array(names));
        }
        self.places.sweep(self.updates.all().filter_map(|update| update.anchor));
        let anchors = self.places.anchors.iter().map(|(anchor, had)| {
            let ids = V::array(had.items().filter_map(|message| message.get_owned("id")));
            with_number(V::object().with("ids", ids), "name", *anchor)
        });
        let seats = self.places.seats.iter().map(|id| id.clone().unwrap_or_else(V::null));
        run = run.with("parts", V::array(self.parts.last().iter().cloned()));
        if let Some(last) = &self.run {
            run = run.with("local", V::array(last.local.iter().map(Local::record)));
            run = with_number(run, "anchor", last.anchor);
            if let Some(start) = &last.start {
                // The run's changes, undone.
                let state = V::headed(MESSAGES, &start.messages, &start.fields);
                run = run.with("start", diff(&confirmed, &state));
                run = run.with(
                    "startServer",
                    self.server_record(&confirmed, &start.server_fields, &start.server_messages),
                );
                run = run.with("startLeft", start.left.clone());
            }
            run = marked(run, "spokeOfMessages", last.spoke_of_messages);
            run = marked(run, "spokeOfFields", last.spoke_of_fields);
        }
        let last = self.run.as_ref().map(|run| run.anchor);
        let server = &self.server;
        let server = self.server_record(&confirmed, &server.fields, &server.messages);
        let server = server.with("here", self.server.own.list());
        with_number(record, "made", self.made)
            .with("confirmed", confirmed)
            .with("pending", V::array(self.updates.all().map(|update| record_of(update, last))))
            .with("anchors", V::array(anchors))
            .with("seats", V::array(seats))
            .with("run", run)
            .with("server", server)
            .with("streaming", self.streaming.list())
            .with("broken", self.broken.list())
            .with("left", self.left.list())
    }

    /// Makes a thread from the result of [`Thread::to_json`].
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for another version, and without a confirmed state whose messages are a list
    /// of objects. A record with a schema needs a schema with at least its fields. Of other parts, those
    /// with another shape are left out.
    pub fn from_json(schema: Option<Schema<V>>, record: &V) -> Result<Self, Error> {
        let confirmed = part(record, "confirmed");
        if record.text_of("version").as_deref() != Some(VERSION) || confirmed.kind() != Kind::Object
        {
            return Err(Error::value("a thread's record", "of version 2, as toJSON() gives it"));
        }
        for name in items(record, "schema") {
            let name = name.text().unwrap_or_default();
            if schema.as_ref().is_none_or(|schema| schema.field(&name).is_none()) {
                return Err(Error::value("the schema", "the one of the thread that was recorded"));
            }
        }
        let messages = part(&confirmed, MESSAGES).own_list();
        list_of_messages(&messages)?;
        let run = part(record, "run");
        let start = run.get_owned("start");
        // If JSON has dropped the patch's target, say a function, the conversation is worth more
        // than the run's save point.
        let start = start.and_then(|patch| apply_own_patch(&confirmed, &patch).ok());
        let mut thread = Self::new(schema, &V::object())?;
        // JSON has instances of message classes serialised.
        thread.messages.set(revived(messages));
        thread.fields = confirmed.without(MESSAGES).shared();
        thread.streaming = IdSet::of(&part(record, "streaming"));
        thread.broken = IdSet::of(&part(record, "broken"));
        thread.left = IdSet::of(&part(record, "left"));
        thread.forget_gone();
        for anchor in items(record, "anchors") {
            let had = items(&anchor, "ids").into_iter().map(|id| V::object().with("id", id));
            let had = V::array(had);
            thread.places.anchor(number_of(&anchor, "name").unwrap_or_default(), had);
        }
        for id in items(record, "seats") {
            thread.places.push((!id.is_null()).then_some(id));
        }
        let last = number_of(&run, "anchor");
        for record in items(record, "pending") {
            if let Some(update) = pending_of(&record, last) {
                thread.updates.push(update);
            }
        }
        thread.parts = Parts::of(&part(&run, "parts"));
        let server = part(record, "server");
        (thread.server.fields, thread.server.messages) = thread.server_of(&server);
        thread.server.own = IdSet::of(&part(&server, "here"));
        let id = run.get_owned("id").filter(|id| id.kind() == Kind::String);
        thread.standing = Standing::of(&run);
        if let Some(anchor) = last {
            let (server_fields, server_messages) = thread.server_of(&part(&run, "startServer"));
            let start = start.map(|start| Start {
                messages: revived(part(&start, MESSAGES)),
                fields: start.without(MESSAGES),
                server_messages,
                server_fields,
                left: part(&run, "startLeft"),
            });
            thread.run = Some(Run {
                id,
                start,
                anchor,
                local: items(&run, "local").iter().filter_map(Local::of).collect(),
                spoke_of_messages: is_marked(&run, "spokeOfMessages"),
                spoke_of_fields: is_marked(&run, "spokeOfFields"),
            });
        }
        thread.made = number_of(record, "made").unwrap_or_default();
        thread.stale = Stale { edits: true, writes: true };
        Ok(thread)
    }
}

impl<V: Value> Thread<V> {
    /// Returns the server's values, as differences from the confirmed ones.
    fn server_record(&self, confirmed: &V, fields: &V, messages: &V) -> V {
        let (first, rest) = self.places_of(&part(confirmed, MESSAGES), messages);
        let record = V::object().with("fields", diff(&self.fields, fields));
        with_number(record, "messages", u32::try_from(first).unwrap_or(u32::MAX))
            .with("rest", V::array(rest))
    }

    fn server_of(&self, record: &V) -> (V, V) {
        let patch = record.get_owned("fields");
        let fields = patch.and_then(|patch| apply_own_patch(&self.fields, &patch).ok());
        let first = number_of(record, "messages").unwrap_or_default();
        let messages = self.messages_at(first as usize, &part(record, "rest"));
        (fields.filter(|it| it.kind() == Kind::Object).unwrap_or_else(V::object), messages)
    }
}

fn record_of<V: Value>(update: &PendingUpdate<V>, run: Option<u32>) -> V {
    let edits = update.edits.iter().map(|edit| {
        let record = V::object().with("id", edit.id.clone());
        let record = record.with("does", V::string(edit.does.name()));
        let record = with_number(with_number(record, "at", edit.at), "seat", edit.seat);
        let record = match edit.again {
            Some(run) => with_number(record, "again", run),
            None => record,
        };
        with_base(with(record, "message", edit.message.as_ref()), edit.base.as_ref())
    });
    let writes = update.writes.iter().map(|write| {
        with_base(V::object().with("key", V::string(&write.key)), write.base.as_ref())
    });
    let record = V::object()
        .with("id", V::string(&update.id))
        .with("status", V::string(update.status.name()))
        .with("update", update.update.clone())
        .with("edits", V::array(edits))
        .with("writes", V::array(writes));
    let mut record = with(record, "error", update.error.as_ref());
    if let Some(anchor) = update.anchor {
        record = with_number(record, "anchor", anchor);
    }
    let record = marked(record, "manual", update.manual);
    let taken = run.is_some() && update.sent_by == run;
    marked(marked(record, "taken", taken), "over", update.over)
}

fn pending_of<V: Value>(record: &V, run: Option<u32>) -> Option<Box<PendingUpdate<V>>> {
    let mut update = record.get_owned("update").filter(|update| update.kind() == Kind::Object)?;
    if let Some(messages) = update.get_owned(MESSAGES) {
        update = update.with(MESSAGES, revived(messages));
    }
    let (id, status) = (record.text_of("id")?, record.text_of("status")?);
    let mut pending = Box::new(PendingUpdate::new(id, update, is_marked(record, "manual")));
    pending.status = UpdateStatus::of(&status)?;
    pending.error = record.get_owned("error");
    pending.sent_by = if is_marked(record, "taken") { run } else { None };
    pending.over = is_marked(record, "over");
    pending.anchor = number_of(record, "anchor");
    for edit in items(record, "edits") {
        let id = edit.get_owned("id").filter(|id| id.kind() == Kind::String)?;
        let message = edit.get_owned("message").filter(|it| it.kind() == Kind::Object);
        let message = message.map(|it| plain(&it).map_or(it, |it| it.with("id", id.clone())));
        let does = Does::of(&edit.text_of("does")?, message.is_some())?;
        let mut own = Edit::new(id, number_of(&edit, "at")?, does, message);
        (own.seat, own.base) = (number_of(&edit, "seat")?, base_of(&edit));
        own.again = number_of(&edit, "again");
        pending.edits.push(own);
    }
    for (write, record) in pending.writes.iter_mut().zip(items(record, "writes")) {
        if record.text_of("key").as_ref() == Some(&write.key) {
            write.base = base_of(&record);
        }
    }
    Some(pending)
}

/// Returns a part of a record: null when it is missing.
fn part<V: Value>(record: &V, name: &str) -> V {
    record.get_owned(name).unwrap_or_else(V::null)
}

/// Returns the items of a list in a record.
fn items<V: Value>(record: &V, name: &str) -> Vec<V> {
    part(record, name).items().map(Found::into_owned).collect()
}

fn marked<V: Value>(record: V, name: &str, is_so: bool) -> V {
    if is_so { record.with(name, V::string("yes")) } else { record }
}

fn is_marked<V: Value>(record: &V, name: &str) -> bool {
    record.get(name).is_some()
}

/// Writes a number as text, which every heap can hold.
fn with_number<V: Value>(record: V, name: &str, number: u32) -> V {
    record.with(name, V::string(&digits(number as usize)))
}

fn number_of<V: Value>(record: &V, name: &str) -> Option<u32> {
    u32::try_from(index_of(&record.text_of(name)?)?).ok()
}

/// Returns a base as a list: empty when the server had no value.
fn with_base<V: Value>(record: V, base: Option<&Option<V>>) -> V {
    with(record, "base", base.cloned().map(V::array).as_ref())
}

fn base_of<V: Value>(record: &V) -> Base<V> {
    let base = record.get("base")?;
    Some(base.at(0).map(|it| plain(&*it).unwrap_or_else(|| it.into_owned())))
}
