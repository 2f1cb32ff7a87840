//! Graphs of nodes, run as LangGraph runs them.

mod apply;
mod channels;
pub mod ids;
mod interrupts;
mod misfit;
mod order;
mod plan;
mod prepare;
mod run;
mod state;
mod writes;

pub use interrupts::{Answer, Breakpoints};
pub use misfit::Misfit;
pub use plan::{Channel, Join, Node, Plan, PlanSpec};
pub use prepare::{Cause, Task, Tasks};
pub use run::{By, Options, Run, Status};
pub use state::PlanState;
pub use writes::Writes;
