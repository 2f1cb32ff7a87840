//! The boundary in Node.
#![cfg(target_arch = "wasm32")]

mod boundary;
