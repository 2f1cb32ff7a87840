//! Reducers: how an update is folded into the value that a field has.
//!
//! As functions over any [`Value`]: [`messages`], [`tools`], [`todos`], [`files`]. As a
//! [`Reducer`], which names one for a field of a typed state: [`AddMessages`], [`Append`],
//! [`Replace`], [`MergeTools`], [`MergeFiles`], [`ReplaceTodos`], and [`ReducerFn`] for one's own.

use crate::error::Error;
use crate::value::Value;

use files::merge_files;
use list::{Identified, add_message_list};
use messages::{MessageRules, add_messages};
use todos::replace_todos;
use tools::{Prefer, merge_tools};

pub mod files;
pub mod list;
pub mod messages;
pub mod todos;
pub mod tools;

/// Folds an update of type `U` into a value of type `T`.
pub trait Reducer<T, U = T> {
    /// The value that `current` becomes by `update`.
    ///
    /// # Errors
    /// The reducer's own: an update that cannot be folded.
    fn merge(&self, current: T, update: U) -> Result<T, Error>;
}

/// A function as a reducer.
///
/// ```
/// use threadfold::reducer::{Reducer, ReducerFn};
///
/// let highest = ReducerFn(|current: u32, update: u32| Ok(current.max(update)));
/// assert_eq!(highest.merge(3, 2)?, 3);
/// # Ok::<(), threadfold::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ReducerFn<F>(pub F);

impl<T, U, F: Fn(T, U) -> Result<T, Error>> Reducer<T, U> for ReducerFn<F> {
    fn merge(&self, current: T, update: U) -> Result<T, Error> {
        (self.0)(current, update)
    }
}

/// The update takes the value's place: see [`REPLACE`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Replace;

/// The update takes the value's place.
pub const REPLACE: Replace = Replace;

impl<T, U: Into<T>> Reducer<T, U> for Replace {
    fn merge(&self, _: T, update: U) -> Result<T, Error> {
        Ok(update.into())
    }
}

/// The update's items come after the value's: for a list, a string, or a map, whose equal keys
/// take the update's values.
///
/// ```
/// use threadfold::reducer::{Append, Reducer};
///
/// assert_eq!(Append.merge(vec![1, 2], vec![3])?, [1, 2, 3]);
/// # Ok::<(), threadfold::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Append;

impl<T: Extend<U::Item>, U: IntoIterator> Reducer<T, U> for Append {
    fn merge(&self, mut current: T, update: U) -> Result<T, Error> {
        current.extend(update);
        Ok(current)
    }
}

/// LangGraph's `add_messages`: [`add_message_list`] for typed items, [`add_messages`] for a
/// [`Value`]. For DeepAgents' rules the reducer is [`MessageRules::DeepAgents`] itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AddMessages;

impl<T: Identified> Reducer<Vec<T>> for AddMessages {
    fn merge(&self, current: Vec<T>, update: Vec<T>) -> Result<Vec<T>, Error> {
        add_message_list(current, update, MessageRules::LangGraph)
    }
}

impl<V: Value> Reducer<V> for AddMessages {
    fn merge(&self, current: V, update: V) -> Result<V, Error> {
        add_messages(current, update, MessageRules::LangGraph)
    }
}

impl<T: Identified> Reducer<Vec<T>> for MessageRules {
    fn merge(&self, current: Vec<T>, update: Vec<T>) -> Result<Vec<T>, Error> {
        add_message_list(current, update, *self)
    }
}

impl<V: Value> Reducer<V> for MessageRules {
    fn merge(&self, current: V, update: V) -> Result<V, Error> {
        add_messages(current, update, *self)
    }
}

/// [`merge_tools`]: tool definitions, one of a name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MergeTools(pub Prefer);

impl<V: Value> Reducer<V> for MergeTools {
    fn merge(&self, current: V, update: V) -> Result<V, Error> {
        merge_tools(current, update, self.0)
    }
}

/// [`merge_files`]: files by path; null deletes one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MergeFiles;

impl<V: Value> Reducer<V> for MergeFiles {
    fn merge(&self, current: V, update: V) -> Result<V, Error> {
        merge_files(current, update)
    }
}

/// [`replace_todos`]: a todo list, replaced whole and checked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReplaceTodos;

impl<V: Value> Reducer<V> for ReplaceTodos {
    fn merge(&self, current: V, update: V) -> Result<V, Error> {
        replace_todos(current, update)
    }
}
