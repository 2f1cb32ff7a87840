//! Messages by id, as a reducer: typed, as JSON, and in a list with an index.

use super::kind::FieldKind;
use super::list::{self, Identified};
use super::messages::{self, MessageRules};
use super::{Reducer, TryReducer};
use crate::error::Error;
use crate::value::Value;

/// Adds messages as LangGraph's `add_messages` does: [`list::add_messages`] for typed items,
/// [`messages::add_json_messages`] for a [`Value`]. For DeepAgents' rules use
/// [`MessageRules::DeepAgents`] itself as the reducer.
///
/// `merge` ignores a removal of an unknown id; `try_merge` refuses the update. Of JSON, `merge`
/// also ignores an update that holds anything but messages.
///
/// ```
/// use threadfold::Message;
/// use threadfold::reducer::{AddMessages, Reducer, TryReducer};
///
/// let thread = vec![Message::user("hello").with_id("1")];
/// let removal = || vec![Message::remove("2")];
/// assert_eq!(AddMessages.merge(thread.clone(), removal()), thread);
/// assert_eq!(AddMessages.try_merge(thread, removal()).unwrap_err().code(), "UNKNOWN_MESSAGE");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AddMessages;

impl<T, U> Reducer<T, U> for AddMessages
where
    MessageRules: Reducer<T, U>,
{
    const TWIN: &'static str = <MessageRules as Reducer<T, U>>::TWIN;

    fn merge(&self, current: T, update: U) -> T {
        MessageRules::LangGraph.merge(current, update)
    }

    fn merge_in_place(&self, current: &mut T, update: U)
    where
        T: Clone,
    {
        MessageRules::LangGraph.merge_in_place(current, update);
    }

    fn identify(&self, update: &mut U) {
        Reducer::<T, U>::identify(&MessageRules::LangGraph, update);
    }

    fn kind(&self) -> FieldKind {
        MessageRules::LangGraph.kind()
    }
}

impl<T, U> TryReducer<T, U> for AddMessages
where
    MessageRules: TryReducer<T, U>,
{
    fn try_merge(&self, current: T, update: U) -> Result<T, Error> {
        MessageRules::LangGraph.try_merge(current, update)
    }

    fn prepare(&self, current: &mut T, update: U) -> Result<impl FnOnce(), Error>
    where
        T: Clone,
    {
        MessageRules::LangGraph.prepare(current, update)
    }
}

impl<T: Identified> Reducer<Vec<T>> for MessageRules {
    const TWIN: &'static str = if T::IS_MESSAGE { "messages" } else { "" };

    fn merge(&self, mut current: Vec<T>, update: Vec<T>) -> Vec<T> {
        list::merge(&mut current, update, *self);
        current
    }

    fn merge_in_place(&self, current: &mut Vec<T>, update: Vec<T>) {
        list::merge(current, update, *self);
    }

    fn identify(&self, update: &mut Vec<T>) {
        list::identify(update, *self);
    }

    fn kind(&self) -> FieldKind {
        if T::IS_MESSAGE { FieldKind::Messages(*self) } else { FieldKind::Own }
    }
}

impl<T: Identified> TryReducer<Vec<T>> for MessageRules {
    fn try_merge(&self, mut current: Vec<T>, update: Vec<T>) -> Result<Vec<T>, Error> {
        list::prepared(&mut current, update, *self)?();
        Ok(current)
    }

    fn prepare(&self, current: &mut Vec<T>, update: Vec<T>) -> Result<impl FnOnce(), Error> {
        list::prepared(current, update, *self)
    }
}

impl<V: Value> Reducer<V> for MessageRules {
    const TWIN: &'static str = "messages";

    fn merge(&self, current: V, update: V) -> V {
        messages::add_known(current, update, *self)
    }

    fn identify(&self, update: &mut V) {
        if let Ok((list, _)) = messages::read(update.clone(), *self) {
            *update = list;
        }
    }

    fn kind(&self) -> FieldKind {
        FieldKind::Messages(*self)
    }
}

impl<V: Value> TryReducer<V> for MessageRules {
    fn try_merge(&self, current: V, update: V) -> Result<V, Error> {
        messages::add_json_messages(current, update, *self)
    }
}
