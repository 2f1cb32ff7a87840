//! The wasm of the npm package: the core's exports, and what only whoever makes the program may
//! choose. Who depends on the core itself gets neither.
#![cfg(target_arch = "wasm32")]

pub use threadfold::wasm;

/// A third of the size of Rust's own, which is made for programs that allocate more.
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();
