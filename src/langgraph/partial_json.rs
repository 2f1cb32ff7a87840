//! JSON that is still arriving: the part that is there, as `parsePartialJson` of `@langchain/core`
//! reads it.

use std::mem;

use crate::value::{DEEPEST, Json, Kind, Value};

mod number;
#[cfg(test)]
mod tests;

use number::{Part, number_of, part_after};

/// A reader of a tool call's arguments. A piece of text costs its own length. A look at the object
/// costs a copy of the objects that are still open: at most 127, as no text is read deeper.
#[derive(Debug, Default)]
pub(super) struct PartialJson {
    /// The text so far, without white space around it.
    text: String,
    /// White space at the end: it counts once more follows.
    space: String,
    mode: Mode,
    /// The containers that are still open, each without the one in it.
    open: Vec<Frame>,
    whole: Json,
    /// The string, number or word that is being read.
    read: String,
    escape: Escape,
    in_key: bool,
    number: Part,
    word: &'static str,
}

#[derive(Debug)]
struct Frame {
    node: Json,
    key: String,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Mode {
    #[default]
    Start,
    FirstKey,
    Key,
    Colon,
    FirstItem,
    Value,
    After,
    String,
    Number,
    Word,
    Whole,
    Invalid,
}

/// An escape that is being read, and the first half of a surrogate pair.
#[derive(Debug, Default)]
struct Escape {
    begun: bool,
    hex: Option<String>,
    high: Option<u16>,
}

impl PartialJson {
    pub(super) fn of(text: &str) -> Self {
        let mut own = Self::default();
        own.add(text);
        own
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the object so far, `{}` for no text; `None` where the text cannot begin an object.
    pub(super) fn object(&self) -> Option<Json> {
        let mut value = match self.mode {
            Mode::Invalid => return None,
            Mode::Start => return Some(Json::object()),
            Mode::Whole => return Some(self.whole.clone()),
            Mode::String if !self.in_key => Some(self.unfinished().into()),
            Mode::Number => Some(number_of(&self.read)?),
            Mode::Word => Some(meaning(self.word)),
            _ => None,
        };
        for frame in self.open.iter().rev() {
            value = Some(match value {
                Some(value) => placed(frame.node.clone(), &frame.key, value),
                None => frame.node.clone(),
            });
        }
        value
    }

    /// Reads on.
    pub(super) fn add(&mut self, text: &str) {
        let trimmed = text.trim_end_matches(is_space);
        if trimmed.is_empty() {
            if !self.text.is_empty() {
                self.space.push_str(text);
            }
            return;
        }
        let after = text.get(trimmed.len()..).unwrap_or_default();
        let start =
            if self.text.is_empty() { trimmed.trim_start_matches(is_space) } else { trimmed };
        let piece = mem::replace(&mut self.space, after.to_owned()) + start;
        self.text.push_str(&piece);
        let mut rest = piece.as_str();
        while let Some(next) = rest.chars().next() {
            if self.mode == Mode::Invalid {
                return;
            }
            rest = self.step(rest, next);
        }
    }

    /// Reads one token or a part of it. Returns the text after it.
    fn step<'t>(&mut self, rest: &'t str, next: char) -> &'t str {
        let after = rest.get(next.len_utf8()..).unwrap_or_default();
        match self.mode {
            Mode::String if self.escape.begun => self.escaped(next),
            Mode::String => return self.string(rest),
            Mode::Number => return self.digits(rest, next, after),
            Mode::Word => {
                self.read.push(next);
                if self.read == self.word {
                    self.put(meaning(self.word));
                } else if !self.word.starts_with(&self.read) {
                    self.mode = Mode::Invalid;
                }
            }
            _ if is_space(next) => {}
            _ => {
                self.structure(next);
                if self.mode == Mode::Number {
                    // Its first character decides how to read the rest, so it is read once more.
                    return rest;
                }
            }
        }
        after
    }

    fn structure(&mut self, next: char) {
        self.mode = match (self.mode, next) {
            (Mode::Start, '{') => self.enter(Json::object(), Mode::FirstKey),
            (Mode::FirstKey, '}') | (Mode::FirstItem, ']') => return self.leave(),
            (Mode::FirstKey | Mode::Key, '"') => self.string_begins(true),
            (Mode::Colon, ':') => Mode::Value,
            (Mode::FirstItem | Mode::Value, _) => self.value(next),
            (Mode::After, _) => {
                let in_list = self.open.last().is_some_and(|it| it.node.kind() == Kind::Array);
                match (next, in_list) {
                    (']', true) | ('}', false) => return self.leave(),
                    (',', true) => Mode::Value,
                    (',', false) => Mode::Key,
                    _ => Mode::Invalid,
                }
            }
            _ => Mode::Invalid,
        };
    }

    fn value(&mut self, next: char) -> Mode {
        match next {
            '{' => self.enter(Json::object(), Mode::FirstKey),
            '[' => self.enter(Json::array([]), Mode::FirstItem),
            '"' => self.string_begins(false),
            '-' | '0'..='9' => {
                self.read.clear();
                self.number = Part::Start;
                Mode::Number
            }
            'n' | 't' | 'f' => {
                self.word = match next {
                    'n' => "null",
                    't' => "true",
                    _ => "false",
                };
                self.read = next.into();
                Mode::Word
            }
            _ => Mode::Invalid,
        }
    }

    fn string_begins(&mut self, in_key: bool) -> Mode {
        self.read.clear();
        self.escape = Escape::default();
        self.in_key = in_key;
        Mode::String
    }

    fn string<'t>(&mut self, rest: &'t str) -> &'t str {
        let end = rest.find(['"', '\\']).unwrap_or(rest.len());
        let (plain, rest) = rest.split_at_checked(end).unwrap_or((rest, ""));
        if !plain.is_empty() {
            self.half_is_lost();
            self.read.push_str(plain);
        }
        let mut left = rest.chars();
        match left.next() {
            None => return rest,
            Some('\\') => self.escape.begun = true,
            Some(_) => {
                self.half_is_lost();
                let read = mem::take(&mut self.read);
                if !self.in_key {
                    self.put(read.into());
                } else if let Some(frame) = self.open.last_mut() {
                    frame.key = read;
                    self.mode = Mode::Colon;
                }
            }
        }
        left.as_str()
    }

    fn escaped(&mut self, next: char) {
        let Some(hex) = &mut self.escape.hex else {
            let meant = match next {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                'b' => '\u{8}',
                'f' => '\u{c}',
                '\\' | '"' | '/' => next,
                'u' => {
                    self.escape.hex = Some(String::new());
                    return;
                }
                _ => {
                    self.mode = Mode::Invalid;
                    return;
                }
            };
            self.escape.begun = false;
            self.half_is_lost();
            self.read.push(meant);
            return;
        };
        hex.push(next);
        if !next.is_ascii_hexdigit() {
            self.mode = Mode::Invalid;
        } else if hex.len() == 4 {
            let unit = u16::from_str_radix(hex, 16).unwrap_or_default();
            (self.escape.begun, self.escape.hex) = (false, None);
            self.unit(unit);
        }
    }

    /// Adds a unit of UTF-16: a character, or half of one.
    fn unit(&mut self, unit: u16) {
        if let Some(high) = self.escape.high.take() {
            let pair = char::decode_utf16([high, unit]).next();
            if let Some(Ok(found)) = pair {
                self.read.push(found);
                return;
            }
            self.read.push(char::REPLACEMENT_CHARACTER);
        }
        match char::from_u32(unit.into()) {
            Some(found) => self.read.push(found),
            None if unit < 0xDC00 => self.escape.high = Some(unit),
            None => self.read.push(char::REPLACEMENT_CHARACTER),
        }
    }

    fn half_is_lost(&mut self) {
        if self.escape.high.take().is_some() {
            self.read.push(char::REPLACEMENT_CHARACTER);
        }
    }

    /// Returns a string as far as it has come.
    fn unfinished(&self) -> String {
        let half = self.escape.high.map(|_| char::REPLACEMENT_CHARACTER);
        let pending = match &self.escape.hex {
            Some(hex) => format!("u{hex}"),
            None if self.escape.begun => "\\".to_owned(),
            None => String::new(),
        };
        let mut all = String::with_capacity(self.read.len() + pending.len());
        all.push_str(&self.read);
        all.extend(half);
        all + &pending
    }

    fn digits<'t>(&mut self, rest: &'t str, next: char, after: &'t str) -> &'t str {
        match part_after(self.number, next) {
            Some(Some(part)) => {
                self.number = part;
                self.read.push(next);
                after
            }
            Some(None) => {
                self.mode = Mode::Invalid;
                rest
            }
            None => {
                match number_of(&self.read) {
                    Some(number) => self.put(number),
                    None => self.mode = Mode::Invalid,
                }
                rest
            }
        }
    }

    fn enter(&mut self, node: Json, mode: Mode) -> Mode {
        if self.open.len() >= DEEPEST as usize {
            return Mode::Invalid;
        }
        self.open.push(Frame { node, key: String::new() });
        mode
    }

    fn leave(&mut self) {
        let Some(Frame { node, .. }) = self.open.pop() else { return };
        if self.open.is_empty() {
            self.whole = node;
            self.mode = Mode::Whole;
        } else {
            self.put(node);
        }
    }

    /// Puts a whole value into the innermost open container.
    fn put(&mut self, value: Json) {
        if let Some(frame) = self.open.last_mut() {
            let node = mem::take(&mut frame.node);
            frame.node = placed(node, &frame.key, value);
        }
        self.mode = Mode::After;
    }
}

fn placed(node: Json, key: &str, value: Json) -> Json {
    if node.kind() != Kind::Array {
        return node.with(key, value);
    }
    let len = node.len();
    node.splice(len, 0, Some(value))
}

fn meaning(word: &str) -> Json {
    match word {
        "true" => true.into(),
        "false" => false.into(),
        _ => Json::NULL,
    }
}

/// Whether `trim` of JavaScript removes this character.
fn is_space(char: char) -> bool {
    char == '\u{feff}' || (char.is_whitespace() && char != '\u{85}')
}
