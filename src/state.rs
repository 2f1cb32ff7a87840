//! States under a [`Schema`]: updates, super-steps, and the fields that a caller may write and
//! read.

use crate::error::{Error, forms};
use crate::message_list::JsonMessageList;
use crate::schema::{Field, FieldReducer, Lifetime, Schema, append};
use crate::value::{Found, Kind, Value};

/// The key that marks an `Overwrite`.
const OVERWRITE: &str = "__overwrite__";

/// Filtered values, and the names of those dropped.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Filtered<V> {
    /// The values that remain: the very object given when nothing was dropped.
    pub values: V,
    /// The dropped keys, in order.
    pub dropped: Vec<String>,
}

impl<V: Value> Schema<V> {
    /// Folds one partial update into a state, field by field, and returns the state. Keys that the
    /// update lacks or the schema does not know leave the state unchanged.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` when either is not an object, and the errors of the fields'
    /// reducers.
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

    /// Folds the writes of these updates into a state. In a `step`, clears an ephemeral field
    /// without a write.
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

    /// Returns each field's writes in these updates, in order.
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

    /// Applies one write to a field of this schema and returns the state.
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

    /// Returns a state after one super-step of several writers' partial updates, by the rules of
    /// LangGraph's channels:
    /// - A field that replaces takes one write.
    /// - A field with a reducer folds its writes in order.
    /// - An ephemeral field without a write is cleared.
    /// - An `Overwrite` (`{ "__overwrite__": v }` or `{ "type": "__overwrite__", "value": v }`)
    ///   sets a field with a reducer, regardless of other writes.
    ///
    /// # Errors
    /// `CONCURRENT_UPDATE`, `CONCURRENT_UPDATE`, `INVALID_ARGUMENT`, and the
    /// errors of the fields' reducers.
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

    /// Filters a caller's values for a run: keeps the fields that the schema has and does not omit
    /// from input.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for null, `INVALID_ARGUMENT` for anything but an object.
    pub fn input(&self, values: V) -> Result<Filtered<V>, Error> {
        if values.is_null() {
            return Err(Error::new(forms::NO_INPUT, &[]));
        }
        Ok(self.filter(given(values, "input")?, &|field| field.input))
    }

    /// Filters a state for a run's result: drops the fields that are not output.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for anything but an object.
    pub fn output(&self, state: V) -> Result<Filtered<V>, Error> {
        Ok(self.filter(given(state, "a state")?, &|field| field.output))
    }

    /// Filters a state for a checkpoint: drops the untracked fields.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for anything but an object.
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

/// Returns a field's value after the writes of one super-step.
fn written<V: Value>(
    field: &Field<V>,
    key: &str,
    current: Option<V>,
    writes: &[V],
) -> Result<V, Error> {
    if !field.takes_many() {
        let guard = match field.lifetime {
            Lifetime::Kept => Some((forms::CONCURRENT_UPDATE, "")),
            Lifetime::Ephemeral { guard } => {
                guard.then_some((forms::GUARDED_UPDATE, "EphemeralValue"))
            }
            Lifetime::Untracked { guard } => {
                guard.then_some((forms::GUARDED_UPDATE, "UntrackedValue"))
            }
        };
        if let (Some((form, channel)), true) = (guard, writes.len() > 1) {
            return Err(Error::new(form, &[key, channel]));
        }
        let last = writes.last().cloned().unwrap_or_else(V::null);
        return field.fold(current, last).map_err(|error| error.of(key));
    }
    // A long list is read once, not for each of many writes. Writes of messages go into a list with
    // an index; writes that only append are gathered.
    let many = |at: usize| at > 0 && writes.len() > 8;
    let (mut messages, mut gathered) = (None::<JsonMessageList<V>>, None);
    // Writes before an `Overwrite` are still folded, so that their errors are reported; those after
    // it are ignored.
    let mut folded = current;
    let mut overwritten = false;
    for (at, write) in writes.iter().enumerate() {
        let value = overwrite(write);
        if value.is_some() {
            if overwritten {
                return Err(Error::new(forms::TWO_OVERWRITES, &[key]));
            }
            (overwritten, folded, messages, gathered) = (true, value, None, None);
            continue;
        }
        let write = write.clone();
        let done = match &field.reducer {
            _ if overwritten => Ok(()),
            FieldReducer::Messages(rules) if many(at) => {
                let list = messages.get_or_insert_with(|| JsonMessageList::empty(*rules));
                if let Some(folded) = folded.take() {
                    list.set(folded);
                }
                list.update(write)
            }
            FieldReducer::Tools(_) | FieldReducer::Append if many(at) => {
                let all = gathered.take().unwrap_or_else(|| V::array([]));
                append(all, write, true).map(|all| gathered = Some(all))
            }
            _ => field.fold(folded.take(), write).map(|value| folded = Some(value)),
        };
        done.map_err(|error| error.of(key))?;
    }
    if let Some(mut messages) = messages {
        folded = Some(messages.snapshot());
    }
    if let Some(all) = gathered {
        folded = Some(field.fold(folded, all)?);
    }
    Ok(folded.unwrap_or_else(V::null))
}

/// Returns the value of an `Overwrite`: in either of its forms, or an instance of langgraph.js's
/// class.
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
