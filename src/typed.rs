//! For programs with their own types: messages as structs, a state as a struct, lists of both.
//!
//! - [`Message`] is a message in Rust, [`MessageKind`] its kind and content.
//! - [`add_messages`] adds messages, or anything else [`Identified`], to a list.
//! - [`MessageList`] is a long list that changes often. At any length, a token costs the same, and a
//!   copy nothing.
//! - [`State`] is a struct whose every field has a [`Reducer`](crate::reducer::Reducer):
//!   `#[derive(State)]` writes its partial update.
//!
//! You can build a program of nodes in three ways (`examples/rust/` has a program for each):
//! - **A node merges** and returns the whole state.
//! - **The caller merges** the part of the state that a node returns.
//! - **A loop runs the nodes** and merges each one's part:
//!
//! ```
//! use threadfold::reducer::AddMessages;
//! use threadfold::typed::add_messages;
//! use threadfold::{Error, Message, State};
//!
//! #[derive(Debug, Clone, Default, State)]
//! struct Chat {
//!     #[reducer(AddMessages)]
//!     messages: Vec<Message>,
//!     /// Without a reducer: the update takes its place.
//!     title: Option<String>,
//! }
//!
//! fn answer(state: Chat) -> Chat {
//!     let answer = Message::assistant("Hi.").with_id("a");
//!     Chat { messages: add_messages(state.messages, vec![answer]), ..state }
//! }
//!
//! fn name(state: &Chat) -> ChatUpdate {
//!     let title = state.messages.first().map(|first| first.text().to_uppercase());
//!     ChatUpdate { title: Some(title), ..ChatUpdate::default() }
//! }
//!
//! fn correct(_: &Chat) -> ChatUpdate {
//!     let answer = Message::assistant("Hello.").with_id("a");
//!     ChatUpdate { messages: Some(vec![answer]), ..ChatUpdate::default() }
//! }
//!
//! let state = Chat { messages: vec![Message::user("hello")], ..Chat::default() };
//! let state = answer(state); // the node merges
//! let update = name(&state);
//! let mut state = state.merge(update); // the caller merges
//! for node in [name, correct] {
//!     state.update(node(&state))?; // the loop merges, and hears of what a reducer refuses
//! }
//! assert_eq!(state.title.as_deref(), Some("HELLO"));
//! assert_eq!(state.messages.len(), 2); // the answer was replaced under its id
//! assert_eq!(state.messages[1].text(), "Hello.");
//! # Ok::<(), Error>(())
//! ```

mod field;
mod flattened;
mod message;
mod message_list;
#[doc(hidden)]
pub mod page;
mod state;

pub use crate::reducer::list::{Identified, add_messages};
pub use message::{
    AssistantMessage, Content, Extra, Message, MessageKind, SystemMessage, ToolCall, ToolMessage,
    UserMessage,
};
pub use message_list::{IntoIter, Iter, MessageList, Streamed};
#[doc(hidden)]
pub use state::__private;
pub use state::{State, StateField};
