//! Maps by small numbers.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map by the numbers that stand for ids: they are ours and dense, so that one multiplication
/// spreads them well enough.
pub(crate) type ByNumber<T> = HashMap<u32, T, BuildHasherDefault<NumberHasher>>;

#[derive(Default)]
pub(crate) struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u32(u32::from(*byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        // The golden ratio's odd neighbour in 64 bits: a map looks at the highest bits, too.
        self.0 = (self.0 ^ u64::from(number)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}
