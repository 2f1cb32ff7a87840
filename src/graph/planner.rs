//! The decision who runs next, in numbers: no values, no names, no time, nothing asynchronous.
//!
//! [`StateGraph`](super::StateGraph) is on top of it, and so is the npm package's. For a host of
//! your own: make a [`Plan`], open a [`Run`], and [`commit`](Run::commit) the writes of each step's
//! tasks.
//!
//! ```
//! use std::sync::Arc;
//! use threadfold::unstable::planner::{Options, Plan, PlanSpec, Run, Status, Writes};
//!
//! // Two nodes and a field; `a` runs first, `b` behind it.
//! let spec = PlanSpec { fields: vec![false], defer: vec![false; 2], ranks: vec![1, 2, 0], ..PlanSpec::default() };
//! let plan = Arc::new(Plan::new(&spec)?);
//! let (field, a, b) = (0, plan.branch(0), plan.branch(1));
//! let mut run = Run::new(plan, &Options { recursion_limit: 25, ..Options::default() });
//! assert_eq!(run.input(), Status::Tasks); // `__start__`
//! assert_eq!(run.commit(&Writes::from_iter([[field, a]]))?, Status::Tasks);
//! assert_eq!(run.tasks()[0].node, 0);
//! assert_eq!(run.commit(&Writes::from_iter([[field, b]]))?, Status::Tasks);
//! assert_eq!(run.commit(&Writes::from_iter([[field]]))?, Status::Done);
//! assert_eq!(run.state().step, 2);
//! # Ok::<(), threadfold::unstable::planner::Misfit>(())
//! ```

mod channels;
mod misfit;
mod next_tasks;
mod numbered_graph;
mod order;
mod run;
mod state;
mod writes;

pub use misfit::Misfit;
pub use next_tasks::{Cause, Task};
pub use numbered_graph::{Channel, Join, Node, Plan, PlanSpec};
pub use run::{Answer, By, Options, Run, Status};
pub use state::{ChannelState, PlanState};
pub use writes::Writes;
