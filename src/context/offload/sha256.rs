//! SHA-256 (FIPS 180-4), for the name of a file.

const START: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

/// The round constants: the first bits of the fractional parts of the cube roots of the first primes.
fn constants() -> impl Iterator<Item = u32> {
    const ROUNDS: usize = 64;
    let is_prime = |number: &u128| (2..*number).all(|it| !number.is_multiple_of(it));
    (2..).filter(is_prime).take(ROUNDS).map(cube_root_bits)
}

/// The first 32 bits of the fractional part of a number's cube root, bit by bit.
fn cube_root_bits(number: u128) -> u32 {
    let target = number << 96;
    let root = (0..36).rev().fold(0_u128, |root, bit| {
        let next = root | (1 << bit);
        if next * next * next <= target { next } else { root }
    });
    u32::try_from(root & 0xffff_ffff).unwrap_or_default()
}

/// Returns the hash in hexadecimal digits.
#[allow(clippy::many_single_char_names)] // As the standard calls them.
pub(super) fn hex(bytes: &[u8]) -> String {
    let mut message = bytes.to_vec();
    message.push(0x80);
    while message.len() % 64 != 56 {
        message.push(0);
    }
    message.extend((bytes.len() as u64 * 8).to_be_bytes());

    let constants: Vec<u32> = constants().collect();
    let mut state = START;
    for chunk in message.chunks_exact(64) {
        let mut words: Vec<u32> = chunk
            .chunks_exact(4)
            .map(|four| four.iter().fold(0, |word, byte| (word << 8) | u32::from(*byte)))
            .collect();
        for at in 16..constants.len() {
            let word = |back: usize| words.get(at - back).copied().unwrap_or_default();
            let (w15, w2) = (word(15), word(2));
            let s0 = w15.rotate_right(7) ^ w15.rotate_right(18) ^ (w15 >> 3);
            let s1 = w2.rotate_right(17) ^ w2.rotate_right(19) ^ (w2 >> 10);
            words.push(word(16).wrapping_add(s0).wrapping_add(word(7)).wrapping_add(s1));
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
        for (constant, word) in constants.iter().zip(words) {
            let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let choice = (e & f) ^ (!e & g);
            let one =
                h.wrapping_add(s1).wrapping_add(choice).wrapping_add(*constant).wrapping_add(word);
            let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let two = s0.wrapping_add((a & b) ^ (a & c) ^ (b & c));
            (h, g, f, e, d, c, b, a) =
                (g, f, e, d.wrapping_add(one), c, b, a, one.wrapping_add(two));
        }
        for (sum, word) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *sum = sum.wrapping_add(word);
        }
    }
    let nibbles = state.iter().flat_map(|word| (0..8).rev().map(move |at| (word >> (at * 4)) & 15));
    nibbles.filter_map(|nibble| char::from_digit(nibble, 16)).collect()
}

#[cfg(test)]
mod tests {
    use super::hex;

    #[test]
    fn agrees_with_the_standard() {
        assert_eq!(hex(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let long = hex("a".repeat(1_000_000).as_bytes());
        assert_eq!(long, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }
}
