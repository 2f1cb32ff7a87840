//! The types of a state in TypeScript, put together while the compiler runs.

use threadfold::typed::page::{Declared, PageState, Types};

/// How long they may be.
const ROOM: usize = 32_768;

/// A long text, made by the compiler.
#[derive(Debug)]
pub struct Page {
    bytes: [u8; ROOM],
    length: usize,
}

impl Page {
    const fn with(mut self, text: &str) -> Self {
        let bytes = text.as_bytes();
        assert!(self.length + bytes.len() <= ROOM, "the types of a state are longer than 32 KiB");
        let (_, rest) = self.bytes.split_at_mut(self.length);
        let (place, _) = rest.split_at_mut(bytes.len());
        place.copy_from_slice(bytes);
        self.length += bytes.len();
        self
    }

    /// Returns it as a string.
    ///
    /// # Panics
    /// Never: it is made of strings.
    #[must_use]
    #[allow(clippy::panic, reason = "only the compiler evaluates it")]
    pub const fn as_str(&self) -> &str {
        match core::str::from_utf8(self.bytes.split_at(self.length).0) {
            Ok(text) => text,
            Err(_) => panic!("a text is made of strings"),
        }
    }
}

/// Returns the class of a state, its update, and the types of its fields.
#[must_use]
#[allow(
    clippy::indexing_slicing,
    clippy::large_stack_arrays,
    reason = "only the compiler evaluates it"
)]
pub const fn typescript<S: PageState>() -> Page {
    let mut page = Page { bytes: [0; ROOM], length: 0 };
    let mut needs = Types::NONE;
    let mut at = 0;
    while at < S::FIELDS.len() {
        if S::FIELDS[at].twin.is_empty() {
            needs = needs.and(S::FIELDS[at].needs);
        }
        at += 1;
    }
    at = 0;
    while at < needs.len() {
        page = page.with(needs.at(at)).with("\n");
        at += 1;
    }
    page = page.with("export class ").with(S::NAME).with(" {\n  private constructor();\n");
    at = 0;
    while at < S::FIELDS.len() {
        page = value(key(page.with("  "), &S::FIELDS[at], ""), &S::FIELDS[at]).with(";\n");
        at += 1;
    }
    page = page.with(STATICS);
    at = 0;
    while at < S::FIELDS.len() {
        page = key(page.with("    "), &S::FIELDS[at], "").with("import(\"threadfold\").Field<");
        page = value(page, &S::FIELDS[at]).with(", ");
        page = update(page, &S::FIELDS[at]).with(", true>;\n");
        at += 1;
    }
    page = page.with("  };\n}\nexport type ").with(S::NAME).with("Update = {\n");
    at = 0;
    while at < S::FIELDS.len() {
        page = update(key(page.with("  "), &S::FIELDS[at], "?"), &S::FIELDS[at]).with(";\n");
        at += 1;
    }
    page.with("};\n")
}

const STATICS: &str = "  static fields(): { name: string; kind: string }[];
  static initial(at: number): unknown;
  static fold(at: number, now: unknown, update: unknown): unknown;
  /** Only for the type checker: there is no such value. */
  static readonly \"~fields\"?: {
";

const fn key(page: Page, field: &Declared, mark: &str) -> Page {
    page.with(field.docs).with("readonly \"").with(field.name).with("\"").with(mark).with(": ")
}

const fn value(page: Page, field: &Declared) -> Page {
    let twin = field.twin.as_bytes();
    match twin {
        b"messages" => page.with("import(\"threadfold\").LangChainMessage[]"),
        b"tools" => page.with("import(\"threadfold\").Tool[]"),
        b"todos" => page.with("import(\"threadfold\").Todo[]"),
        b"files" => page.with("Record<string, import(\"threadfold\").FileData>"),
        _ => page.with(field.value.as_str()),
    }
}

const fn update(page: Page, field: &Declared) -> Page {
    let page = match field.twin.as_bytes() {
        b"messages" => page
            .with("import(\"threadfold\").MessagesUpdate<import(\"threadfold\").LangChainMessage>"),
        b"tools" => page.with("readonly import(\"threadfold\").Tool[]"),
        b"todos" => return page.with("readonly import(\"threadfold\").Todo[]"),
        b"files" => page.with("Readonly<Record<string, import(\"threadfold\").FileData | null>>"),
        b"replace" => return page.with(field.update.as_str()),
        _ => page.with(field.update.as_str()),
    };
    value(page.with(" | import(\"threadfold\").Overwrite<"), field).with(">")
}
