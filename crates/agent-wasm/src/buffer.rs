//! The numbers that cross: one buffer, written on one side and read on the other within a call.

use std::cell::RefCell;

use wasm_bindgen::prelude::*;

thread_local! {
    static BUFFER: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) };
}

/// Returns where the buffer is, with room for at least so many numbers.
#[wasm_bindgen]
#[must_use]
pub fn buffer(length: usize) -> *mut f64 {
    BUFFER.with_borrow_mut(|buffer| {
        if buffer.len() < length {
            buffer.resize(length, 0.0);
        }
        buffer.as_mut_ptr()
    })
}

/// Reads numbers of the buffer in order; after the last one it returns NaN.
pub(super) struct Reader<'a>(&'a [f64]);

impl Reader<'_> {
    /// Returns the next number.
    #[inline(never)] // Smaller.
    pub fn next(&mut self) -> f64 {
        let Some((first, rest)) = self.0.split_first() else { return f64::NAN };
        self.0 = rest;
        *first
    }

    /// Returns the next number as one of a node, a channel or the like.
    #[inline(never)] // Smaller.
    pub fn whole(&mut self) -> u32 {
        let number = self.next();
        if number >= 0.0 { whole(number) } else { u32::MAX }
    }

    /// Returns the length of the list that comes next.
    #[inline(never)] // Smaller.
    pub fn length(&mut self) -> usize {
        (self.whole() as usize).min(self.0.len())
    }

    /// Returns the next numbers as those of nodes or channels: first comes how many.
    #[inline(never)] // Smaller.
    pub fn wholes(&mut self) -> Vec<u32> {
        let length = self.length();
        (0..length).map(|_| self.whole()).collect()
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Reads so many numbers of the buffer.
pub(super) fn read<T>(length: usize, read: impl FnOnce(&mut Reader<'_>) -> T) -> T {
    BUFFER.with_borrow(|buffer| read(&mut Reader(buffer.get(..length).unwrap_or_default())))
}

/// Writes into the buffer. Returns how many numbers were written.
pub(super) fn write(write: impl FnOnce(&mut Writer<'_>)) -> usize {
    BUFFER.with_borrow_mut(|buffer| {
        let mut writer = Writer { buffer, length: 0 };
        write(&mut writer);
        writer.length
    })
}

/// Writes numbers into the buffer in order.
pub(super) struct Writer<'a> {
    buffer: &'a mut Vec<f64>,
    length: usize,
}

impl Writer<'_> {
    /// Writes a number.
    #[inline(never)] // Smaller.
    pub fn push(&mut self, number: f64) {
        if let Some(own) = self.buffer.get_mut(self.length) {
            *own = number;
        } else {
            self.buffer.push(number);
        }
        self.length += 1;
    }
}

/// Returns a length as a number.
#[allow(clippy::cast_precision_loss)] // None is so long.
pub(super) fn count(length: usize) -> f64 {
    length as f64
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Saturates.
pub(super) fn whole(number: f64) -> u32 {
    number as u32
}
