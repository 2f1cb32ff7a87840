//! What a model is sent of a conversation, as opposed to all that happened, and what that costs.
//!
//! Each decision is made over numbers: which messages call tools, which answer them. So it is the
//! same code for JSON, for a Rust program's own types and for JavaScript's objects.

mod before;
pub mod clear;
pub mod count;
pub(crate) mod cut;
pub mod estimate;
pub mod estimate_message;
pub mod offload;
mod parts;
pub mod policy;
mod tool_calls;
pub mod trim;
pub mod truncate;
mod written;

pub use before::EditedBefore;
