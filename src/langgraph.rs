//! `LangGraph`: the stream of a server's run, folded into a thread.
//!
//! [`Fold`] folds the parts of `POST /threads/{id}/runs/stream` into a [`Thread`](crate::Thread).
//! It does no input or output: use it with the HTTP client that you have.

pub(crate) mod chunk;
mod fold;
mod merge;
mod part;
mod partial_json;
mod tool_calls;
mod wire;

pub use fold::Fold;
pub use part::Part;
