//! The answers to the interrupts of a run's tasks.

use super::Run;
use crate::graph::planner::next_tasks::Task;

/// The answer to a call of `interrupt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The task's answer of this index.
    Saved(u32),
    /// The answer that was given to the run and to no task. It becomes the task's next one.
    Take,
    /// No answer is left: the task is interrupted.
    None,
}

impl Run {
    /// Says how many answers each task has, and whether there is one for no task in particular.
    pub fn set_answers(&mut self, saved: impl IntoIterator<Item = u32>, shared: bool) {
        for (task, saved) in self.tasks.list.iter_mut().zip(saved) {
            task.answers = (saved, 0);
        }
        self.has_answer = shared;
    }

    /// Answers the next interrupt of a task.
    pub fn interrupt(&mut self, task: u32) -> Answer {
        let Some(Task { answers: (saved, given), .. }) = self.tasks.list.get_mut(task as usize)
        else {
            return Answer::None;
        };
        let next = *given;
        if next < *saved {
            *given += 1;
            return Answer::Saved(next);
        }
        if std::mem::take(&mut self.has_answer) {
            *given = next.saturating_add(1);
            *saved = *given;
            return Answer::Take;
        }
        Answer::None
    }

    /// Has a task start over: its next interrupt is its first again.
    pub fn restart(&mut self, task: u32) {
        if let Some(task) = self.tasks.list.get_mut(task as usize) {
            task.answers.1 = 0;
        }
    }
}
