//! Functions of the caller's, as one type.

use std::sync::Arc;

use crate::graph::BoxError;
use crate::graph::sendable::{BoxFuture, MaybeSend, MaybeSync};

/// An async function that may fail.
pub(super) trait Call<In, Out>: MaybeSend + MaybeSync {
    fn call(&self, given: In) -> BoxFuture<'static, Result<Out, BoxError>>;
}

impl<In, Out, F, Running> Call<In, Out> for F
where
    F: Fn(In) -> Running + MaybeSend + MaybeSync,
    Running: Future<Output = Result<Out, BoxError>> + MaybeSend + 'static,
{
    fn call(&self, given: In) -> BoxFuture<'static, Result<Out, BoxError>> {
        Box::pin(self(given))
    }
}

pub(super) type Shared<In, Out> = Arc<dyn Call<In, Out>>;
