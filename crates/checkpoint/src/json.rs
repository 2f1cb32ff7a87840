//! JSON as it is kept: no deeper than it can be read again.

use serde::Serialize;
use threadfold::graph::BoxError;

/// How deep `serde_json` reads lists and objects in one another.
const DEEPEST: usize = 127;

/// Returns a value's JSON.
///
/// # Errors
/// A value that is nested too deeply to be read again: a thread that had it could never be opened.
pub(crate) fn written(value: &impl Serialize) -> Result<Vec<u8>, BoxError> {
    let json = serde_json::to_vec(value)?;
    match depth(&json) {
        ..=DEEPEST => Ok(json),
        depth => Err(format!(
            "The state is nested {depth} deep with its checkpoint, and {DEEPEST} can be read again."
        )
        .into()),
    }
}

fn depth(json: &[u8]) -> usize {
    let (mut depth, mut deepest, mut quoted): (usize, usize, bool) = (0, 0, false);
    let mut bytes = json.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => quoted = !quoted,
            b'\\' => _ = bytes.next(),
            b'[' | b'{' if !quoted => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}
