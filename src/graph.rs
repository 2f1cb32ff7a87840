//! Graphs of nodes over a typed [`State`](crate::State), run as LangGraph runs them.
//!
//! A node is an `async fn` that looks at the state and returns its part of it, or a [`Command`]
//! that also decides where to go. The graph merges by the state's reducers and runs the nodes of
//! one step at once. It needs no executor but the one that polls you.
//!
//! ```
//! use threadfold::graph::{Ctx, END, GraphError, START, StateGraph};
//! use threadfold::reducer::AddMessages;
//! use threadfold::{Error, Message, State};
//!
//! #[derive(Debug, Clone, Default, State)]
//! #[state(derive(Clone))]
//! struct Chat {
//!     #[reducer(AddMessages)]
//!     messages: Vec<Message>,
//! }
//!
//! async fn model(state: &Chat, _: Ctx) -> Result<ChatUpdate, Error> {
//!     let answer = format!("You said {} things.", state.messages.len());
//!     Ok(ChatUpdate { messages: Some(vec![Message::assistant(answer)]) })
//! }
//!
//! # async fn run() -> Result<(), GraphError> {
//! let graph = StateGraph::<Chat>::new()
//!     .node("model", model)
//!     .edge(START, "model")
//!     .branch("model", |chat: &Chat| if chat.messages.len() < 3 { "model" } else { END })
//!     .compile()?;
//! let chat = Chat { messages: vec![Message::user("hello")] };
//! let chat = graph.invoke(chat).await?.state;
//! assert_eq!(chat.messages[2].text(), "You said 2 things.");
//! # Ok(())
//! # }
//! # let mut run = Box::pin(run());
//! # let waker = std::task::Waker::noop();
//! # assert!(run.as_mut().poll(&mut std::task::Context::from_waker(waker)).is_ready());
//! ```
//!
//! # Stopping and continuing
//! A [`Checkpointer`] keeps a thread after each step. A node may ask with [`Ctx::interrupt`], and
//! [`OnThread::resume`] answers, in another process if need be.

mod agent;
mod attempts;
mod builder;
pub(crate) mod caught;
mod cause;
pub(crate) mod checkpoint;
mod checkpoint_serde;
mod checkpointer;
mod command;
mod compile;
mod compiled;
mod compiled_graph;
mod ctx;
mod emitter;
mod error;
mod graph_state;
pub(crate) mod ids;
mod inside;
pub(crate) mod interrupt;
mod known_thread;
mod memory_saver;
mod mermaid;
mod message_chunk;
pub(crate) mod names;
mod node;
mod on_thread;
mod outcome;
mod parts;
pub(crate) mod planner;
mod renumbered;
mod retry_policy;
mod run_part;
mod running;
pub(crate) mod sendable;
pub(crate) mod step_memo;
mod thread_at;
pub(crate) mod timer;
mod together;

pub use agent::{Agent, UpdateAgent};
pub use attempts::{NodeTimeout, Unhandled};
pub use builder::StateGraph;
pub use checkpoint::{Checkpoint, Delta};
pub use checkpointer::{Checkpointer, Saving};
pub use command::{Command, END, IntoTargets, START, Target};
pub use compiled_graph::Graph;
pub use ctx::Ctx;
pub use emitter::TaskName;
pub use error::{BoxError, GraphError};
pub use graph_state::GraphState;
pub use interrupt::{Interrupt, Interrupted};
pub(crate) use known_thread::KnownThread;
pub use memory_saver::MemorySaver;
pub use message_chunk::{MessageChunk, ToolCallChunk};
pub use node::{Commands, Node, NodeFn, Nodes, Updates};
pub use on_thread::OnThread;
pub use outcome::{Outcome, Resume, StepDone};
pub use parts::Parts;
pub use retry_policy::RetryPolicy;
pub use run_part::RunPart;
pub use running::Running;
pub use sendable::{MaybeSend, MaybeSync};
