//! Lists of messages in which each call has its result.

use crate::error::Error;
use crate::value::{Found, Symbols, Value};

use super::missing_results::answer;
use super::repair::Step;
use super::rows::Facts;
use super::safe_cuts::SafeCuts;

/// The treatment by [`repair_tool_calls`] of the last message that calls tools, if only results
/// follow it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Waiting {
    /// Leaves them open: their results are still to come.
    #[default]
    Keep,
    /// Answers them, like all others.
    Answer,
}

/// Repairs a list of messages so that every provider accepts it. Each message with calls is then
/// followed at once by exactly one result for each id, and there is no other result.
///
/// Drops results without a call and second results. Puts displaced ones right after the message
/// with their call. Answers open calls in the words of [`patch_tool_calls`]. Returns the list
/// itself if there is nothing to do.
///
/// # Errors
/// `INVALID_ARGUMENT` if `messages` is not a list, `INVALID_MESSAGE` for an invalid
/// item.
///
/// ```
/// use serde_json::json;
/// use threadfold::context::{repair_tool_calls, Waiting};
///
/// let repaired = repair_tool_calls(
///     &json!([
///         { "type": "ai", "content": "", "tool_calls": [{ "id": "c1", "name": "f", "args": {} }] },
///         { "type": "human", "content": "Wait." },
///         { "type": "tool", "content": "late", "tool_call_id": "c1" },
///         { "type": "tool", "content": "of no call", "tool_call_id": "c0" },
///     ]),
///     Waiting::Keep,
/// )?;
/// assert_eq!(repaired.as_array().map(Vec::len), Some(3));
/// assert_eq!(repaired[1]["content"], "late");
/// # Ok::<(), threadfold::Error>(())
/// ```
pub fn repair_tool_calls<V: Value>(messages: &V, waiting: Waiting) -> Result<V, Error> {
    let facts = Facts::of_all(messages)?;
    let mut cuts = SafeCuts::default();
    cuts.extend(&facts);
    let Some(steps) = cuts.track().repair(waiting == Waiting::Answer) else {
        return Ok(messages.clone());
    };
    let mut calls: Option<(V, &Facts<V>)> = None;
    let mut repaired = Vec::with_capacity(steps.len());
    for step in steps {
        match step {
            Step::Keep(at) => {
                let at = at as usize;
                let Some(message) = messages.at(at).map(Found::into_owned) else { continue };
                if let Some(facts @ Facts::Ai { .. }) = facts.get(at) {
                    calls = Some((message.clone(), facts));
                }
                repaired.push(message);
            }
            Step::Answer(position) => {
                let Some((message, facts)) = &calls else { continue };
                let Some((call, valid)) = facts.call(position) else { continue };
                repaired.push(answer(message, call, valid));
            }
        }
    }
    Ok(V::array(repaired))
}

/// Answers the calls that no tool message of the list answers, right after the message with the
/// call. deepagents' `PatchToolCallsMiddleware` does the same. Returns the list itself if there are
/// none.
///
/// Changes nothing else: [`repair_tool_calls`] does. As in Python, a chunk of a tool message answers
/// nothing.
///
/// # Errors
/// `INVALID_ARGUMENT` if `messages` is not a list, `INVALID_MESSAGE` for an invalid
/// item.
///
/// ```
/// use serde_json::json;
/// use threadfold::context::patch_tool_calls;
///
/// let patched = patch_tool_calls(&json!([
///     { "type": "ai", "content": "", "tool_calls": [{ "id": "c1", "name": "f", "args": {} }] },
/// ]))?;
/// assert_eq!(
///     patched[1]["content"],
///     "Tool call f with id c1 did not complete - no result was recorded. \
///      It may have been cancelled or interrupted."
/// );
/// # Ok::<(), threadfold::Error>(())
/// ```
pub fn patch_tool_calls<V: Value>(messages: &V) -> Result<V, Error> {
    let facts = Facts::of_all(messages)?;
    let mut answered = V::Symbols::default();
    for one in &facts {
        if let Facts::Tool { id: Some(id), chunk: false } = one {
            answered.intern(id);
        }
    }
    let is_open = |call: &V| call.get("id").is_some_and(|id| answered.find(&id).is_none());
    let mut patched = Vec::new();
    for (message, facts) in messages.items().zip(&facts) {
        let message = message.into_owned();
        patched.push(message.clone());
        if let Facts::Ai { calls, invalid } = facts {
            let both = [(calls, true), (invalid, false)];
            for (calls, valid) in both {
                let open = calls.iter().filter(|call| is_open(call));
                patched.extend(open.map(|call| answer(&message, call, valid)));
            }
        }
    }
    Ok(if patched.len() == facts.len() { messages.clone() } else { V::array(patched) })
}
