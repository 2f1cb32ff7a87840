//! Calls again what failed.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::{Middleware, Next};
use crate::agent::model::{Model, ModelRequest, SharedModel};
use crate::agent::tool::{ToolOutput, ToolRequest};
use crate::agent::turn::answer;
use crate::graph::sendable::{MaybeSend, MaybeSync};
use crate::graph::timer::Timer;
use crate::graph::{BoxError, Interrupted};
use crate::typed::Message;

/// How often a failed call is tried again, and what becomes of the last error.
///
/// ```
/// use threadfold::agent::{Middleware, Retry};
///
/// let retry = Retry::new(2).wait(tokio::time::sleep);
/// let middleware = Middleware::model_retry(retry);
/// ```
#[derive(Clone)]
pub struct Retry {
    most: u32,
    fails: bool,
    wait: Option<Timer>,
}

impl fmt::Debug for Retry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retry").field("most", &self.most).finish_non_exhaustive()
    }
}

const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(60);

impl Retry {
    /// Tries a call again so often, at once. The model or the user gets the last error as a message.
    #[must_use]
    pub fn new(most: u32) -> Self {
        Self { most, fails: false, wait: None }
    }

    /// Lets the run fail with the last error.
    #[must_use]
    pub fn or_fail(mut self) -> Self {
        self.fails = true;
        self
    }

    /// Waits before each attempt, by a timer of your executor's: a second, then twice as long each
    /// time, and at most a minute.
    #[must_use]
    pub fn wait<Waiting>(
        mut self,
        timer: impl Fn(Duration) -> Waiting + MaybeSend + MaybeSync + 'static,
    ) -> Self
    where
        Waiting: Future<Output = ()> + MaybeSend + 'static,
    {
        self.wait = Some(Timer::new(timer));
        self
    }

    /// Calls until it succeeds; `failed` makes the message of the last error.
    async fn tried<In: Clone, Out>(
        &self,
        request: In,
        next: &Next<In, Out>,
        failed: impl FnOnce(String) -> Out,
    ) -> Result<Out, BoxError> {
        let mut attempt = 0;
        loop {
            let error = match next.call(request.clone()).await {
                Err(error) if Interrupted::question(&*error).is_none() => error,
                other => return other,
            };
            if attempt >= self.most {
                if self.fails {
                    return Err(error);
                }
                let attempts = attempt.saturating_add(1);
                let plural = if attempts == 1 { "" } else { "s" };
                return Ok(failed(format!("failed after {attempts} attempt{plural} with {error}")));
            }
            if let Some(wait) = &self.wait {
                let delay = FIRST.saturating_mul(2_u32.saturating_pow(attempt)).min(LONGEST);
                wait.wait(delay).await?;
            }
            attempt += 1;
        }
    }
}

impl Middleware {
    /// Calls a model again that failed, as LangChain's `ModelRetryMiddleware` does.
    #[must_use]
    pub fn model_retry(retry: Retry) -> Self {
        Self::new("ModelRetryMiddleware").wrap_model(move |request: ModelRequest, next| {
            let retry = retry.clone();
            async move {
                let failed = |why| Message::assistant(format!("Model call {why}"));
                retry.tried(request, &next, failed).await
            }
        })
    }

    /// Calls tools again that failed, these or all, as LangChain's `ToolRetryMiddleware` does.
    #[must_use]
    pub fn tool_retry(retry: Retry, tools: Option<&[&str]>) -> Self {
        let tools: Option<Arc<[String]>> =
            tools.map(|tools| tools.iter().map(|tool| (*tool).to_owned()).collect());
        Self::new("ToolRetryMiddleware").wrap_tool(move |request: ToolRequest, next| {
            let (retry, tools) = (retry.clone(), tools.clone());
            async move {
                let call = request.call.clone();
                if tools.is_some_and(|tools| !tools.contains(&call.name)) {
                    return next.call(request).await;
                }
                let failed = |why| {
                    let text = format!("Tool '{}' {why}. Please try again.", call.name);
                    ToolOutput::from(answer(&call, text, true).with_name(&call.name))
                };
                retry.tried(request, &next, failed).await
            }
        })
    }

    /// Asks another model when one fails, as LangChain's `ModelFallbackMiddleware` does. The last
    /// error fails the run.
    #[must_use]
    pub fn model_fallback(other: impl Model + 'static) -> Self {
        let other = SharedModel::new(other);
        Self::new("ModelFallbackMiddleware").wrap_model(move |request: ModelRequest, next| {
            let other = ModelRequest { model: other.clone(), ..request.clone() };
            async move {
                match next.call(request).await {
                    Err(error) if Interrupted::question(&*error).is_none() => {
                        next.call(other).await
                    }
                    answered => answered,
                }
            }
        })
    }
}
