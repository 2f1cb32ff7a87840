//! The tool calls of a message in parts, read from the arguments so far.

use std::collections::HashMap;

#[cfg(test)]
mod tests;

use super::merge::Places;
use super::partial_json::PartialJson;
use crate::value::{Json, Value};

/// The readers of a message's tool call chunks, by their positions.
#[derive(Debug, Default)]
pub(super) struct ToolCalls {
    readers: Vec<Option<Reader>>,
    /// Positions of the chunks, and of the blocks of the content.
    pub places: Places,
    pub blocks: Places,
    /// The last list whose chunks make one tool call each, and those calls: a part touches few.
    own: Option<[Json; 2]>,
}

/// The arguments of one chunk.
#[derive(Debug)]
struct Reader {
    /// The joined chunk that they were read for last.
    of: Json,
    json: PartialJson,
    /// The call made of it.
    call: Json,
}

impl ToolCalls {
    /// Gives a joined chunk the arguments of the one before it.
    pub(super) fn read_on(&mut self, was: &Json, part: &Json, joined: &Json, at: usize) {
        if let Some(Some(reader)) = self.readers.get_mut(at)
            && reader.of.same(was)
        {
            reader.json.add(text_of(part));
            reader.of = joined.clone();
            reader.call = Json::NULL;
        }
    }

    /// Returns the tool calls of these chunks, and the invalid ones. Lists that did not change are the
    /// ones of the message before.
    pub(super) fn read(&mut self, chunks: &Json, before: &Json) -> (Json, Json) {
        let (mut calls, mut invalid) = (Vec::new(), Vec::new());
        self.own = None;
        for group in groups_of(chunks) {
            let call = match group.as_slice() {
                [(at, chunk)] => self.call_at(*at, chunk),
                many => {
                    let mut json = PartialJson::default();
                    for (_, chunk) in many {
                        json.add(text_of(chunk));
                    }
                    call_of(many, &json)
                }
            };
            let is_valid = call["type"].as_str() == Some("tool_call");
            if is_valid { calls.push(call) } else { invalid.push(call) }
        }
        let calls = unless_same(calls, &before["tool_calls"]);
        if calls.len() == chunks.len() && chunks.iter().all(|chunk| is_own(chunk, &chunks[0])) {
            self.own = Some([chunks.clone(), calls.clone()]);
        }
        (calls, unless_same(invalid, &before["invalid_tool_calls"]))
    }

    /// Returns what [`read`](Self::read) does if only these chunks and those after the left ones are new;
    /// `None` if it takes more.
    pub(super) fn read_touched(
        &mut self,
        left: &Json,
        chunks: &Json,
        touched: &[usize],
        before: &Json,
    ) -> Option<(Json, Json)> {
        let [known, mut calls] = self.own.take()?;
        let invalid = &before["invalid_tool_calls"];
        if !known.same(left) || !calls.same(&before["tool_calls"]) || !invalid.is_empty() {
            return None;
        }
        let touched = touched.iter().copied().filter(|at| *at < left.len());
        for at in touched.chain(left.len()..chunks.len()) {
            let chunk = &chunks[at];
            if at >= left.len() && !is_own(chunk, &chunks[0]) {
                return None;
            }
            let call = self.call_at(at, chunk);
            if call["type"].as_str() != Some("tool_call") {
                return None;
            }
            if !calls[at].same(&call) {
                calls = calls.splice(at, 1, Some(call));
            }
        }
        self.own = Some([chunks.clone(), calls.clone()]);
        Some((calls, invalid.clone()))
    }

    fn call_at(&mut self, at: usize, chunk: &Json) -> Json {
        if self.readers.len() <= at {
            self.readers.resize_with(at + 1, || None);
        }
        let Some(place) = self.readers.get_mut(at) else { return Json::NULL };
        if !place.as_ref().is_some_and(|reader| reader.of.same(chunk)) {
            let json = PartialJson::of(text_of(chunk));
            *place = Some(Reader { of: chunk.clone(), json, call: Json::NULL });
        }
        let Some(reader) = place else { return Json::NULL };
        if reader.call.is_null() {
            reader.call = call_of(&[(at, chunk)], &reader.json);
        }
        reader.call.clone()
    }
}

/// Whether a chunk that was not joined continues no other chunk of such a list. Its index distinguishes it
/// from the others, or its id if none of them has an index.
fn is_own(chunk: &Json, like: &Json) -> bool {
    let is_id = chunk["id"].as_str().is_some_and(|id| !id.is_empty());
    let is_numbered = |chunk: &Json| chunk["index"].as_number().is_some();
    let is_named = |chunk: &Json| chunk["index"].is_null() && is_id;
    let is_like =
        is_numbered(chunk) && is_numbered(like) || is_named(chunk) && like["index"].is_null();
    let kind = &chunk["type"];
    is_like && (kind.is_null() || kind.as_str() == Some("tool_call_chunk"))
}

/// Groups chunks by their call: almost always one each, since joining has done it already.
fn groups_of(chunks: &Json) -> Vec<Vec<(usize, &Json)>> {
    let mut groups: Vec<Vec<(usize, &Json)>> = Vec::new();
    let mut by_key: HashMap<String, Vec<usize>> = HashMap::new();
    let is_dict = |chunk: &&Json| super::merge::is_dict(chunk);
    for (at, chunk) in chunks.iter().filter(is_dict).enumerate() {
        let index = chunk.get("index");
        let id = chunk["id"].as_str().filter(|id| !id.is_empty());
        let index_key = index.map(|index| format!("index {index}"));
        let id_key = id.map(|id| format!("id {id}"));
        let key = index_key.clone().or_else(|| id_key.clone());
        let candidates = key.and_then(|key| by_key.get(&key)).into_iter().flatten();
        let continues = |group: &&usize| {
            let first = groups.get(**group).and_then(|group| group.first());
            id.is_none() || first.is_some_and(|(_, first)| first["id"].as_str() == id)
        };
        let found = candidates.copied().collect::<Vec<_>>();
        let found = found.iter().find(continues).copied();
        if let Some(group) = found.and_then(|found| groups.get_mut(found)) {
            group.push((at, chunk));
            continue;
        }
        for key in index_key.into_iter().chain(id_key) {
            by_key.entry(key).or_default().push(groups.len());
        }
        groups.push(vec![(at, chunk)]);
    }
    groups
}

fn call_of(group: &[(usize, &Json)], json: &PartialJson) -> Json {
    let Some((_, first)) = group.first() else { return Json::NULL };
    let name = match &first["name"] {
        name if name.is_null() => "".into(),
        name => name.clone(),
    };
    let is_id = |id: &&Json| id.as_str().is_some_and(|id| !id.is_empty());
    let id = group.iter().map(|(_, chunk)| &chunk["id"]).find(is_id);
    let raw = group.iter().any(|(_, chunk)| chunk["isCustomTool"].as_bool() == Some(true));
    let whole = || group.iter().map(|(_, chunk)| text_of(chunk)).collect::<String>();
    let call = |args: Json, id: &Json| {
        let kind = ("type", "tool_call".into());
        Json::from([("name", name.clone()), ("args", args), ("id", id.clone()), kind])
    };
    if let Some(id) = id {
        if raw {
            return call(Json::from([("input", whole().into())]), id);
        }
        if let Some(object) = json.object() {
            return call(object, id);
        }
    }
    let text = if raw { whole() } else { json.text().to_owned() };
    let args = if text.is_empty() { "{}".to_owned() } else { text };
    let invalid = Json::from([
        ("name", name.clone()),
        ("args", args.into()),
        ("error", "Malformed args.".into()),
        ("type", "invalid_tool_call".into()),
    ]);
    match id.or_else(|| first.get("id")) {
        Some(id) => invalid.with("id", id.clone()),
        None => invalid,
    }
}

fn text_of(chunk: &Json) -> &str {
    chunk["args"].as_str().unwrap_or_default()
}

fn unless_same(now: Vec<Json>, before: &Json) -> Json {
    let is_same =
        before.len() == now.len() && before.iter().zip(&now).all(|(own, it)| own.same(it));
    if is_same && super::merge::is_list(before) { before.clone() } else { now.into() }
}
