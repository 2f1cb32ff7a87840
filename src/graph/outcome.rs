//! How a run continues, and its outcome.

use std::sync::Arc;

use serde_json::Value;

use super::interrupt::Interrupt;

/// The outcome of a run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Outcome<S> {
    /// The state. At an interrupt it includes the writes of the other nodes in the step.
    pub state: S,
    /// Its open interrupts, if it has not reached its end.
    pub interrupts: Vec<Interrupt>,
    /// The nodes that [`resume`](super::OnThread::resume) will run. If all nodes of the step have
    /// finished, those whose branches it will ask. Empty at the graph's end.
    pub next: Vec<Arc<str>>,
    /// The id of the thread's checkpoint that it is of; none without a thread.
    pub checkpoint: Option<String>,
    /// The id of the run that made this checkpoint, if its checkpointer keeps it.
    pub run_id: Option<String>,
}

impl<S> Outcome<S> {
    /// Returns whether the graph has reached its end. If not, the run stopped at an interrupt, at a
    /// breakpoint or with an error.
    #[must_use]
    pub fn is_ended(&self) -> bool {
        self.next.is_empty()
    }
}

/// A step that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StepDone {
    /// Its number.
    pub step: i64,
    /// The nodes that ran, in the order in which their updates were merged.
    pub nodes: Vec<Arc<str>>,
}

/// How a run continues.
#[derive(Debug, Clone, PartialEq)]
pub enum Resume {
    /// Without an answer: after a breakpoint or an error.
    GoOn,
    /// With the answer to its only open interrupt.
    Answer(Value),
    /// With answers by the interrupts' ids.
    Answers(Vec<(String, Value)>),
}

impl From<()> for Resume {
    fn from((): ()) -> Self {
        Self::GoOn
    }
}

impl From<Value> for Resume {
    fn from(answer: Value) -> Self {
        Self::Answer(answer)
    }
}

impl From<Vec<(String, Value)>> for Resume {
    fn from(answers: Vec<(String, Value)>) -> Self {
        Self::Answers(answers)
    }
}
