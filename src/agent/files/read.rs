//! The tool that shows lines of a file.

use super::{Answer, file, is_binary, text_of};
use crate::value::Json;

/// The lines of a file that a call asks for.
#[derive(Debug, Clone, Copy)]
pub(in crate::agent) struct Lines {
    pub offset: i64,
    pub limit: i64,
}

const EMPTY: &str = "System reminder: File exists but has empty contents";

/// Shows lines of a file, of `room` characters at most.
pub(in crate::agent) fn read(
    files: &Json,
    path: &str,
    asked: Lines,
    room: Option<usize>,
) -> Answer {
    let Some(file) = file(files, path) else { return Answer::missing(path) };
    if is_binary(file) {
        return Answer::error(&format!("File '{path}' is not text."));
    }
    let text = text_of(file);
    // By the rules of Python's `strip`.
    if text.chars().all(|sign| sign.is_whitespace() || ('\x1c'..='\x1f').contains(&sign)) {
        return Answer::of(EMPTY);
    }
    let Lines { offset, limit } = asked;
    let from = usize::try_from(offset.max(0)).unwrap_or(usize::MAX);
    let most = usize::try_from(limit.max(0)).unwrap_or(usize::MAX);
    if most == 0 {
        return Answer::of(format!(
            "System reminder: no lines were read because `limit` was {limit}. The file was not inspected and may \
             have contents; retry with `limit` >= 1 to read it."
        ));
    }
    let lines = lines_of(&text);
    let count = lines.len();
    if from >= count {
        return Answer::error(&format!("Line offset {from} exceeds file length ({count} lines)"));
    }
    let end = from.saturating_add(most).min(count);
    let rows = rows_of(lines.get(from..end).unwrap_or_default());
    let note = (offset < 0).then(|| {
        format!(
            "[Requested offset {offset} is before the start of the file; read from line 1 instead.]\n"
        )
    });
    let shown = Shown { note: note.unwrap_or_default(), from, count };
    Answer::of(shown.at_most(&rows, end, room))
}

/// Splits a text where Python ends a line. Each line keeps its end.
fn lines_of(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text;
    loop {
        let end = rest.char_indices().find_map(|(at, sign)| match sign {
            '\r' if rest.get(at + 1..).is_some_and(|rest| rest.starts_with('\n')) => None,
            '\n'
            | '\r'
            | '\x0b'
            | '\x0c'
            | '\x1c'..='\x1e'
            | '\u{85}'
            | '\u{2028}'
            | '\u{2029}' => Some(at + sign.len_utf8()),
            _ => None,
        });
        match end.and_then(|end| rest.split_at_checked(end)) {
            Some((line, more)) if !more.is_empty() => {
                lines.push(line);
                rest = more;
            }
            _ => {
                lines.push(rest);
                return lines;
            }
        }
    }
}

/// Returns a row for each line. Ends of lines of other systems become newlines; others stay in a row.
fn rows_of(lines: &[&str]) -> Vec<String> {
    let body = lines.concat().replace("\r\n", "\n").replace('\r', "\n");
    let mut rows: Vec<String> = body.split('\n').map(str::to_owned).collect();
    if rows.last().is_some_and(String::is_empty) {
        rows.pop();
    }
    while rows.len() < lines.len() {
        rows.push(String::new());
    }
    rows
}

/// The header of what is shown.
struct Shown {
    note: String,
    from: usize,
    count: usize,
}

impl Shown {
    fn header(&self, last: usize, fields: &[&str]) -> String {
        let Self { note, from, count } = self;
        let lines = format!("lines {}-{last} of {count}", from + 1);
        let fields = std::iter::once(&*lines).chain(fields.iter().copied()).collect::<Vec<_>>();
        format!("{note}@@ {} @@\n", fields.join(" | "))
    }

    /// The header of lines up to one, which says where to read on.
    fn up_to(&self, last: usize, more: &[&str]) -> String {
        let next = format!("next offset {last}");
        let next = (last < self.count).then_some(&*next);
        self.header(last, &next.into_iter().chain(more.iter().copied()).collect::<Vec<_>>())
    }

    fn at_most(&self, rows: &[String], end: usize, room: Option<usize>) -> String {
        let body = rows.join("\n");
        let header = self.up_to(end, &[]);
        let mut length = body.chars().count();
        let Some(room) = room.filter(|room| header.chars().count() + length >= *room) else {
            return header + &body;
        };
        let mut bytes = body.len();
        for last in (self.from + 1..=end).rev() {
            let header = self.up_to(last, &["truncated due to size"]);
            if header.chars().count() + length <= room {
                return header + body.get(..bytes).unwrap_or_default();
            }
            let row = rows.get(last - 1 - self.from).map(String::as_str).unwrap_or_default();
            length = length.saturating_sub(row.chars().count() + 1);
            bytes = bytes.saturating_sub(row.len() + 1);
        }
        self.cut(rows.first().map(String::as_str).unwrap_or_default(), room)
    }

    /// Shows the start of a line that is too long. No offset shows its rest.
    fn cut(&self, row: &str, room: usize) -> String {
        let whole = row.chars().count();
        let cut = |size: usize| {
            let of = format!("{size} of {whole} chars");
            let header = self.header(self.from + 1, &["truncated mid-line", &of]);
            header + &row.chars().take(size).collect::<String>()
        };
        cut((room + whole).saturating_sub(cut(whole).chars().count()).min(whole))
    }
}
