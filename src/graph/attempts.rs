//! The attempts of a node: how long each may take, whether another follows, and the handler of the last error.

use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use super::caught::caught;
use super::command::Command;
use super::ctx::Ctx;
use super::error::BoxError;
use super::interrupt::Interrupted;
use super::node::AnyNode;
use super::retry_policy::RetryPolicy;
use super::sendable::BoxFuture;
use super::timer::Timer;
use crate::State;

/// The rules of a node's attempts.
pub(super) struct AttemptRules<S: State> {
    /// For an error that several of them retry, the first counts.
    pub retry: Vec<RetryPolicy>,
    /// The time of each attempt.
    pub timeout: Option<Duration>,
    /// Answers for the node once its last attempt has failed.
    pub handler: Option<Arc<dyn AnyNode<S>>>,
}

impl<S: State> Default for AttemptRules<S> {
    fn default() -> Self {
        Self { retry: Vec::new(), timeout: None, handler: None }
    }
}

impl<S: State> AttemptRules<S> {
    /// Whether it needs a timer.
    pub fn waits(&self) -> bool {
        self.timeout.is_some() || self.retry.iter().any(RetryPolicy::waits)
    }
}

/// A node with rules for its attempts.
pub(super) struct AttemptedNode<S: State> {
    pub node: Arc<dyn AnyNode<S>>,
    pub rules: AttemptRules<S>,
    /// Present if one of the rules waits.
    pub timer: Option<Timer>,
}

impl<S: State> AttemptedNode<S> {
    /// Calls the node once, within its time.
    async fn attempt(&self, state: &S, ctx: Ctx) -> Result<Command<S>, BoxError> {
        let (Some(limit), Some(timer)) = (self.rules.timeout, &self.timer) else {
            return self.node.call(state, ctx).await;
        };
        let node = ctx.node.to_string();
        let mut time = timer.wait(limit);
        let mut work = self.node.call(state, ctx);
        let result = poll_fn(|context| {
            if let Poll::Ready(done) = work.as_mut().poll(context) {
                return Poll::Ready(Ok(done));
            }
            time.as_mut().poll(context).map(Err)
        })
        .await;
        match result {
            Ok(done) => done,
            Err(over) => {
                caught(|| drop(work))?;
                over?;
                Err(NodeTimeout { node, limit }.into())
            }
        }
    }

    /// Returns whether the node runs again, once it may.
    async fn runs_again(&self, error: &BoxError, attempts: u32) -> Result<bool, BoxError> {
        for policy in &self.rules.retry {
            if policy.is_worth(error)? {
                let has_more = policy.has_more(attempts);
                if let (true, Some(timer)) = (has_more && policy.waits(), &self.timer) {
                    timer.wait(policy.delay(attempts)).await?;
                }
                return Ok(has_more);
            }
        }
        Ok(false)
    }

    /// Has the handler answer for the node.
    async fn handle(
        &self,
        handler: &dyn AnyNode<S>,
        state: &S,
        ctx: &Ctx,
        error: BoxError,
    ) -> Result<Command<S>, BoxError> {
        let error = Arc::new(error);
        let result = handler.call(state, ctx.handling(error.clone())).await;
        match result {
            Ok(command) => {
                ctx.takes_no_edges();
                Ok(command)
            }
            Err(own) if own.is::<Unhandled>() => {
                Err(Arc::try_unwrap(error).unwrap_or_else(|shared| Shared(shared).into()))
            }
            Err(own) if Interrupted::question(&*own).is_some() => Err(format!(
                "The error handler of '{}' asked. Have it go to a node that asks.",
                ctx.node
            )
            .into()),
            Err(own) => Err(own),
        }
    }
}

impl<S: State + Sync> AnyNode<S> for AttemptedNode<S> {
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
                match self.runs_again(&error, ctx.attempt).await {
                    Ok(true) => ctx = ctx.next_attempt(),
                    Ok(false) => break error,
                    Err(worse) => break worse,
                }
            };
            match &self.rules.handler {
                Some(handler) => self.handle(&**handler, state, &ctx, error).await,
                None => Err(error),
            }
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

/// An [error handler](super::StateGraph::error_handler) returns it for an error that it leaves alone: the
/// node fails with its own error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unhandled;

impl fmt::Display for Unhandled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Unhandled")
    }
}

impl std::error::Error for Unhandled {}

/// An error that a handler has kept a context of.
#[derive(Debug)]
struct Shared(Arc<BoxError>);

impl fmt::Display for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Shared {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}
