//! [`SafeCuts`]: where a list of messages can be cut.

use crate::error::Error;
use crate::value::Value;

use super::cut::Track;
use super::rows::Facts;

/// The places where a list of messages can be cut so that no tool result loses its call.
///
/// A cut `c` keeps the messages from position `c` on. It is safe if no result from `c` on belongs
/// to a call in front of `c`. A result belongs to the nearest message before it that calls its id.
///
/// A question costs O(log n).
///
/// ```
/// use serde_json::json;
/// use threadfold::context::safe_cuts;
///
/// let cuts = safe_cuts(&json!([
///     { "type": "human", "content": "What is the weather?" },
///     { "type": "ai", "content": "", "tool_calls": [{ "id": "c1", "name": "weather", "args": {} }] },
///     { "type": "tool", "content": "Sunny.", "tool_call_id": "c1" },
/// ]))?;
/// assert_eq!(cuts.all(), [0, 1, 3]);
/// assert_eq!(cuts.cut(2), 1); // a cut at 2 would part the result from its call
/// # Ok::<(), threadfold::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct SafeCuts<V: Value> {
    track: Track,
    ids: V::Symbols,
}

/// Returns the safe cuts of a list of messages.
///
/// # Errors
/// `INVALID_ARGUMENT` if `messages` is not a list, `INVALID_MESSAGE` for an invalid
/// item.
pub fn safe_cuts<V: Value>(messages: &V) -> Result<SafeCuts<V>, Error> {
    let facts = Facts::of_all(messages)?;
    let mut cuts = SafeCuts::default();
    cuts.extend(&facts);
    Ok(cuts)
}

impl<V: Value> Default for SafeCuts<V> {
    fn default() -> Self {
        Self { track: Track::default(), ids: V::Symbols::default() }
    }
}

impl<V: Value> SafeCuts<V> {
    /// Returns the largest safe cut that keeps all messages from `target` on, and a call that waits
    /// for its result: 0 if it keeps all.
    ///
    /// No other cut that keeps all of these keeps fewer messages.
    #[must_use]
    pub fn cut(&self, target: usize) -> usize {
        self.track.cut(number(target)) as usize
    }

    /// Returns the smallest safe cut from `target` on that keeps a call that waits for its result.
    /// Use it when something has to go, and [`SafeCuts::cut`] keeps all.
    #[must_use]
    pub fn next_cut(&self, target: usize) -> Option<usize> {
        self.track.next_cut(number(target)).map(|cut| cut as usize)
    }

    /// Returns all safe cuts, in ascending order. 0 and the number of messages are always safe.
    #[must_use]
    pub fn all(&self) -> Vec<usize> {
        let mut cuts: Vec<usize> = self.track.cuts().map(|cut| cut as usize).collect();
        cuts.reverse();
        cuts
    }

    /// Returns the position of a message with a call that waits for its result: nothing follows it
    /// but results.
    #[must_use]
    pub fn pending(&self) -> Option<usize> {
        let pending = self.track.pending();
        (pending < self.track.len()).then_some(pending as usize)
    }

    pub(super) fn extend(&mut self, facts: &[Facts<V>]) {
        for one in facts {
            one.push_to(&mut self.track, &mut self.ids);
        }
    }

    pub(super) fn track(&self) -> &Track {
        &self.track
    }
}

/// A position; one past all of them is as good as any other.
fn number(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}
