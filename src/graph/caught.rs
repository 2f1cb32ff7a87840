//! Panics of a caller's code, as errors. Where a panic aborts the program, as in wasm, nothing is caught.

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use super::error::{BoxError, GraphError};
use super::sendable::BoxFuture;

/// A panic, with its message.
#[derive(Debug)]
pub(crate) struct Panicked(String);

impl Panicked {
    #[allow(clippy::needless_pass_by_value)] // As `catch_unwind` returns it.
    fn of(payload: Box<dyn Any + Send>) -> Self {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        Self(text.unwrap_or_else(|| "no message".to_owned()))
    }
}

impl fmt::Display for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Panicked: {}", self.0)
    }
}

impl Error for Panicked {}

/// Calls a function. Nothing that it may have left half done is used after a panic.
pub(super) fn caught<T>(call: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(call)).map_err(Panicked::of)
}

/// Calls a checkpointer, and awaits it: it may run the state's serde.
pub(super) async fn caught_saving<'a, T>(
    call: impl FnOnce() -> BoxFuture<'a, Result<T, BoxError>>,
) -> Result<T, GraphError> {
    let saved = match caught(call) {
        Ok(saving) => caught_future(saving).await,
        Err(panicked) => Err(panicked),
    };
    saved.unwrap_or_else(|panicked| Err(panicked.into())).map_err(GraphError::Checkpointer)
}

/// Returns the text of an error.
pub(super) fn caught_text(error: &(dyn Error + 'static)) -> String {
    caught(|| error.to_string()).unwrap_or_else(|panicked| panicked.to_string())
}

/// Awaits a future, as [`caught`] calls a function.
pub(crate) async fn caught_future<T>(future: impl Future<Output = T>) -> Result<T, Panicked> {
    let mut future = pin!(future);
    poll_fn(|context| match caught(|| future.as_mut().poll(context)) {
        Ok(poll) => poll.map(Ok),
        Err(panicked) => Poll::Ready(Err(panicked)),
    })
    .await
}
