//! `merge_tools`: tool definitions, one for each name.

use crate::error::Error;
use crate::value::{ByNumber, Join, Kind, Plan, Value};

/// Which definition stays when two tools have one name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Prefer {
    /// The first, as `langgraph_default_merge_state` does.
    #[default]
    First,
    /// The last, in the place of the first.
    Last,
}

/// Joins two lists of tools, one for each `name`, those of `left` first; keeps all tools without a
/// name. Null counts as an empty list.
///
/// # Errors
/// `INVALID_ARGUMENT` when a side is neither a list nor null.
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
    let length = |list: &V| u32::try_from(list.len()).unwrap_or(u32::MAX);
    let (split, added) = (length(&left), length(&right));
    // Joins the lists first: either may hold a tool twice.
    let appended = (0..added).collect();
    let all = V::assemble(left.clone(), right, &Plan { appended, ..Plan::default() }, false);
    // An empty name counts as none: look up its number.
    let nameless = V::array([V::object().with("name", V::string(""))]);
    let Join { left: empty, right: numbers } = V::join(&nameless, &all, "name");
    let empty = empty.first().map_or(Join::NONE, |[_, number]| *number);

    // The positions that stay; by a name's number, its place among them.
    let mut appended = Vec::new();
    let mut places = ByNumber::default();
    for (position, number) in (0..).zip(numbers) {
        let known = if number == empty { None } else { places.get(number) };
        let Some(place) = known else {
            places.insert(number, u32::try_from(appended.len()).unwrap_or(Join::NONE));
            appended.push(position);
            continue;
        };
        if let (Prefer::Last, Some(slot)) = (prefer, appended.get_mut(place as usize)) {
            *slot = position;
        }
    }
    // Just the left list.
    if (0..split).eq(appended.iter().copied()) {
        return Ok(left);
    }
    Ok(V::assemble(V::array([]), all, &Plan { appended, ..Plan::default() }, false))
}

pub(crate) fn list<V: Value>(value: V, what: &str) -> Result<V, Error> {
    match value.kind() {
        Kind::Array => Ok(value),
        Kind::Null => Ok(V::array([])),
        _ => Err(Error::value(what, "a list")),
    }
}
