//! The wasm of the npm package: the core's exports, and the choices that belong to the final
//! program, such as its allocator. Crates that depend on the core get neither.
#![cfg(target_arch = "wasm32")]

pub use threadfold::wasm;

/// A third of the size of Rust's own, which is made for programs that allocate more.
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();
