//! The caller's timer: the crate has no executor of its own.

use std::sync::Arc;
use std::time::Duration;

use super::caught::{caught, caught_future};
use super::error::BoxError;
use super::sendable::{BoxFuture, MaybeSend, MaybeSync};

/// A function whose future ends after a time, such as `tokio::time::sleep`.
#[derive(Clone)]
pub(crate) struct Timer(Arc<dyn Sleep>);

trait Sleep: MaybeSend + MaybeSync {
    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()>;
}

/// A [`Sleep`] of a caller's function.
struct Sleeping<F>(F);

impl<F, Waiting> Sleep for Sleeping<F>
where
    F: Fn(Duration) -> Waiting + MaybeSend + MaybeSync,
    Waiting: Future<Output = ()> + MaybeSend + 'static,
{
    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        Box::pin(self.0(time))
    }
}

impl Timer {
    pub fn new<Waiting>(
        sleep: impl Fn(Duration) -> Waiting + MaybeSend + MaybeSync + 'static,
    ) -> Self
    where
        Waiting: Future<Output = ()> + MaybeSend + 'static,
    {
        Self(Arc::new(Sleeping(sleep)))
    }

    /// Starts the time, and returns a future of its end. Its error is the timer's panic, as tokio's outside
    /// its runtime.
    pub fn wait(&self, time: Duration) -> BoxFuture<'static, Result<(), BoxError>> {
        match caught(|| self.0.sleep(time)) {
            Ok(sleeping) => Box::pin(async { Ok(caught_future(sleeping).await?) }),
            Err(panicked) => Box::pin(async { Err(panicked.into()) }),
        }
    }
}
