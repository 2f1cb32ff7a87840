//! The server's part of the confirmed state: all but the changes made here since.

use super::ids::IdSet;
use super::{MESSAGES, Thread};
use crate::digits::{digits, index_of};
use crate::message::revived;
use crate::patch::first_name;
use crate::value::{Found, Holds, Kind, Value};

/// The server's values: the last ones it sent, or those that a successful run submitted.
pub(super) struct Server<V: Value> {
    pub fields: V,
    /// The messages when the server last spoke of all.
    pub messages: V,
    /// The names of fields that were changed here since the run began: the run did not submit them.
    pub own: IdSet<V>,
}

impl<V: Value> Server<V> {
    pub(super) fn nothing() -> Self {
        Self { fields: V::object(), messages: V::array([]), own: IdSet::default() }
    }

    fn set(&mut self, key: &str, value: Option<V>) {
        let fields = std::mem::replace(&mut self.fields, V::null());
        self.fields = match value {
            Some(value) => fields.with(key, value),
            None => fields.without(key),
        };
    }
}

impl<V: Value> Thread<V> {
    /// Returns the server's value of a field: the last one it sent, or the one that a successful
    /// run submitted. Returns `None` if it has nothing. The thread's first values, and those that
    /// [`Thread::update`] added, become the server's with a successful run. The same holds for
    /// `"messages"`: a stopped or failed run proves nothing about them.
    pub(crate) fn said(&self, key: &str) -> Option<V> {
        if key == MESSAGES {
            return Some(self.server.messages.clone());
        }
        self.server.fields.get_owned(key)
    }

    /// The server sent all messages, or a run submitted them.
    pub(super) fn server_has_messages(&mut self) {
        self.server.messages = self.messages.snapshot();
    }

    /// The server sent these fields.
    pub(super) fn server_has(&mut self, keys: &[String]) {
        for key in keys.iter().filter(|key| *key != MESSAGES) {
            self.server.set(key, self.fields.get_owned(key));
        }
    }

    /// The server sent all fields that it shows.
    pub(super) fn server_has_shown(&mut self, values: &V) {
        let fields = self.rules.schema.fields();
        let hidden = fields.filter(|(key, field)| !field.output && values.get(key).is_none());
        let hidden: Vec<_> = hidden.map(|(key, _)| key.to_owned()).collect();
        self.server_has_all_but(&hidden);
    }

    /// The server sent the changes of these operations.
    pub(super) fn server_has_patched(&mut self, operations: &V) {
        let names = operations.items().map(|it| it.text_of("path").and_then(first_name));
        match names.collect::<Option<Vec<_>>>() {
            Some(keys) => self.server_has(&keys),
            None => self.server_has_all_but(&[]),
        }
    }

    /// A run ended well: it submitted all fields that were not changed here in the meantime.
    pub(super) fn server_took(&mut self, stopped: bool) {
        let own = self.server.own.list();
        let own: Vec<_> = own.items().filter_map(|key| Some(key.text()?.into_owned())).collect();
        if !stopped && own.iter().all(|key| key != MESSAGES) {
            self.server_has_messages();
        }
        self.server_has_all_but(&own);
    }

    fn server_has_all_but(&mut self, keys: &[String]) {
        let before = std::mem::replace(&mut self.server.fields, self.fields.clone().shared());
        for key in keys.iter().filter(|key| *key != MESSAGES) {
            self.server.set(key, before.get_owned(key));
        }
    }

    /// Notes the fields changed here.
    pub(super) fn changed_here(&mut self, keys: &[String]) {
        for key in keys {
            self.server.own.insert(&V::string(key));
        }
    }

    /// Returns the server's messages for a record. The number says how many are the confirmed ones,
    /// from the first on. The list has the rest, each as the place of a confirmed one, or the
    /// message.
    pub(super) fn places_of(&self, confirmed: &V, own: &V) -> (usize, Vec<V>) {
        if own.same(confirmed) {
            return (own.len(), Vec::new());
        }
        let is_same = |at: usize| match (own.at(at), confirmed.at(at)) {
            (Some(one), Some(other)) => one.same(&other),
            _ => false,
        };
        let first = (0..own.len()).take_while(|at| is_same(*at)).count();
        let rest = (first..own.len()).filter_map(|at| own.at(at)).map(|message| {
            let place = message.get_owned("id").and_then(|id| self.messages.find(&id));
            let here = place.and_then(|at| self.messages.item(at).map(|item| (at, item)));
            match here.filter(|(_, item)| item.same(&message)) {
                Some((at, _)) => V::string(&digits(at as usize)),
                None => message.into_owned(),
            }
        });
        (first, rest.collect())
    }

    /// Reads them from a record.
    pub(super) fn messages_at(&self, first: usize, rest: &V) -> V {
        let all = self.messages.items();
        let is_one = |item: &V| item.kind() == Kind::Object;
        let rest = revived(V::array(rest.items().filter_map(|one| match one.text() {
            Some(place) => all.at(index_of(&place)?).map(Found::into_owned),
            None => Some(one.into_owned()).filter(is_one),
        })));
        let first = (0..first).filter_map(|at| all.at(at)).map(Found::into_owned);
        let rest = rest.items().map(Found::into_owned);
        V::array(first.chain(rest))
    }
}

impl<V: Value> Holds<V> for Server<V> {
    fn held(&mut self, visit: &mut dyn FnMut(&mut V)) {
        let Self { fields, messages, own } = self;
        visit(fields);
        visit(messages);
        own.held(visit);
    }
}
