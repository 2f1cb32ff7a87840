//! Agents: a graph that asks a model, runs the tools that it calls, and asks again.
//!
//! [`create_agent`] makes one of a [`Model`], of [`Tool`]s and of [`Middleware`]s, as LangChain's
//! `create_agent` does. The agent is a [`Graph`](crate::graph::Graph) over [`AgentState`]: run it on a
//! state, or on a thread that a checkpointer keeps. [`create_deep_agent`] adds files, sub-agents and
//! summaries, as deepagents does.
//!
//! Its decisions are over positions, ids as small numbers, and flags. The npm package makes the same
//! decisions with the same code.

// A future need not be `Send` in a browser's wasm, which has one thread.
#![cfg_attr(target_arch = "wasm32", allow(clippy::arc_with_non_send_sync))]

pub(crate) mod approval;
mod beside;
mod branches;
mod builder;
mod call;
mod compile;
mod files;
pub(crate) mod limits;
mod middleware;
mod model;
mod parts;
pub(crate) mod route;
mod saver;
mod stack;
mod state;
mod steps;
mod structured;
mod sub_agent;
pub(crate) mod sub_agent_state;
mod task;
pub(crate) mod todos;
mod tool;
mod turn;
mod wiring;

pub use approval::Decision;
pub use builder::{AgentBuilder, create_agent, create_deep_agent};
pub use middleware::{
    AtLimit, CallLimits, Filesystem, Hook, HumanInTheLoop, LimitExceeded, Middleware, Next, Retry,
    Summarization,
};
pub use model::{Model, ModelRequest, SharedModel};
pub use route::Jump;
pub use state::{AgentState, AgentUpdate};
pub use structured::{ResponseFormat, StructuredOutputError};
pub use sub_agent::SubAgent;
pub use tool::{Tool, ToolOutput, ToolRequest};
