//! The changes that make a list of messages valid for every provider. Each message with calls is
//! followed at once by one result for each, and there is no other result.

use super::cut::{NONE, Role, Track};

/// One message of the repaired list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The message at this position.
    Keep(u32),
    /// An answer, newly made, to a call of the last AI message that was kept. It is the call at
    /// this position among those of its row.
    Answer(u32),
}

impl Track {
    /// Returns the messages, repaired. It drops results without a call and second results. It puts
    /// the others right after the message with their call, and answers open calls. Calls that wait
    /// for their result are answered only if `all`. Returns `None` if there is nothing to do.
    pub fn repair(&self, all: bool) -> Option<Vec<Step>> {
        if self.is_whole() && !(all && self.pending() < self.len()) {
            return None;
        }
        let next = self.results();
        let spared = if all { NONE } else { self.pending() };
        let mut steps = Vec::new();
        for (at, message) in (0..).zip(self.messages()) {
            match message.role {
                Role::Ai => {
                    steps.push(Step::Keep(at));
                    let mut result = behind(&next, at);
                    while result != NONE {
                        steps.push(Step::Keep(result));
                        result = behind(&next, result);
                    }
                    if at != spared {
                        steps.extend(self.open_calls(at).map(Step::Answer));
                    }
                }
                Role::Other => steps.push(Step::Keep(at)),
                Role::InPlace | Role::Displaced | Role::Orphan => {}
            }
        }
        Some(steps)
    }

    /// Returns for each model message its first result, and for each result the next one. Only the
    /// first result of each call counts, in the order of the list.
    fn results(&self) -> Vec<u32> {
        let mut next = vec![NONE; self.messages().len()];
        for (at, message) in (0..self.len()).zip(self.messages()).rev() {
            if let (Role::InPlace | Role::Displaced, Some(call)) =
                (message.role, self.call(message.call))
            {
                for (at, to) in [(at, behind(&next, call.ai)), (call.ai, at)] {
                    if let Some(slot) = next.get_mut(at as usize) {
                        *slot = to;
                    }
                }
            }
        }
        next
    }
}

fn behind(next: &[u32], at: u32) -> u32 {
    next.get(at as usize).copied().unwrap_or(NONE)
}
