//! Runs on a thread: each begins from the last checkpoint.

use std::collections::HashMap;

use super::Running;
use crate::State;
use crate::graph::compiled::Compiled;
use crate::graph::error::GraphError;
use crate::graph::outcome::{Outcome, Resume};
use crate::graph::planner::Run;

impl<'g, S> Running<'g, S>
where
    S: State + Send + Sync + 'static,
    S::Update: Clone + Send + Sync + 'static,
{
    /// Begins a run on a thread, from its last checkpoint.
    pub(in crate::graph) async fn on_thread(
        graph: &'g Compiled<S>,
        thread: &'g str,
        update: S::Update,
    ) -> Result<Self, GraphError>
    where
        S: Default,
    {
        let (mut running, _) = Self::opened(graph, thread).await?;
        running.pending.clear();
        running.sends.clear();
        running.input = Some(update);
        let status = running.shared().run.input();
        running.status = status;
        running.put().await?;
        Ok(running)
    }

    /// Continues a thread's run.
    pub(in crate::graph) async fn resumed(
        graph: &'g Compiled<S>,
        thread: &'g str,
        resume: Resume,
    ) -> Result<Self, GraphError>
    where
        S: Default,
    {
        let (mut running, is_known) = Self::opened(graph, thread).await?;
        if !is_known {
            return Err(GraphError::UnknownThread(thread.to_owned()));
        }
        let mut any = None;
        match resume {
            Resume::GoOn => {}
            Resume::Answer(answer) => {
                let asked = running.interrupts();
                if asked.len() > 1 {
                    return Err(GraphError::SeveralInterrupts(
                        asked.into_iter().map(|one| one.id).collect(),
                    ));
                }
                any = Some(answer);
            }
            Resume::Answers(answers) => {
                let mut by_id = HashMap::new();
                for (id, answer) in answers {
                    by_id.entry(id).or_insert(answer);
                }
                for pending in &mut running.pending {
                    let asked = pending.interrupt.as_ref();
                    if let Some(answer) = asked.and_then(|own| by_id.remove(&own.id)) {
                        pending.answers.push(answer);
                        pending.interrupt = None;
                    }
                }
                if let Some(id) = by_id.into_keys().min() {
                    return Err(GraphError::UnknownInterrupt(id));
                }
            }
        }
        let mut shared = running.shared();
        shared.any = any;
        let status = shared.run.resume();
        drop(shared);
        running.status = status;
        Ok(running)
    }

    /// Opens a thread's last checkpoint. Returns also whether it has one.
    async fn opened(graph: &'g Compiled<S>, thread: &'g str) -> Result<(Self, bool), GraphError>
    where
        S: Default,
    {
        let saver = graph.saver.as_ref().ok_or(GraphError::NoCheckpointer)?;
        let found = saver.get(thread).await.map_err(GraphError::Checkpointer)?;
        let (plan, options) = (graph.plan.clone(), &graph.options);
        let mut running = Self { thread: Some(thread), ..Self::new(graph, S::default()) };
        running.shared().run = Run::new(plan.clone(), options);
        let is_known = found.is_some();
        if let Some(checkpoint) = found.map(|found| graph.names.read(found)) {
            running.shared().run = Run::open(plan, checkpoint.plan, options)?;
            running.state = checkpoint.state;
            running.input = checkpoint.input;
            running.sends = checkpoint.sends;
            running.pending = checkpoint.pending;
        }
        Ok((running, is_known))
    }

    /// Returns the thread's outcome, if anything of it is saved.
    pub(in crate::graph) async fn left(
        graph: &'g Compiled<S>,
        thread: &'g str,
    ) -> Result<Option<Outcome<S>>, GraphError>
    where
        S: Default,
    {
        let (running, is_known) = Self::opened(graph, thread).await?;
        running.shared().run.peek();
        let interrupts = running.interrupts();
        let outcome = || Ok(Outcome { state: running.into_shown()?, interrupts });
        is_known.then(outcome).transpose()
    }
}
