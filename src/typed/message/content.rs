//! The content of a message.

use std::borrow::Cow;

use serde_json::{Value as Json, json};

use crate::error::Error;

/// A message's content.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Text.
    Text(String),
    /// Content blocks: `{ "type": "text", "text" }`, `{ "type": "image_url", … }`, …
    Blocks(Vec<Json>),
}

impl Content {
    /// Reads content from JSON; returns the given value if it is something else.
    pub(super) fn of(content: Json) -> Result<Self, Json> {
        match content {
            Json::String(text) => Ok(Self::Text(text)),
            Json::Array(blocks) => Ok(Self::Blocks(blocks)),
            Json::Null => Ok(Self::Text(String::new())),
            other => Err(other),
        }
    }

    /// Appends text: to the last block if that is text, or in a new one.
    pub fn append(&mut self, text: &str) {
        match self {
            Self::Text(content) => content.push_str(text),
            Self::Blocks(blocks) => match blocks.last_mut().and_then(text_of_block) {
                Some(block) => block.push_str(text),
                None => blocks.push(json!({ "type": "text", "text": text })),
            },
        }
    }

    /// Returns its text, without other kinds of blocks.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Blocks(blocks) => Cow::Owned(blocks.iter().filter_map(block_text).collect()),
        }
    }
}

fn block_text(block: &Json) -> Option<&str> {
    block.as_str().or_else(|| block.get("text")?.as_str())
}

/// Returns the text of a text block.
fn text_of_block(block: &mut Json) -> Option<&mut String> {
    if block.get("type")?.as_str() != Some("text") {
        return None;
    }
    match block.get_mut("text")? {
        Json::String(text) => Some(text),
        _ => None,
    }
}

/// Empty text.
impl Default for Content {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Content> for Json {
    fn from(content: Content) -> Self {
        match content {
            Content::Text(text) => Json::String(text),
            Content::Blocks(blocks) => Json::Array(blocks),
        }
    }
}

impl TryFrom<Json> for Content {
    type Error = Error;

    /// Null is empty text; `INVALID_MESSAGE` for anything but text or a list.
    fn try_from(content: Json) -> Result<Self, Error> {
        Self::of(content).map_err(|_| Error::message("content is a string or a list of blocks"))
    }
}

impl From<Vec<Json>> for Content {
    fn from(blocks: Vec<Json>) -> Self {
        Self::Blocks(blocks)
    }
}
