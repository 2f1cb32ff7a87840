//! A conversation with an agent's server: what the server said, and what is pending.
//!
//! The **confirmed** state is the fold of what the server said. The **view** is the pending updates
//! replayed over it, in their order: never a copy that could drift. A pending update is over when
//! the confirmed state holds what it wrote: a message of the same id, an equal value.

use crate::error::Error;
use crate::message_list::MessageList;
use crate::reducer::messages::MessageRules;
use crate::reducer::tools::Prefer;
use crate::schema::{Field, FieldReducer, Schema};
use crate::value::{Found, Value};

mod drift;
mod event;
mod held;
mod pending;
mod receive;
mod reconcile;
mod record;
mod view;
mod weave;

pub use event::Event;
pub use pending::{Pending, Status};

use pending::{Does, update_of};
use weave::weave;

const MESSAGES: &str = "messages";

/// The state of a conversation: confirmed by a server, with pending updates over it.
///
/// ```
/// use serde_json::json;
/// use threadfold::{Event, Thread};
///
/// let mut thread = Thread::new(None, &json!({}))?;
/// thread.optimistic(json!({ "messages": [{ "type": "human", "id": "1", "content": "hi" }] }))?;
/// assert_eq!(thread.state()["messages"][0]["content"], "hi"); // shown at once
/// assert_eq!(thread.confirmed()["messages"], json!([]));
///
/// let values = json!({ "messages": [{ "type": "human", "id": "1", "content": "hi" }] });
/// thread.receive(Event::Values { values })?;
/// assert_eq!(thread.pending().count(), 0); // the server holds it
/// # Ok::<(), threadfold::Error>(())
/// ```
pub struct Thread<V: Value> {
    schema: Schema<V>,
    /// Whether fields that the schema does not know are taken, and replaced.
    open: bool,
    messages: MessageList<V>,
    /// The confirmed state but for the messages.
    fields: V,
    pending: Vec<Pending<V>>,
    run: Option<Run<V>>,
    /// The ids of the messages that are being streamed.
    streaming: Vec<V>,
    /// The ids of messages and the names of fields that have come by folding since the last snapshot.
    predicted: Vec<V>,
    predicted_fields: Vec<String>,
    view: Shown<V>,
    confirmed: Shown<V>,
    /// Confirmed messages, and those shown over them: nothing, when what is pending has changed.
    woven: Option<(V, V)>,
    /// The same of the other fields.
    written: Option<(V, V)>,
}

/// A run of the agent.
struct Run<V> {
    id: Option<V>,
    active: bool,
    /// The confirmed messages and fields when it began.
    start: (V, V),
    /// What the caller has added since: not the run's, so that it outlasts a replay of it.
    local: Vec<V>,
}

/// A state that was handed out, and what it was made of.
struct Shown<V> {
    state: V,
    messages: V,
    fields: V,
    fresh: bool,
}

impl<V: Value> Thread<V> {
    /// A thread whose state has these fields; without a schema `messages`, `tools`, `todos` and
    /// `files` have their reducers and any other field is replaced.
    ///
    /// # Errors
    /// Those of the fields' reducers, for `values` that they do not take.
    pub fn new(schema: Option<Schema<V>>, values: &V) -> Result<Self, Error> {
        let open = schema.is_none();
        let schema = schema.map_or_else(ready_made, Ok)?;
        let rules = match schema.field(MESSAGES).map(|field| &field.reducer) {
            Some(FieldReducer::Messages(rules)) => *rules,
            _ => MessageRules::LangGraph,
        };
        let shown =
            || Shown { state: V::null(), messages: V::null(), fields: V::null(), fresh: false };
        let mut thread = Self {
            schema,
            open,
            messages: MessageList::new(V::array([]), rules)?,
            fields: V::object(),
            pending: Vec::new(),
            run: None,
            streaming: Vec::new(),
            predicted: Vec::new(),
            predicted_fields: Vec::new(),
            view: shown(),
            confirmed: shown(),
            woven: None,
            written: None,
        };
        thread.fold(values)?;
        Ok(thread)
    }

    /// The state to show: what is confirmed, with what is pending over it; of a schema's fields
    /// those that are output. The same value, until something changes.
    pub fn state(&mut self) -> V {
        if !self.view.fresh {
            let messages = self.woven();
            let mut fields = self.written_over();
            if !self.open {
                let shown = self.schema.output(fields.clone());
                fields = shown.map_or_else(|_| V::object(), |shown| shown.values);
            }
            // Made anew, but maybe of what there was before.
            let known = !self.view.state.is_null() && !fields.same(&self.fields);
            if known && have_same(&fields, &self.view.fields) {
                fields = self.view.fields.clone();
            }
            let shows = self.schema.field(MESSAGES).is_some_and(|field| field.output);
            self.view.take(messages, fields, shows);
        }
        self.view.state.clone()
    }

    /// What the server said, and what was added by [`Thread::update`].
    pub fn confirmed(&mut self) -> V {
        if !self.confirmed.fresh {
            let messages = self.messages.snapshot();
            self.confirmed.take(messages, self.fields.clone(), true);
        }
        self.confirmed.state.clone()
    }

    /// A confirmed message, as it is at this moment.
    #[must_use]
    pub fn message(&self, id: &V) -> Option<V> {
        self.messages.item(self.messages.find(id)?)
    }

    /// The updates that the confirmed state does not hold, in their order.
    pub fn pending(&self) -> impl Iterator<Item = &Pending<V>> {
        self.pending.iter().filter(|update| !update.over && !update.is_held())
    }

    /// The positions of the messages made since the last look.
    pub fn touched(&self) -> impl Iterator<Item = usize> {
        self.messages.touched()
    }

    /// Adds to the confirmed state, by the fields' reducers. What is added while a run is under way
    /// outlasts a replay of the run.
    ///
    /// # Errors
    /// Those of the fields' reducers; the state is then as it was.
    pub fn update(&mut self, update: V) -> Result<(), Error> {
        let before = self.before();
        self.fold(&update)?;
        if let Some(run) = self.run.as_mut() {
            run.local.push(update);
        }
        self.look_for_pending(&before);
        Ok(())
    }

    /// Shows an update that the server does not know yet; gives its id.
    ///
    /// # Errors
    /// [`Error::NotInput`] for a field that is not input or not in the schema, those of the fields'
    /// reducers, and [`Error::UnknownMessageRemoved`]; nothing is then shown.
    pub fn optimistic(&mut self, update: V) -> Result<String, Error> {
        update_of(&update, "an update")?;
        let keys = update.keys();
        let refused =
            |key: &&String| self.schema.field(key).map_or(!self.open, |field| !field.input);
        if let Some(key) = keys.iter().find(refused) {
            return Err(Error::NotInput { key: key.clone() });
        }
        let view = self.woven();
        let pending = Pending::new(V::new_id(), update, &view)?;
        let mut fields = self.written_over();
        for write in &pending.writes {
            fields = self.write(fields, &write.key, write.value.clone())?;
        }
        if !V::intact() {
            return Err(Error::value("an update", "readable"));
        }
        let id = pending.id.clone();
        self.shown_anew(&pending);
        self.pending.push(pending);
        Ok(id)
    }

    /// Takes an update for confirmed: it stays, and is no longer pending. False for an unknown id.
    ///
    /// # Errors
    /// Those of the fields' reducers; the update then stays pending.
    pub fn settle(&mut self, id: &str) -> Result<bool, Error> {
        let Some(place) = self.place(id) else { return Ok(false) };
        let before = self.before();
        let Some(pending) = self.pending.get(place).cloned() else { return Ok(false) };
        self.fold(&pending.rest())?;
        let messages = weave(&mut self.messages, &self.pending, Some(place));
        self.messages.set(messages);
        self.shown_anew(&pending);
        if let Some(run) = self.run.as_mut() {
            run.local.push(pending.update);
        }
        self.pending.remove(place);
        self.look_for_pending(&before);
        Ok(true)
    }

    /// Marks an update failed; it stays shown. False for an unknown id.
    pub fn fail(&mut self, id: &str, error: V) -> bool {
        self.mark(id, Status::Failed, Some(error))
    }

    /// Marks a failed update pending again. False for an unknown id.
    pub fn retry(&mut self, id: &str) -> bool {
        self.mark(id, Status::Pending, None)
    }

    /// Takes an update back: as if it had never been. False for an unknown id.
    pub fn rollback(&mut self, id: &str) -> bool {
        let Some(place) = self.place(id) else { return false };
        let gone = self.pending.remove(place);
        self.shown_anew(&gone);
        // What was written behind a message of its own, which nobody has, is now behind what that
        // was behind.
        let found = |id: &V| self.messages.find(id).is_some();
        for edit in gone.edits.iter().filter(|edit| edit.does == Does::Add && !found(&edit.id)) {
            for other in &mut self.pending {
                if other.after.as_ref().is_some_and(|after| after.same(&edit.id)) {
                    other.after.clone_from(&gone.after);
                }
            }
        }
        true
    }

    fn place(&self, id: &str) -> Option<usize> {
        self.pending.iter().position(|pending| !pending.over && pending.id == id)
    }

    fn mark(&mut self, id: &str, status: Status, error: Option<V>) -> bool {
        let found = self.place(id).and_then(|place| self.pending.get_mut(place));
        found.is_some_and(|pending| {
            (pending.status, pending.error) = (status, error);
            true
        })
    }

    /// One update into the confirmed state, whole or not at all.
    fn fold(&mut self, update: &V) -> Result<(), Error> {
        update_of(update, "an update")?;
        let mut fields = self.fields.clone();
        for key in update.keys() {
            if key != MESSAGES
                && let Some(write) = update.get(&key)
            {
                fields = self.write(fields, &key, write.into_owned())?;
            }
        }
        if !V::intact() {
            return Err(Error::value("an update", "readable"));
        }
        if let Some(messages) = update.get(MESSAGES) {
            self.messages.update(messages.into_owned())?;
        }
        self.fields = fields;
        self.changed();
        Ok(())
    }

    fn write(&self, fields: V, key: &str, write: V) -> Result<V, Error> {
        match self.schema.field(key) {
            Some(_) => self.schema.write(fields, key, write),
            None if self.open => Ok(fields.with(key, write)),
            None => Ok(fields),
        }
    }

    fn changed(&mut self) {
        self.view.fresh = false;
        self.confirmed.fresh = false;
    }

    /// What this update writes is to be shown anew.
    fn shown_anew(&mut self, update: &Pending<V>) {
        self.view.fresh = false;
        if update.edits.iter().any(|edit| !edit.held) {
            self.woven = None;
        }
        if update.writes.iter().any(|write| !write.held) {
            self.written = None;
        }
    }
}

impl<V: Value> Shown<V> {
    /// Makes the state anew, if either part is another one.
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

/// Whether two objects have the same values.
fn have_same<V: Value>(left: &V, right: &V) -> bool {
    let keys = left.keys();
    let same = |key: &String| match (left.get(key), right.get(key)) {
        (Some(left), Some(right)) => left.same(&right),
        _ => false,
    };
    keys.len() == right.keys().len() && keys.iter().all(same)
}

/// The fields that every agent has.
fn ready_made<V>() -> Result<Schema<V>, Error> {
    let field = |name: &str, reducer| (name.to_owned(), Field::new(reducer));
    Schema::new(vec![
        field(MESSAGES, FieldReducer::Messages(MessageRules::LangGraph)),
        field("tools", FieldReducer::Tools(Prefer::First)),
        field("todos", FieldReducer::Todos),
        field("files", FieldReducer::Files),
    ])
}
