//! Folds agent updates into thread state.

pub mod error;
pub mod message;
pub mod reducer;
pub mod value;

pub use error::Error;
pub use message::REMOVE_ALL_MESSAGES;
pub use reducer::files::merge_files;
pub use reducer::messages::{MessageRules, add_messages};
pub use reducer::todos::{check_todo_calls, replace_todos};
pub use reducer::tools::{Prefer, merge_tools};
pub use value::Value;
