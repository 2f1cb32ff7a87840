//! Counts tokens as LangChain's `count_tokens_approximately` does, to the number.
// `pkg-template/src/context/count.ts` is the same in TypeScript.

use crate::error::Error;
use crate::value::{Kind, Scalar, Value};

use super::parts::{Of, Parts, block_of_ag_ui, read};
use super::written::{Notation, code_points, json_text, length, text_length};

/// How messages are counted. The default is Python's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CountOptions {
    /// Characters of a token.
    pub chars_per_token: f64,
    /// The fixed cost of each message.
    pub extra_tokens_per_message: f64,
    /// Whether a message's name counts.
    pub count_name: bool,
    /// The cost of an image: by default `OpenAI`'s price of one in low resolution.
    pub tokens_per_image: f64,
    /// Whether to scale by the tokens that the last answer with `usage_metadata` reports, if one
    /// provider gave all.
    pub use_usage_metadata_scaling: bool,
}

impl Default for CountOptions {
    fn default() -> Self {
        Self {
            chars_per_token: 4.0,
            extra_tokens_per_message: 3.0,
            count_name: true,
            tokens_per_image: 85.0,
            use_usage_metadata_scaling: false,
        }
    }
}

/// The parts of a message that count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct MessageSize {
    /// In code points; with the characters that Python writes around tool calls and unknown blocks.
    pub chars: u64,
    /// Its images.
    pub images: u64,
}

/// Counts the tokens of messages approximately: the number that Python's
/// `count_tokens_approximately` (langchain-core 1.7) returns for them. Accepts every form of a
/// message that [`add_json_messages`](crate::add_json_messages) accepts. AG-UI's messages count as the
/// LangChain messages that a server makes of them. Its activities and reasoning never reach a model
/// and count nothing.
///
/// In the arguments of a tool call and in blocks other than text, two things make a difference of
/// some characters. Python 3.11 treats the characters of Unicode 15 as unprintable. `serde_json`
/// reads some floats as their neighbour, unless your program turns on its `float_roundtrip`.
///
/// ```
/// use serde_json::json;
/// use threadfold::context::{CountOptions, count_tokens};
///
/// let messages = json!([
///     { "type": "human", "content": "What is 6 × 7?" },
///     { "type": "ai", "content": "", "tool_calls": [{ "name": "multiply", "args": { "a": 6, "b": 7 }, "id": "c1" }] },
///     { "type": "tool", "content": "42", "tool_call_id": "c1" },
/// ]);
/// assert_eq!(count_tokens(&messages, None, &CountOptions::default())?, 39);
/// # Ok::<(), threadfold::Error>(())
/// ```
///
/// # Errors
/// `INVALID_MESSAGE` for an invalid message or a removal. `INVALID_ARGUMENT` for
/// messages or tools that are not a list, for an option that is not a number, and for nesting
/// deeper than 1,000.
pub fn count_tokens<V: Value>(
    messages: &V,
    tools: Option<&V>,
    options: &CountOptions,
) -> Result<i64, Error> {
    options.check()?;
    if messages.kind() != Kind::Array {
        return Err(Error::value("messages", "a list"));
    }
    // Added in Python's order: with a fraction for each message, another order may round to another
    // number.
    let mut total = tools.map_or(Ok(0.0), |tools| tool_tokens(tools, options))?;
    let mut counted = 0;
    let mut scale = UsageScale::default();
    for (at, message) in messages.items().enumerate() {
        let Some(parts) = read(&*message).map_err(|error| error.at(at))? else { continue };
        counted += 1;
        let size = size_of(&parts, options.count_name).map_err(|error| error.at(at))?;
        total = options.add(total, size);
        if parts.of == Of::Ai && options.use_usage_metadata_scaling {
            scale.add(provider_of(&parts)?, total_tokens_of(&parts), total);
        }
    }
    Ok(whole(scale.scaled(total, counted)))
}

/// Counts one message, as [`count_tokens`] adds it up: without scaling. A fraction stays one, if the
/// options have one.
///
/// # Errors
/// The errors of [`count_tokens`].
///
/// ```
/// use serde_json::json;
/// use threadfold::context::CountOptions;
/// use threadfold::unstable::message_tokens;
///
/// let hello = json!({ "type": "human", "content": "hello" });
/// assert_eq!(message_tokens(&hello, &CountOptions::default())?, 6.0);
/// # Ok::<(), threadfold::Error>(())
/// ```
pub fn message_tokens<V: Value>(message: &V, options: &CountOptions) -> Result<f64, Error> {
    options.check()?;
    Ok(message_size(message, options.count_name)?.map_or(0.0, |size| options.add(0.0, size)))
}

/// Returns the counted size of a message; nothing, if it is only for the screen.
///
/// # Errors
/// `INVALID_MESSAGE`, `INVALID_ARGUMENT` as [`count_tokens`].
pub(crate) fn message_size<V: Value>(
    message: &V,
    count_name: bool,
) -> Result<Option<MessageSize>, Error> {
    read(message)?.map(|parts| size_of(&parts, count_name)).transpose()
}

/// Counts the tools that a model is sent, as [`count_tokens`] does: once, rounded up by themselves.
///
/// # Errors
/// `INVALID_ARGUMENT` for tools that are not a list of objects.
pub fn tool_tokens<V: Value>(tools: &V, options: &CountOptions) -> Result<f64, Error> {
    options.check()?;
    match tools.kind() {
        Kind::Null => return Ok(0.0),
        Kind::Array => {}
        _ => return Err(Error::value("tools", "a list")),
    }
    let mut chars = 0;
    for tool in tools.items() {
        if tool.kind() != Kind::Object {
            return Err(Error::value("a tool", "an object"));
        }
        chars += length(&*tool, Notation::Json)?;
    }
    Ok((float(chars) / options.chars_per_token).ceil())
}

impl CountOptions {
    fn check(&self) -> Result<(), Error> {
        let numbers = [
            ("chars_per_token", self.chars_per_token),
            ("extra_tokens_per_message", self.extra_tokens_per_message),
            ("tokens_per_image", self.tokens_per_image),
        ];
        if let Some((name, _)) = numbers.into_iter().find(|(_, number)| !number.is_finite()) {
            return Err(Error::value(name, "a number"));
        }
        if self.chars_per_token <= 0.0 {
            return Err(Error::value("chars_per_token", "a number above 0"));
        }
        Ok(())
    }

    /// Returns a total with this message added.
    #[must_use]
    pub(crate) fn add(&self, total: f64, size: MessageSize) -> f64 {
        // Adds one by one, as Python adds fractions; for many the difference is lost.
        let total = if size.images < 10_000 {
            (0..size.images).fold(total, |total, _| total + self.tokens_per_image)
        } else {
            total + float(size.images) * self.tokens_per_image
        };
        total + (float(size.chars) / self.chars_per_token).ceil() + self.extra_tokens_per_message
    }
}

fn size_of<V: Value>(parts: &Parts<'_, V>, count_name: bool) -> Result<MessageSize, Error> {
    let mut size = MessageSize { chars: code_points(&parts.role), images: 0 };
    let is_list = parts.content.is_some_and(|content| content.kind() == Kind::Array);
    if let Some(content) = parts.content {
        match content.kind() {
            Kind::String => size.chars += code_points(&content.text().unwrap_or_default()),
            Kind::Array => {
                for block in content.items() {
                    match block.text_of("type").as_deref() {
                        Some("image" | "image_url") => size.images += 1,
                        _ => size.chars += block_chars(&*block, parts)?,
                    }
                }
            }
            _ if parts.of == Of::Tool => size.chars += length(&*content, Notation::Repr)?,
            _ => return Err(Error::message_field(".content", "text or a list of blocks")),
        }
    }
    // A list of blocks has the calls in it: so it is with Anthropic.
    if parts.of == Of::Ai && !is_list {
        size.chars += call_chars(parts)?;
    }
    if parts.of == Of::Tool {
        size.chars += code_points(&parts.answered()?);
    }
    if count_name {
        size.chars += parts.name().map_or(0, |name| code_points(&name));
    }
    Ok(size)
}

fn block_chars<V: Value>(block: &V, parts: &Parts<'_, V>) -> Result<u64, Error> {
    match block.kind() {
        Kind::String => return Ok(code_points(&block.text().unwrap_or_default())),
        Kind::Object => {}
        // A tool's result other than a block becomes its `str`.
        _ if parts.of == Of::Tool => return length(block, Notation::Repr),
        _ => return Err(Error::message_field(".content", "a list of texts and blocks")),
    }
    if block.text_of("type").as_deref() == Some("text") {
        let Some(text) = block.get("text") else { return Ok(0) };
        return match text.kind() {
            Kind::String => Ok(code_points(&text.text().unwrap_or_default())),
            // Python asks for the length of any content.
            Kind::Array => Ok(text.len() as u64),
            Kind::Object => Ok(text.keys().len() as u64),
            _ => Err(Error::message_field(".content", "a list of blocks whose text is a string")),
        };
    }
    match block_of_ag_ui(block).filter(|_| parts.ag_ui) {
        Some(made) => length(&made, Notation::Repr),
        None => length(block, Notation::Repr),
    }
}

fn call_chars<V: Value>(parts: &Parts<'_, V>) -> Result<u64, Error> {
    const CALL: &str = "{'name': , 'args': , 'id': , 'type': 'tool_call'}";
    let mut chars = 0;
    for call in parts.calls()? {
        let [args, id] = [length(&call.args, Notation::Repr)?, length(&call.id, Notation::Repr)?];
        // Plus the ", " after it or, for the last, the brackets.
        chars += CALL.len() as u64 + 2 + text_length(&call.name, Notation::Repr) + args + id;
    }
    Ok(chars)
}

/// Returns the provider that an AI message names.
fn provider_of<V: Value>(parts: &Parts<'_, V>) -> Result<Option<String>, Error> {
    let response = parts.field("response_metadata");
    let provider = response.and_then(|it| it.get_owned("model_provider"));
    match provider.filter(|provider| !provider.is_null()) {
        Some(provider) => json_text(&provider).map(Some),
        None => Ok(None),
    }
}

/// Returns the tokens that an AI message reports, if that is a whole number.
fn total_tokens_of<V: Value>(parts: &Parts<'_, V>) -> Option<f64> {
    match parts.field("usage_metadata")?.get("total_tokens")?.scalar()? {
        #[allow(clippy::cast_precision_loss, reason = "Python's division rounds, too")]
        Scalar::Integer(total) => Some(total as f64),
        _ => None,
    }
}

/// Finds the factor of a list of messages, in order. The factor is the last reported token count
/// divided by the count up to that answer. There is none if the answers are of two providers.
/// Answers before the first that names its provider do not count as another.
#[derive(Debug, Clone)]
pub(crate) struct UsageScale<P> {
    provider: Option<P>,
    mixed: bool,
    factor: Option<f64>,
}

impl<P> Default for UsageScale<P> {
    fn default() -> Self {
        Self { provider: None, mixed: false, factor: None }
    }
}

impl<P: PartialEq> UsageScale<P> {
    /// Adds an AI message, and the count up to it, itself and the tools included.
    pub fn add(&mut self, provider: Option<P>, total_tokens: Option<f64>, counted: f64) {
        if self.provider.is_none() {
            self.provider = provider;
        } else if self.provider != provider {
            self.mixed = true;
        }
        if let Some(total) = total_tokens {
            self.factor = (counted > 0.0).then(|| total / counted);
        }
    }

    /// Returns the count of all, this number of messages, scaled.
    #[must_use]
    pub fn scaled(&self, counted: f64, messages: usize) -> f64 {
        const MOST: f64 = 1.25;
        match self.factor {
            Some(factor) if !self.mixed && self.provider.is_some() && messages > 1 => {
                counted * factor.clamp(1.0, MOST)
            }
            _ => counted,
        }
    }
}

#[allow(clippy::cast_precision_loss, reason = "no text has 2⁵³ characters")]
fn float(chars: u64) -> f64 {
    chars as f64
}

#[allow(clippy::cast_possible_truncation, reason = "more tokens than an i64 holds are its most")]
fn whole(total: f64) -> i64 {
    total.ceil() as i64
}
