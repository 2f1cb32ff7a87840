//! Writes a [`Json`] as text, however deep.

use std::fmt::{self, Formatter, Write};

use super::{Json, Node};

/// A list or an object that is being written: the rest of its items, and its end.
struct Open<'a> {
    rest: Box<dyn Iterator<Item = (Option<&'a str>, &'a Json)> + 'a>,
    end: char,
    has_first: bool,
}

/// Writes the text that [`serde_json`] writes.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Ok(text) = serde_json::to_string(self) {
            return f.write_str(&text);
        }
        // With its own stack: the value is deeper than a serializer goes.
        let mut open: Vec<Open<'_>> = begin(self, f)?.into_iter().collect();
        while let Some(last) = open.last_mut() {
            let Some((key, value)) = last.rest.next() else {
                f.write_char(last.end)?;
                open.pop();
                continue;
            };
            if last.has_first {
                f.write_char(',')?;
            }
            last.has_first = true;
            if let Some(key) = key {
                scalar(key, f)?;
                f.write_char(':')?;
            }
            open.extend(begin(value, f)?);
        }
        Ok(())
    }
}

/// Writes the same text.
impl fmt::Debug for Json {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Writes a value, or how it begins.
fn begin<'a>(value: &'a Json, f: &mut Formatter<'_>) -> Result<Option<Open<'a>>, fmt::Error> {
    let (start, open) = match &value.0 {
        Node::Array(items) => {
            let rest = Box::new(items.iter().map(|item| (None, item)));
            ('[', Open { rest, end: ']', has_first: false })
        }
        Node::Object(_) => {
            let rest = Box::new(value.entries().map(|(key, value)| (Some(key), value)));
            ('{', Open { rest, end: '}', has_first: false })
        }
        _ => return scalar(value, f).map(|()| None),
    };
    f.write_char(start)?;
    Ok(Some(open))
}

fn scalar(value: &(impl serde::Serialize + ?Sized), f: &mut Formatter<'_>) -> fmt::Result {
    f.write_str(&serde_json::to_string(value).map_err(|_| fmt::Error)?)
}
