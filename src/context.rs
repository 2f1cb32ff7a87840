//! What a model is sent of a conversation, and what that costs.

pub mod count;
pub mod estimate;
pub mod estimate_message;
mod parts;
mod written;
