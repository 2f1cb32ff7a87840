//! Folds agent updates into thread state: the reducers of LangGraph, DeepAgents and AG-UI.
//!
//! An agent's thread is a state with a few fields: messages, todos, tools, files. The agent's nodes
//! and its server send updates, and each field has a reducer that folds an update into it. This
//! crate provides those reducers. It is also the core of the npm package of the same name, where
//! the same code works on JavaScript's own values.
//!
//! ```
//! use serde_json::json;
//! use threadfold::{add_json_messages, MessageRules};
//!
//! let thread = json!([{ "type": "human", "id": "1", "content": "What is 2 + 2?" }]);
//! let thread = add_json_messages(thread, json!({ "role": "assistant", "content": "4" }), MessageRules::LangGraph)?;
//! assert_eq!(thread[1]["type"], "ai"); // in LangChain's form, and with an id of its own
//! assert!(thread[1]["id"].is_string());
//!
//! let thread = add_json_messages(thread, json!([{ "type": "remove", "id": "1" }]), MessageRules::LangGraph)?;
//! assert_eq!(thread.as_array().map(Vec::len), Some(1));
//! # Ok::<(), threadfold::Error>(())
//! ```
//!
//! # What to read, in which order
//! - **JSON in, JSON out**: [`add_json_messages`], [`merge_tools`], [`replace_todos`], [`merge_files`],
//!   [`apply_patch`], [`ag_ui::langgraph_default_merge_state`]. Each takes any [`Value`]; natively that is
//!   [`serde_json::Value`], or [`Json`], whose values are shared.
//! - **Your own types**: start at [`typed`]. Derive [`State`] for a struct whose every field has a
//!   [`Reducer`]; [`typed::add_messages`] and [`typed::MessageList`] hold [`Message`]s and anything
//!   [`Identified`](typed::Identified).
//! - **A graph of nodes**: [`graph::StateGraph`] runs `async fn`s over a [`State`] as LangGraph does.
//! - **An agent that calls tools**: [`agent::create_agent`] makes such a graph, as LangChain does.
//! - **A state known only at run time**: [`Schema`] merges an update, or a super-step of several
//!   writers, and declares what is input and output.
//! - **A long list that changes often**: [`typed::MessageList`].
//! - **A conversation with an agent's server**: [`Thread`] holds the server's state and the pending
//!   updates. Keep lists and threads in [`Json`]: reading them then copies no message.
//!
//! # Features
//! | feature | what it does |
//! | --- | --- |
//! | `js` (default) | on `wasm32-unknown-unknown`, takes random ids from JavaScript's `crypto`, by wasm-bindgen; does nothing elsewhere |
//! | `preserve_order` | turns on `serde_json/preserve_order`, for the whole program: fields of a [`serde_json::Value`] stay in order. [`Json`] keeps them in any case |
//!
//! Without `js`, a program for `wasm32-unknown-unknown` chooses the source of randomness itself: it
//! depends on `uuid` with the feature `rng-getrandom` or `rng-rand`.
//!
//! Nothing panics on any input: an input that cannot be folded is an [`Error`] with a stable code.

pub mod ag_ui;
pub mod agent;
pub mod context;
mod diff;
mod digits;
mod error;
pub mod graph;
mod id;
pub mod langgraph;
mod merge_state;
mod message;
mod message_list;
mod patch;
pub mod reducer;
mod schema;
mod state;
pub mod stream;
mod thread;
pub mod typed;
#[doc(hidden)]
pub mod unstable;
pub mod value;

pub use diff::diff;
pub use error::Error;
pub use message::REMOVE_ALL_MESSAGES;
pub use patch::apply_patch;
pub use reducer::files::merge_files;
pub use reducer::messages::{MessageRules, add_json_messages};
pub use reducer::todos::replace_todos;
pub use reducer::tools::{Prefer, merge_tools};
pub use reducer::{Reducer, TryReducer};
pub use schema::{CustomReducer, Field, FieldReducer, Lifetime, Schema};
pub use state::Filtered;
pub use thread::{
    PendingUpdate, RunState, RunStatus, StreamPosition, Thread, ThreadEvent, UpdateStatus,
};
/// Implements [`PageType`](trait@PageType).
pub use threadfold_derive::PageType;
/// Implements [`State`](trait@State) and generates its partial update.
pub use threadfold_derive::State;
pub use typed::page::PageType;
pub use typed::{Content, Message, MessageKind, State, ToolCall};
pub use value::{Json, Value};

#[cfg(any(doc, doctest))]
#[doc = include_str!("../docs/rust.md")]
pub mod guide {}
