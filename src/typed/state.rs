//! The typed state: a struct whose every field has a reducer, and its partial update.

use crate::error::Error;
use crate::reducer::kind::FieldKind;

/// A state whose fields are folded by their reducers: the output of `#[derive(State)]`.
///
/// (A state whose fields are known only at run time has a [`Schema`](crate::schema::Schema).)
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use threadfold::reducer::{AddMessages, Append};
/// use threadfold::{Message, State};
///
/// #[derive(Debug, Clone, Default, Serialize, Deserialize, State)]
/// #[state(derive(Debug, Clone, Serialize, Deserialize))]
/// struct Chat {
///     #[reducer(AddMessages)]
///     messages: Vec<Message>,
///     #[reducer(Append)]
///     #[update(Option<String>)]
///     log: Vec<String>,
///     #[reducer(|sum, more| sum + more)]
///     tokens: u64,
///     title: Option<String>,
/// }
///
/// let update = r#"{ "messages": [{ "type": "human", "id": "1", "content": "hi" }], "tokens": 7 }"#;
/// let mut chat = Chat::default();
/// chat.update(serde_json::from_str(update)?)?;
/// chat.update(ChatUpdate { tokens: Some(5), ..ChatUpdate::default() })?;
/// assert_eq!(chat.tokens, 12);
/// assert_eq!(chat.messages, [Message::user("hi").with_id("1")]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a state",
    label = "expected a state",
    note = "add `#[derive(Clone, threadfold::State)]` to `{Self}`"
)]
pub trait State: Clone {
    /// A partial update of the state: each field is a write, or `None`.
    type Update: Default;

    /// Folds each write of `update` into its field by that field's reducer
    /// ([`Reducer::merge`](crate::reducer::Reducer::merge)), and returns the state.
    ///
    /// Ignores what a reducer refuses, such as a removal of an unknown id. To have it reported, use
    /// [`State::try_merge`] or [`State::update`].
    #[must_use]
    fn merge(self, update: Self::Update) -> Self;

    /// Folds each write of `update` into its field, and returns the state, or the error of a reducer
    /// ([`TryReducer::try_merge`](crate::reducer::TryReducer::try_merge)).
    ///
    /// # Errors
    /// The first error of a reducer, in field order. The state is then lost: to keep it, use
    /// [`State::update`].
    fn try_merge(self, update: Self::Update) -> Result<Self, Error> {
        Ok(self.merge(update))
    }

    /// Folds `update` into this state in place, whole or not at all.
    ///
    /// Asks every reducer that can refuse first
    /// ([`TryReducer::prepare`](crate::reducer::TryReducer::prepare)), and only then changes
    /// anything. So it copies only written fields whose reducer cannot fold in place: messages, lists,
    /// text and replaced values are not copied.
    ///
    /// # Errors
    /// As [`State::try_merge`]; this state is then unchanged. It is also unchanged if a reducer panics.
    fn update(&mut self, update: Self::Update) -> Result<(), Error> {
        *self = self.clone().try_merge(update)?;
        Ok(())
    }

    /// Gives ids to the items of `update` that lack one and would get one
    /// ([`Reducer::identify`](crate::reducer::Reducer::identify)), so that to fold it again gives the
    /// same. The default does nothing.
    #[doc(hidden)]
    fn identify(update: &mut Self::Update) {
        let _ = update;
    }

    /// Returns the fields, each a channel of a graph.
    #[doc(hidden)]
    #[must_use]
    fn fields() -> Vec<StateField> {
        Vec::new()
    }

    /// Returns the positions of the fields that an update writes.
    #[doc(hidden)]
    #[must_use]
    fn written(update: &Self::Update) -> Vec<u32> {
        let _ = update;
        Vec::new()
    }
}

/// A field of a state, as checkpoints of LangGraph's format have it.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StateField {
    /// Its name on the wire; a flattened one has none.
    pub name: Option<&'static str>,
    /// Its reducer.
    pub kind: FieldKind,
}

/// Names that the code of `#[derive(State)]` needs.
#[doc(hidden)]
pub mod __private {
    pub use crate::typed::field::{AsIs, By, MayRefuse};
    pub use crate::typed::flattened::flattened;
    pub use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub use crate::typed::state::StateField;

    use crate::reducer::ReducerFn;

    /// Reads a field that is present as a write, even of null.
    ///
    /// # Errors
    /// The value's own.
    pub fn written<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
        deserializer: D,
    ) -> Result<Option<T>, D::Error> {
        T::deserialize(deserializer).map(Some)
    }

    /// Returns a closure as a reducer, which fixes its parameters' types.
    pub fn reducer_fn<T, U, F: Fn(T, U) -> T>(merge: F) -> ReducerFn<F> {
        ReducerFn(merge)
    }
}
