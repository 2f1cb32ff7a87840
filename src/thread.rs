//! A conversation with an agent's server: the server's state, and the pending updates.
//!
//! The **confirmed** state is the fold of what the server sent. **Pending** is the list of updates
//! that the server does not have yet. The **view** is the confirmed state with pending applied,
//! computed when it is read. An update has a part for each message that it adds, changes or
//! removes, and one for each other field that it writes. For each part a run has sent, the thread
//! remembers one thing: the server's value at that moment. `tests/contract/model.rs` specifies all
//! the rules as plain code.

use crate::error::Error;
use crate::message::{self, Kinds};
use crate::message_list::JsonMessageList;
use crate::reducer::messages::MessageRules;
use crate::schema::Schema;
use crate::state::fields_in;
use crate::value::{Found, Kind, Value};

mod acknowledge;
mod bases;
mod by_hand;
mod debug;
mod drift;
mod event;
mod held;
mod ids;
mod local;
mod object;
mod optimistic;
mod parts;
mod pending;
mod pending_list;
mod place;
mod receive;
mod record;
mod rename;
mod rules;
mod run;
mod server;
mod snapshot;
mod standing;
#[cfg(test)]
mod tests;
mod unsent;
mod updates;
mod view;
mod weave;

pub use event::ThreadEvent;
pub use parts::StreamPosition;
pub use pending::{PendingUpdate, UpdateStatus};
pub use standing::{RunState, RunStatus};

use ids::IdSet;
use local::Local;
use parts::Parts;
use pending_list::PendingList;
use place::Places;
use rename::Echoes;
use rules::Rules;
use run::Run;
use server::Server;
use standing::Standing;
use updates::Updates;
use view::Shown;
use weave::Woven;

const MESSAGES: &str = "messages";

/// The state of a conversation: confirmed by a server, with pending updates applied.
///
/// Keep it in [`Json`](crate::Json): a look then copies no message. In [`serde_json::Value`] each
/// look copies the whole state.
///
/// The methods that read take `&mut self`, for they compute what has changed since the last look.
/// Tasks that only read hold a clone of what [`state`](Self::state) returned: it is shared, and
/// `Send` and `Sync`.
///
/// ```
/// use threadfold::{ThreadEvent, Thread, json};
///
/// let mut thread = Thread::new(None, &json!({}))?;
/// thread.optimistic(json!({ "messages": [{ "type": "human", "id": "1", "content": "hi" }] }))?;
/// assert_eq!(thread.state()["messages"][0]["content"], "hi"); // shown at once
/// assert_eq!(thread.confirmed()["messages"], json!([]));
///
/// let values = json!({ "messages": [{ "type": "human", "id": "1", "content": "hi" }] });
/// thread.receive(ThreadEvent::Values { values, partial: false })?;
/// assert_eq!(thread.pending().count(), 0); // the server has it
/// # Ok::<(), threadfold::Error>(())
/// ```
pub struct Thread<V: Value> {
    rules: Rules<V>,
    messages: JsonMessageList<V>,
    /// The confirmed state without the messages.
    fields: V,
    updates: Updates<V>,
    /// The number of updates so far: the next one's id.
    made: u32,
    run: Option<Run<V>>,
    standing: Standing<V>,
    parts: Parts<V>,
    server: Server<V>,
    places: Places<V>,
    /// The ids of streaming messages.
    streaming: IdSet<V>,
    /// The ids of messages that a failed run cut off: shown until the next one starts.
    broken: IdSet<V>,
    /// The ids of messages whose run never ended: they may be incomplete.
    left: IdSet<V>,
    /// The ids of messages and the names of fields that were folded in since the last snapshot.
    predicted: IdSet<V>,
    predicted_fields: IdSet<V>,
    /// Maps messages of the run to the sent messages they are.
    echoes: Option<Echoes<V>>,
    /// Where the last message was inserted after another: that one's position, and its own.
    behind: Option<[u32; 2]>,
    /// Results of the last read, as far as they still hold.
    stale: Stale,
    woven: Option<Woven<V>>,
    written: Option<V>,
    pending_list: PendingList<V>,
    view: Shown<V>,
    confirmed: Shown<V>,
}

/// Which parts need to be compared with the server's state again.
#[derive(Debug, Default)]
struct Stale {
    edits: bool,
    writes: bool,
}

impl<V: Value> Thread<V> {
    /// Makes a thread whose state has these fields. Without a schema `messages`, `tools`, `todos`
    /// and `files` have their reducers, and updates replace any other field.
    ///
    /// # Errors
    /// The errors of the fields' reducers, if they refuse `values`.
    pub fn new(schema: Option<Schema<V>>, values: &V) -> Result<Self, Error> {
        let rules = Rules::of(schema)?;
        let messages =
            JsonMessageList::empty(rules.of_messages().unwrap_or(MessageRules::LangGraph));
        let mut thread = Self {
            rules,
            messages,
            fields: V::object(),
            updates: Updates::default(),
            made: 0,
            run: None,
            standing: Standing::ready(),
            parts: Parts::default(),
            server: Server::nothing(),
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
            pending_list: PendingList::nothing(),
            view: Shown::nothing(),
            confirmed: Shown::nothing(),
        };
        thread.fold(values, Kinds::Any)?;
        Ok(thread)
    }

    /// Returns a confirmed message as it is now.
    #[must_use]
    pub fn message(&self, id: &V) -> Option<V> {
        self.messages.item(self.messages.find(id)?)
    }

    /// Whether a read has to compute anything.
    pub(crate) fn has_to_compute(&self) -> bool {
        !self.view.fresh && (self.updates.write_count > 0 || !self.rules.open)
    }

    /// Returns the updates that the server does not have, in order.
    pub fn pending(&mut self) -> impl Iterator<Item = &PendingUpdate<V>> {
        self.acknowledge();
        let pending = self.updates.iter_mut().filter(|update| !update.is_acknowledged());
        pending.map(|update| {
            update.with_new_ids();
            &*update
        })
    }

    /// Returns them as a list of `{ id, status, update, error?, manual? }`: the same list until one
    /// of them changes.
    pub(crate) fn pending_list(&mut self) -> V {
        self.acknowledge();
        self.pending_list.list(&mut self.updates)
    }

    /// Returns an update as that list has it; `None` once the server has it or it is gone.
    pub(crate) fn told(&mut self, id: &str) -> Option<V> {
        self.acknowledge();
        let number = self.updates.number(id)?;
        let update = self.updates.get_mut(number).filter(|update| !update.is_acknowledged())?;
        Some(update.seen())
    }

    /// Returns an update's status; `None` once the server has it or it is gone.
    pub fn status(&mut self, id: &str) -> Option<UpdateStatus> {
        self.acknowledge();
        let update = self.updates.number(id).and_then(|number| self.updates.get(number))?;
        (!update.is_acknowledged()).then_some(update.status)
    }

    /// Returns the ids of incomplete messages as a list: those streaming, and those a failed run
    /// cut off. Don't send them as history.
    #[must_use]
    pub fn incomplete_ids(&self) -> V {
        let partial = self.streaming.iter().chain(self.broken.iter()).chain(self.left.iter());
        V::array(partial.cloned())
    }

    /// Adds to the confirmed state with the fields' reducers. Updates added during a run survive
    /// its replay.
    ///
    /// # Errors
    /// Those of the fields' reducers; the state is then unchanged.
    pub fn update(&mut self, update: V) -> Result<(), Error> {
        self.fold(&update, Kinds::Known)?;
        self.keep_local(update, false);
        Ok(())
    }

    /// Remembers additions made here, not by the server's run, to add them again on a replay. After
    /// an addition a run that has ended cannot be replayed any more.
    fn keep_local(&mut self, update: V, settled: bool) {
        self.changed_here(&update.keys());
        let active = self.is_active();
        if let Some(run) = self.run.as_mut() {
            if active {
                run.local.push(Local::Added { update, settled });
            } else {
                run.start = None;
            }
        }
    }

    /// Folds one update into the confirmed state, whole or not at all.
    fn fold(&mut self, update: &V, kinds: Kinds) -> Result<(), Error> {
        fields_in(update, "an update")?;
        let mut fields = self.fields.clone().shared();
        for key in update.keys() {
            if key != MESSAGES
                && let Some(write) = update.get(&key)
            {
                fields = self.rules.write(fields, &key, write.into_owned())?;
            }
        }
        let mut messages = update.get_owned(MESSAGES);
        if let Some(list) = messages.as_mut().filter(|list| list.kind() == Kind::Array)
            && self.updates.edit_count > 0
        {
            *list = V::array(list.items().map(|item| self.as_pending(item.into_owned())));
        }
        let replaced = match &messages {
            Some(messages) => self.reduced(|thread| thread.messages.snapshot(), messages)?,
            None => None,
        };
        let fields = fields.reuse(&self.fields);
        if !V::intact() {
            return Err(Error::value("an update", "readable"));
        }
        match (replaced, messages) {
            (Some(list), _) => self.set_messages(list),
            (None, Some(messages)) => {
                self.messages.fold(messages, kinds)?;
                self.messages_changed();
            }
            (None, None) => {}
        }
        self.set_fields(fields);
        Ok(())
    }

    /// Returns the list made by the schema's reducer of messages, if that is not `add_messages`.
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
        self.forget_gone();
        self.echoes.iter_mut().for_each(Echoes::anew);
        (self.behind, self.places.head, self.woven) = (None, None, None);
        (self.view.fresh, self.confirmed.fresh) = (false, false);
        self.pending_list.fresh &= self.updates.edit_count == 0;
    }

    /// A message is incomplete as long as it is there.
    fn forget_gone(&mut self) {
        let messages = &self.messages;
        for ids in [&mut self.streaming, &mut self.broken, &mut self.left] {
            ids.keep(&|id| messages.find(id).is_some());
        }
    }

    fn fields_changed(&mut self) {
        self.stale.writes = true;
        self.written = None;
        (self.view.fresh, self.confirmed.fresh) = (false, false);
        self.pending_list.fresh &= self.updates.write_count == 0;
    }

    /// Notes that pending updates, or their order, changed.
    fn updates_changed(&mut self) {
        if self.updates.kept == 0 {
            self.places.clear();
        }
        self.echoes = None;
        self.shown_anew();
    }

    /// Notes that pending updates must be listed and shown again.
    fn shown_anew(&mut self) {
        (self.woven, self.written) = (None, None);
        (self.view.fresh, self.pending_list.fresh) = (false, false);
    }
}

/// Returns an update's messages as a list: one alone is a list of it.
fn messages_in<V: Value>(update: &V) -> V {
    match update.get_owned(MESSAGES) {
        Some(list) if list.kind() == Kind::Array => list,
        Some(message) => V::array([message]),
        None => V::array([]),
    }
}

/// Refuses anything but a list of objects.
fn list_of_messages<V: Value>(list: &V) -> Result<(), Error> {
    let is_one = |at: u32| list.at(at as usize).is_some_and(|it| it.kind() == Kind::Object);
    if list.kind() == Kind::Array && message::odd(list).into_iter().all(is_one) {
        return Ok(());
    }
    Err(Error::value("a thread's messages", "a list of messages"))
}
