//! States under a [`Schema`]: updates, super-steps, and what a caller may give and see.

use crate::error::Error;
use crate::schema::{Field, Lifetime, Schema};
use crate::value::{Found, Kind, Value};

/// The key that marks an `Overwrite`.
const OVERWRITE: &str = "__overwrite__";

/// The part of some values that passed, and the names of those that did not.
#[derive(Debug, Clone, PartialEq)]
pub struct Filtered<V> {
    /// What passed: the very values given, when nothing was dropped.
    pub values: V,
    /// The keys dropped, in their order.
    pub dropped: Vec<String>,
}

impl<V: Value> Schema<V> {
    /// A state with one partial update folded in, field by field; keys that the update does not
    /// have, or the schema does not know, leave the state as it is.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] when either is not an object, and those of the fields' reducers.
    ///
    /// ```
    /// use serde_json::json;
    /// use threadfold::{Field, FieldReducer, Schema};
    ///
    /// let schema = Schema::new(vec![
    ///     ("log".to_owned(), Field::new(FieldReducer::Append)),
    ///     ("topic".to_owned(), Field::new(FieldReducer::Replace)),
    /// ])?;
    /// let state = schema.merge(json!({ "log": ["a"], "topic": "x" }), &json!({ "log": ["b"] }))?;
    /// assert_eq!(state, json!({ "log": ["a", "b"], "topic": "x" }));
    /// # Ok::<(), threadfold::Error>(())
    /// ```
    pub fn merge(&self, state: V, update: &V) -> Result<V, Error> {
        fields_in(&state, "a state")?;
        fields_in(update, "an update")?;
        self.folded(state, std::slice::from_ref(update), false)
    }

    /// A state with the writes of these updates folded in. In a `step` an ephemeral field without one is cleared.
    fn folded(&self, state: V, updates: &[V], step: bool) -> Result<V, Error> {
        let (mut changes, mut cleared) = (Vec::new(), Vec::new());
        for ((key, field), writes) in self.fields().zip(&self.writes(updates)) {
            if !writes.is_empty() {
                let value = written(field, key, current(&state, key), writes)?;
                if !state.written(key).is_some_and(|known| known.same(&value)) {
                    changes.push((key.to_owned(), value));
                }
            } else if step
                && matches!(field.lifetime, Lifetime::Ephemeral { .. })
                && state.written(key).is_some()
            {
                cleared.push(key.to_owned());
            }
        }
        Ok(state.without_all(&cleared).with_all(changes))
    }

    /// For each field what the updates write to it, in their order.
    fn writes(&self, updates: &[V]) -> Vec<Vec<V>> {
        let mut writes: Vec<Vec<V>> = self.fields().map(|_| Vec::new()).collect();
        for update in updates {
            for key in update.keys() {
                let field = self.place(&key).and_then(|place| writes.get_mut(place));
                if let (Some(field), Some(write)) = (field, update.written(&key)) {
                    field.push(write);
                }
            }
        }
        writes
    }

    /// A state with one write to a field of this schema.
    pub(crate) fn write(&self, state: V, key: &str, write: V) -> Result<V, Error> {
        let Some(field) = self.field(key) else { return Ok(state) };
        let known = current(&state, key);
        let value = written(field, key, known.clone(), &[write])?;
        Ok(if known.is_some_and(|known| known.same(&value)) {
            state
        } else {
            state.with(key, value)
        })
    }

    /// A state after one super-step in which several writers each gave a partial update, by the
    /// rules of LangGraph's channels: a field that replaces takes one write, one with a reducer
    /// folds them in order, an ephemeral one without a write is cleared, and an `Overwrite`
    /// (`{ "__overwrite__": v }` or `{ "type": "__overwrite__", "value": v }`) sets a field
    /// with a reducer whatever else was written.
    ///
    /// # Errors
    /// [`Error::ConcurrentUpdate`], [`Error::TwoOverwrites`], [`Error::InvalidValue`], and those
    /// of the fields' reducers.
    pub fn step(&self, state: V, updates: &V) -> Result<V, Error> {
        let state = given(state, "a state")?;
        if updates.kind() != Kind::Array {
            return Err(Error::value("updates", "a list of updates"));
        }
        let updates: Vec<V> = updates.items().map(Found::into_owned).collect();
        for update in &updates {
            fields_in(update, "an update")?;
        }
        self.folded(state, &updates, true)
    }

    /// What of a caller's values a run takes: the fields that the schema has and does not omit
    /// from input.
    ///
    /// # Errors
    /// [`Error::NoInput`] for null, [`Error::InvalidValue`] for what is no object.
    pub fn input(&self, values: V) -> Result<Filtered<V>, Error> {
        if values.is_null() {
            return Err(Error::NoInput);
        }
        Ok(self.filter(given(values, "input")?, &|field| field.input))
    }

    /// What of a state a run's result shows.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] for what is no object.
    pub fn output(&self, state: V) -> Result<Filtered<V>, Error> {
        Ok(self.filter(given(state, "a state")?, &|field| field.output))
    }

    /// What of a state a checkpoint keeps: all but the untracked fields.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] for what is no object.
    pub fn checkpoint(&self, state: V) -> Result<Filtered<V>, Error> {
        let tracked = |field: &Field<V>| !matches!(field.lifetime, Lifetime::Untracked { .. });
        Ok(self.filter(given(state, "a state")?, &tracked))
    }

    fn filter(&self, values: V, passes: &dyn Fn(&Field<V>) -> bool) -> Filtered<V> {
        let keys = values.keys();
        let dropped: Vec<String> =
            keys.into_iter().filter(|key| !self.field(key).is_some_and(passes)).collect();
        let values = values.without_all(&dropped);
        Filtered { values, dropped }
    }
}

fn given<V: Value>(value: V, what: &str) -> Result<V, Error> {
    fields_in(&value, what)?;
    Ok(value)
}

/// Whether a value is an object, as states and updates are.
pub(crate) fn fields_in<V: Value>(value: &V, what: &str) -> Result<(), Error> {
    if value.kind() == Kind::Object {
        Ok(())
    } else {
        Err(Error::value(what, "an object of fields"))
    }
}

fn current<V: Value>(state: &V, key: &str) -> Option<V> {
    state.get(key).map(Found::into_owned)
}

/// A field's value after the writes of one super-step.
fn written<V: Value>(
    field: &Field<V>,
    key: &str,
    current: Option<V>,
    writes: &[V],
) -> Result<V, Error> {
    let fold = |current, write| field.fold(current, write).map_err(|error| error.of(key));
    if !field.takes_many() {
        let guard = match field.lifetime {
            Lifetime::Kept => Some(None),
            Lifetime::Ephemeral { guard } => guard.then_some(Some("EphemeralValue")),
            Lifetime::Untracked { guard } => guard.then_some(Some("UntrackedValue")),
        };
        if let (Some(guard), true) = (guard, writes.len() > 1) {
            return Err(Error::ConcurrentUpdate { key: key.to_owned(), guard });
        }
        let last = writes.last().cloned().unwrap_or_else(V::null);
        return fold(current, last);
    }
    // Writes before an `Overwrite` are folded all the same, so that what is wrong with them is
    // said; those after it are not looked at.
    let mut folded = current;
    let mut overwritten = false;
    for write in writes {
        match overwrite(write) {
            Some(_) if overwritten => return Err(Error::TwoOverwrites { key: key.to_owned() }),
            Some(value) => {
                overwritten = true;
                folded = Some(value);
            }
            None if overwritten => {}
            None => folded = Some(fold(folded, write.clone())?),
        }
    }
    Ok(folded.unwrap_or_else(V::null))
}

/// The value of an `Overwrite`: in either of its forms, or an instance of langgraph.js's class.
fn overwrite<V: Value>(write: &V) -> Option<V> {
    if write.kind() != Kind::Object {
        return None;
    }
    if let Some(value) = write.written(OVERWRITE) {
        let instance = || write.text_of("lg_name").as_deref() == Some("Overwrite");
        return (write.keys().len() == 1 || instance()).then_some(value);
    }
    write.text_of("type").filter(|name| name == OVERWRITE)?;
    write.get("value").map(Found::into_owned)
}
