//! Graphs: the planner beside langgraph, and what is built on it.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::pedantic)]

mod host;
mod laws;
mod recorded;
#[path = "../seeded/mod.rs"]
mod seeded;
mod typed;
