//! The streams of servers, folded into threads: recordings of real ones, and events made here.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

mod ag_ui_events;
mod ag_ui_recorded;
mod ag_ui_subagents;
mod ag_ui_words;
mod crash_loops;
mod growth;
mod langgraph_parts;
mod langgraph_recorded;
mod malformed;
mod nested;
mod recording;
mod repeats;
mod requests;
mod run_input;
mod served;
mod service;
