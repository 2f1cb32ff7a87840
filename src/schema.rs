//! Schemas: the fields of a state, and how each takes updates.

use std::fmt;
use std::sync::Arc;

use crate::error::{Error, forms};
use crate::reducer::files::merge_files;
use crate::reducer::files::object;
use crate::reducer::messages::{MessageRules, add_json_messages};
use crate::reducer::todos::replace_todos;
use crate::reducer::tools::{Prefer, list, merge_tools};
use crate::value::Value;

mod index;

use index::Index;

/// How a field folds an update into its value.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum FieldReducer<V> {
    /// Replaces the value; takes one write a super-step.
    Replace,
    /// Replaces a todo list after checking it; takes one write a super-step.
    Todos,
    /// Adds messages: `add_messages`.
    Messages(MessageRules),
    /// Joins tools: `merge_tools`.
    Tools(Prefer),
    /// Merges files: `merge_files`.
    Files,
    /// Appends a list's items.
    Append,
    /// Merges an object's values.
    Merge,
    /// Calls your own reducer.
    Custom(CustomReducer<V>),
}

/// Folds an update into a value, or into none at the first write.
type CustomFn<V> = dyn Fn(Option<V>, V) -> Result<V, Error> + Send + Sync;

/// Your own reducer.
#[derive(Clone)]
pub struct CustomReducer<V> {
    /// Its name in errors.
    pub name: String,
    /// Equal for two that are the same reducer.
    pub id: u32,
    /// The reducer: folds an update into a value, or into none at the first write.
    pub merge: Arc<CustomFn<V>>,
}

impl<V> fmt::Debug for CustomReducer<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, id, merge: _ } = self;
        f.debug_struct("CustomReducer").field("name", name).field("id", id).finish_non_exhaustive()
    }
}

/// How long a field's value lives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Lifetime {
    /// Until it is replaced.
    #[default]
    Kept,
    /// For the super-step after the one that wrote it.
    Ephemeral {
        /// Whether a second write in one super-step is an error; else the last wins.
        guard: bool,
    },
    /// Until it is replaced, but never in a checkpoint.
    Untracked {
        /// Whether a second write in one super-step is an error; else the last wins.
        guard: bool,
    },
}

/// A field of a state.
#[derive(Debug, Clone)]
pub struct Field<V> {
    /// Its reducer.
    pub reducer: FieldReducer<V>,
    /// Its lifetime.
    pub lifetime: Lifetime,
    /// Whether a caller may give it to a run.
    pub input: bool,
    /// Whether a run's result shows it.
    pub output: bool,
}

impl<V> Field<V> {
    /// Makes a field that callers may write and read.
    #[must_use]
    pub fn new(reducer: FieldReducer<V>) -> Self {
        Self { reducer, lifetime: Lifetime::Kept, input: true, output: true }
    }

    /// Returns this field with another lifetime.
    #[must_use]
    pub fn lasting(self, lifetime: Lifetime) -> Self {
        Self { lifetime, ..self }
    }

    /// Returns this field hidden from input and output.
    #[must_use]
    pub fn private(self) -> Self {
        Self { input: false, output: false, ..self }
    }

    fn is_private(&self) -> bool {
        !self.input && !self.output
    }

    /// Distinguishes two declarations of one field: its channel, as errors name it.
    pub(crate) fn channel(&self) -> &str {
        match (self.lifetime, &self.reducer) {
            (Lifetime::Ephemeral { guard: true }, _) => "ephemeral",
            (Lifetime::Ephemeral { guard: false }, _) => "ephemeral without guard",
            (Lifetime::Untracked { guard: true }, _) => "untracked",
            (Lifetime::Untracked { guard: false }, _) => "untracked without guard",
            (Lifetime::Kept, FieldReducer::Replace) => "replace",
            (Lifetime::Kept, FieldReducer::Todos) => "todos",
            (Lifetime::Kept, FieldReducer::Messages(MessageRules::LangGraph)) => "messages",
            (Lifetime::Kept, FieldReducer::Messages(MessageRules::DeepAgents)) => {
                "messages by DeepAgents' rules"
            }
            (Lifetime::Kept, FieldReducer::Tools(Prefer::First)) => "tools",
            (Lifetime::Kept, FieldReducer::Tools(Prefer::Last)) => "tools, the last preferred",
            (Lifetime::Kept, FieldReducer::Files) => "files",
            (Lifetime::Kept, FieldReducer::Append) => "append",
            (Lifetime::Kept, FieldReducer::Merge) => "merge",
            (Lifetime::Kept, FieldReducer::Custom(custom)) => &custom.name,
        }
    }

    fn same_channel(&self, other: &Self) -> bool {
        match (&self.reducer, &other.reducer) {
            (FieldReducer::Custom(a), FieldReducer::Custom(b)) => a.id == b.id,
            (FieldReducer::Custom(_), _) | (_, FieldReducer::Custom(_)) => false,
            _ => self.channel() == other.channel(),
        }
    }
}

impl<V: Value> Field<V> {
    /// Returns the value after one write.
    ///
    /// # Errors
    /// Those of the field's reducer.
    pub fn fold(&self, current: Option<V>, update: V) -> Result<V, Error> {
        let no_items = || V::array([]);
        match &self.reducer {
            FieldReducer::Replace => Ok(update),
            FieldReducer::Todos => replace_todos(current.unwrap_or_else(V::null), update),
            FieldReducer::Messages(rules) => {
                add_json_messages(current.unwrap_or_else(no_items), update, *rules)
            }
            FieldReducer::Tools(prefer) => {
                merge_tools(current.unwrap_or_else(no_items), update, *prefer)
            }
            FieldReducer::Files => merge_files(current.unwrap_or_else(V::object), update),
            FieldReducer::Append => append(current.unwrap_or_else(no_items), update, false),
            FieldReducer::Merge => merge(current.unwrap_or_else(V::object), &update),
            FieldReducer::Custom(custom) => (custom.merge)(current, update),
        }
    }

    /// Whether the field folds several writes of one super-step; otherwise it takes one.
    pub(crate) fn takes_many(&self) -> bool {
        self.lifetime == Lifetime::Kept
            && !matches!(self.reducer, FieldReducer::Replace | FieldReducer::Todos)
    }
}

/// Appends the items of `update` to `current`, in place if `owned`.
pub(crate) fn append<V: Value>(current: V, update: V, owned: bool) -> Result<V, Error> {
    let current = list(current, "left")?;
    let update = list(update, "right")?;
    if update.is_empty() {
        return Ok(current);
    }
    let count = u32::try_from(update.len()).unwrap_or(u32::MAX);
    let plan = crate::value::Plan { appended: (0..count).collect(), ..Default::default() };
    Ok(V::assemble(current, update, &plan, owned))
}

fn merge<V: Value>(current: V, update: &V) -> Result<V, Error> {
    let current = object(current, "left")?;
    let update = object(update.clone(), "right")?;
    Ok(current.overlay(&update, false))
}

/// The fields of a state, in declaration order.
#[derive(Debug, Clone)]
pub struct Schema<V> {
    fields: Vec<(String, Field<V>)>,
    index: Index,
}

impl<V> Schema<V> {
    /// Makes a schema of these fields.
    ///
    /// # Errors
    /// `FORBIDDEN_KEY` for a field called `__proto__`.
    pub fn new(fields: Vec<(String, Field<V>)>) -> Result<Self, Error> {
        let mut schema = Self::empty();
        fields.into_iter().try_for_each(|(key, field)| schema.add(&key, field))?;
        Ok(schema)
    }

    /// Makes a schema without fields.
    pub(crate) fn empty() -> Self {
        Self { fields: Vec::new(), index: Index::default() }
    }

    /// Adds a field.
    ///
    /// # Errors
    /// `FORBIDDEN_KEY` for `__proto__`.
    pub(crate) fn add(&mut self, key: &str, field: Field<V>) -> Result<(), Error> {
        if key == "__proto__" {
            return Err(Error::new(forms::FORBIDDEN_KEY, &[key]));
        }
        self.fields.push((key.to_owned(), field));
        self.index.add(key, self.fields.iter().map(|(key, _)| key.as_str()));
        Ok(())
    }

    /// Returns the fields and their names.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &Field<V>)> {
        self.fields.iter().map(|(key, field)| (key.as_str(), field))
    }

    /// Returns a field by its name.
    #[must_use]
    pub fn field(&self, key: &str) -> Option<&Field<V>> {
        self.place(key).and_then(|place| self.fields.get(place)).map(|(_, field)| field)
    }

    /// Returns the position of the field of this name.
    pub(crate) fn place(&self, key: &str) -> Option<usize> {
        self.index.find(key, |place| self.fields.get(place).is_some_and(|(name, _)| name == key))
    }
}

impl<V: Clone> Schema<V> {
    /// Combines several schemas into one, the base schema last. A later declaration of a field
    /// replaces an earlier one. A field that any of them makes private stays private.
    ///
    /// In LangChain an earlier public declaration can show a field that a later one hides; here
    /// private wins.
    ///
    /// # Errors
    /// `INVALID_SCHEMA` when a field is declared with two different reducers.
    pub fn combine(schemas: &[&Self]) -> Result<Self, Error> {
        let mut combined = Self::empty();
        schemas.iter().try_for_each(|schema| combined.extend(schema))?;
        Ok(combined)
    }

    /// Merges a later schema into this one: see [`Schema::combine`].
    ///
    /// # Errors
    /// `INVALID_SCHEMA`; the fields before the conflict are then merged.
    pub(crate) fn extend(&mut self, later: &Self) -> Result<(), Error> {
        for (key, field) in &later.fields {
            let Some((_, known)) = self.place(key).and_then(|place| self.fields.get_mut(place))
            else {
                self.add(key, field.clone())?;
                continue;
            };
            if !known.same_channel(field) {
                let channels = [known.channel(), field.channel()];
                return Err(Error::new(forms::TWO_REDUCERS, &[key, channels[0], channels[1]]));
            }
            let private = known.is_private();
            *known = field.clone();
            known.input &= !private;
            known.output &= !private;
        }
        Ok(())
    }
}
