//! Breakpoints, and the answers to interrupts.

use super::order::distinct;
use super::plan::{Node, Plan};

/// Nodes before or after which a run stops.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Breakpoints {
    /// None.
    #[default]
    None,
    /// All, but `__start__`.
    All,
    /// These, sorted.
    Some(Vec<Node>),
}

impl Breakpoints {
    /// Makes breakpoints of a list of nodes.
    #[must_use]
    pub fn at(nodes: impl IntoIterator<Item = Node>) -> Self {
        let nodes = distinct(nodes.into_iter());
        if nodes.is_empty() { Self::None } else { Self::Some(nodes) }
    }

    /// Whether a run stops at one of these nodes.
    pub(super) fn stop(&self, plan: &Plan, mut nodes: impl Iterator<Item = Node>) -> bool {
        match self {
            Self::None => false,
            Self::All => nodes.any(|node| node < plan.nodes()),
            Self::Some(listed) => nodes.any(|node| listed.binary_search(&node).is_ok()),
        }
    }
}

/// What a call of `interrupt` gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The task's answer of this index.
    Saved(u32),
    /// The answer that was given to the run and to no task. It becomes the task's next one.
    Take,
    /// There is none: the task is interrupted.
    None,
}

/// How many answers each task of a step has, and how many it was given.
#[derive(Debug, Clone, Default)]
pub(super) struct Answers {
    /// For each task: how many there are, how many it was given.
    tasks: Vec<(u32, u32)>,
    shared: bool,
}

impl Answers {
    pub fn clear(&mut self) {
        self.tasks.clear();
        self.shared = false;
    }

    pub fn set(&mut self, saved: impl Iterator<Item = u32>, shared: bool) {
        self.tasks.clear();
        self.tasks.extend(saved.map(|saved| (saved, 0)));
        self.shared = shared;
    }

    /// The next call of `interrupt` in a task.
    pub fn ask(&mut self, task: usize) -> Answer {
        if self.tasks.len() <= task {
            self.tasks.resize(task.saturating_add(1), (0, 0));
        }
        let Some((saved, given)) = self.tasks.get_mut(task) else { return Answer::None };
        if *given < *saved {
            *given += 1;
            return Answer::Saved(*given - 1);
        }
        if std::mem::take(&mut self.shared) {
            *saved += 1;
            *given += 1;
            return Answer::Take;
        }
        Answer::None
    }

    /// The task starts over, with the answers that it has.
    pub fn restart(&mut self, task: usize) {
        if let Some((_, given)) = self.tasks.get_mut(task) {
            *given = 0;
        }
    }
}
