//! What has to change in a list of messages so that every provider takes it: each message with calls
//! is followed at once by one result for each, and there is no other result.

use super::cut::{Message, NONE, Role, Track};

/// One message of the repaired list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// The message at this position.
    Keep(u32),
    /// An answer, newly made, to a call of the last AI message that was kept: the call at this
    /// position among those of its row.
    Answer(u32),
}

impl Track {
    /// Returns the messages from `from` on, repaired: results without a call and second results are
    /// dropped, the others put right behind the message with their call, and open calls answered;
    /// those that wait for their result only if `all`. Returns `None` if there is nothing to do.
    pub(crate) fn repair(&self, from: u32, all: bool) -> Option<Vec<Step>> {
        let waits = (from..self.len()).contains(&self.pending());
        if self.is_whole(from) && !(all && waits) {
            return None;
        }
        let results = self.results(from);
        let spared = if all { NONE } else { self.pending() };
        let mut steps = Vec::new();
        for (at, message) in self.from(from) {
            match message.role {
                Role::Ai => {
                    steps.push(Step::Keep(at));
                    let mut result = results.behind(at);
                    while result != NONE {
                        steps.push(Step::Keep(result));
                        result = results.behind(result);
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

    /// Chains the first result of each call behind its message, in the order of the list.
    fn results(&self, from: u32) -> Chains {
        let length = self.len().saturating_sub(from);
        let mut chains = Chains { start: from, next: vec![NONE; length as usize] };
        for at in (from..self.len()).rev() {
            if let Some(Message { role: Role::InPlace | Role::Displaced, call, .. }) =
                self.message(at)
                && let Some(call) = self.call(*call)
            {
                chains.insert(call.ai, at);
            }
        }
        chains
    }
}

/// Behind each message of a model the first of its results, behind a result the next.
struct Chains {
    start: u32,
    next: Vec<u32>,
}

impl Chains {
    /// Puts a result right behind a message, unless that is in front of all.
    fn insert(&mut self, ai: u32, result: u32) {
        let next = self.behind(ai);
        for (at, behind) in [(result, next), (ai, result)] {
            let place = at.wrapping_sub(self.start) as usize;
            if let Some(slot) = self.next.get_mut(place) {
                *slot = behind;
            }
        }
    }

    fn behind(&self, at: u32) -> u32 {
        self.next.get(at.wrapping_sub(self.start) as usize).copied().unwrap_or(NONE)
    }
}
