//! The exports of the npm package's second wasm: the decisions of the agent half, over numbers. The
//! member crate of that name enables the feature `bindings-agent`. No JavaScript value comes here,
//! nor anything of the first wasm.

#![allow(missing_debug_implementations)] // Nobody prints these in Rust.

mod agent;
mod buffer;
mod context;
mod graph;

pub use agent::decide;
pub use buffer::buffer;
pub use context::{ask_list, extend_list, open_list};
pub use graph::{RawPlan, RawRun};
