//! Numbers as text and back: the standard library's code is larger in WebAssembly than a reducer.

/// Returns a number in decimal digits.
pub(crate) fn digits(number: usize) -> String {
    let mut text = if number < 10 { String::new() } else { digits(number / 10) };
    let last = u32::try_from(number % 10).ok().and_then(|digit| char::from_digit(digit, 10));
    text.extend(last);
    text
}

/// Parses a list's index as JSON Pointers write it: digits, without a leading zero.
pub(crate) fn index_of(token: &str) -> Option<usize> {
    if token.is_empty() || (token.starts_with('0') && token.len() > 1) {
        return None;
    }
    token.bytes().try_fold(0_usize, |number, byte| {
        let digit = byte.checked_sub(b'0').filter(|digit| *digit < 10)?;
        number.checked_mul(10)?.checked_add(digit.into())
    })
}

#[cfg(test)]
mod tests {
    use super::{digits, index_of};

    #[test]
    fn writes_and_reads_numbers() {
        for number in [0, 9, 10, 1203, usize::MAX] {
            assert_eq!(digits(number), number.to_string());
            assert_eq!(index_of(&digits(number)), Some(number));
        }
        let too_large = digits(usize::MAX) + "0";
        for none in ["", "00", "01", "-1", "+1", "1a", "/", ":", &too_large] {
            assert_eq!(index_of(none), None, "{none:?}");
        }
    }
}
