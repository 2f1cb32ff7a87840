//! The reducers of a thread's fields.

use super::MESSAGES;
use crate::error::Error;
use crate::reducer::messages::MessageRules;
use crate::reducer::tools::Prefer;
use crate::schema::{Field, FieldReducer, Schema};
use crate::value::Value;

pub(super) struct Rules<V> {
    pub schema: Schema<V>,
    /// Whether fields not in the schema are accepted, and replaced.
    pub open: bool,
}

impl<V: Value> Rules<V> {
    /// Returns a schema's rules; without one, those of the fields that every agent has.
    pub(super) fn of(schema: Option<Schema<V>>) -> Result<Self, Error> {
        if let Some(schema) = schema {
            return Ok(Self { schema, open: false });
        }
        let mut schema = Schema::empty();
        let mut add = |name: &str, reducer| schema.add(name, Field::new(reducer));
        add(MESSAGES, FieldReducer::Messages(MessageRules::LangGraph))?;
        add("tools", FieldReducer::Tools(Prefer::First))?;
        add("todos", FieldReducer::Todos)?;
        add("files", FieldReducer::Files)?;
        Ok(Self { schema, open: true })
    }

    /// Returns the rules of the messages, unless their reducer is not `add_messages`.
    pub(super) fn of_messages(&self) -> Option<MessageRules> {
        match self.schema.field(MESSAGES).map(|field| &field.reducer) {
            None => Some(MessageRules::LangGraph),
            Some(FieldReducer::Messages(rules)) => Some(*rules),
            Some(_) => None,
        }
    }

    /// Returns the fields after one write.
    pub(super) fn write(&self, fields: V, key: &str, write: V) -> Result<V, Error> {
        match self.schema.field(key) {
            None if self.open => Ok(fields.with(key, write)),
            _ => self.schema.write(fields, key, write),
        }
    }

    /// Returns a field's value after a write, if its reducer accepts it.
    pub(super) fn tried(&self, key: &str, before: Option<V>, write: &V) -> Option<V> {
        if !V::intact() {
            return None;
        }
        let state = before.map_or_else(V::object, |before| V::object().with(key, before));
        let written = self.write(state, key, write.clone());
        if V::intact() {
            return written.ok()?.get_owned(key);
        }
        V::forget_failure();
        None
    }
}
