//! Folds agent updates into thread state.

pub mod ag_ui;
pub mod error;
pub mod message;
pub mod message_list;
pub mod patch;
pub mod reducer;
pub mod schema;
pub mod state;
pub mod typed_state;
pub mod value;

pub use ag_ui::{Compat, langgraph_default_merge_state};
pub use error::Error;
pub use message::{Content, Message, MessageKind, REMOVE_ALL_MESSAGES, ToolCall};
pub use message_list::MessageList;
pub use patch::apply_patch;
pub use reducer::Reducer;
pub use reducer::files::merge_files;
pub use reducer::list::{Identified, add_message_list};
pub use reducer::messages::{MessageRules, add_messages};
pub use reducer::todos::{check_todo_calls, replace_todos};
pub use reducer::tools::{Prefer, merge_tools};
pub use schema::{CustomReducer, Field, FieldReducer, Lifetime, Schema};
pub use state::Filtered;
#[doc(hidden)]
pub use typed_state::__private;
pub use typed_state::State;
pub use value::Value;

#[cfg(target_arch = "wasm32")]
mod wasm;
