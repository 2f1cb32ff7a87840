//! The messages for a model, as opposed to the whole conversation, and their cost in tokens.
//!
//! Each decision is made over numbers: which messages call tools, which answer them. So it is the
//! same code for JSON, for a Rust program's own types and for JavaScript's objects.
//!
//! - [`view::Context`]: the messages sent, by a [`policy`] and one small [`record`], and the
//!   compaction due.
//! - [`conversation::Conversation`]: a conversation read again and again, at the cost of the changes.
//! - [`count`], [`estimate`]: tokens as Python counts them, and closer to a model's own count; a
//!   [`meter`] counts them while they stream.
//! - [`safe_cuts`]: where a list of messages can be cut so that no tool result loses its call.
//! - [`repair_tool_calls`], [`patch_tool_calls`]: lists that providers take.
//! - [`trim`], [`clear`], [`truncate`], [`offload`]: how it gets fewer.

pub(crate) mod answer;
mod before;
mod call_fields;
pub mod clear;
pub mod conversation;
pub mod count;
pub(crate) mod cut;
pub mod estimate;
pub mod estimate_message;
pub(crate) mod ledger;
pub(crate) mod limits;
pub mod meter;
pub mod offload;
mod parts;
pub mod policy;
pub mod record;
pub(crate) mod repair;
mod rows;
mod safe_cuts;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
pub mod tokens;
mod tool_calls;
pub mod trim;
pub mod truncate;
pub mod view;
mod written;

pub use before::EditedBefore;
pub use safe_cuts::{SafeCuts, safe_cuts};
pub use tool_calls::{Waiting, patch_tool_calls, repair_tool_calls};
