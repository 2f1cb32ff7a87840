//! The decisions of an agent's loop: the next node after the model, the calls that need approval,
//! the limits, and a sub-agent's result.
//!
//! They are over positions, ids as small numbers, and flags. A host reads these from its messages,
//! and carries out the decisions. The npm package makes the same decisions with the same code.

pub mod approval;
pub mod limits;
pub mod route;
pub mod subagents;
pub mod todos;
