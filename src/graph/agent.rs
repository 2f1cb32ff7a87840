//! Agents: they run alone, or as a node.

use super::sendable::{MaybeSend, MaybeSync};
use crate::State;

/// An agent that takes the whole state and returns the whole state: it merges by itself.
///
/// An agent that asks questions, or decides where to go next, works only in a graph: make it a
/// [`Node`](super::Node).
///
/// ```
/// use threadfold::Message;
/// use threadfold::graph::Agent;
/// use threadfold::typed::add_messages;
///
/// struct Echo;
///
/// #[derive(Debug)]
/// struct NothingSaid;
///
/// impl Agent for Echo {
///     type State = Vec<Message>;
///     type Error = NothingSaid;
///
///     async fn run(&self, messages: Vec<Message>) -> Result<Vec<Message>, NothingSaid> {
///         let heard = messages.last().ok_or(NothingSaid)?.text().into_owned();
///         Ok(add_messages(messages, vec![Message::assistant(heard)]))
///     }
/// }
///
/// # async fn run() -> Result<(), NothingSaid> {
/// assert_eq!(Echo.run(vec![Message::user("hello")]).await?.len(), 2);
/// # Ok(())
/// # }
/// # let mut run = Box::pin(run());
/// # let waker = std::task::Waker::noop();
/// # assert!(run.as_mut().poll(&mut std::task::Context::from_waker(waker)).is_ready());
/// ```
pub trait Agent: MaybeSend + MaybeSync {
    /// The state that it works on.
    type State;
    /// The reason why it fails.
    type Error;

    /// Takes the whole state and returns the whole state.
    ///
    /// # Errors
    /// Its own.
    fn run(
        &self,
        state: Self::State,
    ) -> impl Future<Output = Result<Self::State, Self::Error>> + MaybeSend;
}

/// An agent that looks at the state and returns its part of it: you merge, or a graph does.
///
/// Add it to a graph by [`StateGraph::agent`](super::StateGraph::agent). It is an [`Agent`], too,
/// which merges its part by [`State::merge`].
///
/// ```
/// use threadfold::graph::{Agent, BoxError, START, StateGraph, UpdateAgent};
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
/// impl UpdateAgent for Echo {
///     type State = Chat;
///     type Error = std::io::Error;
///
///     async fn update(&self, state: &Chat) -> Result<ChatUpdate, std::io::Error> {
///         let heard = state.messages.last().map(|last| last.text().into_owned());
///         Ok(ChatUpdate { messages: Some(vec![Message::assistant(heard.unwrap_or_default())]) })
///     }
/// }
///
/// # async fn run() -> Result<(), BoxError> {
/// let mut chat = Chat { messages: vec![Message::user("hello")] };
/// let update = Echo.update(&chat).await?;
/// chat = chat.merge(update); // you merge
/// let graph = StateGraph::new().agent("echo", Echo).edge(START, "echo").compile()?;
/// chat = graph.invoke(chat).await?.state; // the graph merges
/// chat = Echo.run(chat).await?; // it merges
/// assert_eq!(chat.messages.len(), 4);
/// # Ok(())
/// # }
/// # let mut run = Box::pin(run());
/// # let waker = std::task::Waker::noop();
/// # assert!(run.as_mut().poll(&mut std::task::Context::from_waker(waker)).is_ready());
/// ```
pub trait UpdateAgent: MaybeSend + MaybeSync {
    /// The state that it works on.
    type State: State;
    /// The reason why it fails.
    type Error;

    /// Looks at the state and returns its part of it.
    ///
    /// # Errors
    /// Its own.
    fn update(
        &self,
        state: &Self::State,
    ) -> impl Future<Output = Result<<Self::State as State>::Update, Self::Error>> + MaybeSend;
}

impl<A: UpdateAgent> Agent for A
where
    A::State: Send + Sync,
{
    type State = A::State;
    type Error = A::Error;

    async fn run(&self, state: A::State) -> Result<A::State, A::Error> {
        let update = self.update(&state).await?;
        Ok(state.merge(update))
    }
}
