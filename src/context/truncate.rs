//! Truncating long arguments of old tool calls.

use std::fmt;

use super::call_fields::{args, calls, field, name, with_args, with_fields};
use super::policy::Size;
use super::record::Boundary;
use super::trim::Counter;
use crate::error::Error;
use crate::value::{Found, Kind, Value};

/// Which arguments [`truncate_tool_args`] truncates, and when. The defaults are deepagents', except
/// that its trigger depends on the model.
#[derive(Debug, Clone, Copy)]
pub struct TruncateOptions<'a> {
    /// Truncates when the context has this size; never, if `None`. Default 20 messages.
    pub trigger: Option<Size>,
    /// The newest messages that stay as they are. Default 20 messages.
    pub keep: Size,
    /// The total for a [`Size::fraction`].
    pub max_input_tokens: Option<usize>,
    /// The tools whose calls are truncated. Default `write_file` and `edit_file`.
    pub tools: &'a [&'a str],
    /// The most characters of an argument. Default 2,000.
    pub max_length: usize,
    /// The text after the first twenty characters. Default `...(argument truncated)`.
    pub truncation_text: &'a str,
    /// Truncates every call before this message, and counts nothing: `trigger` and `keep` say when
    /// to move the boundary.
    pub edited_before: Option<&'a Boundary>,
}

impl Default for TruncateOptions<'_> {
    fn default() -> Self {
        Self {
            trigger: Some(Size::messages(20)),
            keep: Size::messages(20),
            max_input_tokens: None,
            tools: &["write_file", "edit_file"],
            max_length: 2000,
            truncation_text: "...(argument truncated)",
            edited_before: None,
        }
    }
}

/// How much of a truncated argument stays.
const HEAD: usize = 20;

/// Returns the messages with long text arguments of old tool calls truncated, by deepagents' rules.
///
/// `tokens` is the size of the whole request, with the system message and tools. If `None`, the
/// messages' own size is used, and counted only if needed.
///
/// # Errors
/// `INVALID_ARGUMENT` if `messages` is not a list; the counter's own.
///
/// ```
/// use serde_json::json;
/// use threadfold::context::Counter;
/// use threadfold::context::{Size, TruncateOptions, truncate_tool_args};
///
/// let call = json!({ "name": "write_file", "args": { "path": "/a", "text": "x".repeat(9000) }, "id": "c1" });
/// let messages = json!([
///     { "type": "ai", "content": "", "tool_calls": [call] },
///     { "type": "tool", "tool_call_id": "c1", "content": "ok" },
/// ]);
/// let options = TruncateOptions {
///     trigger: Some(Size::messages(2)),
///     keep: Size::messages(1),
///     ..TruncateOptions::default()
/// };
/// let short = truncate_tool_args(&messages, options, None, Counter::Approximate)?;
/// let text = &short[0]["tool_calls"][0]["args"]["text"];
/// assert_eq!(text, "xxxxxxxxxxxxxxxxxxxx...(argument truncated)");
/// # Ok::<(), threadfold::Error>(())
/// ```
pub fn truncate_tool_args<V: Value + fmt::Display>(
    messages: &V,
    options: TruncateOptions<'_>,
    tokens: Option<usize>,
    mut counter: Counter<'_, V>,
) -> Result<V, Error> {
    if messages.kind() != Kind::Array {
        return Err(Error::value("messages", "a list of messages"));
    }
    let before = match options.edited_before {
        Some(before) => before.position(messages),
        None if !is_due(messages, options, tokens, &mut counter)? => return Ok(messages.clone()),
        None => match cutoff(messages, options, &mut counter)? {
            // As the reference has it: nothing is old, or nothing is recent.
            all if all >= messages.len() => return Ok(messages.clone()),
            before => before,
        },
    };
    let mut made: Option<Vec<V>> = None;
    for (at, message) in messages.items().take(before).enumerate() {
        if let Some(short) = truncated(&*message, options) {
            let made =
                made.get_or_insert_with(|| messages.items().map(Found::into_owned).collect());
            if let Some(own) = made.get_mut(at) {
                *own = short;
            }
        }
    }
    Ok(made.map_or_else(|| messages.clone(), V::array))
}

/// A share of the input tokens, at least one.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
fn share_of(of: usize, fraction: f64) -> usize {
    ((of as f64 * fraction) as usize).max(1)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn whole(tokens: f64) -> usize {
    tokens as usize
}

fn is_due<V: Value>(
    messages: &V,
    options: TruncateOptions<'_>,
    tokens: Option<usize>,
    counter: &mut Counter<'_, V>,
) -> Result<bool, Error> {
    let Some(trigger) = options.trigger else { return Ok(false) };
    if trigger.messages.is_some_and(|count| messages.len() < count as usize) {
        return Ok(false);
    }
    let share = match (trigger.fraction, options.max_input_tokens) {
        (Some(_), None) => return Ok(false),
        (fraction, limit) => fraction.zip(limit).map(|(fraction, limit)| share_of(limit, fraction)),
    };
    let Some(threshold) = trigger.tokens.map(whole).max(share) else {
        return Ok(trigger.messages.is_some());
    };
    if let Some(tokens) = tokens {
        return Ok(tokens >= threshold);
    }
    let all: Vec<_> = messages.items().collect();
    Ok(counter.count(&all.iter().map(|found| &**found).collect::<Vec<_>>())? >= threshold)
}

/// Where the messages begin that stay as they are.
fn cutoff<V: Value>(
    messages: &V,
    options: TruncateOptions<'_>,
    counter: &mut Counter<'_, V>,
) -> Result<usize, Error> {
    const FALLBACK: usize = 20;
    let len = messages.len();
    let all_but = |count| if len <= count { len } else { len - count };
    let Size { messages: most, tokens, fraction } = options.keep;
    let from = most.map(|most| all_but(most as usize));
    let from = match (fraction, options.max_input_tokens) {
        (Some(_), None) => from.max(Some(all_but(FALLBACK))),
        _ => from,
    };
    let share = fraction.zip(options.max_input_tokens);
    let share = share.map(|(fraction, limit)| share_of(limit, fraction));
    let target = match (tokens.map(|tokens| whole(tokens).max(1)), share) {
        (Some(tokens), Some(share)) => tokens.min(share),
        (tokens, share) => match tokens.or(share) {
            Some(target) => target,
            None => return Ok(from.unwrap_or(0)),
        },
    };
    let mut kept = 0_usize;
    for at in (0..len).rev() {
        if let Some(message) = messages.at(at) {
            kept = kept.saturating_add(counter.one(&*message)?);
        }
        if kept > target {
            return Ok(from.unwrap_or(0).max(at + 1));
        }
    }
    Ok(from.unwrap_or(0))
}

/// Returns the message with its calls truncated, if one of them has to be.
fn truncated<V: Value + fmt::Display>(message: &V, options: TruncateOptions<'_>) -> Option<V> {
    let key = field(message)?;
    let mut changed = false;
    let calls = calls(message).into_iter().map(|call| {
        let is_one = name(&call).is_some_and(|name| options.tools.contains(&name.as_str()));
        let Some(args) = args(&call).filter(|_| is_one) else { return call };
        let long = args.keys().into_iter().filter_map(|key| {
            let text = args.get(&key)?.text()?.into_owned();
            let (short, is_long) = (head(&text), text.chars().nth(options.max_length).is_some());
            let short = [short, options.truncation_text].concat();
            (is_long && short != text).then(|| (key, V::string(&short)))
        });
        let long: Vec<(String, V)> = long.collect();
        if long.is_empty() {
            return call;
        }
        changed = true;
        with_args(call, args.with_all(long))
    });
    let calls = V::array(calls.collect::<Vec<_>>());
    changed.then(|| with_fields(message.clone(), |own| own.with(key, calls)))
}

fn head(text: &str) -> &str {
    let end = text.char_indices().nth(HEAD).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or(text)
}
