//! The boundary in a browser.
#![cfg(target_arch = "wasm32")]

#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod boundary;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);
