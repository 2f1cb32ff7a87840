//! A run that streams its parts.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use super::Running;
use super::step::Returned;
use crate::State;
use crate::graph::checkpoint::TaskError;
use crate::graph::emitter::{Emitter, TaskName};
use crate::graph::error::GraphError;
use crate::graph::interrupt::{Interrupt, Interrupted};
use crate::graph::outcome::Outcome;
use crate::graph::parts::Parts;
use crate::graph::planner::{Status, Task};
use crate::graph::run_part::{Queue, RunPart};

impl<'g, S> Running<'g, S>
where
    S: State + Send + Sync + 'static,
    S::Update: Clone + Send + Sync + 'static,
{
    /// Streams the run: its states, the updates of its nodes, and what they [send](crate::graph::Ctx::message).
    ///
    /// ```
    /// use threadfold::State;
    /// use threadfold::graph::{BoxError, Ctx, MessageChunk, RunPart, START, StateGraph};
    ///
    /// #[derive(Debug, Clone, Default, State)]
    /// #[state(derive(Clone))]
    /// struct Chat {
    ///     answer: String,
    /// }
    ///
    /// async fn model(_: &Chat, ctx: Ctx) -> Result<ChatUpdate, BoxError> {
    ///     ctx.message(MessageChunk::text("a1", "Hello"));
    ///     Ok(ChatUpdate { answer: Some("Hello".into()) })
    /// }
    ///
    /// # async fn run() -> Result<(), BoxError> {
    /// let graph = StateGraph::<Chat>::new().node("model", model).edge(START, "model").compile()?;
    /// let mut parts = graph.stream(Chat::default()).parts();
    /// let mut text = String::new();
    /// while let Some(part) = parts.next().await {
    ///     if let RunPart::Message(_, chunk) = part {
    ///         text.push_str(&chunk.text);
    ///     }
    /// }
    /// assert_eq!((text, parts.finish().await?.state.answer), ("Hello".into(), "Hello".into()));
    /// # Ok(())
    /// # }
    /// # let mut run = Box::pin(run());
    /// # let waker = std::task::Waker::noop();
    /// # assert!(run.as_mut().poll(&mut std::task::Context::from_waker(waker)).is_ready());
    /// ```
    #[must_use]
    pub fn parts(mut self) -> Parts<'g, S> {
        let queue = Arc::new(Queue::new());
        self.emitter = Emitter(Some(queue.clone()));
        self.queue = Some(queue.clone());
        if self.resumes {
            self.show();
        }
        Parts::new(Box::pin(self.run_out(queue.clone())), queue)
    }

    /// Runs to the end, or until the queue is stopped.
    async fn run_out(mut self, queue: Arc<Queue<S>>) -> Result<Outcome<S>, GraphError> {
        loop {
            let stepped = {
                let mut step = pin!(self.next());
                poll_fn(|context| {
                    if queue.is_stopped() {
                        return Poll::Ready(None);
                    }
                    step.as_mut().poll(context).map(Some)
                })
                .await
            };
            match stepped {
                Some(Some(step)) => drop(step?),
                Some(None) => break,
                None => {
                    self.stopped().await?;
                    return self.outcome();
                }
            }
        }
        let is_asking = self.pending.iter().any(|own| own.interrupt.is_some());
        let mut finished = self.pending.iter().filter_map(|own| own.finished.as_ref());
        let has_more = finished.any(|finished| !finished.updates.is_empty());
        let outcome = self.outcome()?;
        if is_asking && has_more {
            queue.push(RunPart::Values(outcome.state.clone()));
        }
        Ok(outcome)
    }

    /// Saves that the run was stopped, and what the nodes of its step have returned.
    async fn stopped(&mut self) -> Result<(), GraphError> {
        if let Some(stepped) = self.saved().await {
            stepped?;
        }
        if self.status == Status::Tasks {
            let reason = TaskError::Failed("The run was stopped.".to_owned());
            self.halted(&reason, Ok(None)).await?;
        }
        self.status = Status::Done;
        Ok(())
    }

    /// Streams the state.
    pub(super) fn show(&self) {
        if let Some(queue) = &self.queue {
            queue.push(RunPart::Values(self.state.clone()));
        }
    }

    /// Streams the beginning of a step's tasks.
    pub(super) fn show_started(&self, tasks: &[Task], step: i64) {
        let Some(queue) = &self.queue else { return };
        for (place, task) in (0..).zip(tasks) {
            queue.push(RunPart::Started(TaskName { node: self.name(task.node), step, place }));
        }
    }

    /// Streams what a task's node has returned.
    pub(super) fn show_returned(&self, task: Task, name: TaskName, result: &Returned<S>) {
        let Some(queue) = &self.queue else { return };
        queue.push(match result {
            Ok(command) => RunPart::Finished(name, command.update.clone()),
            Err(error) => match Interrupted::question(&**error) {
                Some(question) => {
                    let answers =
                        self.shared().answers.get(name.place as usize).map_or(0, Vec::len);
                    let id = self.interrupt_id(&task, name.step, answers);
                    let (node, value) = (name.node.to_string(), question.value.clone());
                    let forwarded = question.forwarded.clone();
                    RunPart::Asked(name, Interrupt { id, node, value, forwarded })
                }
                None => RunPart::Failed(name),
            },
        });
    }
}
