//! A graph that runs inside a node.

use std::sync::atomic::Ordering;

use serde::Serialize;

use super::compiled_graph::Graph;
use super::ctx::Ctx;
use super::error::BoxError;
use super::graph_state::GraphState;
use super::interrupt::Interrupt;
use super::outcome::Outcome;
use super::run_part::RunPart;
use super::running::Running;
use super::sendable::MaybeSend;

impl Ctx {
    /// Runs another graph inside this node, on a thread of the task's own, and returns how it ended.
    ///
    /// If the graph around has a checkpointer, this one needs one, too: the same, or its own. Its
    /// questions are [forwarded](Self::forward). One reopens only if no node inside has ended since
    /// its answer. A node that starts over, with an answer or after its process was
    /// killed, continues the inner thread. Inner steps that have ended do not run again.
    /// Everything that inner nodes send and return is streamed, too: [`RunPart::Inside`].
    ///
    /// The inner thread is named `THREAD|NODE:CHECKPOINT:SEND`. `CHECKPOINT` is the id of the one at which the
    /// step began: a branch that [`at`](super::OnThread::at) begins has inner threads of its own. `SEND` is 0,
    /// or the number of the send that made the task. A node may run several graphs, each on a thread
    /// of its own. The name of the second call's ends with `#2`, and that of an error handler's first with
    /// `!1`. Make the same calls in the same order when the node starts over.
    ///
    /// ```
    /// use serde::{Deserialize, Serialize};
    /// use serde_json::json;
    /// use threadfold::State;
    /// use threadfold::graph::{BoxError, Command, Ctx, Graph, MemorySaver, Node, START, StateGraph};
    ///
    /// #[derive(Debug, Clone, Default, Serialize, Deserialize, State)]
    /// #[state(derive(Clone, Serialize, Deserialize))]
    /// struct Order {
    ///     sent: bool,
    /// }
    ///
    /// async fn send(_: &Order, ctx: Ctx) -> Result<OrderUpdate, BoxError> {
    ///     Ok(OrderUpdate { sent: ctx.interrupt(json!("Send it?"))?.as_bool() })
    /// }
    ///
    /// struct Inside(Graph<Order>);
    ///
    /// impl Node<Order> for Inside {
    ///     async fn run(&self, _: &Order, ctx: Ctx) -> Result<Command<Order>, BoxError> {
    ///         let inner = ctx.run(&self.0, OrderUpdate::default()).await?;
    ///         Ok(Command::update(OrderUpdate { sent: Some(inner.state.sent) }))
    ///     }
    /// }
    ///
    /// # async fn run() -> Result<(), BoxError> {
    /// let builder = StateGraph::<Order>::new().node("send", send).edge(START, "send");
    /// let inner = builder.checkpointer(MemorySaver::new()).compile()?;
    /// let builder = StateGraph::<Order>::new().node("inside", Inside(inner)).edge(START, "inside");
    /// let graph = builder.checkpointer(MemorySaver::new()).compile()?;
    /// let asked = graph.on("1").invoke(OrderUpdate::default()).await?;
    /// assert_eq!(asked.interrupts[0].value, json!("Send it?"));
    /// assert!(graph.on("1").resume(json!(true)).await?.state.sent);
    /// # Ok(())
    /// # }
    /// # let mut run = Box::pin(run());
    /// # let waker = std::task::Waker::noop();
    /// # assert!(run.as_mut().poll(&mut std::task::Context::from_waker(waker)).is_ready());
    /// ```
    ///
    /// # Errors
    /// [`Interrupted`](super::Interrupted) while the inner graph asks: return it with `?`. Those of the
    /// inner graph.
    pub fn run<S>(
        &self,
        graph: &Graph<S>,
        input: S::Update,
    ) -> impl Future<Output = Result<Outcome<S>, BoxError>>
    where
        S: GraphState<Update: Serialize> + Default,
    {
        // Counted at the call: two of them may be polled in any order.
        let before = self.graphs_inside.fetch_add(1, Ordering::Relaxed);
        self.run_after(before, graph, input)
    }

    async fn run_after<S>(
        &self,
        before: u32,
        graph: &Graph<S>,
        input: S::Update,
    ) -> Result<Outcome<S>, BoxError>
    where
        S: GraphState<Update: Serialize> + Default,
    {
        // The first has no mark: a saved thread may have the name and the questions without one.
        let mark = match (self.error.is_some(), before) {
            (true, _) => format!("!{}", before + 1),
            (false, 0) => String::new(),
            (false, _) => format!("#{}", before + 1),
        };
        let Some(thread) = self.thread() else {
            return self.pass_on(graph.stream(S::default().try_merge(input)?)).await;
        };
        let name = format!("{thread}|{}:{}:{}{mark}", self.node(), self.began_at, self.send);
        let inner = graph.inside(&name);
        let inner = inner.run_id(self.run_id());
        let mut outcome = match inner.outcome().await? {
            None => self.pass_on(inner.stream(input).await?).await?,
            Some(left) if left.is_ended() || !left.interrupts.is_empty() => left,
            Some(_) => self.pass_on(inner.stream_resumed(()).await?).await?,
        };
        while let Some(question) = outcome.interrupts.first() {
            // Two graphs may ask under one id.
            let own = Interrupt { id: format!("{}{mark}", question.id), ..question.clone() };
            let answer = vec![(question.id.clone(), self.forward(&own)?)];
            outcome = self.pass_on(inner.stream_resumed(answer).await?).await?;
        }
        Ok(outcome)
    }

    /// Runs to the end. Notes that nodes end, and hands on each part.
    pub(crate) async fn watch<S>(
        &self,
        running: Running<'_, S>,
        mut tell: impl FnMut(RunPart<S>) -> Result<(), BoxError> + MaybeSend,
    ) -> Result<Outcome<S>, BoxError>
    where
        S: GraphState,
    {
        let mut parts = running.parts();
        while let Some(part) = parts.next().await {
            if matches!(part, RunPart::Finished(..) | RunPart::Inside(..)) {
                self.goes_on_inside();
            }
            tell(part)?;
        }
        Ok(parts.finish().await?)
    }

    /// Runs to the end, and sends what the nodes send.
    async fn pass_on<S>(&self, running: Running<'_, S>) -> Result<Outcome<S>, BoxError>
    where
        S: GraphState<Update: Serialize>,
    {
        let send = |part| {
            match part {
                RunPart::Message(_, chunk) => self.message(chunk),
                RunPart::Custom(_, value) => self.custom(value),
                RunPart::Finished(_, Some(update)) => self.inside(serde_json::to_value(update)?),
                RunPart::Inside(_, update) => self.inside(update),
                _ => {}
            }
            Ok(())
        };
        self.watch(running, send).await
    }
}
