//! A conversation with an agent's server: what the server said, and what is pending.
//!
//! The **confirmed** state is the fold of what the server said. **Pending** is the list of updates
//! that are not the server's yet. The **view** is pending laid over confirmed, made when somebody
//! looks. An update has a part for each message that it adds, changes or removes, and one for each
//! other field that it writes; of a part that a run took along the thread remembers one thing, the
//! server's value at that moment. `tests/contract/model.rs` says all the rules in code that only
//! has to be read.

use crate::error::Error;
use crate::message;
use crate::message_list::MessageList;
use crate::reducer::messages::MessageRules;
use crate::schema::Schema;
use crate::state::fields_in;
use crate::value::{Found, Kind, Value};

mod debug;
mod drift;
mod event;
mod held;
mod ids;
mod optimistic;
mod pending;
mod place;
mod receive;
mod record;
mod rename;
mod rules;
mod run;
mod snapshot;
#[cfg(test)]
mod tests;
mod view;

pub use event::Event;
pub use pending::{Pending, Status};

use ids::IdSet;
use pending::{Does, Updates};
use place::Places;
use rename::Echoes;
use rules::Rules;
use run::Run;
use view::{Shown, Woven};

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
/// thread.receive(Event::Values { values, partial: false })?;
/// assert_eq!(thread.pending().count(), 0); // the server has it
/// # Ok::<(), threadfold::Error>(())
/// ```
pub struct Thread<V: Value> {
    rules: Rules<V>,
    messages: MessageList<V>,
    /// The confirmed state but for the messages.
    fields: V,
    updates: Updates<V>,
    /// How many updates there have been: the next one's id.
    made: u32,
    run: Option<Run<V>>,
    places: Places<V>,
    /// The ids of the messages that are being streamed.
    streaming: IdSet<V>,
    /// Those of the messages that a failed run broke off: shown until the next one starts.
    broken: IdSet<V>,
    /// Those of the messages that a run left which never ended: nobody knows whether they are whole.
    left: IdSet<V>,
    /// The ids of messages and the names of fields that have come by folding since the last snapshot.
    predicted: IdSet<V>,
    predicted_fields: IdSet<V>,
    /// Which message of the run is which of those that it took along.
    echoes: Option<Echoes<V>>,
    /// Where the last message was put behind another: that one's position, its own, and the length.
    behind: Option<[u32; 3]>,
    /// What was found out at the last look, as far as it is still true.
    stale: Stale,
    woven: Option<Woven<V>>,
    written: Option<V>,
    /// The list of what is pending that was told last, and whether it is still true.
    told: V,
    told_fresh: bool,
    view: Shown<V>,
    confirmed: Shown<V>,
}

/// Of what it has to be found out again whether it is the server's.
#[derive(Debug, Default)]
struct Stale {
    edits: bool,
    writes: bool,
}

impl<V: Value> Thread<V> {
    /// A thread whose state has these fields; without a schema `messages`, `tools`, `todos` and
    /// `files` have their reducers and any other field is replaced.
    ///
    /// # Errors
    /// Those of the fields' reducers, for `values` that they do not take.
    pub fn new(schema: Option<Schema<V>>, values: &V) -> Result<Self, Error> {
        let rules = Rules::of(schema)?;
        let messages = MessageList::empty(rules.of_messages().unwrap_or(MessageRules::LangGraph));
        let mut thread = Self {
            rules,
            messages,
            fields: V::object(),
            updates: Updates::default(),
            made: 0,
            run: None,
            places: Places::none(),
            streaming: IdSet::default(),
            broken: IdSet::default(),
            left: IdSet::default(),
            predicted: IdSet::default(),
            predicted_fields: IdSet::default(),
            echoes: None,
            behind: None,
            stale: Stale::default(),
            woven: None,
            written: None,
            told: V::null(),
            told_fresh: false,
            view: Shown::nothing(),
            confirmed: Shown::nothing(),
        };
        thread.fold(values)?;
        Ok(thread)
    }

    /// A confirmed message, as it is at this moment.
    #[must_use]
    pub fn message(&self, id: &V) -> Option<V> {
        self.messages.item(self.messages.find(id)?)
    }

    /// Whether a look has more to do than to ask for what is there.
    #[cfg(all(target_arch = "wasm32", feature = "bindings"))]
    pub(crate) fn has_writes(&self) -> bool {
        !self.view.fresh && self.updates.write_count > 0
    }

    /// The updates that are not the server's, in their order.
    pub fn pending(&mut self) -> impl Iterator<Item = &Pending<V>> {
        self.look();
        self.updates.iter_mut().for_each(Pending::with_new_ids);
        self.updates.iter().filter(|update| !update.is_acknowledged())
    }

    /// The same as a list of `{ id, status, update, error? }`, which is the same one until one of
    /// them changes.
    #[cfg_attr(not(all(target_arch = "wasm32", feature = "bindings")), allow(dead_code))]
    pub(crate) fn pending_list(&mut self) -> V {
        self.look();
        if !self.told_fresh {
            self.told_fresh = true;
            let updates = self.updates.iter_mut().filter(|update| !update.is_acknowledged());
            let told = V::array(updates.map(Pending::tell));
            if !told.same_items(&self.told) {
                self.told = told;
            }
        }
        self.told.clone()
    }

    /// What became of an update; nothing, when it is the server's or gone.
    pub fn status(&mut self, id: &str) -> Option<Status> {
        self.look();
        let update = self.updates.place(id).and_then(|place| self.updates.get(place))?;
        (!update.is_acknowledged()).then_some(update.status)
    }

    /// The ids of the messages that are not whole, as a list: those being streamed, and those that
    /// a failed run broke off. They are no history to be sent.
    #[must_use]
    pub fn streaming(&self) -> V {
        let partial = self.streaming.iter().chain(self.broken.iter()).chain(self.left.iter());
        V::array(partial.cloned())
    }

    /// Adds to the confirmed state, by the fields' reducers. What is added while a run is under way
    /// outlasts a replay of the run.
    ///
    /// # Errors
    /// Those of the fields' reducers; the state is then as it was.
    pub fn update(&mut self, update: V) -> Result<(), Error> {
        self.fold(&update)?;
        self.keep_local(update);
        Ok(())
    }

    /// Takes an update for confirmed: it stays, and is no longer pending. False for an unknown id.
    ///
    /// # Errors
    /// Those of the fields' reducers; the update then stays pending.
    pub fn settle(&mut self, id: &str) -> Result<bool, Error> {
        let Some(place) = self.updates.place(id) else { return Ok(false) };
        self.look();
        let Some(update) = self.updates.get(place) else { return Ok(false) };
        let mut fields = self.fields.clone().shared();
        for write in update.writes.iter().filter(|write| !write.acknowledged) {
            fields = self.rules.write(fields, &write.key, write.value.clone())?;
        }
        if !V::intact() {
            return Err(Error::value("an update", "readable"));
        }
        let written: Vec<String> = update.writes.iter().map(|write| write.key.clone()).collect();
        self.set_fields(fields);
        if let Some(gone) = self.updates.remove(place) {
            self.confirm_edits(&gone)?;
            self.keep_local(gone.rest());
        }
        self.look_at_writes(&written);
        self.updates_changed();
        Ok(true)
    }

    /// Marks an update failed; it stays shown. False for an unknown id.
    pub fn fail(&mut self, id: &str, error: V) -> bool {
        self.mark(id, Status::Failed, Some(error))
    }

    /// Marks an update pending again. False for an unknown id.
    pub fn retry(&mut self, id: &str) -> bool {
        self.mark(id, Status::Pending, None)
    }

    /// Takes an update back: as if it had never been. False for an unknown id.
    pub fn rollback(&mut self, id: &str) -> bool {
        let gone = self.updates.place(id).and_then(|place| self.updates.remove(place));
        if gone.is_some() {
            self.updates_changed();
        }
        gone.is_some()
    }

    fn mark(&mut self, id: &str, status: Status, error: Option<V>) -> bool {
        let place = self.updates.place(id);
        let Some(update) = place.and_then(|place| self.updates.get_mut(place)) else {
            return false;
        };
        if status == Status::Pending {
            update.unsend();
            self.stale = Stale { edits: true, writes: true };
        }
        update.mark(status, error);
        self.updates_changed();
        true
    }

    /// What was added here and not by the server's run is added again when that is replayed. On a
    /// run that is over nobody goes back any more, once something was added.
    fn keep_local(&mut self, update: V) {
        if let Some(run) = self.run.as_mut() {
            if run.active {
                run.local.push(update);
            } else {
                run.start = None;
            }
        }
    }

    /// One update into the confirmed state, whole or not at all.
    fn fold(&mut self, update: &V) -> Result<(), Error> {
        fields_in(update, "an update")?;
        let mut fields = self.fields.clone().shared();
        for key in update.keys() {
            if key != MESSAGES
                && let Some(write) = update.get(&key)
            {
                fields = self.rules.write(fields, &key, write.into_owned())?;
            }
        }
        let messages = update.get(MESSAGES).map(Found::into_owned);
        let replaced = match &messages {
            Some(messages) => self.reduced(|thread| thread.messages.snapshot(), messages)?,
            None => None,
        };
        if !V::intact() {
            return Err(Error::value("an update", "readable"));
        }
        match (replaced, messages) {
            (Some(list), _) => self.set_messages(list),
            (None, Some(messages)) => {
                self.messages.update(messages)?;
                self.messages_changed();
            }
            (None, None) => {}
        }
        self.set_fields(fields.reuse(&self.fields));
        Ok(())
    }

    /// The list that the schema's reducer of the messages makes, if that is not `add_messages`.
    fn reduced(
        &mut self,
        current: impl FnOnce(&mut Self) -> V,
        update: &V,
    ) -> Result<Option<V>, Error> {
        if self.rules.of_messages().is_some() {
            return Ok(None);
        }
        let current = current(self);
        let state = V::object().with(MESSAGES, current);
        let state = self.rules.schema.write(state, MESSAGES, update.clone())?;
        let list = state.get(MESSAGES).map_or_else(V::null, Found::into_owned).own_list();
        list_of_messages(&list)?;
        Ok(Some(list))
    }

    fn set_messages(&mut self, list: V) {
        self.messages.set(list);
        self.messages_changed();
    }

    fn set_fields(&mut self, fields: V) {
        if !self.fields.same(&fields) {
            self.fields = fields;
            self.fields_changed();
        }
    }

    fn messages_changed(&mut self) {
        self.stale.edits = true;
        (self.behind, self.places.head, self.woven) = (None, None, None);
        (self.view.fresh, self.confirmed.fresh) = (false, false);
        self.told_fresh &= self.updates.edit_count == 0;
    }

    fn fields_changed(&mut self) {
        self.stale.writes = true;
        self.written = None;
        (self.view.fresh, self.confirmed.fresh) = (false, false);
        self.told_fresh &= self.updates.write_count == 0;
    }

    /// What is pending has changed, or its order.
    fn updates_changed(&mut self) {
        if self.updates.kept == 0 {
            self.places.seats.clear();
        }
        self.echoes = None;
        self.shown_anew();
    }

    /// Confirms what of an update's edits is not the server's, where it is shown.
    fn confirm_edits(&mut self, update: &Pending<V>) -> Result<(), Error> {
        for edit in update.edits.iter().filter(|edit| !edit.acknowledged) {
            let at = self.messages.find(&edit.id);
            match (&edit.message, at) {
                (Some(message), Some(_)) if edit.does != Does::Move => {
                    self.messages.put(message.clone(), None)?;
                }
                (message, at) => {
                    // The place is found among what there is before it goes.
                    let mut place = update
                        .anchor
                        .filter(|_| message.is_some())
                        .map(|anchor| self.places.find(&self.messages, anchor, edit.seat));
                    if let Some(at) = at {
                        self.messages.remove(&[at]);
                        self.places.head = None;
                        place = place.map(|place| if at < place { place - 1 } else { place });
                    }
                    if let Some(message) = message {
                        self.places.take_seat(edit.seat, &edit.id);
                        self.messages.put(message.clone(), place.map(|place| place as usize))?;
                        self.places.head = self.places.head.filter(|_| place.is_some());
                    }
                }
            }
            self.look_at(&edit.id);
            (self.behind, self.woven) = (None, None);
            (self.view.fresh, self.confirmed.fresh) = (false, false);
        }
        Ok(())
    }

    /// What is pending is told and shown anew.
    fn shown_anew(&mut self) {
        (self.woven, self.written) = (None, None);
        (self.view.fresh, self.told_fresh) = (false, false);
    }
}

/// Refuses what is no list of objects.
fn list_of_messages<V: Value>(list: &V) -> Result<(), Error> {
    let is_one = |at: u32| list.at(at as usize).is_some_and(|it| it.kind() == Kind::Object);
    if list.kind() == Kind::Array && message::odd(list).into_iter().all(is_one) {
        return Ok(());
    }
    Err(Error::value("a thread's messages", "a list of messages"))
}
