//! What the second wasm of the npm package exports: the decisions of the agent half, over numbers.
//! The feature `bindings-agent` enables it, which the member crate of that name sets. No value of
//! JavaScript's comes here, nor anything of the first wasm.

#![allow(missing_debug_implementations)] // Nobody prints these in Rust.

mod agent;
mod buffer;
mod context;
mod graph;

pub use agent::decide;
pub use buffer::buffer;
pub use context::{ask_list, extend_list, open_list};
pub use graph::{RawPlan, RawRun};
