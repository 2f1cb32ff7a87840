//! The boundary in Node.
#![cfg(target_arch = "wasm32")]

#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod boundary;
