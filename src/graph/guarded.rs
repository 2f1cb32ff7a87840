//! A node with a time limit, further attempts, and a handler of its last error.

use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use super::command::Command;
use super::error::BoxError;
use super::node::{AnyNode, Ctx, Interrupted};
use super::retry_policy::RetryPolicy;
use super::sendable::BoxFuture;
use super::timer::Timer;
use crate::State;

/// One of a node's guards.
pub(super) enum Guard<S: State> {
    Retry(RetryPolicy),
    Timeout(Duration, Timer),
    Handler(Arc<dyn AnyNode<S>>),
}

pub(super) struct Guarded<S: State> {
    node: Arc<dyn AnyNode<S>>,
    retry: Option<RetryPolicy>,
    timeout: Option<(Duration, Timer)>,
    handler: Option<Arc<dyn AnyNode<S>>>,
}

impl<S: State> Guarded<S> {
    pub fn new(node: Arc<dyn AnyNode<S>>, guards: Vec<Guard<S>>) -> Self {
        let mut guarded = Self { node, retry: None, timeout: None, handler: None };
        for guard in guards {
            match guard {
                Guard::Retry(policy) => guarded.retry = Some(policy),
                Guard::Timeout(limit, timer) => guarded.timeout = Some((limit, timer)),
                Guard::Handler(handler) => guarded.handler = Some(handler),
            }
        }
        guarded
    }

    /// Calls the node once, within its time.
    async fn attempt(&self, state: &S, ctx: Ctx) -> Result<Command<S>, BoxError> {
        let name = ctx.node.clone();
        let mut work = self.node.call(state, ctx);
        let Some((limit, timer)) = &self.timeout else { return work.await };
        let mut time = pin!(timer.wait(*limit));
        poll_fn(|context| {
            if let Poll::Ready(done) = work.as_mut().poll(context) {
                return Poll::Ready(done);
            }
            time.as_mut().poll(context).map(|over| {
                over?;
                Err(NodeTimeout { node: name.to_string(), limit: *limit }.into())
            })
        })
        .await
    }
}

impl<S: State + Sync> AnyNode<S> for Guarded<S> {
    fn call<'a>(
        &'a self,
        state: &'a S,
        mut ctx: Ctx,
    ) -> BoxFuture<'a, Result<Command<S>, BoxError>> {
        Box::pin(async move {
            let error = loop {
                let error = match self.attempt(state, ctx.clone()).await {
                    Err(error) if Interrupted::question(&*error).is_none() => error,
                    other => return other,
                };
                let Some(retry) = &self.retry else { break error };
                match retry.goes_on(&error, ctx.attempt).await {
                    Ok(true) => ctx = ctx.next_attempt(),
                    Ok(false) => break error,
                    Err(worse) => break worse,
                }
            };
            let Some(handler) = &self.handler else { return Err(error) };
            let result = handler.call(state, ctx.with_error(error)).await;
            if result.is_ok() {
                ctx.takes_no_edges();
            }
            result
        })
    }
}

/// The error of a node whose time was up: see [`StateGraph::timeout`](super::StateGraph::timeout).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NodeTimeout {
    /// The node.
    pub node: String,
    /// The time that it had.
    pub limit: Duration,
}

impl fmt::Display for NodeTimeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "The node '{}' exceeded its run timeout of {:?}.", self.node, self.limit)
    }
}

impl std::error::Error for NodeTimeout {}
