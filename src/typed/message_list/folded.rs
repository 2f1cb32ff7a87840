//! A list as a field of a state.

use super::MessageList;
use crate::error::Error;
use crate::reducer::kind::FieldKind;
use crate::reducer::list;
use crate::reducer::messages::{LENIENT, MessageRules, STRICT};
use crate::reducer::{Reducer, TryReducer};
use crate::typed::Identified;

/// Folds by these rules, whatever the list's own are.
impl<T: Identified> Reducer<MessageList<T>, Vec<T>> for MessageRules {
    const TWIN: &'static str = if T::IS_MESSAGE { "messages" } else { "" };

    fn merge(&self, mut current: MessageList<T>, mut update: Vec<T>) -> MessageList<T> {
        if let Ok(plan) = current.decide::<LENIENT>(&mut update, *self) {
            current.carry_out(&plan, update);
        }
        current
    }

    fn identify(&self, update: &mut Vec<T>) {
        list::identify(update, *self);
    }

    fn kind(&self) -> FieldKind {
        if T::IS_MESSAGE { FieldKind::Messages(*self) } else { FieldKind::Own }
    }
}

impl<T: Identified> TryReducer<MessageList<T>, Vec<T>> for MessageRules {
    fn try_merge(
        &self,
        mut current: MessageList<T>,
        update: Vec<T>,
    ) -> Result<MessageList<T>, Error> {
        self.prepare(&mut current, update)?();
        Ok(current)
    }

    fn prepare(
        &self,
        current: &mut MessageList<T>,
        mut update: Vec<T>,
    ) -> Result<impl FnOnce(), Error> {
        let plan = current.decide::<STRICT>(&mut update, *self)?;
        Ok(move || current.carry_out(&plan, update))
    }
}
