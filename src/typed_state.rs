//! The typed state: a struct whose every field has a reducer, and the partial update of it.
//!
//! [`state!`](crate::state!) writes both from one declaration, and [`State`] folds the one into
//! the other. (A state whose fields are known only at run time has a
//! [`Schema`](crate::schema::Schema).) There are three ways to compose a program of nodes.
//!
//! **A node merges by itself** and returns whole state:
//! ```
//! use threadfold::reducer::{AddMessages, REPLACE};
//! use threadfold::{state, Error, Message, State};
//!
//! state! {
//!     pub struct Chat, update ChatUpdate {
//!         messages: Vec<Message> => AddMessages,
//!         title: Option<String> => REPLACE,
//!     }
//! }
//!
//! fn answer(state: Chat) -> Result<Chat, Error> {
//!     let heard = state.messages.last().map(|last| last.text().into_owned()).unwrap_or_default();
//!     let answer = Message::assistant(format!("You said: {heard}"));
//!     state.merge(ChatUpdate { messages: Some(vec![answer]), ..Default::default() })
//! }
//!
//! let state = answer(Chat { messages: vec![Message::user("hello")], ..Default::default() })?;
//! assert_eq!(state.messages[1].text(), "You said: hello");
//! # Ok::<(), Error>(())
//! ```
//!
//! **The caller merges** what a node returns, its part of the state:
//! ```
//! # use threadfold::reducer::{AddMessages, REPLACE};
//! # use threadfold::{state, Error, Message, State};
//! # state! {
//! #     pub struct Chat, update ChatUpdate {
//! #         messages: Vec<Message> => AddMessages,
//! #         title: Option<String> => REPLACE,
//! #     }
//! # }
//! fn name(state: &Chat) -> ChatUpdate {
//!     let title = state.messages.first().map(|first| first.text().to_uppercase());
//!     ChatUpdate { title: Some(title), ..Default::default() }
//! }
//!
//! let state = Chat { messages: vec![Message::user("hello")], ..Default::default() };
//! let update = name(&state);
//! let state = state.merge(update)?;
//! assert_eq!(state.title.as_deref(), Some("HELLO"));
//! assert_eq!(state.messages.len(), 1); // a field that an update leaves out stays as it is
//! # Ok::<(), Error>(())
//! ```
//!
//! **A loop runs the nodes** and merges each one's part:
//! ```
//! # use threadfold::reducer::{AddMessages, REPLACE};
//! # use threadfold::{state, Error, Message, State};
//! # state! {
//! #     pub struct Chat, update ChatUpdate {
//! #         messages: Vec<Message> => AddMessages,
//! #         title: Option<String> => REPLACE,
//! #     }
//! # }
//! fn draft(_: &Chat) -> ChatUpdate {
//!     ChatUpdate { messages: Some(vec![Message::assistant("…").with_id("a")]), ..Default::default() }
//! }
//!
//! fn finish(_: &Chat) -> ChatUpdate {
//!     ChatUpdate { messages: Some(vec![Message::assistant("Done.").with_id("a")]), ..Default::default() }
//! }
//!
//! let mut state = Chat { messages: vec![Message::user("hello")], ..Default::default() };
//! for node in [draft, finish] {
//!     state.update(node(&state))?;
//! }
//! assert_eq!(state.messages.len(), 2); // the draft was replaced under its id
//! assert_eq!(state.messages[1].text(), "Done.");
//! # Ok::<(), Error>(())
//! ```

use crate::error::Error;

/// A state whose fields are folded by their reducers: what [`state!`](crate::state!) writes.
pub trait State: Sized {
    /// A part of the state: each field a write to it, or nothing.
    type Update: Default;

    /// The state with each write of `update` folded into its field by that field's reducer.
    ///
    /// # Errors
    /// The first one of a reducer, in the order of the fields. The state goes with it: where it
    /// is needed after a failure, [`State::update`] keeps it.
    fn merge(self, update: Self::Update) -> Result<Self, Error>;

    /// Folds `update` into this state, whole or not at all, at the cost of a copy of the state.
    ///
    /// # Errors
    /// As [`State::merge`]; this state is then as it was.
    fn update(&mut self, update: Self::Update) -> Result<(), Error>
    where
        Self: Clone,
    {
        *self = self.clone().merge(update)?;
        Ok(())
    }
}

/// Writes a typed state and its update from one declaration.
///
/// Each field is `name: Type => reducer`; where the update is of another type than the field,
/// `name: Type as UpdateType => reducer`. The reducer is any expression that is a
/// [`Reducer<Type, UpdateType>`](crate::reducer::Reducer). The fields are as visible as the struct.
///
/// Both structs are `Debug`, `Clone`, `Default` and serde's `Serialize` and `Deserialize`, so
/// must their fields be; attributes before `struct` and before `update` are added to the one and
/// the other, those of a field to both. As JSON, a field that the update does not write is not
/// there, and a `null` is a write of null. A field that a JSON state lacks has its default.
/// (Serde finds itself by the path `::threadfold`: the crate may not be renamed.)
///
/// ```
/// use threadfold::reducer::{AddMessages, Append, ReducerFn, REPLACE};
/// use threadfold::{state, Message, State};
///
/// state! {
///     /// All that a thread holds.
///     #[derive(PartialEq)]
///     pub struct Thread, update ThreadUpdate {
///         messages: Vec<Message> => AddMessages,
///         /// The plan, written anew each time.
///         todos: Vec<String> => REPLACE,
///         log: Vec<String> as Option<String> => Append,
///         tokens: u64 => ReducerFn(|sum: u64, more: u64| Ok(sum + more)),
///     }
/// }
///
/// let update = r#"{ "messages": [{ "type": "human", "id": "1", "content": "hi" }], "tokens": 7 }"#;
/// let state = Thread::default().merge(serde_json::from_str(update)?)?;
/// let state = state.merge(ThreadUpdate { tokens: Some(5), ..Default::default() })?;
/// assert_eq!(state.tokens, 12);
/// assert_eq!(state.messages, [Message::user("hi").with_id("1")]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[macro_export]
macro_rules! state {
    (
        $(#[$attribute:meta])*
        $vis:vis struct $State:ident,
        $(#[$update_attribute:meta])*
        update $Update:ident {
            $(
                $(#[$field_attribute:meta])*
                $field:ident: $Type:ty $(as $Written:ty)? => $reducer:expr
            ),* $(,)?
        }
    ) => {
        $(#[$attribute])*
        #[derive(
            Debug, Clone, Default,
            $crate::__private::serde::Serialize, $crate::__private::serde::Deserialize,
        )]
        #[serde(crate = "::threadfold::__private::serde", default)]
        $vis struct $State {
            $( $(#[$field_attribute])* $vis $field: $Type, )*
        }

        #[doc = concat!("A part of [`", stringify!($State), "`]: each field a write to it, or nothing.")]
        $(#[$update_attribute])*
        #[derive(
            Debug, Clone, Default,
            $crate::__private::serde::Serialize, $crate::__private::serde::Deserialize,
        )]
        #[serde(crate = "::threadfold::__private::serde")]
        $vis struct $Update {
            $(
                $(#[$field_attribute])*
                #[serde(
                    default,
                    skip_serializing_if = "Option::is_none",
                    deserialize_with = "::threadfold::__private::written"
                )]
                $vis $field: Option<$crate::__written!($Type $(, $Written)?)>,
            )*
        }

        impl $crate::State for $State {
            type Update = $Update;

            fn merge(self, update: $Update) -> Result<Self, $crate::Error> {
                Ok(Self {
                    $(
                        $field: match update.$field {
                            Some(update) => $crate::reducer::Reducer::merge(&$reducer, self.$field, update)?,
                            None => self.$field,
                        },
                    )*
                })
            }
        }
    };
}

/// The type of a field's updates.
#[doc(hidden)]
#[macro_export]
macro_rules! __written {
    ($Type:ty) => {
        $Type
    };
    ($Type:ty, $Written:ty) => {
        $Written
    };
}

/// What the code that [`state!`](crate::state!) writes needs by name.
#[doc(hidden)]
pub mod __private {
    pub use serde;
    use serde::{Deserialize, Deserializer};

    /// A field that is there is a write, also of null.
    ///
    /// # Errors
    /// The value's own.
    pub fn written<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
        deserializer: D,
    ) -> Result<Option<T>, D::Error> {
        T::deserialize(deserializer).map(Some)
    }
}
