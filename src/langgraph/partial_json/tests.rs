//! The object that each prefix of a text stands for.

use super::PartialJson;
use serde_json::json;

/// Each prefix of a text, and the object that it stands for.
#[test]
fn each_piece_shows_the_object_so_far() {
    let pieces = [
        ("", json!({})),
        (" {", json!({})),
        ("\"a", json!({})),
        ("\": [1", json!({ "a": [1] })),
        ("2, tr", json!({ "a": [12, true] })),
        ("ue, -", json!({ "a": [12, true, 0] })),
        ("0.5e", json!({ "a": [12, true, -0.5] })),
        ("1], \"b\": \"x\\", json!({ "a": [12, true, -5], "b": "x\\" })),
        ("n\\ud83d", json!({ "a": [12, true, -5], "b": "x\n\u{fffd}" })),
        (
            "\\udc4b\", \"c\": {\"d\": nul",
            json!({ "a": [12, true, -5], "b": "x\n👋", "c": { "d": null } }),
        ),
        ("l}  ", json!({ "a": [12, true, -5], "b": "x\n👋", "c": { "d": null } })),
        ("}", json!({ "a": [12, true, -5], "b": "x\n👋", "c": { "d": null } })),
    ];
    let mut read = PartialJson::default();
    for (piece, object) in pieces {
        read.add(piece);
        assert_eq!(read.object(), Some(object.into()), "after {piece}");
    }
    read.add("x");
    assert_eq!(read.object(), None);
    assert_eq!(read.text().len(), read.text().trim().len());
}

#[test]
fn a_text_that_cannot_begin_an_object_is_invalid() {
    for text in [
        "[",
        "1",
        "{1",
        "{\"a\" 1",
        "{\"a\": 01",
        "{\"a\": nx",
        "{\"a\": \"\\x",
        "{\"a\": [1,]",
        "{\"a\": -.",
        "{\"a\":\"\\u12g",
    ] {
        assert_eq!(PartialJson::of(text).object(), None, "{text}");
    }
}

#[test]
fn a_text_is_read_as_deep_as_any_other() {
    let nested = |depth: usize| format!("{{\"a\": {}", "[".repeat(depth - 1));
    let whole = nested(127) + &"]".repeat(126) + "}";
    assert_eq!(PartialJson::of(&whole).object(), whole.parse().ok());
    assert!(PartialJson::of(&nested(127)).object().is_some());
    for depth in [128, 100_000] {
        let whole = nested(depth) + &"]".repeat(depth - 1) + "}";
        assert!(whole.parse::<crate::Json>().is_err());
        assert_eq!(PartialJson::of(&nested(depth)).object(), None);
    }
}
