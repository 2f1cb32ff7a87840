//! Agents: they run alone, or as a node.

use super::error::BoxError;
use super::sendable::{MaybeSend, MaybeSync};
use crate::{Error, State};

/// An agent works on a state, in one of three ways.
///
/// - **It merges**: [`run`](Self::run) takes the whole state and returns the whole state.
/// - **You merge**: [`update`](Self::update) looks at the state and returns its part of it.
/// - **A graph merges**: add it by [`StateGraph::agent`](super::StateGraph::agent).
///
/// An agent that asks questions, or decides where to go next, works only in a graph: make it a
/// [`Node`](super::Node).
///
/// ```
/// use threadfold::graph::{Agent, BoxError, START, StateGraph};
/// use threadfold::reducer::AddMessages;
/// use threadfold::{Message, State};
///
/// #[derive(Debug, Clone, Default, State)]
/// #[state(derive(Clone))]
/// struct Chat {
///     #[reducer(AddMessages)]
///     messages: Vec<Message>,
/// }
///
/// struct Echo;
///
/// impl Agent for Echo {
///     type State = Chat;
///
///     async fn update(&self, state: &Chat) -> Result<ChatUpdate, BoxError> {
///         let heard = state.messages.last().map(|last| last.text().into_owned());
///         Ok(ChatUpdate { messages: Some(vec![Message::assistant(heard.unwrap_or_default())]) })
///     }
/// }
///
/// # async fn run() -> Result<(), BoxError> {
/// let chat = Chat { messages: vec![Message::user("hello")] };
/// let mut chat = Echo.run(chat).await?; // it merges
/// let update = Echo.update(&chat).await?;
/// chat.update(update)?; // you merge
/// let graph = StateGraph::new().agent("echo", Echo).edge(START, "echo").compile()?;
/// let chat = graph.invoke(chat).await?.state; // the graph merges
/// assert_eq!(chat.messages.len(), 4);
/// # Ok(())
/// # }
/// # let mut run = Box::pin(run());
/// # let waker = std::task::Waker::noop();
/// # assert!(run.as_mut().poll(&mut std::task::Context::from_waker(waker)).is_ready());
/// ```
pub trait Agent: MaybeSend + MaybeSync {
    /// The state that it works on.
    type State: State + Send + Sync;

    /// Looks at the state and returns its part of it.
    ///
    /// # Errors
    /// Its own.
    fn update(
        &self,
        state: &Self::State,
    ) -> impl Future<Output = Result<<Self::State as State>::Update, BoxError>> + MaybeSend;

    /// Takes the whole state and returns the whole state.
    ///
    /// # Errors
    /// Its own, or [`Error`] of a reducer.
    fn run(
        &self,
        state: Self::State,
    ) -> impl Future<Output = Result<Self::State, BoxError>> + MaybeSend
    where
        <Self::State as State>::Update: Send,
    {
        async move {
            let update = self.update(&state).await?;
            state.merge(update).map_err(|error: Error| error.into())
        }
    }
}
