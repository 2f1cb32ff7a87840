//! The list in a state: `#[reducer(AddMessages)]`, by updates that are lists or vectors.

use std::sync::Arc;

use super::{MessageList, shared};
use crate::error::Error;
use crate::reducer::kind::FieldKind;
use crate::reducer::list;
use crate::reducer::messages::{LENIENT, MessageRules, STRICT};
use crate::reducer::{Reducer, TryReducer};
use crate::typed::Identified;

macro_rules! by_updates_of {
    ($($Update:ty, as $items:expr, named by $identify:expr;)*) => { $(
        /// By the reducer's rules, whatever those of the list.
        impl<T: Identified + Clone> Reducer<MessageList<T>, $Update> for MessageRules {
            const TWIN: &'static str = if T::IS_MESSAGE { "messages" } else { "" };

            fn merge(&self, mut current: MessageList<T>, update: $Update) -> MessageList<T> {
                self.merge_in_place(&mut current, update);
                current
            }

            fn merge_in_place(&self, current: &mut MessageList<T>, update: $Update) {
                let items: fn($Update) -> Vec<Arc<T>> = $items;
                if let Ok(decided) = current.decide::<LENIENT>(items(update), *self) {
                    current.carry_out(decided);
                }
            }

            fn identify(&self, update: &mut $Update) {
                let identify: fn(&mut $Update, MessageRules) = $identify;
                identify(update, *self);
            }

            fn kind(&self) -> FieldKind {
                if T::IS_MESSAGE { FieldKind::Messages(*self) } else { FieldKind::Own }
            }
        }

        impl<T: Identified + Clone> TryReducer<MessageList<T>, $Update> for MessageRules {
            fn try_merge(
                &self,
                mut current: MessageList<T>,
                update: $Update,
            ) -> Result<MessageList<T>, Error> {
                self.prepare(&mut current, update)?();
                Ok(current)
            }

            fn prepare(
                &self,
                current: &mut MessageList<T>,
                update: $Update,
            ) -> Result<impl FnOnce(), Error> {
                let items: fn($Update) -> Vec<Arc<T>> = $items;
                let decided = current.decide::<STRICT>(items(update), *self)?;
                Ok(move || current.carry_out(decided))
            }
        }
    )* };
}

by_updates_of! {
    MessageList<T>, as |update| update.into_iter().collect(), named by MessageList::identify;
    Vec<T>, as shared, named by |update, rules| list::identify(update, rules);
}
