//! Tools that find files and lines in them.

use super::glob::Glob;
use super::{Answer, file, is_binary, text_of};
use crate::value::Json;

/// The most characters that a model gets at once.
const MOST: usize = 80_000;

const CUT: &str = "... [results truncated, try being more specific with your parameters]";

/// Writes paths as a list, which is cut if it is too long.
fn listed<'p>(paths: impl IntoIterator<Item = &'p str>) -> Answer {
    let mut room = MOST - CUT.len() - 4;
    let mut shown = Vec::new();
    for path in paths {
        // Each has quotes, a comma and a space.
        let Some(left) = room.checked_sub(path.chars().count() + 4) else {
            shown.push(CUT);
            break;
        };
        room = left;
        shown.push(path);
    }
    if shown.is_empty() {
        return Answer::of("No files found");
    }
    Answer::of(serde_json::json!(shown).to_string())
}

/// Lists the files and folders in a folder.
pub(in crate::agent) fn list(files: &Json, path: &str) -> Answer {
    let folder = [path.trim_end_matches('/'), "/"].concat();
    let mut found = std::collections::BTreeSet::new();
    for (key, _) in files.entries() {
        let Some(rest) = key.strip_prefix(&*folder) else { continue };
        // A folder ends with its slash.
        let end = rest.find('/').map_or(key.len(), |slash| folder.len() + slash + 1);
        found.extend(key.get(..end));
    }
    listed(found)
}

/// The files below a path, each with its path from there.
fn under<'f>(
    files: &'f Json,
    path: Option<&'f str>,
) -> impl Iterator<Item = (&'f str, &'f str, &'f Json)> {
    let path = path.unwrap_or("/");
    let own = file(files, path);
    let folder = if path == "/" { path.to_owned() } else { [path, "/"].concat() };
    let one = own.map(|own| (path, path.rsplit('/').next().unwrap_or(path), own));
    let all = files.entries().filter(move |_| own.is_none()).filter_map(move |(key, file)| {
        key.strip_prefix(&*folder).map(|relative| (key, relative, file))
    });
    one.into_iter().chain(all)
}

/// Finds files by a pattern, the newest first.
pub(in crate::agent) fn glob(files: &Json, pattern: &str, path: Option<&str>) -> Answer {
    let glob = match Glob::read(pattern) {
        Ok(glob) => glob,
        Err(why) => return Answer::error(&why),
    };
    let found = under(files, path).filter(|(_, relative, _)| glob.is_match(relative));
    let mut found: Vec<_> = found
        .map(|(key, _, file)| (key, file["modified_at"].as_str().unwrap_or_default()))
        .collect();
    found.sort_by(|(_, one), (_, other)| other.cmp(one));
    listed(found.into_iter().map(|(key, _)| key))
}

/// A search for lines with a text.
#[derive(Debug, Clone, Copy)]
pub(in crate::agent) struct Grep<'a> {
    pub pattern: &'a str,
    pub path: Option<&'a str>,
    pub glob: Option<&'a str>,
    pub mode: &'a str,
    pub most: i64,
}

const STOPPED: &str =
    "Note: there are more matches. Narrow the search, or raise max_count, to see the rest.";
const LITERAL: &str = "Note: grep matches literal text, not regex. Search for the text as it stands; for \
                       alternatives, search for each.";

/// Finds the lines that have a text, literally.
pub(in crate::agent) fn grep(files: &Json, asked: Grep<'_>) -> Answer {
    let Grep { pattern, path, glob, mode, most } = asked;
    let Some(mut room) = usize::try_from(most).ok().filter(|most| *most > 0) else {
        return Answer::refused("max_count should be 1 or more.");
    };
    let glob = match glob.filter(|glob| !glob.is_empty()).map(Glob::read).transpose() {
        Ok(glob) => glob,
        Err(why) => return Answer::refused(why),
    };
    let mut is_whole = true;
    let mut found = Vec::new();
    for (key, relative, file) in under(files, path) {
        let is_asked = glob.as_ref().is_none_or(|glob| glob.is_match(relative));
        if !is_asked || is_binary(file) {
            continue;
        }
        let text = text_of(file);
        let lines = text.split('\n').enumerate().filter(|(_, line)| line.contains(pattern));
        let mut lines = lines.map(|(at, line)| format!("  {}: {line}", at + 1));
        let shown: Vec<String> = lines.by_ref().take(room).collect();
        room -= shown.len();
        is_whole = is_whole && lines.next().is_none();
        if !shown.is_empty() {
            found.push((key, shown));
        }
    }
    if found.is_empty() {
        let hint =
            if looks_like_regex(pattern) { ["\n\n", LITERAL].concat() } else { String::new() };
        return Answer::of(["No matches found", &hint].concat());
    }
    found.sort_unstable_by_key(|(key, _)| *key);
    let shown = found.iter().map(|(key, lines)| match mode {
        "count" => format!("{key}: {}", lines.len()),
        "content" => format!("{key}:\n{}", lines.join("\n")),
        _ => (*key).to_owned(),
    });
    let text = at_most(shown.collect::<Vec<_>>().join("\n"));
    Answer::of(if is_whole { text } else { [&*text, "\n\n", STOPPED].concat() })
}

fn at_most(text: String) -> String {
    if text.chars().nth(MOST).is_none() {
        return text;
    }
    let start = text.chars().take(MOST - CUT.len() - 1).collect::<String>();
    [&*start, "\n", CUT].concat()
}

/// Whether a pattern has alternatives, repeated wildcards or escapes: these are hardly meant
/// literally.
fn looks_like_regex(pattern: &str) -> bool {
    let pairs = pattern.as_bytes().windows(2);
    let mut pairs = pairs.filter_map(|pair| <[u8; 2]>::try_from(pair).ok());
    pattern.contains('|')
        || pairs.any(|pair| match pair {
            [b'.', after] => b"*+".contains(&after),
            [b'\\', after] => b".wWdDsSbB(){}[]|+*?^$".contains(&after),
            _ => false,
        })
}
