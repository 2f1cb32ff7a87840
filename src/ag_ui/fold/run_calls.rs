//! The tool calls of a run: those it started, and those it answered itself.

use std::collections::HashSet;

use crate::ag_ui::event::RunFinishedOutcome;

#[derive(Debug, Default)]
pub(super) struct RunCalls {
    /// In order.
    started: Vec<String>,
    answered: HashSet<String>,
}

impl RunCalls {
    pub(super) fn started(&mut self, call: &str) {
        self.started.push(call.to_owned());
    }

    pub(super) fn answered(&mut self, call: &str) {
        self.answered.insert(call.to_owned());
    }

    /// Returns the calls that a run leaves to the client: those it names, else those it started and
    /// did not answer.
    pub(super) fn left_over(&self, outcome: Option<&RunFinishedOutcome>) -> Vec<String> {
        match outcome {
            Some(RunFinishedOutcome::Success { pending_tool_call_ids: ids }) if !ids.is_empty() => {
                ids.clone()
            }
            _ => {
                let mut seen = HashSet::new();
                let open = self.started.iter().filter(|id| !self.answered.contains(*id));
                open.filter(|id| seen.insert(*id)).cloned().collect()
            }
        }
    }
}
