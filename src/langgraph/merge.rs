//! Merges two values of message chunks, like `_mergeDicts` and its relatives in `@langchain/core`. A
//! value that the chunk does not change stays the same.

use std::collections::HashMap;
use std::mem;

use crate::value::{Bulk, DEEPEST, Json, Kind, Value};

/// Why a field of a chunk does not merge.
pub(super) enum Misfit {
    TypeChanged(String),
    TooDeep(String),
}

type Merged = Result<Json, Misfit>;

/// Keys whose later text or number does not add to the earlier one.
const KEPT: [&str; 4] = ["type", "index", "created", "timestamp"];
/// Keys whose later text, if there is any, replaces the earlier one.
const REPLACED: [&str; 4] = ["id", "name", "output_version", "model_provider"];

pub(super) fn is_dict(value: &Json) -> bool {
    value.kind() == Kind::Object
}

pub(super) fn is_list(value: &Json) -> bool {
    value.kind() == Kind::Array
}

/// Whether a value is null, or a list or an object without items.
pub(super) fn is_empty(value: &Json) -> bool {
    match value.kind() {
        Kind::Null => true,
        Kind::Array => value.is_empty(),
        Kind::Object => value.entries().next().is_none(),
        _ => false,
    }
}

/// Merges two dicts.
pub(super) fn merge_dicts(left: &Json, right: &Json) -> Merged {
    dicts(left, right, 1)
}

fn dicts(left: &Json, right: &Json, depth: u32) -> Merged {
    let mut merged = left.clone();
    for (key, value) in right.entries() {
        let was = left.get(key);
        let value = match was {
            Some(was) => merge_field(key, was, value, depth)?,
            None => value.clone(),
        };
        if !was.is_some_and(|was| was.same(&value)) {
            merged = merged.with(key, value);
        }
    }
    Ok(merged)
}

fn merge_field(key: &str, left: &Json, right: &Json, depth: u32) -> Merged {
    if left.is_null() {
        return Ok(right.clone());
    }
    if right.is_null() {
        return Ok(left.clone());
    }
    let keeps = KEPT.contains(&key);
    if let (Some(own), Some(text)) = (left.as_str(), right.as_str()) {
        return Ok(match () {
            () if REPLACED.contains(&key) && !text.is_empty() => right.clone(),
            () if REPLACED.contains(&key) || keeps => left.clone(),
            () if own.is_empty() => right.clone(),
            () => left.clone().concat(right),
        });
    }
    if left.as_number().is_some() && right.as_number().is_some() {
        return Ok(if keeps && key != "type" { left.clone() } else { sum(left, right) });
    }
    match (left.kind(), right.kind()) {
        (Kind::Array, Kind::Array) | (Kind::Object, Kind::Object) if depth >= DEEPEST => {
            Err(Misfit::TooDeep(key.to_owned()))
        }
        (Kind::Array, Kind::Array) => lists(left, right, depth + 1, None, &mut |_, _, _, _| {}),
        (Kind::Object, Kind::Object) => dicts(left, right, depth + 1),
        _ if left.as_bool().is_some() && right.as_bool().is_some() => Ok(left.clone()),
        _ => Err(Misfit::TypeChanged(key.to_owned())),
    }
}

/// Adds two numbers; another value counts as zero.
fn sum(left: &Json, right: &Json) -> Json {
    let whole = |value: &Json| match value.as_number() {
        Some(number) => number.as_i64(),
        None => Some(0),
    };
    let float =
        |value: &Json| value.as_number().and_then(serde_json::Number::as_f64).unwrap_or(0.0);
    let sum = whole(left).zip(whole(right)).and_then(|(left, right)| left.checked_add(right));
    sum.map_or_else(|| (float(left) + float(right)).into(), Json::from)
}

/// Merges two lists: items with one `index`, or with one id if neither has an index, become one.
/// `joined` is called with an item before, the part, the item after and its position.
pub(super) fn merge_lists(
    left: &Json,
    right: &Json,
    places: &mut Places,
    joined: &mut dyn FnMut(&Json, &Json, &Json, usize),
) -> Merged {
    let mut own = places.taken(left);
    let merged = lists(left, right, 1, own.as_mut(), joined)?;
    if let Some(own) = own {
        *places = Places { of: merged.clone(), ..own };
    }
    Ok(merged)
}

fn lists(
    left: &Json,
    right: &Json,
    depth: u32,
    mut places: Option<&mut Places>,
    joined: &mut dyn FnMut(&Json, &Json, &Json, usize),
) -> Merged {
    let mut merged = left.clone();
    for item in right {
        match target_of(&merged, item, places.as_deref()) {
            Some((at, was)) => {
                let value = dicts(&was, item, depth + 1)?;
                if !value.same(&was) {
                    joined(&was, item, &value, at);
                    merged = merged.splice(at, 1, Some(value));
                }
            }
            None if item["text"].as_str() == Some("") => {}
            None => {
                let end = merged.len();
                if let Some(places) = &mut places {
                    places.add(item, end);
                }
                merged = merged.splice(end, 0, Some(item.clone()));
            }
        }
    }
    Ok(merged)
}

/// The positions of a list's items by index, or by id without one: no part searches a long list.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// The list that they were read for last.
    of: Json,
    by_key: HashMap<Key, Vec<usize>>,
}

/// An index, or an id without one. Values that are the same have one key.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Key {
    Text(bool, String),
    Other(bool),
}

impl Key {
    fn of(item: &Json) -> Option<Self> {
        let indexed = has_index(item);
        if !is_dict(item) || (!indexed && !has_id(item)) {
            return None;
        }
        let value = &item[if indexed { "index" } else { "id" }];
        // Zero is zero, whatever its sign.
        let number = || Some((value.as_number()?.as_f64()? + 0.0).to_string());
        let text = value.as_str().map(str::to_owned).or_else(number);
        // A number that is an id grows where it is merged.
        let text = text.filter(|_| indexed || value.as_number().is_none());
        Some(text.map_or(Self::Other(indexed), |text| Self::Text(indexed, text)))
    }
}

impl Places {
    /// Takes those of a list, if it is long.
    fn taken(&mut self, list: &Json) -> Option<Self> {
        const FEW: usize = 8;
        let known = mem::take(self);
        if list.len() <= FEW {
            return None;
        }
        if known.of.same(list) {
            return Some(known);
        }
        let mut made = Self::default();
        list.iter().enumerate().for_each(|(at, item)| made.add(item, at));
        Some(made)
    }

    fn add(&mut self, item: &Json, at: usize) {
        if let Some(key) = Key::of(item) {
            self.by_key.entry(key).or_default().push(at);
        }
    }
}

/// Returns the first item that a part continues, and its position.
fn target_of(items: &Json, part: &Json, places: Option<&Places>) -> Option<(usize, Json)> {
    let indexed = has_index(part);
    if !is_dict(part) || (!indexed && !has_id(part)) {
        return None;
    }
    let joins = |other: &Json| {
        if !is_dict(other) || has_index(other) != indexed {
            return false;
        }
        let same_id = other["id"].same(&part["id"]);
        if !indexed {
            return has_id(other) && same_id;
        }
        let same = other["index"].same(&part["index"]) && !differ_in_type(other, part);
        same && (!(has_id(other) && has_id(part)) || same_id)
    };
    let at = match places {
        Some(places) => {
            let mut known = places.by_key.get(&Key::of(part)?)?.iter().copied();
            known.find(|at| joins(&items[*at]))?
        }
        None => items.iter().position(joins)?,
    };
    Some((at, items[at].clone()))
}

fn has_index(item: &Json) -> bool {
    let index = &item["index"];
    index.as_number().is_some() || index.as_str().is_some()
}

fn has_id(item: &Json) -> bool {
    let id = &item["id"];
    !id.is_null() && id.as_str() != Some("")
}

fn differ_in_type(one: &Json, other: &Json) -> bool {
    let whole = |item: &Json| {
        let name = item["type"].as_str()?;
        Some(name.strip_suffix("_delta").unwrap_or(name).to_owned())
    };
    whole(one).zip(whole(other)).is_some_and(|(one, other)| one != other)
}

/// Merges two contents: text or blocks.
pub(super) fn merge_content(left: &Json, right: &Json, places: &mut Places) -> Merged {
    let text_block = |text: &Json| Json::from([("type", "text".into()), ("text", text.clone())]);
    if let Some(own) = left.as_str() {
        if own.is_empty() {
            return Ok(right.clone());
        }
        if right.as_str().is_some() {
            return Ok(left.clone().concat(right));
        }
        let blocks = blocks_of(right);
        if blocks.is_empty() {
            return Ok(left.clone());
        }
        let mut first = text_block(left);
        if blocks.iter().any(is_data) {
            first = first.with("source_type", "text".into());
        }
        return Ok(std::iter::once(first).chain(blocks).collect());
    }
    if is_list(right) {
        let own = if is_list(left) { left.clone() } else { blocks_of(left).into() };
        return merge_lists(&own, right, places, &mut |_, _, _, _| {});
    }
    if right.as_str() == Some("") {
        return Ok(left.clone());
    }
    let blocks = blocks_of(left);
    let last = if blocks.iter().any(is_data) {
        text_block(right).with("type", "file".into()).with("source_type", "text".into())
    } else {
        text_block(right)
    };
    Ok(blocks.into_iter().chain([last]).collect())
}

fn blocks_of(content: &Json) -> Vec<Json> {
    match content.kind() {
        Kind::Array => content.iter().cloned().collect(),
        Kind::Null => Vec::new(),
        _ if content.as_str() == Some("") => Vec::new(),
        _ => vec![content.clone()],
    }
}

/// Whether a block is data in the form that LangChain had before its version 1.
fn is_data(block: &Json) -> bool {
    let source = block["source_type"].as_str().unwrap_or_default();
    block["type"].as_str().is_some() && ["url", "base64", "text", "id"].contains(&source)
}

/// Sums the usage of two parts. Null counts as absent.
pub(super) fn merge_usage(left: &Json, right: &Json) -> Json {
    const INPUT: [&str; 7] =
        ["audio", "image", "video", "document", "text", "cache_read", "cache_creation"];
    const OUTPUT: [&str; 6] = ["audio", "image", "video", "document", "text", "reasoning"];
    if !is_dict(left) && !is_dict(right) {
        return if left.is_null() { right.clone() } else { left.clone() };
    }
    let has_details =
        is_dict(&left["input_token_details"]) && is_dict(&left["output_token_details"]);
    if !is_dict(right) && has_details {
        return left.clone();
    }
    let details = |key: &str, kinds: &[&'static str]| -> Json {
        let (one, other) = (&left[key], &right[key]);
        let named = kinds.iter().filter(|kind| !one[**kind].is_null() || !other[**kind].is_null());
        named.map(|kind| (*kind, sum(&one[*kind], &other[*kind]))).collect()
    };
    let total = |key: &'static str| (key, sum(&left[key], &right[key]));
    Json::from([
        total("input_tokens"),
        total("output_tokens"),
        total("total_tokens"),
        ("input_token_details", details("input_token_details", &INPUT)),
        ("output_token_details", details("output_token_details", &OUTPUT)),
    ])
}
