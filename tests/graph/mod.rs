//! Graphs: the planner compared with langgraph, and the typed graphs built on it.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::pedantic)]

mod answers;
mod conflicts;
mod debug;
mod deltas;
mod errors;
mod failed_steps;
mod guarded;
mod history;
mod host;
mod inside;
mod laws;
mod log;
mod mermaid;
mod other_process;
mod parts;
mod recorded;
mod typed;
