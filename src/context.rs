//! What a model is sent, as opposed to what happened: decisions over a list of messages, none of
//! which changes the list.

mod before;
pub mod clear;
pub mod offload;
mod tool_calls;
pub mod trim;
pub mod truncate;

pub use before::EditedBefore;
