//! How a value is written: the lengths of Python's `repr` and `json.dumps`, and JavaScript's JSON.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::error::Error;
use crate::value::{Kind, Scalar, Value};

/// Python's recursion limit: deeper nesting has no repr there, either.
const DEEPEST: usize = 1000;

/// Which of Python's two notations.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Notation {
    Repr,
    Json,
}

/// Returns the length of a value in one of Python's notations, in code points.
///
/// # Errors
/// `INVALID_ARGUMENT` for one that is nested more than 1,000 deep.
pub(super) fn length<V: Value>(value: &V, notation: Notation) -> Result<u64, Error> {
    nested(value, notation, 0)
}

const NONE: u64 = 4; // None, null

fn nested<V: Value>(value: &V, notation: Notation, depth: usize) -> Result<u64, Error> {
    if depth > DEEPEST {
        return Err(too_deep());
    }
    let mut length = 2;
    let mut items = 0;
    match value.kind() {
        Kind::Null => return Ok(NONE),
        Kind::String => return Ok(text_length(&value.text().unwrap_or_default(), notation)),
        Kind::Other => return Ok(value.scalar().map_or(NONE, |it| scalar_length(it, notation))),
        Kind::Array => {
            for item in value.items() {
                items += 1;
                length += nested(&*item, notation, depth + 1)?;
            }
        }
        Kind::Object => {
            for key in value.keys() {
                let Some(own) = value.get(&key) else { continue };
                items += 1;
                length += text_length(&key, notation) + 2 + nested(&*own, notation, depth + 1)?;
            }
        }
    }
    // ", " between each two.
    Ok(length + 2 * u64::max(items, 1) - 2)
}

fn too_deep() -> Error {
    Error::value("a value", "nested no more than 1,000 deep")
}

/// Returns the number of code points, as Python counts length.
pub(super) fn code_points(text: &str) -> u64 {
    text.chars().map(|_| 1).sum()
}

pub(super) fn text_length(text: &str, notation: Notation) -> u64 {
    match notation {
        Notation::Repr => repr_length(text),
        Notation::Json => 2 + text.chars().map(json_char).sum::<u64>(),
    }
}

fn repr_length(text: &str) -> u64 {
    // Double quotes only for a text with single and without double ones.
    let double = text.contains('\'') && !text.contains('"');
    let char_length = |char| match char {
        '\'' if double => 1,
        '\'' | '\\' | '\n' | '\r' | '\t' => 2,
        ' '..='~' => 1,
        char if is_printable(char) => 1,
        '\0'..='\u{ff}' => 4,
        '\u{100}'..='\u{ffff}' => 6,
        _ => 10,
    };
    2 + text.chars().map(char_length).sum::<u64>()
}

/// Whether Python's `str.isprintable` holds: by the categories that the standard library's escapes
/// go by, too, in the Unicode of the compiler. (Python 3.11 has Unicode 14.)
fn is_printable(char: char) -> bool {
    // Letters that many texts are full of: kana, Han, Hangul.
    if matches!(char, '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
    {
        return true;
    }
    // At the start of a text a combining mark is escaped, too: so it comes second.
    let mut pair = [b'_'; 5];
    let end = 1 + pair.get_mut(1..).map_or(0, |rest| char.encode_utf8(rest).len());
    let pair = pair.get(..end).and_then(|pair| str::from_utf8(pair).ok());
    pair.is_some_and(|pair| pair.escape_debug().nth(1) == Some(char))
}

fn json_char(char: char) -> u64 {
    match char {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        ' '..='~' => 1,
        '\0'..='\u{ffff}' => 6,
        // A pair of surrogates.
        _ => 12,
    }
}

fn scalar_length(scalar: Scalar, notation: Notation) -> u64 {
    let text = match scalar {
        Scalar::Bool(it) => return if it { 4 } else { 5 },
        Scalar::Integer(number) => number.to_string(),
        Scalar::Float(number) if number.is_nan() => return 3,
        Scalar::Float(number) if number.is_infinite() => {
            let length = if notation == Notation::Json { 8 } else { 3 };
            return length + u64::from(number < 0.0);
        }
        Scalar::Float(number) => python_float(number),
    };
    text.len() as u64
}

/// Writes a float as Python's `repr` does.
fn python_float(number: f64) -> String {
    let Decimal { sign, digits, exponent } = Decimal::of(number);
    if (-4..16).contains(&exponent) {
        let text = plain(&digits, exponent);
        let whole = if text.contains('.') { "" } else { ".0" };
        return [sign, &text, whole].concat();
    }
    let mark = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{}e{mark}{:02}", pointed(&digits), exponent.unsigned_abs())
}

/// Writes a float as JavaScript does.
fn javascript_float(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    if !number.is_finite() {
        // JSON has none.
        return "null".to_owned();
    }
    let Decimal { sign, digits, exponent } = Decimal::of(number);
    if (-6..21).contains(&exponent) {
        return [sign, &plain(&digits, exponent)].concat();
    }
    let mark = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{}e{mark}{}", pointed(&digits), exponent.unsigned_abs())
}

/// A float in the fewest digits that are read back as it.
struct Decimal {
    sign: &'static str,
    digits: String,
    /// The exponent of the first digit.
    exponent: i32,
}

impl Decimal {
    fn of(number: f64) -> Self {
        let text = format!("{:e}", number.abs());
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        Self {
            sign: if number.is_sign_negative() { "-" } else { "" },
            digits: digits.replace('.', ""),
            exponent: exponent.parse().unwrap_or_default(),
        }
    }
}

/// Writes digits without an exponent, and without a point if the number is whole.
fn plain(digits: &str, exponent: i32) -> String {
    let Ok(before) = usize::try_from(exponent + 1) else {
        let zeros = usize::try_from(-exponent - 1).unwrap_or_default();
        return ["0.", &"0".repeat(zeros), digits].concat();
    };
    match before.cmp(&digits.len()) {
        Ordering::Less if before == 0 => ["0.", digits].concat(),
        Ordering::Less => {
            let (whole, rest) = digits.split_at(before);
            [whole, ".", rest].concat()
        }
        Ordering::Equal | Ordering::Greater => {
            [digits, &"0".repeat(before - digits.len())].concat()
        }
    }
}

/// Writes digits with a point after the first.
fn pointed(digits: &str) -> Cow<'_, str> {
    match digits.split_at_checked(1) {
        Some((first, rest)) if !rest.is_empty() => [first, ".", rest].concat().into(),
        _ => digits.into(),
    }
}

/// Returns a value as JavaScript's `JSON.stringify` does.
///
/// # Errors
/// The errors of [`write_json`].
pub(super) fn json_text<V: Value>(value: &V) -> Result<String, Error> {
    let mut text = String::new();
    write_json(value, &mut |piece| text.push_str(piece))?;
    Ok(text)
}

/// Writes a value as JavaScript's `JSON.stringify` does, piece by piece.
///
/// # Errors
/// `INVALID_ARGUMENT` for one that is nested more than 1,000 deep.
pub(super) fn write_json<V: Value>(value: &V, write: &mut impl FnMut(&str)) -> Result<(), Error> {
    write_nested(value, write, 0)
}

fn write_nested<V: Value>(
    value: &V,
    write: &mut impl FnMut(&str),
    depth: usize,
) -> Result<(), Error> {
    if depth > DEEPEST {
        return Err(too_deep());
    }
    match value.kind() {
        Kind::Null => write("null"),
        Kind::String => write_text(&value.text().unwrap_or_default(), write),
        Kind::Other => match value.scalar() {
            None => write("null"),
            Some(Scalar::Bool(it)) => write(if it { "true" } else { "false" }),
            Some(Scalar::Integer(number)) => write(&number.to_string()),
            Some(Scalar::Float(number)) => write(&javascript_float(number)),
        },
        Kind::Array => {
            write("[");
            for (at, item) in value.items().enumerate() {
                if at > 0 {
                    write(",");
                }
                write_nested(&*item, write, depth + 1)?;
            }
            write("]");
        }
        Kind::Object => {
            write("{");
            let mut between = "";
            for key in value.keys() {
                let Some(own) = value.get(&key) else { continue };
                write(between);
                between = ",";
                write_text(&key, write);
                write(":");
                write_nested(&*own, write, depth + 1)?;
            }
            write("}");
        }
    }
    Ok(())
}

fn write_text(text: &str, write: &mut impl FnMut(&str)) {
    write("\"");
    let mut rest = text;
    while let Some((at, char)) = rest.char_indices().find(|(_, char)| is_escaped(*char)) {
        let (before, after) = rest.split_at(at);
        write(before);
        match char {
            '"' => write("\\\""),
            '\\' => write("\\\\"),
            '\n' => write("\\n"),
            '\r' => write("\\r"),
            '\t' => write("\\t"),
            '\u{8}' => write("\\b"),
            '\u{c}' => write("\\f"),
            other => write(&format!("\\u{:04x}", u32::from(other))),
        }
        rest = after.get(1..).unwrap_or_default();
    }
    write(rest);
    write("\"");
}

fn is_escaped(char: char) -> bool {
    matches!(char, '"' | '\\' | '\0'..='\u{1f}')
}

#[cfg(test)]
mod tests {
    use super::{
        Notation, Scalar, javascript_float, python_float, repr_length, scalar_length, text_length,
    };

    #[test]
    fn writes_floats_as_python_does() {
        let cases = [
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (0.0001, "0.0001"),
            (0.000_012_34, "1.234e-05"),
            (1e-7, "1e-07"),
            (1e16, "1e+16"),
            (1e15, "1000000000000000.0"),
            (123_456.789, "123456.789"),
            (5e-324, "5e-324"),
            (1.5e300, "1.5e+300"),
            (0.5, "0.5"),
        ];
        for (number, text) in cases {
            assert_eq!(python_float(number), text);
        }
    }

    /// `NaN`, `Infinity`, `-Infinity` in its JSON; `nan`, `inf`, `-inf` elsewhere.
    #[test]
    fn measures_numbers_that_json_lacks_as_python_writes_them() {
        let length = |number, notation| scalar_length(Scalar::Float(number), notation);
        let numbers = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        assert_eq!(numbers.map(|number| length(number, Notation::Json)), [3, 8, 9]);
        assert_eq!(numbers.map(|number| length(number, Notation::Repr)), [3, 3, 4]);
    }

    #[test]
    fn writes_floats_as_javascript_does() {
        let cases = [
            (1.0, "1"),
            (-0.0, "0"),
            (0.000_001, "0.000001"),
            (1e-7, "1e-7"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (1.25e21, "1.25e+21"),
            (-123_456.789, "-123456.789"),
        ];
        for (number, text) in cases {
            assert_eq!(javascript_float(number), text);
        }
    }

    #[test]
    fn measures_what_pythons_json_escapes() {
        let cases = [
            ("", 2),
            ("a\"\\/", 8),
            ("\u{8}\t\n\u{c}\r", 12),
            ("\0\u{b}\u{1f}\u{7f}", 26),
            ("é你", 14),
            ("😀", 14),
        ];
        for (text, length) in cases {
            assert_eq!(text_length(text, Notation::Json), length, "{text:?}");
        }
    }

    #[test]
    fn measures_what_python_escapes() {
        // The lengths of `repr` in Python 3.11.
        let cases = [
            ("", 2),
            ("it's", 6),
            ("it's \"x\"", 11),
            ("\"", 3),
            ("\n\r\t\\", 10),
            ("\u{1}\u{7f}\u{a0}\u{ad}", 18),
            ("\u{200d}\u{3000}\u{2028}\u{feff}\u{e000}", 32),
            ("\u{e0001}\u{10ffff}", 22),
            ("é你😀\u{301}", 6),
        ];
        for (text, length) in cases {
            assert_eq!(repr_length(text), length, "{text:?}");
        }
    }
}
