//! Clearing old tool results.

use std::collections::HashMap;

use super::before::EditedBefore;
use super::call_fields::{calls, field, is_ag_ui, name, with_args};
use super::trim::Counter;
use crate::error::Error;
use crate::message::{answered_call, is_kind};
use crate::value::{Found, Kind, Value};

/// What [`clear_tool_uses`] clears, and when.
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
    /// What a cleared result says. Default `[cleared]`.
    pub placeholder: &'a str,
    /// Clears every result before this message, and counts nothing: `trigger`, `keep` and
    /// `clear_at_least` say when to move the boundary.
    pub edited_before: Option<EditedBefore<'a>>,
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
/// `ClearToolUsesEdit`: a result is cleared if the nearest assistant message before it has its call.
///
/// # Errors
/// [`Error::InvalidValue`] if `messages` is no list; the counter's own.
///
/// ```
/// use serde_json::json;
/// use threadfold::context::clear::{ClearOptions, clear_tool_uses};
/// use threadfold::context::trim::Counter;
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
    let mut first_of = None;
    let mut nearest: Option<usize> = None;
    let mut seen = 0;
    let mut changed = false;
    for at in candidates.drain(..) {
        for message in seen..at {
            let is_ai = edit.messages.get(message).is_some_and(|message| is_kind(message, "ai"));
            nearest = if is_ai { Some(message) } else { nearest };
        }
        seen = at;
        let (Some(caller), Some(result)) = (nearest, edit.messages.get(at)) else { continue };
        let Some(asked) = edit.messages.get(caller) else { continue };
        let Some(id) = clearable(result, asked, &options) else { continue };
        let cleared = cleared_result(result.clone(), options.placeholder);
        changed = true;
        now = edit.replace(at, cleared, now, at_least > 0)?;
        if options.clear_tool_inputs
            && let Some(asked) = edit.messages.get(caller).cloned()
        {
            let first_of = first_of.get_or_insert_with(|| callers(&edit.messages));
            let same = first_of.get(&key(&asked)).into_iter().flatten();
            let first = same.copied().find(|at| {
                *at == caller || edit.messages.get(*at).is_some_and(|one| one.equals(&asked))
            });
            let cleared = cleared_input(asked, &id);
            now = edit.replace(first.unwrap_or(caller), cleared, now, at_least > 0)?;
        }
        if at_least > 0 && tokens.saturating_sub(now) >= at_least {
            break;
        }
    }
    Ok(if changed { V::array(edit.messages) } else { messages.clone() })
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

    /// Replaces a message, and returns the new number of tokens if it is wanted.
    fn replace(&mut self, at: usize, by: V, tokens: usize, count: bool) -> Result<usize, Error> {
        let Some(own) = self.messages.get_mut(at) else { return Ok(tokens) };
        let old = std::mem::replace(own, by);
        if !count {
            return Ok(tokens);
        }
        if !self.counter.adds_up() {
            return self.count_all();
        }
        Ok((tokens + self.counter.one(own)?).saturating_sub(self.counter.one(&old)?))
    }
}

/// Returns the id of the call, if its result may be cleared.
fn clearable<V: Value>(result: &V, asked: &V, options: &ClearOptions<'_>) -> Option<String> {
    let metadata = if is_ag_ui(result) { "metadata" } else { "response_metadata" };
    let editing = result.get(metadata).and_then(|it| it.get_owned("context_editing"));
    if editing.and_then(|it| it.get_owned("cleared")).is_some_and(|it| is_true(&it)) {
        return None;
    }
    let id = answered_call(result)?.text()?.into_owned();
    let call = calls(asked).into_iter().find(|call| call.text_of("id").as_ref() == Some(&id))?;
    let name = result.text_of("name").filter(|name| !name.is_empty()).or_else(|| name(&call));
    let is_excluded = name.is_some_and(|name| options.exclude_tools.contains(&name.as_str()));
    (!is_excluded).then_some(id)
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
    let result = result.with("content", V::string(placeholder));
    let result =
        if result.get("artifact").is_some() { result.with("artifact", V::null()) } else { result };
    marked(result, |_| mark(V::object()))
}

/// Returns the message with what its metadata says of editing made anew.
fn marked<V: Value>(message: V, mark: impl FnOnce(V) -> V) -> V {
    let key = if is_ag_ui(&message) { "metadata" } else { "response_metadata" };
    let object = |value: Option<V>| {
        value.filter(|value| value.kind() == Kind::Object).unwrap_or_else(V::object)
    };
    let metadata = object(message.get_owned(key));
    let editing = mark(object(metadata.get_owned("context_editing")));
    message.with(key, metadata.with("context_editing", editing))
}

fn cleared_input<V: Value + std::fmt::Display>(asked: V, id: &str) -> V {
    let Some(key) = field(&asked) else { return asked };
    let calls = calls(&asked).into_iter().map(|call| {
        if call.text_of("id").as_deref() == Some(id) { with_args(call, V::object()) } else { call }
    });
    let calls = V::array(calls.collect::<Vec<_>>());
    marked(asked.with(key, calls), |editing| {
        let known = editing.get_owned("cleared_tool_inputs").unwrap_or_else(V::null);
        let mut ids: Vec<String> =
            known.items().filter_map(|id| id.text().map(std::borrow::Cow::into_owned)).collect();
        ids.push(id.to_owned());
        ids.sort();
        ids.dedup();
        editing.with("cleared_tool_inputs", V::array(ids.iter().map(|id| V::string(id))))
    })
}

/// The assistant messages by what equal ones have in common: the reference clears the first that
/// is equal.
fn callers<V: Value>(messages: &[V]) -> HashMap<String, Vec<usize>> {
    let mut callers: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, message) in messages.iter().enumerate() {
        if field(message).is_some() {
            callers.entry(key(message)).or_default().push(at);
        }
    }
    callers
}

fn key<V: Value>(message: &V) -> String {
    let ids = calls(message).into_iter().filter_map(|call| call.text_of("id"));
    let own = message.text_of("id").unwrap_or_default();
    std::iter::once(own).chain(ids).collect::<Vec<_>>().join("\n")
}
