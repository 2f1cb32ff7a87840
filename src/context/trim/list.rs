//! Trimming a list of values by a counter of the caller's.

use std::fmt;
use std::ops::Range;

use super::pairs::Pairs;
use super::{Answers, End, Part, Rules, Source, TrimStrategy, halve, trim};
use crate::context::CountOptions;
use crate::context::count::message_tokens;
use crate::context::estimate_message::{TOKENS_PER_IMAGE, estimate_message};
use crate::context::policy::Cuts;
use crate::error::Error;
use crate::message::is_kind;
use crate::value::{Found, Kind, Value};

/// Splits a text into the pieces that may be kept one by one.
type TextSplitter<'a> = &'a (dyn Fn(&str) -> Vec<String> + Sync);

/// Counts tokens.
pub enum Counter<'a, V> {
    /// Python's number: [`count_tokens`](crate::context::count_tokens).
    Approximate,
    /// An estimate that is closer to a model's own count, as [`Estimated`](crate::context::Estimated)
    /// makes it.
    Estimate,
    /// Your own, of one message. A list's count is the sum, so that only the messages that are kept
    /// are counted.
    Message(&'a mut (dyn FnMut(&V) -> Result<usize, Error> + Send)),
    /// Your own, of a list, which for [`TrimStrategy::Last`] comes in reverse, as in the reference.
    List(&'a mut (dyn FnMut(&[&V]) -> Result<usize, Error> + Send)),
}

impl<V: Value> Counter<'_, V> {
    /// Counts a list.
    pub(crate) fn count(&mut self, messages: &[&V]) -> Result<usize, Error> {
        if let Self::List(count) = self {
            return count(messages);
        }
        messages.iter().try_fold(0_usize, |sum, message| Ok(sum.saturating_add(self.one(message)?)))
    }

    /// Counts one message.
    pub(crate) fn one(&mut self, message: &V) -> Result<usize, Error> {
        match self {
            // The default options have no fractions.
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            Self::Approximate => Ok(message_tokens(message, &CountOptions::default())? as usize),
            Self::Estimate => {
                let tokens = estimate_message(message, TOKENS_PER_IMAGE)?.tokens();
                Ok(usize::try_from(tokens).unwrap_or(usize::MAX))
            }
            Self::Message(count) => count(message),
            Self::List(count) => count(&[message]),
        }
    }

    /// Whether counts of single messages add up.
    pub(crate) fn adds_up(&self) -> bool {
        !matches!(self, Self::List(_))
    }
}

impl<V> fmt::Debug for Counter<'_, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Approximate => "Counter::Approximate",
            Self::Estimate => "Counter::Estimate",
            Self::Message(_) => "Counter::Message",
            Self::List(_) => "Counter::List",
        })
    }
}

/// Which messages [`trim_messages`] keeps.
#[derive(Clone, Copy, Default)]
pub struct TrimOptions<'a> {
    /// At most this many tokens.
    pub max_tokens: i64,
    /// The newest messages or the oldest.
    pub strategy: TrimStrategy,
    /// The types on which the kept list may start, if any; with [`TrimStrategy::Last`] only. A chunk's
    /// type is the name of its class, as in the reference.
    pub start_on: &'a [&'a str],
    /// The types on which it may end.
    pub end_on: &'a [&'a str],
    /// Whether a system message in front stays, even if it alone is too much; with
    /// [`TrimStrategy::Last`] only.
    pub include_system: bool,
    /// Whether the message that does not fit is cut: to some of its blocks, or some of its text.
    pub allow_partial: bool,
    /// How a text is cut: at the end of a line, unless given.
    pub text_splitter: Option<TextSplitter<'a>>,
    /// Whether a tool call and its result stay or go together ([`Cuts::Safe`], which leaves out a
    /// result without its call, too), or are messages like others.
    pub cuts: Cuts,
}

impl fmt::Debug for TrimOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TrimOptions").field("max_tokens", &self.max_tokens).finish_non_exhaustive()
    }
}

/// Returns the newest messages, or the oldest, that fit `max_tokens`, by the rules of Python's
/// `trim_messages`. It keeps tool calls and their results together. With [`Cuts::AsLangchain`]
/// it does exactly as the reference.
///
/// # Errors
/// `INVALID_ARGUMENT` if `messages` is not a list, and for `start_on` or `include_system`
/// with [`TrimStrategy::First`]; the counter's own.
///
/// ```
/// use serde_json::json;
/// use threadfold::context::{Counter, TrimOptions, trim_messages};
///
/// let messages = json!([
///     { "type": "human", "content": "6 × 7?" },
///     { "type": "ai", "content": "", "tool_calls": [{ "name": "times", "args": {}, "id": "c1" }] },
///     { "type": "tool", "tool_call_id": "c1", "content": "42" },
///     { "type": "ai", "content": "It is 42." },
/// ]);
/// let options = TrimOptions { max_tokens: 2, ..TrimOptions::default() };
/// let kept = trim_messages(&messages, options, Counter::Message(&mut |_| Ok(1)))?;
/// assert_eq!(kept, json!([{ "type": "ai", "content": "It is 42." }])); // and no result without its call
/// # Ok::<(), threadfold::Error>(())
/// ```
pub fn trim_messages<'a, V: Value>(
    messages: &'a V,
    options: TrimOptions<'a>,
    counter: Counter<'a, V>,
) -> Result<V, Error> {
    if messages.kind() != Kind::Array {
        return Err(Error::value("messages", "a list of messages"));
    }
    let start_on = given(options.start_on);
    if options.strategy == TrimStrategy::First && (start_on || options.include_system) {
        let what = if start_on { "start_on" } else { "include_system" };
        return Err(Error::value(what, "left out, unless the strategy is 'last'"));
    }
    let rules = Rules {
        strategy: options.strategy,
        include_system: options.include_system,
        allow_partial: options.allow_partial,
        cuts: options.cuts,
    };
    let mut source = List {
        messages: messages.items().collect(),
        budget: options.max_tokens,
        options,
        counter,
        cut: None,
        pairs: Pairs::default(),
    };
    let kept = trim(source.messages.len(), rules, &mut source)?;

    let mut made = Vec::with_capacity(kept.messages.len() + 1);
    made.extend(messages.at(0).filter(|_| kept.system).map(Found::into_owned));
    let partial = match options.strategy {
        TrimStrategy::Last => kept.messages.start,
        TrimStrategy::First => kept.messages.end.saturating_sub(1),
    };
    for at in kept.messages.filter(|at| kept.dropped.binary_search(at).is_err()) {
        let part = kept.part.filter(|_| at == partial);
        made.extend(match part {
            Some(part) => source.part(at, part, false),
            None => messages.at(at).map(Found::into_owned),
        });
    }
    Ok(V::array(made))
}

/// Whether types are given at all: as in Python, an empty text counts as missing.
fn given(types: &[&str]) -> bool {
    !types.is_empty() && types != [""]
}

/// The type that the reference calls a message by: a chunk's is its class.
fn type_name<V: Value>(message: &V) -> Option<String> {
    let own = message.instance_kind().or_else(|| message.text_of("type"));
    match own.or_else(|| message.text_of("role"))?.as_str() {
        "user" | "human" => Some("human".to_owned()),
        "assistant" => Some("ai".to_owned()),
        "developer" => Some("system".to_owned()),
        other => Some(other.to_owned()),
    }
}

struct List<'a, V: Value + 'a> {
    messages: Vec<V::Found<'a>>,
    options: TrimOptions<'a>,
    counter: Counter<'a, V>,
    budget: i64,
    /// The message that may be cut, and its text in pieces, from the kept end on.
    cut: Option<(usize, Vec<String>)>,
    pairs: Pairs,
}

impl<'a, V: Value + 'a> List<'a, V> {
    fn message(&self, at: usize) -> Option<&V> {
        self.messages.get(at).map(|found| &**found)
    }

    fn is_last(&self) -> bool {
        self.options.strategy == TrimStrategy::Last
    }

    fn count(&mut self, messages: Range<usize>, more: Option<&V>) -> Result<i64, Error> {
        let mut counted: Vec<&V> =
            self.messages.get(messages).into_iter().flatten().map(|found| &**found).collect();
        if self.options.strategy == TrimStrategy::Last {
            counted.reverse();
        }
        counted.extend(more);
        let count = self.counter.count(&counted)?;
        Ok(i64::try_from(count).unwrap_or(i64::MAX))
    }

    /// Makes the message with part of its content; blocks in reverse where the reference counts so.
    fn part(&self, at: usize, part: Part, reverse: bool) -> Option<V> {
        let message = self.message(at)?;
        let content = match part {
            Part::Blocks(count) => {
                let blocks = message.get("content")?;
                let from = if self.is_last() { blocks.len().saturating_sub(count) } else { 0 };
                let mut kept: Vec<V> =
                    blocks.items().skip(from).take(count).map(Found::into_owned).collect();
                if reverse && self.is_last() {
                    kept.reverse();
                }
                V::array(kept)
            }
            Part::Pieces(count) => {
                let (_, pieces) = self.cut.as_ref()?;
                // Counted in reverse, kept in order, as in the reference.
                let mut kept: Vec<&str> = pieces.iter().take(count).map(String::as_str).collect();
                if self.is_last() && !reverse {
                    kept.reverse();
                }
                V::string(&kept.concat())
            }
        };
        // All of it may fit after all, with a counter whose counts do not add up.
        let is_all = message.get("content").is_some_and(|own| own.equals(&content));
        Some(if is_all { message.clone() } else { message.clone().with("content", content) })
    }

    /// The content's text, or that of its block at the kept end.
    fn text(&self, at: usize) -> Option<String> {
        let content = self.message(at)?.get("content")?;
        if let Some(text) = content.text() {
            return Some(text.into_owned());
        }
        let nearest = if self.is_last() { content.len().checked_sub(1)? } else { 0 };
        let block = content.at(nearest)?;
        match block.text() {
            Some(text) => Some(text.into_owned()),
            None if block.text_of("type").as_deref() == Some("text") => block.text_of("text"),
            None => None,
        }
    }
}

impl<'a, V: Value + 'a> Source for List<'a, V> {
    type Error = Error;

    fn begins_with_system(&mut self) -> Result<bool, Error> {
        Ok(self.message(0).is_some_and(|message| is_kind(message, "system")))
    }

    fn reserve_first(&mut self) -> Result<(), Error> {
        self.budget = self.budget.saturating_sub(self.count(0..1, None)?).max(0);
        Ok(())
    }

    fn is_type(&mut self, message: usize, end: End) -> Result<bool, Error> {
        let types = if end == End::Start { self.options.start_on } else { self.options.end_on };
        if !given(types) {
            return Ok(true);
        }
        let name = self.message(message).and_then(type_name);
        Ok(name.is_some_and(|name| types.contains(&name.as_str())))
    }

    fn fits(&mut self, messages: Range<usize>, part: Option<Part>) -> Result<bool, Error> {
        let next = if self.is_last() { messages.start.wrapping_sub(1) } else { messages.end };
        let more = part.and_then(|part| self.part(next, part, true));
        let count = match part {
            Some(Part::Pieces(_)) => {
                self.count(messages, None)?.saturating_add(self.count(0..0, more.as_ref())?)
            }
            _ => self.count(messages, more.as_ref())?,
        };
        Ok(count <= self.budget)
    }

    fn blocks(&mut self, message: usize) -> Result<usize, Error> {
        let content = self.message(message).and_then(|message| message.get("content"));
        Ok(content.map_or(0, |content| content.len()))
    }

    fn pieces(&mut self, message: usize) -> Result<usize, Error> {
        let text = self.text(message).unwrap_or_default();
        let mut pieces = match self.options.text_splitter {
            _ if text.is_empty() => Vec::new(),
            Some(split) => split(&text),
            None => lines(&text),
        };
        if self.is_last() {
            pieces.reverse();
        }
        let count = pieces.len();
        self.cut = Some((message, pieces));
        Ok(count)
    }

    fn answers(&mut self, message: usize) -> Result<Answers, Error> {
        self.pairs.answers(&self.messages, message)
    }

    fn is_monotonic(&mut self) -> Result<bool, Error> {
        Ok(matches!(self.counter, Counter::Approximate | Counter::Estimate))
    }

    fn fitting(&mut self, messages: Range<usize>, from: TrimStrategy) -> Result<usize, Error> {
        if !self.counter.adds_up() {
            return halve(self, &messages, from);
        }
        let (mut left, mut fitting) = (self.budget, 0);
        let counter = &mut self.counter;
        let mut add = |message: &V| {
            left = left.saturating_sub(i64::try_from(counter.one(message)?).unwrap_or(i64::MAX));
            fitting += usize::from(left >= 0);
            Ok::<bool, Error>(left >= 0)
        };
        let mut list = self.messages.get(messages).into_iter().flatten().map(|found| &**found);
        match from {
            TrimStrategy::Last => {
                while list.next_back().map(&mut add).transpose()? == Some(true) {}
            }
            TrimStrategy::First => while list.next().map(&mut add).transpose()? == Some(true) {},
        }
        Ok(fitting)
    }
}

/// The lines of a text, each with its end.
fn lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    if text.ends_with('\n') {
        lines.push(String::new());
    }
    lines
}
