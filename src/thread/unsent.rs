//! The part of the state that the server lacks: the update to send with a run.

use std::collections::{HashMap, HashSet};

use super::event::ThreadEvent;
use super::pending::UpdateStatus;
use super::{MESSAGES, Thread};
use crate::error::Error;
use crate::message::REMOVE_ALL_MESSAGES;
use crate::schema::FieldReducer;
use crate::value::{Found, Kind, Value};

impl<V: Value> Thread<V> {
    /// Returns the fields to send with a run, without the messages: each as the update by which the
    /// server's reducer arrives at the shown value.
    ///
    /// A server that keeps the state folds what you send into it. So a value that it has is left
    /// out. A list that grew is sent as its new items, and an object as its changed values.
    /// Leaves out fields that are not input, and updates that failed.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if several pending updates write one field that has a reducer of
    /// your own: only that reducer could make one of them. Send the field yourself.
    ///
    /// ```
    /// use serde_json::json;
    /// use threadfold::{ThreadEvent, Thread};
    ///
    /// let mut thread = Thread::new(None, &json!({}))?;
    /// let values = json!({ "mood": "calm", "tools": [{ "name": "a" }] });
    /// thread.receive(ThreadEvent::State { values, own: None })?;
    /// thread.optimistic(json!({ "mood": "curious", "tools": [{ "name": "b" }] }))?;
    /// assert_eq!(thread.unsent_fields()?, json!({ "mood": "curious", "tools": [{ "name": "b" }] }));
    /// # Ok::<(), threadfold::Error>(())
    /// ```
    pub fn unsent_fields(&mut self) -> Result<V, Error> {
        let (shown, updates) = self.without_failed()?;
        let is_input = |key: &String| {
            let field = self.rules.schema.field(key);
            key != MESSAGES && field.map_or(self.rules.open, |field| field.input)
        };
        let mut sent = V::object();
        for key in shown.keys().into_iter().filter(is_input) {
            let Some(value) = shown.get_owned(&key) else { continue };
            let said = self.said(&key);
            if said.as_ref().is_some_and(|said| said.equals(&value)) {
                continue;
            }
            let reducer = self.rules.schema.field(&key).map(|field| &field.reducer);
            let write = match reducer {
                Some(FieldReducer::Append) => non_empty(appended(&value, said.as_ref())),
                Some(FieldReducer::Tools(_)) => non_empty(new_items(&value, said.as_ref())),
                Some(FieldReducer::Files) => changed(&value, said.as_ref(), true),
                Some(FieldReducer::Merge) => changed(&value, said.as_ref(), false),
                Some(FieldReducer::Custom(_)) => only_write(&updates, &key)?,
                // The initial empty list does not count as a plan.
                Some(FieldReducer::Todos) if said.is_none() && is_empty_list(&value) => None,
                _ => Some(value),
            };
            if let Some(write) = write {
                sent = sent.with(&key, write);
            }
        }
        Ok(sent)
    }

    /// Returns the state to show without the updates that failed, and the other updates.
    pub(crate) fn without_failed(&mut self) -> Result<(V, Vec<V>), Error> {
        let (failed, rest): (Vec<_>, Vec<_>) = self
            .pending()
            .map(|it| (it.status, it.update.clone()))
            .partition(|(status, _)| *status == UpdateStatus::Failed);
        let rest: Vec<V> = rest.into_iter().map(|(_, update)| update).collect();
        if failed.is_empty() {
            return Ok((self.state(), rest));
        }
        let schema = (!self.rules.open).then(|| self.rules.schema.clone());
        let mut other = Self::new(schema, &V::object())?;
        other.receive(ThreadEvent::Values { values: self.confirmed(), partial: false })?;
        for update in &rest {
            // One that changes only what failed shows nothing.
            let update = other.without_removals(update);
            _ = other.optimistic(update);
        }
        Ok((other.state(), rest))
    }

    /// Returns an update without removals of messages that are not there.
    fn without_removals(&mut self, update: &V) -> V {
        let Some(messages) = update.get_owned(MESSAGES).filter(|it| it.kind() == Kind::Array)
        else {
            return update.clone();
        };
        let shown = self.state().get_owned(MESSAGES).unwrap_or_else(V::null);
        let shown: HashSet<String> = shown.items().filter_map(|it| it.text_of("id")).collect();
        let stays = |message: &V| {
            let removes = message.text_of("type").as_deref() == Some("remove");
            let id = message.text_of("id").filter(|_| removes);
            id.is_none_or(|id| id == REMOVE_ALL_MESSAGES || shown.contains(&id))
        };
        let kept = messages.items().map(Found::into_owned).filter(stays);
        update.clone().with(MESSAGES, V::array(kept))
    }
}

fn is_empty_list<V: Value>(value: &V) -> bool {
    value.kind() == Kind::Array && value.is_empty()
}

fn non_empty<V: Value>(items: Vec<V>) -> Option<V> {
    (!items.is_empty()).then(|| V::array(items))
}

/// Returns the items appended to a list; none if it does not begin as it did before.
fn appended<V: Value>(list: &V, before: Option<&V>) -> Vec<V> {
    let known = before.map_or(0, V::len);
    let begins = (0..known).all(|at| match (list.at(at), before.and_then(|it| it.at(at))) {
        (Some(item), Some(known)) => item.equals(&known),
        _ => false,
    });
    let new = list.items().skip(known).map(Found::into_owned);
    if begins { new.collect() } else { Vec::new() }
}

/// Returns the items that a list of tools did not have. Equal tools have one name.
fn new_items<V: Value>(list: &V, before: Option<&V>) -> Vec<V> {
    let name = |item: &V| item.text_of("name").unwrap_or_default();
    let mut known: HashMap<String, Vec<V>> = HashMap::new();
    for item in before.into_iter().flat_map(V::items) {
        known.entry(name(&item)).or_default().push(item.into_owned());
    }
    let is_new =
        |item: &V| !known.get(&name(item)).is_some_and(|it| it.iter().any(|one| one.equals(item)));
    list.items().map(Found::into_owned).filter(is_new).collect()
}

/// Returns the values of an object that are new or different. With `deletes`, null stands for each
/// that is gone.
fn changed<V: Value>(value: &V, before: Option<&V>, deletes: bool) -> Option<V> {
    let known = before.cloned().unwrap_or_else(V::object);
    let mut entries = Vec::new();
    for key in value.keys() {
        let item = value.get_owned(&key)?;
        if !known.get(&key).is_some_and(|it| it.equals(&item)) {
            entries.push((key, item));
        }
    }
    if deletes {
        let gone = known.keys().into_iter().filter(|key| value.get(key).is_none());
        entries.extend(gone.map(|key| (key, V::null())));
    }
    (!entries.is_empty()).then(|| V::object().with_all(entries))
}

/// Returns the write of the one pending update that writes a field with a reducer of its own.
fn only_write<V: Value>(updates: &[V], key: &str) -> Result<Option<V>, Error> {
    let mut writes = updates.iter().filter_map(|update| update.get_owned(key));
    let first = writes.next();
    if writes.next().is_some() {
        return Err(Error::value(
            key,
            "written by one pending update, because its reducer is your own",
        ));
    }
    Ok(first)
}
