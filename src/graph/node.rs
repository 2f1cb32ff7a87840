//! Nodes: functions, and types with fields of their own.

use std::marker::PhantomData;

use super::caught::{caught, caught_future};
use super::command::Command;
use super::ctx::Ctx;
use super::error::BoxError;
use super::sendable::{BoxFuture, MaybeSend, MaybeSync};
use crate::State;

/// A node with fields of its own: a client, a database, a model.
///
/// A closure may hold such fields, too, but cannot look at the state while it awaits them. Rust has
/// no name yet for a closure whose future borrows both. It clones the parts of the state that it
/// needs first.
///
/// ```
/// use std::sync::Arc;
/// use threadfold::State;
/// use threadfold::graph::{BoxError, Command, Ctx, Node, START, StateGraph};
///
/// #[derive(Debug, Clone, Default, State)]
/// #[state(derive(Clone))]
/// struct Weather {
///     city: String,
///     degrees: i32,
/// }
///
/// struct Client;
/// # impl Client { async fn degrees(&self, city: &str) -> i32 { city.len() as i32 } }
///
/// struct Forecast {
///     client: Arc<Client>,
/// }
///
/// impl Node<Weather> for Forecast {
///     async fn run(&self, weather: &Weather, _: Ctx) -> Result<Command<Weather>, BoxError> {
///         let degrees = self.client.degrees(&weather.city).await;
///         Ok(Command::update(WeatherUpdate { degrees: Some(degrees), ..Default::default() }))
///     }
/// }
///
/// # async fn run() -> Result<(), BoxError> {
/// let client = Arc::new(Client);
/// let shared = client.clone();
/// let graph = StateGraph::<Weather>::new()
///     .node("forecast", Forecast { client })
///     .node("check", move |weather: &Weather, _: Ctx| {
///         let (client, city) = (shared.clone(), weather.city.clone());
///         async move {
///             let degrees = client.degrees(&city).await;
///             Ok::<_, BoxError>(WeatherUpdate { degrees: Some(degrees), ..Default::default() })
///         }
///     })
///     .edge(START, "forecast")
///     .edge("forecast", "check")
///     .compile()?;
/// let lima = Weather { city: "Lima".into(), degrees: 0 };
/// assert_eq!(graph.invoke(lima).await?.state.degrees, 4);
/// # Ok(())
/// # }
/// # let mut run = Box::pin(run());
/// # let waker = std::task::Waker::noop();
/// # assert!(run.as_mut().poll(&mut std::task::Context::from_waker(waker)).is_ready());
/// ```
pub trait Node<S: State>: MaybeSend + MaybeSync {
    /// Looks at the state, and returns its part of it and where to go.
    ///
    /// # Errors
    /// Its own, and those of [`Ctx::interrupt`].
    fn run(
        &self,
        state: &S,
        ctx: Ctx,
    ) -> impl Future<Output = Result<Command<S>, BoxError>> + MaybeSend;
}

/// Marks functions that return their part of the state.
#[derive(Debug)]
#[doc(hidden)]
pub struct Updates;
/// Marks functions that return a [`Command`].
#[derive(Debug)]
#[doc(hidden)]
pub struct Commands;
/// Marks a [`Node`].
#[derive(Debug)]
#[doc(hidden)]
pub struct Nodes;

/// A node: an `async fn(&S, Ctx) -> Result<S::Update, E>`, one that returns a [`Command`], or a
/// [`Node`]. `Kind` distinguishes them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a node of a graph over `{S}`",
    note = "a node is an `async fn(&{S}, Ctx)` that returns a `Result` of an update or a `Command<{S}>`, or implements `Node<{S}>`"
)]
pub trait NodeFn<'a, S: State, Kind>: MaybeSend + MaybeSync {
    /// Runs the node.
    #[doc(hidden)]
    fn call(
        &'a self,
        state: &'a S,
        ctx: Ctx,
    ) -> impl Future<Output = Result<Command<S>, BoxError>> + MaybeSend + 'a;
}

impl<'a, S, F, R, E> NodeFn<'a, S, Updates> for F
where
    S: State + Sync + 'a,
    S::Update: Send,
    F: Fn(&'a S, Ctx) -> R + MaybeSend + MaybeSync,
    R: Future<Output = Result<S::Update, E>> + MaybeSend + 'a,
    E: Into<BoxError>,
{
    fn call(
        &'a self,
        state: &'a S,
        ctx: Ctx,
    ) -> impl Future<Output = Result<Command<S>, BoxError>> + MaybeSend + 'a {
        let running = self(state, ctx);
        async move { running.await.map(Command::update).map_err(Into::into) }
    }
}

impl<'a, S, F, R, E> NodeFn<'a, S, Commands> for F
where
    S: State + Sync + 'a,
    S::Update: Send,
    F: Fn(&'a S, Ctx) -> R + MaybeSend + MaybeSync,
    R: Future<Output = Result<Command<S>, E>> + MaybeSend + 'a,
    E: Into<BoxError>,
{
    fn call(
        &'a self,
        state: &'a S,
        ctx: Ctx,
    ) -> impl Future<Output = Result<Command<S>, BoxError>> + MaybeSend + 'a {
        let running = self(state, ctx);
        async move { running.await.map_err(Into::into) }
    }
}

impl<'a, S, N> NodeFn<'a, S, Nodes> for N
where
    S: State + Sync + 'a,
    S::Update: Send,
    N: Node<S> + 'a,
{
    fn call(
        &'a self,
        state: &'a S,
        ctx: Ctx,
    ) -> impl Future<Output = Result<Command<S>, BoxError>> + MaybeSend + 'a {
        self.run(state, ctx)
    }
}

/// A node of any kind.
pub(super) trait AnyNode<S: State>: MaybeSend + MaybeSync {
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
        // Boxed, because Rust 1.89 does not see that this future is `Send` otherwise.
        let call = caught(|| -> BoxFuture<'a, _> { Box::pin(self.0.call(state, ctx)) });
        Box::pin(async move {
            match call {
                Ok(call) => caught_future(call).await.unwrap_or_else(|error| Err(error.into())),
                Err(panicked) => Err(panicked.into()),
            }
        })
    }
}
