//! `LangGraph`: the stream of a server's run, folded into a thread.
//!
//! [`Fold`] folds the parts of `POST /threads/{id}/runs/stream` into a [`Thread`](crate::Thread).
//! [`MessageParts`] joins the parts of one message as `@langchain/core` does. Neither does input or
//! output: use them with the HTTP client that you have.

mod chunk;
mod fold;
mod merge;
mod part;
mod partial_json;
mod tool_calls;
mod wire;

pub use chunk::MessageParts;
pub use fold::Fold;
pub use part::Part;
