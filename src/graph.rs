//! Graphs of nodes, run as LangGraph runs them.

mod channels;
mod misfit;
mod order;
mod plan;
mod prepare;
mod run;
mod state;
mod writes;

pub use misfit::Misfit;
pub use plan::{Channel, Join, Node, Plan, PlanSpec};
pub use prepare::{Cause, Task};
pub use run::{Answer, By, Options, Run, Status};
pub use state::{ChannelState, PlanState};
pub use writes::Writes;
