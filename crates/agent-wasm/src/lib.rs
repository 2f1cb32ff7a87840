//! The second wasm of the npm package, for the entries of the agent half; `crates/core-wasm` is the
//! first. Cargo unites the features of crates that it builds together, so the two are built one
//! after the other.
#![cfg(target_arch = "wasm32")]

pub use threadfold::wasm_agent;

/// A third of the size of Rust's own, which is made for programs that allocate more.
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();
