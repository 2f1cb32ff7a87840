//! Nodes, and what they are given.

use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::command::Command;
use super::error::BoxError;
use super::planner::{Answer, Run};
use super::together::BoxFuture;
use crate::State;

/// The planner of a run, and the answers to interrupts of its tasks.
#[derive(Debug, Default)]
pub(super) struct Shared {
    pub run: Run,
    /// For each task, the answers that it has.
    pub answers: Vec<Vec<Value>>,
    /// The answer for no task in particular.
    pub any: Option<Value>,
}

/// What a node is told besides the state.
#[derive(Debug, Clone)]
pub struct Ctx {
    pub(super) shared: Arc<Mutex<Shared>>,
    pub(super) task: u32,
    pub(super) step: i64,
    pub(super) node: Arc<str>,
}

impl Ctx {
    /// Returns the node's name.
    #[must_use]
    pub fn node(&self) -> &str {
        &self.node
    }

    /// Returns the number of the step.
    #[must_use]
    pub fn step(&self) -> i64 {
        self.step
    }

    /// Asks whoever runs the graph. Return the error with `?`: the run stops, the node starts over
    /// when it is [resumed](super::OnThread::resume), and this call returns the answer then.
    ///
    /// # Errors
    /// [`Interrupted`] if there is no answer yet.
    pub fn interrupt(&self, value: impl Into<Value>) -> Result<Value, Interrupted> {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let Shared { run, answers, any } = &mut *shared;
        let own = answers.get_mut(self.task as usize);
        let answer = match (run.interrupt(self.task), own) {
            (Answer::Saved(index), Some(own)) => own.get(index as usize).cloned(),
            (Answer::Take, Some(own)) => {
                own.extend(any.take());
                own.last().cloned()
            }
            _ => None,
        };
        answer.ok_or_else(|| Interrupted { value: value.into() })
    }
}

/// A question of a node's that has no answer yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Interrupted {
    pub(super) value: Value,
}

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Interrupted: {}", self.value)
    }
}

impl std::error::Error for Interrupted {}

/// A question that a run has stopped at.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Interrupt {
    /// By which it can be answered if there are several.
    pub id: String,
    /// The node that asks.
    pub node: String,
    /// What it asks.
    pub value: Value,
}

/// Marks nodes that return their part of the state.
#[derive(Debug)]
pub struct Updates;
/// Marks nodes that return a [`Command`].
#[derive(Debug)]
pub struct Commands;

/// What can be a node: an `async fn(&S, Ctx) -> Result<S::Update, E>`, or one that returns a
/// [`Command`]. `Kind` tells these apart.
pub trait NodeFn<'a, S: State, Kind>: Send + Sync {
    /// Runs the node.
    fn call(
        &self,
        state: &'a S,
        ctx: Ctx,
    ) -> impl Future<Output = Result<Command<S>, BoxError>> + Send + 'a;
}

impl<'a, S, F, R, E> NodeFn<'a, S, Updates> for F
where
    S: State + Sync + 'a,
    S::Update: Send,
    F: Fn(&'a S, Ctx) -> R + Send + Sync,
    R: Future<Output = Result<S::Update, E>> + Send + 'a,
    E: Into<BoxError>,
{
    fn call(
        &self,
        state: &'a S,
        ctx: Ctx,
    ) -> impl Future<Output = Result<Command<S>, BoxError>> + Send + 'a {
        let running = self(state, ctx);
        async move { running.await.map(Command::update).map_err(Into::into) }
    }
}

impl<'a, S, F, R, E> NodeFn<'a, S, Commands> for F
where
    S: State + Sync + 'a,
    S::Update: Send,
    F: Fn(&'a S, Ctx) -> R + Send + Sync,
    R: Future<Output = Result<Command<S>, E>> + Send + 'a,
    E: Into<BoxError>,
{
    fn call(
        &self,
        state: &'a S,
        ctx: Ctx,
    ) -> impl Future<Output = Result<Command<S>, BoxError>> + Send + 'a {
        let running = self(state, ctx);
        async move { running.await.map_err(Into::into) }
    }
}

/// A node of any kind.
pub(super) trait AnyNode<S: State>: Send + Sync {
    fn call<'a>(&'a self, state: &'a S, ctx: Ctx) -> BoxFuture<'a, Result<Command<S>, BoxError>>;
}

/// A function that is a node.
pub(super) struct Function<F, Kind>(pub F, pub PhantomData<fn() -> Kind>);

impl<S, F, Kind> AnyNode<S> for Function<F, Kind>
where
    S: State + 'static,
    F: for<'a> NodeFn<'a, S, Kind>,
{
    fn call<'a>(&'a self, state: &'a S, ctx: Ctx) -> BoxFuture<'a, Result<Command<S>, BoxError>> {
        Box::pin(self.0.call(state, ctx))
    }
}
