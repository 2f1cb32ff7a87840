//! The second wasm of the npm package, for the entries of the agent half; `crates/core-wasm` is the
//! first. It exports the decisions of contexts, graphs and agents, over numbers: it holds no
//! JavaScript value, and nothing of the first wasm.
#![cfg(target_arch = "wasm32")]
#![allow(missing_debug_implementations)] // Nobody prints these in Rust.

mod agent;
mod buffer;
mod context;
mod graph;

pub use agent::decide;
pub use buffer::buffer;
pub use context::{ask_list, extend_list, open_list};
pub use graph::{RawPlan, RawRun};

/// A third of the size of Rust's own, which is made for programs that allocate more.
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();
