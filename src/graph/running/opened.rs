//! Runs on a thread: each begins from the last checkpoint.

use std::collections::HashMap;

use super::recovered::attempts;
use super::{Running, identified};
use crate::State;
use crate::graph::caught::caught_saving;
use crate::graph::checkpoint::{Checkpoint, Pending, Source, TaskError};
use crate::graph::command::START;
use crate::graph::error::GraphError;
use crate::graph::known_thread::KnownThread;
use crate::graph::outcome::{Outcome, Resume};
use crate::graph::planner::{Run, Status};
use crate::graph::thread_at::ThreadAt;

impl<'g, S> Running<'g, S>
where
    S: State + Send + Sync + 'static,
    S::Update: Clone + Send + Sync + 'static,
{
    /// Begins a run on a thread, from its last checkpoint.
    pub(in crate::graph) async fn on_thread(
        thread_at: &ThreadAt<'g, S>,
        mut update: S::Update,
    ) -> Result<Self, GraphError>
    where
        S: Default,
    {
        let (mut running, _) = Self::opened(thread_at).await?;
        running.pending.clear();
        running.sends.clear();
        identified::<S>(START, &mut update)?;
        running.input = Some(update);
        let status = running.shared().run.input();
        running.status = status;
        running.save(Source::Input, Ok(None)).await?;
        Ok(running)
    }

    /// Continues a thread's run.
    pub(in crate::graph) async fn resumed(
        thread_at: &ThreadAt<'g, S>,
        resume: Resume,
    ) -> Result<Self, GraphError>
    where
        S: Default,
    {
        let (mut running, is_known) = Self::opened(thread_at).await?;
        if !is_known {
            return Err(GraphError::UnknownThread(thread_at.thread.to_owned()));
        }
        running.answer(resume)?;
        // A task that failed with an answer runs again with the answer that it has now.
        for pending in running.pending.iter_mut().filter(|own| own.is_answered) {
            pending.error = None;
        }
        running.go_on();
        running.fork().await?;
        // A run that is killed in its first step continues with its answers.
        if running.pending.iter().any(Pending::is_at_work) {
            running.save(Source::Stop, Ok(None)).await?;
        }
        Ok(running)
    }

    /// Begins where the thread stopped.
    pub(super) fn go_on(&mut self) {
        self.resumes = true;
        let status = self.shared().run.resume();
        self.status = status;
    }

    /// Begins a branch where a thread continues from an older checkpoint. The step begins at one of its own:
    /// its nodes find nothing of the other branch's.
    async fn fork(&mut self) -> Result<(), GraphError> {
        if self.trail.kept == self.trail.last {
            return Ok(());
        }
        if self.saver.is_some_and(|saver| saver.naming().is_some()) {
            self.shared().run.advance();
        }
        self.save(Source::Fork, Ok(None)).await.map(drop)
    }

    /// Gives each answer to the task that asked.
    fn answer(&mut self, resume: Resume) -> Result<(), GraphError> {
        let mut answers = match resume {
            Resume::GoOn => return Ok(()),
            Resume::Answer(answer) => {
                let mut asked: Vec<_> = self.interrupts().into_iter().map(|one| one.id).collect();
                if asked.len() > 1 {
                    return Err(GraphError::SeveralInterrupts(asked));
                }
                let only = asked.pop().ok_or(GraphError::UnknownInterrupt(None))?;
                HashMap::from([(only, answer)])
            }
            Resume::Answers(answers) => {
                let mut by_id = HashMap::new();
                for (id, answer) in answers {
                    by_id.entry(id).or_insert(answer);
                }
                by_id
            }
        };
        let is_inside = self.is_inside;
        for pending in self.pending.iter_mut().filter(|own| is_inside || own.takes_answer()) {
            let asked = pending.interrupt.as_ref();
            if let Some(value) = asked.and_then(|own| answers.remove(&own.id)) {
                pending.answer(value);
            }
        }
        match answers.into_keys().min() {
            Some(id) => Err(GraphError::UnknownInterrupt(Some(id))),
            None => Ok(()),
        }
    }

    /// Opens a thread at its last checkpoint, or at the one that is named. Returns also whether it
    /// has one.
    pub(super) async fn opened(thread_at: &ThreadAt<'g, S>) -> Result<(Self, bool), GraphError>
    where
        S: Default,
    {
        let ThreadAt { graph, thread, at, run_id, is_inside, .. } = *thread_at;
        let saver = thread_at.saver()?;
        // First: of a checkpoint that another run saves meanwhile, the versions below know nothing.
        let newest = match at {
            Some(_) => thread_at.checkpoints().await?.into_iter().next(),
            None => None,
        };
        let found = caught_saving(|| saver.get(thread, at)).await?;
        if let (None, Some(id)) = (&found, at) {
            return Err(GraphError::UnknownCheckpoint(id.to_owned()));
        }
        let last = match (at, &found) {
            (None, Some(found)) => Some(found.delta.id.clone()),
            _ => newest,
        };
        let (plan, options) = (graph.plan.clone(), &graph.options);
        let mut running =
            Self { thread: Some(thread), saver: Some(saver), ..Self::new(graph, S::default()) };
        running.status = Status::Done;
        running.is_inside = is_inside;
        running.trail.last = last;
        if let Some(id) = run_id {
            running.id = id.into();
        }
        running.shared().run = Run::new(plan.clone(), options);
        let is_known = found.is_some();
        if let Some(Checkpoint { state, delta }) = found {
            let delta = graph.names.read(delta);
            running.shared().run = Run::open(plan, delta.plan, options)?;
            running.state = state;
            running.trail.kept = Some(delta.id);
            running.trail.held = delta.held.into_iter().collect();
            running.kept_run = delta.run_id;
            running.input = delta.input;
            running.sends = delta.sends;
            running.pending = delta.pending;
        }
        Ok((running, is_known))
    }

    /// Returns the thread as a new run finds it, if anything of it is saved.
    pub(in crate::graph) async fn known(
        thread_at: &ThreadAt<'g, S>,
    ) -> Result<Option<KnownThread<S>>, GraphError>
    where
        S: Default,
    {
        let (running, is_known) = Self::opened(thread_at).await?;
        if !is_known {
            return Ok(None);
        }
        let at_checkpoint = running.state.clone();
        // A step that did not end has left what its tasks returned or asked, and why they ended.
        let attempts = attempts(&running.pending);
        let has_left = !running.pending.is_empty() && attempts == 0;
        let mut left = running.pending.iter();
        let has_error = left.any(|own| matches!(own.error, Some(TaskError::Failed(_))));
        let is_at_work = running.pending.iter().any(Pending::is_at_work);
        let answered = running.pending.iter().filter(|own| own.is_answered && running.is_open(own));
        let given = answered.filter_map(|own| {
            Some((own.interrupt.as_ref()?.id.clone(), own.answers.last()?.value.clone()))
        });
        let given = given.collect();
        let options = &thread_at.graph.options;
        let has_breakpoints =
            !(options.interrupt_before.is_empty() && options.interrupt_after.is_empty());
        let has_run = running.kept_run.is_some();
        let outcome = running.outcome()?;
        let is_open = !outcome.is_ended() && outcome.interrupts.is_empty();
        let is_cut = is_at_work || has_run && is_open && !has_left && !has_breakpoints;
        let has_failed = is_open && has_left || has_error;
        Ok(Some(KnownThread { outcome, at_checkpoint, given, is_cut, attempts, has_failed }))
    }

    /// Returns the thread's outcome, if anything of it is saved.
    pub(in crate::graph) async fn left(
        thread_at: &ThreadAt<'g, S>,
    ) -> Result<Option<Outcome<S>>, GraphError>
    where
        S: Default,
    {
        let (running, is_known) = Self::opened(thread_at).await?;
        is_known.then(|| running.outcome()).transpose()
    }
}
