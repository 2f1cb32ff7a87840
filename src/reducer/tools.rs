//! `merge_tools`: tool definitions, one of a name.

use crate::error::Error;
use crate::value::{Join, Kind, Plan, Value};

/// Which definition of a tool stays when two have one name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Prefer {
    /// The first, as `langgraph_default_merge_state` does.
    #[default]
    First,
    /// The last, in the first one's place.
    Last,
}

/// The tools of `left` and then those of `right`, one of each `name`; tools without a name are
/// all kept. Null counts as an empty list.
///
/// # Errors
/// [`Error::InvalidValue`] when a side is neither a list nor null.
///
/// ```
/// use serde_json::json;
/// use threadfold::{merge_tools, Prefer};
///
/// let left = json!([{ "name": "search", "description": "old" }]);
/// let right = json!([{ "name": "search", "description": "new" }, { "name": "plan" }]);
/// let tools = merge_tools(left, right, Prefer::Last)?;
/// assert_eq!(tools, json!([{ "name": "search", "description": "new" }, { "name": "plan" }]));
/// # Ok::<(), threadfold::Error>(())
/// ```
pub fn merge_tools<V: Value>(left: V, right: V, prefer: Prefer) -> Result<V, Error> {
    let left = list(left, "left")?;
    let right = list(right, "right")?;
    let split = u32::try_from(left.len()).unwrap_or(u32::MAX);
    let count = split.saturating_add(u32::try_from(right.len()).unwrap_or(u32::MAX));
    // Both lists as one: a tool may be there twice within either.
    let appended = (0..count - split).collect();
    let all = V::assemble(left.clone(), right, &Plan { appended, ..Plan::default() }, false);
    // An empty name is none: which number does it have, if it is there?
    let nameless = V::array([V::object().with("name", V::string(""))]);
    let Join { left: empty, right: numbers } = V::join(&nameless, &all, "name");
    let empty = empty.first().map_or(Join::NONE, |[_, number]| *number);

    let mut places: Vec<(u32, u32)> = Vec::new();
    let mut seen = Vec::new();
    for (position, number) in (0..).zip(numbers) {
        let named = number != Join::NONE && number != empty;
        if !named {
            places.push((position, position));
        } else if let Some(place) = seen.get(number as usize).copied().flatten() {
            if let (Prefer::Last, Some(place)) = (prefer, places.get_mut::<usize>(place)) {
                place.1 = position;
            }
        } else {
            seen.resize(seen.len().max(number as usize + 1), None);
            if let Some(slot) = seen.get_mut(number as usize) {
                *slot = Some(places.len());
            }
            places.push((position, position));
        }
    }
    if unchanged(&places, split) {
        return Ok(left);
    }
    let appended = places.into_iter().map(|(_, position)| position).collect();
    Ok(V::assemble(V::array([]), all, &Plan { appended, ..Plan::default() }, false))
}

/// Whether the places hold just the left list.
fn unchanged(places: &[(u32, u32)], left: u32) -> bool {
    places.len() == left as usize && (0..left).eq(places.iter().map(|(_, position)| *position))
}

pub(crate) fn list<V: Value>(value: V, what: &str) -> Result<V, Error> {
    match value.kind() {
        Kind::Array => Ok(value),
        Kind::Null => Ok(V::array([])),
        _ => Err(Error::value(what, "a list")),
    }
}
