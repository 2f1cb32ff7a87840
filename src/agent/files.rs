//! The effects of the file tools on the files of a state: deepagents' rules and words.
// `pkg-template/src/agent/tools/files.ts` is the same over JavaScript's objects: DESIGN.md says why.

use crate::value::{Json, Value};

mod change;
mod find;
mod glob;
mod path;
mod read;
mod time;

pub(super) use change::{delete, edit, write};
pub(super) use find::{Grep, glob, grep, list};
pub(super) use path::normal_path;
pub(super) use read::{Lines, read};
pub(super) use time::{Clock, now};

/// The answer of a file tool, and the files that it changes.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Answer {
    pub text: String,
    pub is_error: bool,
    /// The files to merge; null removes one.
    pub files: Option<Json>,
}

impl Answer {
    fn of(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    fn refused(why: impl Into<String>) -> Self {
        Self { text: why.into(), is_error: true, files: None }
    }

    fn error(why: &str) -> Self {
        Self::refused(["Error: ", why].concat())
    }

    fn missing(path: &str) -> Self {
        Self::error(&format!("File '{path}' not found"))
    }
}

fn file<'f>(files: &'f Json, path: &str) -> Option<&'f Json> {
    Some(&files[path]).filter(|file| !file.is_null())
}

/// A file's text. Older versions of deepagents keep a list of lines.
fn text_of(file: &Json) -> String {
    match file["content"].as_str() {
        Some(text) => text.to_owned(),
        None => file["content"].iter().filter_map(Json::as_str).collect::<Vec<_>>().join("\n"),
    }
}

fn is_binary(file: &Json) -> bool {
    file["encoding"].as_str() == Some("base64")
}

/// Returns an object of these files.
fn files_of(files: Vec<(String, Json)>) -> Json {
    Json::object().with_all(files)
}
