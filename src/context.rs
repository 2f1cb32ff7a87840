//! What a model is sent of a conversation, as opposed to all that happened.
//!
//! Each decision is made over numbers: which messages call tools, which answer them. So it is the
//! same code for JSON, for a Rust program's own types and for JavaScript's objects.

mod before;
pub mod clear;
pub(crate) mod cut;
pub mod offload;
pub mod policy;
mod tool_calls;
pub mod trim;
pub mod truncate;

pub use before::EditedBefore;
