//! Graphs: the planner beside langgraph, and what is built on it.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::pedantic)]

mod host;
mod laws;
mod recorded;
mod typed;
