//! Offloading: moving texts too long for a context to a file, which the agent reads in parts.

use std::borrow::Cow;
use std::collections::HashMap;

use super::call_fields::{calls, fields, id_of, is_ag_ui, is_kind, name, with_fields};
use crate::digits::digits;
use crate::error::Error;
use crate::message::answered_call;
use crate::value::{Found, Kind, Value};

mod preview;
mod sha256;

use preview::preview;

/// The tools whose results stay: they keep them short themselves, or read files.
const EXCLUDED: &[&str] = &["ls", "glob", "grep", "read_file", "edit_file", "write_file", "delete"];

/// Which texts [`offload`] moves to files.
#[derive(Debug, Clone, Copy)]
pub struct OffloadOptions<'a> {
    /// Moves a tool's result of more than four times this many characters. Default 20,000; none, if
    /// `None`.
    pub tool_tokens: Option<usize>,
    /// Moves the last message of the user so. Default 50,000.
    pub human_tokens: Option<usize>,
    /// The tools whose results stay. Default the file tools of deepagents.
    pub exclude_tools: &'a [&'a str],
    /// The folder in which the files go. Default `/`.
    pub root: &'a str,
}

impl Default for OffloadOptions<'_> {
    fn default() -> Self {
        Self {
            tool_tokens: Some(20_000),
            human_tokens: Some(50_000),
            exclude_tools: EXCLUDED,
            root: "/",
        }
    }
}

/// The result of [`offload`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Offloaded<V> {
    /// The files to write, each a path and its text.
    pub files: Vec<(String, String)>,
    /// The context: its messages have the file's path and a preview in place of each moved text.
    pub messages: V,
    /// The messages to update the state with: the user's with the path of its file in
    /// `additional_kwargs.lc_evicted_to`. Their text stays in the state, and is replaced in each
    /// context.
    pub tagged: V,
}

/// Moves long results of tools, and a long last message of the user, to files, as deepagents does.
///
/// # Errors
/// `INVALID_ARGUMENT` if `messages` is not a list.
///
/// ```
/// use serde_json::json;
/// use threadfold::context::{OffloadOptions, offload};
///
/// let messages = json!([{ "type": "tool", "tool_call_id": "c1", "content": "x".repeat(99_999) }]);
/// let moved = offload(&messages, OffloadOptions::default())?;
/// assert_eq!(moved.files[0].0, "/large_tool_results/c1");
/// assert!(moved.messages[0]["content"].as_str().is_some_and(|text| text.starts_with("Tool result too large")));
/// # Ok::<(), threadfold::Error>(())
/// ```
pub fn offload<V: Value>(messages: &V, options: OffloadOptions<'_>) -> Result<Offloaded<V>, Error> {
    if messages.kind() != Kind::Array {
        return Err(Error::value("messages", "a list of messages"));
    }
    let root = options.root.trim_end_matches('/');
    let mut names: HashMap<String, String> = HashMap::new();
    let (mut files, mut tagged) = (Vec::new(), Vec::new());
    let mut made: Vec<V> = Vec::with_capacity(messages.len());
    let mut changed = false;
    for (at, message) in messages.items().enumerate() {
        let message = message.into_owned();
        for call in calls(&message) {
            names.extend(call.text_of("id").zip(name(&call)));
        }
        let short = if is_kind(&message, "tool") {
            let id = answered_call(&fields(&message)).and_then(|id| id.text().map(Cow::into_owned));
            let id = id.filter(|id| !id.is_empty());
            let called = id.as_ref().and_then(|id| names.get(id).cloned());
            let name =
                called.filter(|name| !name.is_empty()).or_else(|| fields(&message).text_of("name"));
            let stays = name.is_some_and(|name| options.exclude_tools.contains(&name.as_str()));
            long_text(&message, options.tool_tokens).filter(|_| !stays).map(|text| {
                let file = id.as_deref().map_or_else(|| unknown(&message, at, "unknown"), safe);
                let path = [root, "/large_tool_results/", &file].concat();
                let note = tool_note(id.as_deref().unwrap_or_default(), &path, &text);
                files.push((path, text));
                replaced(message.clone(), &note)
            })
        } else if is_kind(&message, "human")
            && options.human_tokens.is_some_and(|tokens| tokens > 0)
        {
            let moved = moved_to(&message);
            let is_last = at + 1 == messages.len() && moved.is_none();
            let long = long_text(&message, options.human_tokens).filter(|_| is_last);
            match (moved, long) {
                (Some(path), _) => {
                    Some(replaced(message.clone(), &human_note(&path, &text_of(&message))))
                }
                (None, Some(text)) => {
                    let file = unknown(&message, at, "message");
                    let path = [root, "/conversation_history/", &file, ".md"].concat();
                    let note = human_note(&path, &text);
                    let tag = with_path(message.clone(), &path);
                    files.push((path, text));
                    tagged.push(tag.clone());
                    Some(replaced(tag, &note))
                }
                (None, None) => None,
            }
        } else {
            None
        };
        changed |= short.is_some();
        made.push(short.unwrap_or(message));
    }
    let messages = if changed { V::array(made) } else { messages.clone() };
    Ok(Offloaded { files, messages, tagged: V::array(tagged) })
}

/// The message's text, if it is too long.
fn long_text<V: Value>(message: &V, tokens: Option<usize>) -> Option<String> {
    const CHARS_PER_TOKEN: usize = 4;
    let most = tokens.filter(|tokens| *tokens > 0)?.saturating_mul(CHARS_PER_TOKEN);
    let text = text_of(message);
    // Texts already moved stay.
    if [TOOL_NOTE, HUMAN_NOTE].iter().any(|note| text.starts_with(note)) {
        return None;
    }
    // Characters are bytes at most.
    (text.len() > most && text.chars().nth(most).is_some()).then_some(text)
}

/// The text of a message's content, one line or more for each block.
fn text_of<V: Value>(message: &V) -> String {
    let Some(content) = fields(message).get_owned("content") else { return String::new() };
    if let Some(text) = content.text() {
        return text.into_owned();
    }
    let texts = content.items().filter_map(|block| block_text(&*block));
    texts.collect::<Vec<_>>().join("\n")
}

fn block_text<V: Value>(block: &V) -> Option<String> {
    match block.text() {
        Some(text) => Some(text.into_owned()),
        None if block.text_of("type").as_deref() == Some("text") => block.text_of("text"),
        None => None,
    }
}

/// Returns the message with a note in place of its text; other content stays.
fn replaced<V: Value>(message: V, note: &str) -> V {
    let content = fields(&message).get_owned("content").unwrap_or_else(V::null);
    let others: Vec<V> = content
        .items()
        .filter(|block| block_text(&**block).is_none())
        .map(Found::into_owned)
        .collect();
    let note = V::string(note);
    let block = || V::object().with("type", V::string("text")).with("text", note.clone());
    let content = if others.is_empty() {
        note.clone()
    } else {
        V::array(std::iter::once(block()).chain(others))
    };
    with_fields(message, |own| own.with("content", content))
}

/// How the notes begin.
const TOOL_NOTE: &str = "Tool result too large, the result of this tool call ";
const HUMAN_NOTE: &str = "Message content too large and was saved ";

const TAG: &str = "lc_evicted_to";

fn free_field<V: Value>(message: &V) -> &'static str {
    if is_ag_ui(message) { "metadata" } else { "additional_kwargs" }
}

/// The file that a message's text is in.
fn moved_to<V: Value>(message: &V) -> Option<String> {
    fields(message).get(free_field(message))?.text_of(TAG).filter(|path| !path.is_empty())
}

fn with_path<V: Value>(message: V, path: &str) -> V {
    let key = free_field(&message);
    let free = fields(&message).get_owned(key).filter(|free| free.kind() == Kind::Object);
    let free = free.unwrap_or_else(V::object).with(TAG, V::string(path));
    with_fields(message, |own| own.with(key, free))
}

/// The name of the file of a message that answers no call: deepagents makes one up.
fn unknown<V: Value>(message: &V, at: usize, kind: &str) -> String {
    let id = id_of(message).filter(|id| !id.is_empty());
    match id {
        Some(id) => safe(&id),
        None => [kind, "-", &digits(at)].concat(),
    }
}

/// An id as the name of a file.
fn safe(id: &str) -> String {
    const LONGEST: usize = 128;
    if id.len() > LONGEST {
        return ["call-", &sha256::hex(id.as_bytes())].concat();
    }
    id.replace(['.', '/', '\\'], "_")
}

fn tool_note(id: &str, path: &str, text: &str) -> String {
    const LONGEST: usize = 32;
    let (note, sample) = preview(text, "result");
    let (end, dots) = id.char_indices().nth(LONGEST).map_or((id.len(), ""), |(at, _)| (at, "..."));
    let id = id.get(..end).unwrap_or(id);
    [
        TOOL_NOTE,
        id,
        dots,
        " was saved in the filesystem at this path: ",
        path,
        "\n\nYou can read the result from the filesystem by using the read_file tool, but make sure to \
         only read part of the result at a time.\n\nYou can do this by specifying an offset and limit \
         in the read_file tool call. For example, to read the first 100 lines, you can use the \
         read_file tool with offset=0 and limit=100.\n\n",
        &note,
        "\n\n",
        &sample,
        "\n",
    ]
    .concat()
}

fn human_note(path: &str, text: &str) -> String {
    let (note, sample) = preview(text, "content");
    [
        HUMAN_NOTE,
        "to the filesystem at: ",
        path,
        "\n\nYou can read the full content using the read_file tool with pagination (offset and limit \
         parameters).\n\n",
        &note,
        "\n\n",
        &sample,
        "\n",
    ]
    .concat()
}
