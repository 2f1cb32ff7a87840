//! Tools that write, edit and delete.

use super::{Answer, file, files_of, is_binary, text_of};
use crate::value::{Json, Value};

fn new_file(content: &str, was: Option<&Json>, now: &str) -> Json {
    let created = was.and_then(|file| file["created_at"].as_str()).unwrap_or(now);
    let fields = [
        ("content", content),
        ("encoding", "utf-8"),
        ("created_at", created),
        ("modified_at", now),
    ];
    let fields = fields.map(|(name, text)| (name.to_owned(), Json::string(text)));
    Json::object().with_all(fields.into())
}

/// Writes a file whole.
pub(in crate::agent) fn write(files: &Json, path: &str, content: &str, now: &str) -> Answer {
    let made = new_file(content, file(files, path), now);
    let files = Some(files_of(vec![(path.to_owned(), made)]));
    Answer { files, ..Answer::of(format!("Updated file {path}")) }
}

/// Replaces a text in a file: its only occurrence, or all.
pub(in crate::agent) fn edit(
    files: &Json,
    path: &str,
    [from, to]: [&str; 2],
    all: bool,
    now: &str,
) -> Answer {
    let Some(file) = file(files, path) else { return Answer::missing(path) };
    if is_binary(file) {
        return Answer::error("Cannot edit binary files with text replacements.");
    }
    if from.is_empty() {
        return Answer::error("old_string cannot be empty. Provide the exact text to replace.");
    }
    let text = text_of(file);
    let count = text.matches(from).count();
    if count == 0 {
        return Answer::error(&not_found(&text, from));
    }
    if count > 1 && !all {
        return Answer::error(&format!(
            "String '{from}' appears {count} times in file. Use replace_all=True to replace all instances, \
             or provide a more specific string with surrounding context."
        ));
    }
    let made = new_file(&text.replace(from, to), Some(file), now);
    let said = format!("Successfully replaced {count} instance(s) of the string in '{path}'");
    Answer { files: Some(files_of(vec![(path.to_owned(), made)])), ..Answer::of(said) }
}

/// The reason why a text was not found. Models often add a newline that the file does not end with.
fn not_found(text: &str, from: &str) -> String {
    let bare = from.strip_suffix('\n').filter(|bare| !bare.is_empty() && text.ends_with(*bare));
    let Some(bare) = bare else { return format!("String not found in file: '{from}'") };
    let newline = "old_string ends with a newline, but the file does not end with a newline.";
    match text.matches(bare).count() {
        1 => format!(
            "{newline} Retry with the trailing newline removed from old_string (and from new_string if it also \
             ends with a newline)."
        ),
        often => format!(
            "{newline} With the trailing newline removed, old_string would appear {often} times in the file. \
             Retry with the trailing newline removed and add surrounding context so the match is unique."
        ),
    }
}

/// Deletes a file, or a folder with all that is in it.
pub(in crate::agent) fn delete(files: &Json, path: &str) -> Answer {
    let base = path.trim_end_matches('/');
    let is_in = |key: &str| {
        key.strip_prefix(base).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let gone = files.entries().filter(|(key, _)| is_in(key));
    let gone = gone.map(|(key, _)| (key.to_owned(), Json::NULL)).collect::<Vec<_>>();
    if gone.is_empty() {
        return Answer::missing(path);
    }
    Answer { files: Some(files_of(gone)), ..Answer::of(format!("Deleted {path}")) }
}
