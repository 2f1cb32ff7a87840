//! AG-UI: its events, folded into a thread, and the state that a run starts with.
//!
//! - [`Event`] reads and writes the events of AG-UI 1.0; [`Fold`] folds a server's events into a
//!   [`Thread`](crate::Thread). Neither does input or output: use them with the HTTP client and the
//!   web framework that you have.
//! - [`RunAgentInput`] is the request of a run: a server reads it, a client makes it of a thread.
//! - [`Service`] serves a graph: requests in, responses out.
//! - [`langgraph_default_merge_state`] merges a run's input into graph state, as ag-ui-langgraph does.

pub(crate) mod encoder;
mod event;
mod fold;
mod message;
mod run_again;
mod run_input;
mod run_start;
mod service;

pub use crate::merge_state::{Compat, langgraph_default_merge_state};
pub use event::{Event, EventKind, RunFinishedOutcome};
pub use fold::Fold;
pub use run_input::{ResumeEntry, RunAgentInput};
pub use service::{RunWork, ServedState, Service, ServiceBody, ServiceRequest, ServiceResponse};
