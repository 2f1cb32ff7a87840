//! A number of JSON, character by character.

use serde_json::Number;

use crate::value::Json;

/// The part of a number that was read last.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub(super) enum Part {
    #[default]
    Start,
    Sign,
    Zero,
    Whole,
    Fraction,
    Exponent,
    ExponentDigits,
}

/// Returns the part of a number that one more character leads to: nothing when the number is over,
/// and `Some(None)` where no number continues so.
#[allow(clippy::option_option)] // Three cases, used in one place.
pub(super) fn part_after(part: Part, next: char) -> Option<Option<Part>> {
    Some(match (next, part) {
        ('0'..='9', Part::Zero) => None,
        ('0', Part::Start | Part::Sign) => Some(Part::Zero),
        ('0'..='9', Part::Start | Part::Sign) => Some(Part::Whole),
        ('0'..='9' | '+' | '-', Part::Exponent) => Some(Part::ExponentDigits),
        ('0'..='9', part) => Some(part),
        ('-', Part::Start) => Some(Part::Sign),
        ('.', part) if part < Part::Fraction => Some(Part::Fraction),
        ('e' | 'E', part) if part < Part::Exponent => Some(Part::Exponent),
        _ => return None,
    })
}

/// Returns the number that a text begins with.
pub(super) fn number_of(text: &str) -> Option<Json> {
    if text == "-" {
        return Some(0.into());
    }
    let number = |text: &str| {
        text.parse::<i64>().map(Json::from).or_else(|_| text.parse::<u64>().map(Json::from))
    };
    if let Ok(number) = number(text) {
        return Some(number);
    }
    // An exponent without digits counts for nothing.
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let value = text.parse::<f64>().or_else(|_| mantissa.parse::<f64>()).ok()?;
    if mantissa.ends_with('.')
        && mantissa.len() == text.len()
        && let Ok(whole) = number(mantissa.trim_end_matches('.'))
    {
        return Some(whole);
    }
    Number::from_f64(value).map(|_| value.into())
}
