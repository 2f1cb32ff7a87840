//! Approval of calls: which ones wait for a human, and how each decision changes them.

/// A human's decision on a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Run it.
    Approve,
    /// Run another in its place.
    Edit,
    /// Do not run it.
    Reject,
    /// Do not run it: this is its result.
    Respond,
}

/// The decisions that a call allows. A call that allows none needs no approval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gate(u32);

impl Gate {
    /// A gate of these decisions.
    #[must_use]
    pub fn of(decisions: &[Decision]) -> Self {
        Self(decisions.iter().fold(0, |bits, decision| bits | bit(*decision)))
    }

    /// A gate of the bits 1, 2, 4, 8: approve, edit, reject, respond.
    #[must_use]
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits & 15)
    }

    /// Whether the call waits for a decision.
    #[must_use]
    pub const fn is_closed(self) -> bool {
        self.0 != 0
    }

    fn allows(self, decision: Decision) -> bool {
        self.0 & bit(decision) != 0
    }
}

const fn bit(decision: Decision) -> u32 {
    1 << decision as u32
}

/// The result of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It runs.
    Run,
    /// Another call runs in its place: the one of this decision.
    RunEdited(u32),
    /// This decision is its answer.
    Answer(u32),
}

/// Why decisions do not fit the calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is not one for each call that waits.
    Count {
        /// How many there are.
        given: u32,
        /// How many calls wait.
        waiting: u32,
    },
    /// The call does not allow this decision.
    NotAllowed {
        /// The decision's position.
        decision: u32,
        /// The call's position.
        call: u32,
    },
}

/// Matches decisions to the waiting calls by position. A call that needs no approval runs. `None`
/// means a decision of an unknown kind.
///
/// ```
/// use threadfold::unstable::agent::approval::{settle, Decision, Gate, Outcome};
///
/// let gate = Gate::of(&[Decision::Approve, Decision::Reject]);
/// let settled = settle(&[gate, Gate::default()], &[Some(Decision::Reject)]);
/// assert_eq!(settled, Ok(vec![Outcome::Answer(0), Outcome::Run]));
/// assert!(settle(&[gate], &[Some(Decision::Edit)]).is_err());
/// ```
///
/// # Errors
/// [`Refusal`].
pub fn settle(gates: &[Gate], decisions: &[Option<Decision>]) -> Result<Vec<Outcome>, Refusal> {
    let waiting = gates.iter().filter(|gate| gate.is_closed()).count();
    if waiting != decisions.len() {
        return Err(Refusal::Count { given: number(decisions.len()), waiting: number(waiting) });
    }
    let mut outcomes = Vec::with_capacity(gates.len());
    let mut left = (0..).zip(decisions);
    for (call, gate) in (0..).zip(gates) {
        let decided = if gate.is_closed() { left.next() } else { None };
        let Some((at, decision)) = decided else {
            outcomes.push(Outcome::Run);
            continue;
        };
        let allowed = decision.filter(|decision| gate.allows(*decision));
        outcomes.push(match allowed {
            None => return Err(Refusal::NotAllowed { decision: at, call }),
            Some(Decision::Approve) => Outcome::Run,
            Some(Decision::Edit) => Outcome::RunEdited(at),
            Some(Decision::Reject | Decision::Respond) => Outcome::Answer(at),
        });
    }
    Ok(outcomes)
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Decision; 4] =
        [Decision::Approve, Decision::Edit, Decision::Reject, Decision::Respond];

    #[test]
    fn a_call_without_a_gate_runs_whatever_is_decided() {
        let gates = [Gate::default(), Gate::of(&ALL), Gate::default(), Gate::of(&ALL)];
        for first in ALL {
            for second in ALL {
                let settled = settle(&gates, &[Some(first), Some(second)]).unwrap_or_default();
                assert_eq!((settled[0], settled[2]), (Outcome::Run, Outcome::Run));
                assert_eq!(
                    settled[1] == Outcome::Answer(0),
                    matches!(first, Decision::Reject | Decision::Respond)
                );
                assert_eq!(settled[3] == Outcome::RunEdited(1), second == Decision::Edit);
            }
        }
    }

    #[test]
    fn decisions_have_to_fit() {
        let gates = [Gate::of(&[Decision::Approve]), Gate::default()];
        assert_eq!(settle(&gates, &[]), Err(Refusal::Count { given: 0, waiting: 1 }));
        let two = [Some(Decision::Approve); 2];
        assert_eq!(settle(&gates, &two), Err(Refusal::Count { given: 2, waiting: 1 }));
        for wrong in [None, Some(Decision::Edit), Some(Decision::Reject), Some(Decision::Respond)] {
            assert_eq!(settle(&gates, &[wrong]), Err(Refusal::NotAllowed { decision: 0, call: 0 }));
        }
    }
}
