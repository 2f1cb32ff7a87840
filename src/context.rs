//! The messages for a model, as opposed to the whole conversation, and their cost in tokens.
//!
//! Each decision is made over numbers: which messages call tools, which answer them. So it is the
//! same code for JSON, for a Rust program's own types and for JavaScript's objects.
//!
//! - [`Context`]: the messages sent, by a [`Policy`] and one small [`Record`], and the compaction due.
//! - [`Conversation`]: a conversation read again and again, at the cost of the changes.
//! - [`count_tokens`], [`estimate_tokens`]: tokens as Python counts them, and closer to a model's own
//!   count.
//! - [`safe_cuts`]: where a list of messages can be cut so that no tool result loses its call.
//! - [`repair_tool_calls`], [`patch_tool_calls`]: lists that providers take.
//! - [`trim_messages`], [`clear_tool_uses`], [`truncate_tool_args`], [`offload`](offload()): how it gets
//!   fewer.

mod call_fields;
mod clear;
mod conversation;
pub(crate) mod count;
pub(crate) mod cut;
pub(crate) mod due;
pub(crate) mod estimate;
pub(crate) mod estimate_message;
pub(crate) mod ledger;
pub(crate) mod limits;
pub(crate) mod meter;
pub(crate) mod missing_results;
mod offload;
mod parts;
mod policy;
pub(crate) mod record;
pub(crate) mod repair;
mod rows;
mod safe_cuts;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
mod tokens;
mod tool_calls;
mod trim;
mod truncate;
mod view;
mod written;

pub use clear::{ClearOptions, clear_tool_uses};
pub use conversation::Conversation;
pub(crate) use conversation::LastLook;
pub use count::{CountOptions, count_tokens};
pub use estimate::estimate_tokens;
pub use offload::{OffloadOptions, Offloaded, offload};
pub use policy::{Cuts, Policy, Size};
pub use record::{Boundary, Record};
pub use safe_cuts::{SafeCuts, safe_cuts};
pub use tokens::{Approximate, CountTokens, Estimated};
pub use tool_calls::{Waiting, patch_tool_calls, repair_tool_calls};
pub use trim::{Counter, TrimOptions, TrimStrategy, trim_messages};
pub use truncate::{TruncateOptions, truncate_tool_args};
pub use view::{Context, Due, View};
