//! Reducers: functions that fold an update into a field's value.
//!
//! Functions over any [`Value`]: [`messages`], [`tools`], [`todos`], [`files`]. A [`Reducer`] for a
//! field of a typed state: [`AddMessages`], [`Append`],
//! [`Replace`], [`MergeTools`], [`MergeFiles`], [`ReplaceTodos`], and for your own [`ReducerFn`]
//! and [`TryReducerFn`].

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, Hash};

use std::fmt;

use crate::error::Error;
use crate::value::Value;

use files::merge_files;
use kind::FieldKind;
use list::{Identified, add_message_list, decide};
use messages::{MessageRules, add_messages};
use todos::replace_todos;
use tools::{Prefer, merge_tools};

pub mod files;
pub mod kind;
pub mod list;
pub mod messages;
pub mod todos;
pub mod tools;

/// Folds an update of type `U` into a value of type `T`.
pub trait Reducer<T, U = T> {
    /// The function of npm's `field` whose types the field has; empty if those are Rust's.
    #[doc(hidden)]
    const TWIN: &'static str = "";

    /// Folds `update` into `current` and returns the new value.
    ///
    /// # Errors
    /// The reducer's own, for an update that it refuses.
    fn merge(&self, current: T, update: U) -> Result<T, Error>;

    /// Checks whether `update` can be folded into `current`, and returns a closure that folds it. In
    /// two halves, an update of many fields is folded whole or not at all.
    ///
    /// The default folds into a copy of `current`. [`AddMessages`] of typed items, [`Append`] and
    /// [`Replace`] make no copy.
    ///
    /// # Errors
    /// As [`Reducer::merge`]; `current` is then unchanged.
    fn prepare(&self, current: &mut T, update: U) -> Result<impl FnOnce(), Error>
    where
        T: Clone,
        Self: Sized,
    {
        let merged = self.merge(current.clone(), update)?;
        Ok(move || *current = merged)
    }

    /// Returns the field of the npm package that folds as this reducer does. By default, the page folds with the reducer itself.
    fn kind(&self) -> FieldKind {
        FieldKind::Own
    }
}

/// A function is a reducer: `fn(T, U) -> T`, or `fn(T, U) -> Result<T, Error>` for one that may
/// refuse an update.
impl<T, U, O: Outcome<T>, F: Fn(T, U) -> O> Reducer<T, U> for F {
    fn merge(&self, current: T, update: U) -> Result<T, Error> {
        self(current, update).into_result()
    }
}

/// The value that a function returns which is a [`Reducer`]: the folded value, or a [`Result`] of it.
pub trait Outcome<T> {
    /// Returns the folded value, or the error.
    ///
    /// # Errors
    /// The function's own.
    fn into_result(self) -> Result<T, Error>;
}

impl<T> Outcome<T> for T {
    fn into_result(self) -> Result<T, Error> {
        Ok(self)
    }
}

impl<T> Outcome<T> for Result<T, Error> {
    fn into_result(self) -> Self {
        self
    }
}

/// Makes a reducer from a function that accepts every update. For one that may refuse, use
/// [`TryReducerFn`].
///
/// ```
/// use threadfold::reducer::{Reducer, ReducerFn};
///
/// let highest = ReducerFn(|current: u32, update| current.max(update));
/// assert_eq!(highest.merge(3, 2)?, 3);
/// let latest = ReducerFn(|_, new| new);
/// assert_eq!(latest.merge("old", "new")?, "new");
/// # Ok::<(), threadfold::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct ReducerFn<F>(pub F);

impl<T, U, F: Fn(T, U) -> T> Reducer<T, U> for ReducerFn<F> {
    fn merge(&self, current: T, update: U) -> Result<T, Error> {
        Ok((self.0)(current, update))
    }
}

impl<F> fmt::Debug for ReducerFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReducerFn").finish_non_exhaustive()
    }
}

/// Makes a reducer from a function that may refuse an update.
///
/// ```
/// use threadfold::Error;
/// use threadfold::reducer::{Reducer, TryReducerFn};
///
/// let sum = TryReducerFn(|sum: u8, more| {
///     sum.checked_add(more).ok_or_else(|| Error::ReducerFailed { reason: "too many".to_owned() })
/// });
/// assert_eq!(sum.merge(250, 5)?, 255);
/// assert_eq!(sum.merge(250, 6).unwrap_err().to_string(), "A reducer failed: too many");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct TryReducerFn<F>(pub F);

impl<T, U, F: Fn(T, U) -> Result<T, Error>> Reducer<T, U> for TryReducerFn<F> {
    fn merge(&self, current: T, update: U) -> Result<T, Error> {
        (self.0)(current, update)
    }
}

impl<F> fmt::Debug for TryReducerFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TryReducerFn").finish_non_exhaustive()
    }
}

/// Replaces the value by the update: see [`REPLACE`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Replace;

/// Replaces the value by the update.
///
/// ```
/// use threadfold::reducer::{REPLACE, Reducer};
///
/// assert_eq!(REPLACE.merge(None, Some("title"))?, Some("title"));
/// # Ok::<(), threadfold::Error>(())
/// ```
pub const REPLACE: Replace = Replace;

impl<T> Reducer<T> for Replace {
    const TWIN: &'static str = "replace";

    fn merge(&self, _: T, update: T) -> Result<T, Error> {
        Ok(update)
    }

    fn prepare(&self, current: &mut T, update: T) -> Result<impl FnOnce(), Error> {
        Ok(move || *current = update)
    }

    fn kind(&self) -> FieldKind {
        FieldKind::Replace
    }
}

/// Appends the update's items to the value's: for the collections of the standard library, and for
/// a string, whose items are text. In a map the update's value replaces that of an equal key.
///
/// ```
/// use threadfold::reducer::{Append, Reducer};
///
/// assert_eq!(Append.merge(vec![1, 2], vec![3])?, [1, 2, 3]);
/// assert_eq!(Append.merge(vec![1, 2], Some(3))?, [1, 2, 3]);
/// assert_eq!(Append.merge("Hel".to_owned(), "lo")?, "Hello");
/// # Ok::<(), threadfold::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Append;

impl<U: AsRef<str>> Reducer<String, U> for Append {
    fn merge(&self, mut current: String, update: U) -> Result<String, Error> {
        current.push_str(update.as_ref());
        Ok(current)
    }

    fn prepare(&self, current: &mut String, update: U) -> Result<impl FnOnce(), Error> {
        Ok(move || current.push_str(update.as_ref()))
    }
}

macro_rules! append_to_collections {
    ($( $Collection:ty, of $Item:ty, for ($($generics:tt)*), is $Kind:ident );* $(;)?) => { $(
        impl<U: IntoIterator<Item = $Item>, $($generics)*> Reducer<$Collection, U> for Append {
            fn merge(&self, mut current: $Collection, update: U) -> Result<$Collection, Error> {
                current.extend(update);
                Ok(current)
            }

            fn prepare(
                &self,
                current: &mut $Collection,
                update: U,
            ) -> Result<impl FnOnce(), Error>
            where
                $Collection: Clone,
            {
                Ok(move || current.extend(update))
            }

            fn kind(&self) -> FieldKind {
                FieldKind::$Kind
            }
        }
    )* };
}

append_to_collections! {
    Vec<T>, of T, for (T), is Append;
    VecDeque<T>, of T, for (T), is Append;
    BTreeSet<T>, of T, for (T: Ord), is Own;
    HashSet<T, S>, of T, for (T: Eq + Hash, S: BuildHasher), is Own;
    BTreeMap<K, T>, of (K, T), for (K: Ord, T), is Own;
    HashMap<K, T, S>, of (K, T), for (K: Eq + Hash, T, S: BuildHasher), is Own;
}

/// Adds messages as LangGraph's `add_messages` does: [`list::add_messages`] for typed items,
/// [`messages::add_messages`] for a [`Value`]. For DeepAgents' rules use
/// [`MessageRules::DeepAgents`] itself as the reducer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AddMessages;

impl<T: Identified> Reducer<Vec<T>> for AddMessages {
    const TWIN: &'static str = if T::IS_MESSAGE { "messages" } else { "" };

    fn merge(&self, current: Vec<T>, update: Vec<T>) -> Result<Vec<T>, Error> {
        add_message_list(current, update, MessageRules::LangGraph)
    }

    fn prepare(&self, current: &mut Vec<T>, mut update: Vec<T>) -> Result<impl FnOnce(), Error> {
        let decided = decide(current, &mut update, MessageRules::LangGraph)?;
        Ok(move || decided.carry_out(current, update))
    }

    fn kind(&self) -> FieldKind {
        if T::IS_MESSAGE { FieldKind::Messages(MessageRules::LangGraph) } else { FieldKind::Own }
    }
}

impl<V: Value> Reducer<V> for AddMessages {
    const TWIN: &'static str = "messages";

    fn merge(&self, current: V, update: V) -> Result<V, Error> {
        add_messages(current, update, MessageRules::LangGraph)
    }

    fn kind(&self) -> FieldKind {
        FieldKind::Messages(MessageRules::LangGraph)
    }
}

impl<T: Identified> Reducer<Vec<T>> for MessageRules {
    const TWIN: &'static str = if T::IS_MESSAGE { "messages" } else { "" };

    fn merge(&self, current: Vec<T>, update: Vec<T>) -> Result<Vec<T>, Error> {
        add_message_list(current, update, *self)
    }

    fn prepare(&self, current: &mut Vec<T>, mut update: Vec<T>) -> Result<impl FnOnce(), Error> {
        let decided = decide(current, &mut update, *self)?;
        Ok(move || decided.carry_out(current, update))
    }

    fn kind(&self) -> FieldKind {
        if T::IS_MESSAGE { FieldKind::Messages(*self) } else { FieldKind::Own }
    }
}

impl<V: Value> Reducer<V> for MessageRules {
    const TWIN: &'static str = "messages";

    fn merge(&self, current: V, update: V) -> Result<V, Error> {
        add_messages(current, update, *self)
    }

    fn kind(&self) -> FieldKind {
        FieldKind::Messages(*self)
    }
}

/// Joins tool definitions, one for each name: [`merge_tools`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MergeTools(pub Prefer);

impl<V: Value> Reducer<V> for MergeTools {
    const TWIN: &'static str = "tools";

    fn merge(&self, current: V, update: V) -> Result<V, Error> {
        merge_tools(current, update, self.0)
    }

    fn kind(&self) -> FieldKind {
        FieldKind::Tools(self.0)
    }
}

/// Merges files by path; null deletes one: [`merge_files`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MergeFiles;

impl<V: Value> Reducer<V> for MergeFiles {
    const TWIN: &'static str = "files";

    fn merge(&self, current: V, update: V) -> Result<V, Error> {
        merge_files(current, update)
    }

    fn kind(&self) -> FieldKind {
        FieldKind::Files
    }
}

/// Checks a todo list and replaces the whole one: [`replace_todos`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReplaceTodos;

impl<V: Value> Reducer<V> for ReplaceTodos {
    const TWIN: &'static str = "todos";

    fn merge(&self, current: V, update: V) -> Result<V, Error> {
        replace_todos(current, update)
    }

    fn kind(&self) -> FieldKind {
        FieldKind::Todos
    }
}
