//! The types of a state in TypeScript, put together while the compiler runs.
#![allow(clippy::large_types_passed_by_value, reason = "only the compiler evaluates it")]

use threadfold::typed::page::{Declared, PageState, Text, Types};

/// The types of a state: a long text.
type Page = Text<32_768>;

/// Returns the class of a state, its update, and the types of its fields.
#[must_use]
#[allow(
    clippy::indexing_slicing,
    clippy::large_stack_arrays,
    reason = "only the compiler evaluates it"
)]
pub const fn typescript<S: PageState>() -> Page {
    let mut page = Page::of("");
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
