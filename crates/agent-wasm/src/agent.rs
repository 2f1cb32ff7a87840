//! The decisions of [`threadfold::unstable::agent`] for JavaScript, as numbers: `pkg-template/src/agent/decide.ts`
//! writes and reads them.

use wasm_bindgen::prelude::*;

use super::buffer::{read, write};
use threadfold::unstable::agent::approval::{Decision, Gate, Outcome, Refusal, settle};
use threadfold::unstable::agent::limits::Limits;
use threadfold::unstable::agent::route::{Call, Jump, Next, Turn, after_model};

const ROUTE: u32 = 0;
const SETTLE: u32 = 1;

/// Says "none" where a number may be.
const NONE: u32 = u32::MAX;

/// Decides a question about so many numbers of the buffer: [`after_model`], [`settle`] or
/// [`Limits::take`]. Leaves the answer in the buffer and returns its length.
#[wasm_bindgen]
#[must_use]
pub fn decide(what: u32, length: usize) -> usize {
    let numbers: Vec<u32> = read(length, |numbers| (0..length).map(|_| numbers.whole()).collect());
    let answer = match what {
        ROUTE => route(&numbers),
        SETTLE => settled(&numbers),
        _ => taken(&numbers),
    };
    write(|out| answer.iter().flatten().for_each(|number| out.push(f64::from(*number))))
}

/// Input: the jump, whether there is an answer, and the number of calls (none: no message). Then
/// the calls' ids and whether each is the answer; then the ids that are answered.
fn route(numbers: &[u32]) -> Option<Vec<u32>> {
    let [jump, structured, count, ref rest @ ..] = *numbers else { return None };
    let (rows, answered) =
        rest.split_at_checked(if count == NONE { 0 } else { count as usize * 2 })?;
    let mut calls = Vec::new();
    for row in rows.chunks_exact(2) {
        if let [id, answer] = *row {
            calls.push(Call { id, is_answer: answer > 0 });
        }
    }
    let turn = Turn {
        jump: match jump {
            1 => Some(Jump::Model),
            2 => Some(Jump::Tools),
            3 => Some(Jump::End),
            _ => None,
        },
        calls: (count != NONE).then_some(&calls),
        answered,
        is_structured: structured > 0,
    };
    Some(match after_model(&turn) {
        Next::Model => vec![1],
        Next::Tools => vec![2],
        Next::End => vec![3],
        Next::Calls(positions) => {
            let mut sends = vec![0];
            sends.extend(positions);
            sends
        }
    })
}

/// Input: the number of calls, the gate of each, and the decisions. Answers 0 and the outcome of
/// each call, or the reason why they do not fit. An outcome is 0, or twice the decision plus 1 for
/// an edit, plus 2 for an answer.
fn settled(numbers: &[u32]) -> Option<Vec<u32>> {
    let (&count, rest) = numbers.split_first()?;
    let (gates, decisions) = rest.split_at_checked(count as usize)?;
    let gates: Vec<Gate> = gates.iter().map(|bits| Gate::from_bits(*bits)).collect();
    let mut said = Vec::new();
    for decision in decisions {
        said.push(match decision {
            0 => Some(Decision::Approve),
            1 => Some(Decision::Edit),
            2 => Some(Decision::Reject),
            3 => Some(Decision::Respond),
            _ => None,
        });
    }
    Some(match settle(&gates, &said) {
        Ok(outcomes) => {
            let mut answer = vec![0];
            for outcome in outcomes {
                answer.push(match outcome {
                    Outcome::Run => 0,
                    Outcome::RunEdited(at) => at * 2 + 1,
                    Outcome::Answer(at) => at * 2 + 2,
                });
            }
            answer
        }
        Err(Refusal::Count { given, waiting }) => vec![1, given, waiting],
        Err(Refusal::NotAllowed { decision, call }) => vec![2, decision, call],
    })
}

/// The calls of thread and run, their limits; for each call whether it counts. Answers the calls of
/// both and the positions of those that are too many.
fn taken(numbers: &[u32]) -> Option<Vec<u32>> {
    let [thread, run, most_of_thread, most_of_run, ref calls @ ..] = *numbers else { return None };
    let limit = |most: u32| (most != NONE).then_some(most);
    let mut limits =
        Limits { thread, run, thread_limit: limit(most_of_thread), run_limit: limit(most_of_run) };
    let counts: Vec<bool> = calls.iter().map(|counts| *counts > 0).collect();
    let blocked = limits.take(&counts);
    let mut answer = vec![limits.thread, limits.run];
    answer.extend(blocked);
    Some(answer)
}
