//! The decisions of an agent's loop: who runs after the model, which calls wait for a yes, which are
//! too many, what a sub-agent gives back.
//!
//! They are over positions, ids as small numbers, and flags: a host reads those from its messages,
//! and does what is decided. The npm package makes the same decisions with the same code.

pub mod approval;
pub mod limits;
pub mod route;
pub mod subagents;
pub mod todos;
