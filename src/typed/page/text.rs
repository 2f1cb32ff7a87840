//! Text that is put together while the compiler runs.
#![allow(clippy::indexing_slicing, clippy::panic, reason = "only the compiler evaluates it")]

/// How many declarations a state may need.
const COUNT: usize = 96;

/// A text of at most `ROOM` bytes, made by the compiler. That is enough for one type.
#[derive(Debug, Clone, Copy)]
pub struct Text<const ROOM: usize = 2048> {
    bytes: [u8; ROOM],
    length: usize,
}

impl<const ROOM: usize> Text<ROOM> {
    /// Returns a text.
    #[must_use]
    pub const fn of(text: &str) -> Self {
        Self { bytes: [0; ROOM], length: 0 }.with(text)
    }

    /// Returns the text with another after it.
    ///
    /// # Panics
    /// While compiling, if it is too long.
    #[must_use]
    pub const fn with(mut self, text: &str) -> Self {
        let bytes = text.as_bytes();
        assert!(
            self.length + bytes.len() <= ROOM,
            "a type is too long in TypeScript: 2,048 bytes, or 32 KiB with all that it needs"
        );
        let (_, rest) = self.bytes.split_at_mut(self.length);
        let (place, _) = rest.split_at_mut(bytes.len());
        place.copy_from_slice(bytes);
        self.length += bytes.len();
        self
    }

    /// Returns the text with another after it.
    #[must_use]
    pub const fn and(self, text: &Self) -> Self {
        self.with(text.as_str())
    }

    /// Returns whether it is the same text as another.
    #[must_use]
    pub const fn is(&self, other: &Self) -> bool {
        same(self.as_str(), other.as_str())
    }

    /// Returns it as a string.
    ///
    /// # Panics
    /// Never: it is made of strings.
    #[must_use]
    pub const fn as_str(&self) -> &str {
        match core::str::from_utf8(self.bytes.split_at(self.length).0) {
            Ok(text) => text,
            Err(_) => panic!("a text is made of strings"),
        }
    }
}

/// Declarations in TypeScript, each once.
#[derive(Debug, Clone, Copy)]
pub struct Types {
    /// Each with those it needs, which are looked at last: a type may need itself.
    items: [&'static str; COUNT],
    length: usize,
}

impl Types {
    /// No declarations.
    pub const NONE: Self = Self { items: [""; COUNT], length: 0 };

    /// Returns them and another.
    ///
    /// # Panics
    /// While compiling, if there are too many.
    #[must_use]
    pub const fn with(mut self, item: &'static str) -> Self {
        let mut at = 0;
        while at < self.length {
            if same(self.items[at], item) {
                return self;
            }
            at += 1;
        }
        assert!(self.length < COUNT, "a state of a page has more than 96 types");
        self.items[self.length] = item;
        self.length += 1;
        self
    }

    /// Returns these and those.
    #[must_use]
    pub const fn and(mut self, others: Self) -> Self {
        let mut at = 0;
        while at < others.length {
            self = self.with(others.items[at]);
            at += 1;
        }
        self
    }

    /// Returns how many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.length
    }

    /// Returns whether it has no declaration.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns one of them.
    #[must_use]
    pub const fn at(&self, at: usize) -> &'static str {
        self.items[at]
    }
}

const fn same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    let mut at = 0;
    while at < one.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    true
}
