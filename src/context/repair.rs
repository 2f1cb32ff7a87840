//! What has to change in a list of messages so that every provider takes it: each message with calls
//! is followed at once by one result for each, and there is no other result.

use super::cut::{NONE, Role, Track};

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
                    steps.extend(results.of(at).map(Step::Keep));
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
        let mut chains = Chains::new(from, self.len());
        for (at, message) in self.from(from) {
            if matches!(message.role, Role::InPlace | Role::Displaced)
                && let Some(call) = self.call(message.call)
            {
                chains.add(call.ai, at);
            }
        }
        chains
    }
}

/// Lists of positions, one for each position.
struct Chains {
    start: u32,
    first: Vec<u32>,
    last: Vec<u32>,
    next: Vec<u32>,
}

impl Chains {
    fn new(start: u32, end: u32) -> Self {
        let none = vec![NONE; end.saturating_sub(start) as usize];
        Self { start, first: none.clone(), last: none.clone(), next: none }
    }

    /// Adds to the list of `head`, unless that is in front of all.
    fn add(&mut self, head: u32, at: u32) {
        let Some(place) = head.checked_sub(self.start) else { return };
        let Some(last) = self.last.get_mut(place as usize) else { return };
        let before = std::mem::replace(last, at);
        let slot = if before == NONE {
            self.first.get_mut(place as usize)
        } else {
            self.next.get_mut((before - self.start) as usize)
        };
        if let Some(slot) = slot {
            *slot = at;
        }
    }

    fn of(&self, head: u32) -> impl Iterator<Item = u32> + '_ {
        let found = |list: &[u32], at: u32| {
            let at = at.checked_sub(self.start)?;
            list.get(at as usize).copied().filter(|found| *found != NONE)
        };
        std::iter::successors(found(&self.first, head), move |at| found(&self.next, *at))
    }
}
