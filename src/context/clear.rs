//! Clearing old tool results.

use std::collections::{HashMap, HashSet};

use super::call_fields::{
    calls, field, fields, id_of, is_ag_ui, is_kind, name, with_args, with_fields,
};
use super::record::Boundary;
use super::trim::Counter;
use crate::error::Error;
use crate::message::answered_call;
use crate::value::{Found, Kind, Value};

/// Which results [`clear_tool_uses`] clears, and when.
#[derive(Debug, Clone, Copy)]
pub struct ClearOptions<'a> {
    /// Clears when the messages have more tokens than this. Default 100,000.
    pub trigger: usize,
    /// Stops when this many tokens are cleared; 0, the default, clears all.
    pub clear_at_least: usize,
    /// Leaves this many of the last results. Default 3.
    pub keep: usize,
    /// Whether the arguments of the cleared results' calls are cleared, too.
    pub clear_tool_inputs: bool,
    /// The tools whose results stay.
    pub exclude_tools: &'a [&'a str],
    /// The text of a cleared result. Default `[cleared]`.
    pub placeholder: &'a str,
    /// Clears every result before this message, and counts nothing: `trigger`, `keep` and
    /// `clear_at_least` say when to move the boundary.
    pub edited_before: Option<&'a Boundary>,
}

impl Default for ClearOptions<'_> {
    fn default() -> Self {
        Self {
            trigger: 100_000,
            clear_at_least: 0,
            keep: 3,
            clear_tool_inputs: false,
            exclude_tools: &[],
            placeholder: "[cleared]",
            edited_before: None,
        }
    }
}

/// Returns the messages with old tool results cleared, by the rules of `LangChain`'s
/// `ClearToolUsesEdit`. A result is cleared if the nearest assistant message before it has its
/// call.
///
/// # Errors
/// `INVALID_ARGUMENT` if `messages` is not a list; the counter's own.
///
/// ```
/// use serde_json::json;
/// use threadfold::context::{ClearOptions, clear_tool_uses};
/// use threadfold::context::Counter;
///
/// let messages = json!([
///     { "type": "ai", "content": "", "tool_calls": [{ "name": "search", "args": {}, "id": "c1" }] },
///     { "type": "tool", "tool_call_id": "c1", "content": "a long text" },
/// ]);
/// let options = ClearOptions { trigger: 1, keep: 0, ..ClearOptions::default() };
/// let cleared = clear_tool_uses(&messages, options, Counter::Approximate)?;
/// assert_eq!(cleared[1]["content"], "[cleared]");
/// # Ok::<(), threadfold::Error>(())
/// ```
pub fn clear_tool_uses<V: Value + std::fmt::Display>(
    messages: &V,
    options: ClearOptions<'_>,
    counter: Counter<'_, V>,
) -> Result<V, Error> {
    if messages.kind() != Kind::Array {
        return Err(Error::value("messages", "a list of messages"));
    }
    let mut edit = Edit { messages: messages.items().map(Found::into_owned).collect(), counter };
    let results = || {
        let list = messages.items().enumerate();
        list.filter(|(_, message)| is_kind(&**message, "tool")).map(|(at, _)| at)
    };
    let (tokens, mut candidates) = if let Some(before) = options.edited_before {
        let before = before.position(messages);
        (0, results().take_while(|at| *at < before).collect::<Vec<_>>())
    } else {
        let tokens = edit.count_all()?;
        if tokens <= options.trigger {
            return Ok(messages.clone());
        }
        let mut all: Vec<_> = results().collect();
        all.truncate(all.len().saturating_sub(options.keep));
        (tokens, all)
    };
    let at_least = if options.edited_before.is_some() { 0 } else { options.clear_at_least };
    let mut now = tokens;
    let mut callers = None;
    let mut caller: Option<Caller> = None;
    let mut seen = 0;
    let mut changed = false;
    for at in candidates.drain(..) {
        for message in seen..at {
            if edit.messages.get(message).is_some_and(|message| is_kind(message, "ai")) {
                edit.clear_inputs(caller.as_mut(), callers.as_ref(), &mut now, false)?;
                caller = edit.messages.get(message).map(|asked| Caller::new(message, asked));
            }
        }
        seen = at;
        let (Some(caller), Some(result)) = (caller.as_mut(), edit.messages.get(at)) else {
            continue;
        };
        let Some(id) = clearable(result, &caller.names, &options) else { continue };
        let cleared = cleared_result(result.clone(), options.placeholder);
        changed = true;
        edit.replace(at, cleared, &mut now, at_least > 0)?;
        if options.clear_tool_inputs {
            let callers = callers.get_or_insert_with(|| Callers::of(&edit.messages));
            caller.cleared.push(id);
            // Where it is counted each time, or another message may be meant, one by one.
            if at_least > 0 || callers.equal(caller.at).len() > 1 {
                edit.clear_inputs(Some(caller), Some(callers), &mut now, at_least > 0)?;
            }
        }
        if at_least > 0 && tokens.saturating_sub(now) >= at_least {
            break;
        }
    }
    edit.clear_inputs(caller.as_mut(), callers.as_ref(), &mut now, false)?;
    Ok(if changed { V::array(edit.messages) } else { messages.clone() })
}

/// The assistant messages that may be equal to each other: the reference clears the first that is.
#[derive(Default)]
struct Callers {
    groups: Vec<Vec<usize>>,
    /// The group of each message.
    of: HashMap<usize, usize>,
}

impl Callers {
    /// Those with the same ids of their own and of their calls.
    fn of<V: Value>(messages: &[V]) -> Self {
        let (mut by_key, mut callers) = (HashMap::new(), Self::default());
        for (at, message) in messages.iter().enumerate() {
            if field(message).is_none() {
                continue;
            }
            let group = *by_key.entry(key(message)).or_insert(callers.groups.len());
            callers.groups.resize(callers.groups.len().max(group + 1), Vec::new());
            if let Some(group) = callers.groups.get_mut(group) {
                group.push(at);
            }
            callers.of.insert(at, group);
        }
        callers
    }

    fn equal(&self, at: usize) -> &[usize] {
        let group = self.of.get(&at).and_then(|group| self.groups.get(*group));
        group.map_or(&[], Vec::as_slice)
    }
}

/// The nearest assistant message.
struct Caller {
    at: usize,
    /// The names of its calls, by their ids.
    names: HashMap<String, Option<String>>,
    /// The calls whose arguments are cleared next.
    cleared: Vec<String>,
}

impl Caller {
    fn new<V: Value>(at: usize, asked: &V) -> Self {
        let mut names = HashMap::new();
        for call in calls(asked) {
            if let Some(id) = call.text_of("id") {
                // Of two calls with one id the first counts.
                names.entry(id).or_insert_with(|| name(&call));
            }
        }
        Self { at, names, cleared: Vec::new() }
    }
}

struct Edit<'a, V> {
    messages: Vec<V>,
    counter: Counter<'a, V>,
}

impl<V: Value> Edit<'_, V> {
    fn count_all(&mut self) -> Result<usize, Error> {
        let all: Vec<&V> = self.messages.iter().collect();
        self.counter.count(&all)
    }

    /// Replaces a message, and counts the new number of tokens if it is wanted.
    fn replace(&mut self, at: usize, by: V, tokens: &mut usize, count: bool) -> Result<(), Error> {
        let Some(own) = self.messages.get_mut(at) else { return Ok(()) };
        let old = std::mem::replace(own, by);
        if count {
            *tokens = if self.counter.adds_up() {
                (*tokens + self.counter.one(own)?).saturating_sub(self.counter.one(&old)?)
            } else {
                self.count_all()?
            };
        }
        Ok(())
    }
}

impl<V: Value + std::fmt::Display> Edit<'_, V> {
    /// Clears the arguments of the caller's calls that are to be cleared.
    fn clear_inputs(
        &mut self,
        caller: Option<&mut Caller>,
        callers: Option<&Callers>,
        tokens: &mut usize,
        count: bool,
    ) -> Result<(), Error> {
        let Some(caller) = caller.filter(|caller| !caller.cleared.is_empty()) else {
            return Ok(());
        };
        let Some(asked) = self.messages.get(caller.at).cloned() else { return Ok(()) };
        let same = callers.map_or(&[][..], |callers| callers.equal(caller.at));
        let first = same.iter().copied().find(|at| {
            *at == caller.at || self.messages.get(*at).is_some_and(|one| one.equals(&asked))
        });
        let cleared = cleared_input(asked, &std::mem::take(&mut caller.cleared));
        self.replace(first.unwrap_or(caller.at), cleared, tokens, count)
    }
}

/// Returns the id of the call, if its result may be cleared.
fn clearable<V: Value>(
    result: &V,
    names: &HashMap<String, Option<String>>,
    options: &ClearOptions<'_>,
) -> Option<String> {
    let fields = fields(result);
    let editing = fields.get(metadata_of(result)).and_then(|it| it.get_owned("context_editing"));
    if editing.and_then(|it| it.get_owned("cleared")).is_some_and(|it| is_true(&it)) {
        return None;
    }
    let id = answered_call(&fields)?.text()?.into_owned();
    let called = names.get(&id)?;
    let name = fields.text_of("name").filter(|name| !name.is_empty()).or_else(|| called.clone());
    let is_excluded = name.is_some_and(|name| options.exclude_tools.contains(&name.as_str()));
    (!is_excluded).then_some(id)
}

/// The field of a message that describes how it was edited.
fn metadata_of<V: Value>(message: &V) -> &'static str {
    if is_ag_ui(message) { "metadata" } else { "response_metadata" }
}

/// Whether a value is true by Python's rules.
fn is_true<V: Value>(value: &V) -> bool {
    let is = |json| V::parse_json(json).is_some_and(|it| it.equals(value));
    match value.kind() {
        Kind::Null => false,
        Kind::String => value.text().is_some_and(|text| !text.is_empty()),
        Kind::Array => !value.is_empty(),
        Kind::Object => !value.keys().is_empty(),
        Kind::Other => !is("false") && !is("0"),
    }
}

fn cleared_result<V: Value>(result: V, placeholder: &str) -> V {
    let mark = |editing: V| {
        let strategy = V::string("clear_tool_uses");
        let cleared = V::parse_json("true").unwrap_or_else(V::null);
        editing.with("cleared", cleared).with("strategy", strategy)
    };
    let key = metadata_of(&result);
    with_fields(result, |result| {
        let result = result.with("content", V::string(placeholder));
        let result = if result.get("artifact").is_some() {
            result.with("artifact", V::null())
        } else {
            result
        };
        marked(result, key, |_| mark(V::object()))
    })
}

/// Returns fields with what their metadata says of editing made anew.
fn marked<V: Value>(fields: V, key: &str, mark: impl FnOnce(V) -> V) -> V {
    let object = |value: Option<V>| {
        value.filter(|value| value.kind() == Kind::Object).unwrap_or_else(V::object)
    };
    let metadata = object(fields.get_owned(key));
    let editing = mark(object(metadata.get_owned("context_editing")));
    fields.with(key, metadata.with("context_editing", editing))
}

fn cleared_input<V: Value + std::fmt::Display>(asked: V, cleared: &[String]) -> V {
    let Some(key) = field(&asked) else { return asked };
    let gone: HashSet<&str> = cleared.iter().map(String::as_str).collect();
    let calls = calls(&asked).into_iter().map(|call| {
        let is_gone = call.text_of("id").is_some_and(|id| gone.contains(id.as_str()));
        if is_gone { with_args(call, V::object()) } else { call }
    });
    let calls = V::array(calls.collect::<Vec<_>>());
    let metadata = metadata_of(&asked);
    let mark = |editing: V| {
        let known = editing.get_owned("cleared_tool_inputs").unwrap_or_else(V::null);
        let mut ids: Vec<String> =
            known.items().filter_map(|id| id.text().map(std::borrow::Cow::into_owned)).collect();
        ids.extend_from_slice(cleared);
        ids.sort();
        ids.dedup();
        editing.with("cleared_tool_inputs", V::array(ids.iter().map(|id| V::string(id))))
    };
    with_fields(asked, |asked| marked(asked.with(key, calls), metadata, mark))
}

fn key<V: Value>(message: &V) -> String {
    let ids = calls(message).into_iter().filter_map(|call| call.text_of("id"));
    let own = id_of(message).unwrap_or_default();
    std::iter::once(own).chain(ids).collect::<Vec<_>>().join("\n")
}
