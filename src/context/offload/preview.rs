//! The lines of a long text that stay in the context.

use crate::digits::digits;

/// Lines from the start, and from the end.
const LINES: usize = 5;
/// The most characters of a line.
const LONGEST: usize = 1000;

/// Returns a sentence about the preview, and the preview: the numbered first and last lines of a text.
pub(super) fn preview(text: &str, subject: &str) -> (String, String) {
    let lines = lines(text);
    let omitted = lines.len().saturating_sub(2 * LINES);
    let (head, tail) = if omitted > 0 {
        (lines.get(..LINES), lines.get(lines.len() - LINES..))
    } else {
        (Some(&*lines), None)
    };
    let head = head.unwrap_or_default();
    let tail = tail.unwrap_or_default();
    let mut sample = numbered(head, 1);
    let mut caveats = Vec::new();
    if omitted > 0 {
        let notice = ["\n... [", &digits(omitted), " lines truncated] ...\n"].concat();
        sample = [sample, notice, numbered(tail, lines.len() - LINES + 1)].concat();
        caveats.push(
            "lines of the form `... [N lines truncated] ...` indicate omitted lines in the middle of \
             the content",
        );
    }
    if head.iter().chain(tail).any(|line| clipped(line).len() < line.len()) {
        caveats.push(
            "the output contains lines longer than 1000 characters; this preview shows only their \
             first 1000 characters",
        );
    }
    let what = if omitted > 0 { " showing the head and tail" } else { "" };
    let caveats = match caveats.join("; ") {
        none if none.is_empty() => none,
        some => [" (", &some, ")"].concat(),
    };
    (["Here is a preview", what, " of the ", subject, &caveats, ":"].concat(), sample)
}

/// The lines as Python's `splitlines` has them.
fn lines(text: &str) -> Vec<&str> {
    const ENDS: [char; 10] = [
        '\n', '\r', '\u{b}', '\u{c}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{85}', '\u{2028}',
        '\u{2029}',
    ];
    let mut lines = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (line, after) = rest.split_once(ENDS).unwrap_or((rest, ""));
        lines.push(line);
        let is_pair = rest.get(line.len()..).is_some_and(|end| end.starts_with("\r\n"));
        rest = after.get(usize::from(is_pair)..).unwrap_or_default();
    }
    lines
}

fn clipped(line: &str) -> &str {
    let end = line.char_indices().nth(LONGEST).map_or(line.len(), |(at, _)| at);
    line.get(..end).unwrap_or(line)
}

fn numbered(lines: &[&str], first: usize) -> String {
    let width = digits(first + lines.len().saturating_sub(1)).len();
    let rows = (first..).zip(lines).map(|(number, line)| {
        let number = digits(number);
        [&" ".repeat(width - number.len()), &*number, "  ", clipped(line)].concat()
    });
    rows.collect::<Vec<_>>().join("\n")
}
