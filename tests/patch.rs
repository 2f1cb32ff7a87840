//! JSON Patch (RFC 6902) and JSON Pointer (RFC 6901), rule by rule.
#![allow(clippy::unwrap_used, clippy::too_many_lines)]

use serde_json::{Value, json};
use threadfold::{Error, apply_patch};

fn patched(document: &Value, operations: &Value) -> Result<Value, Error> {
    apply_patch(document, operations)
}

/// Each row: a document, one operation, and its result.
#[test]
fn operations_that_apply() {
    let rows = [
        // add
        (json!({}), json!({ "op": "add", "path": "/a", "value": 1 }), json!({ "a": 1 })),
        (
            json!({ "a": 1 }),
            json!({ "op": "add", "path": "/a", "value": null }),
            json!({ "a": null }),
        ),
        (json!({ "a": 1 }), json!({ "op": "add", "path": "", "value": [] }), json!([])),
        (json!([1, 2]), json!({ "op": "add", "path": "/0", "value": 0 }), json!([0, 1, 2])),
        (json!([1, 2]), json!({ "op": "add", "path": "/1", "value": 0 }), json!([1, 0, 2])),
        (json!([1, 2]), json!({ "op": "add", "path": "/2", "value": 0 }), json!([1, 2, 0])),
        (json!([1, 2]), json!({ "op": "add", "path": "/-", "value": 0 }), json!([1, 2, 0])),
        (
            json!({ "a": [1] }),
            json!({ "op": "add", "path": "/a/0", "value": [2] }),
            json!({ "a": [[2], 1] }),
        ),
        (json!([{}]), json!({ "op": "add", "path": "/0/b", "value": 1 }), json!([{ "b": 1 }])),
        (
            json!({ "-": 1 }),
            json!({ "op": "add", "path": "/0", "value": 1 }),
            json!({ "-": 1, "0": 1 }),
        ),
        (json!({}), json!({ "op": "add", "path": "/-", "value": 1 }), json!({ "-": 1 })),
        (json!({}), json!({ "op": "add", "path": "/", "value": 1 }), json!({ "": 1 })),
        (
            json!({ "": {} }),
            json!({ "op": "add", "path": "//", "value": 1 }),
            json!({ "": { "": 1 } }),
        ),
        // Fields that no operation has are not looked at.
        (json!({}), json!({ "op": "add", "path": "/a", "value": 1, "xyz": 2 }), json!({ "a": 1 })),
        // remove
        (json!({ "a": 1, "b": 2 }), json!({ "op": "remove", "path": "/a" }), json!({ "b": 2 })),
        (json!([1, 2, 3]), json!({ "op": "remove", "path": "/1" }), json!([1, 3])),
        (json!([[1, 2]]), json!({ "op": "remove", "path": "/0/0" }), json!([[2]])),
        (json!({ "a": 1 }), json!({ "op": "remove", "path": "" }), json!(null)),
        (json!({ "0": 1, "1": 2 }), json!({ "op": "remove", "path": "/0" }), json!({ "1": 2 })),
        // replace
        (
            json!({ "a": 1 }),
            json!({ "op": "replace", "path": "/a", "value": [2] }),
            json!({ "a": [2] }),
        ),
        (json!([1, 2]), json!({ "op": "replace", "path": "/1", "value": 3 }), json!([1, 3])),
        (
            json!({ "a": null }),
            json!({ "op": "replace", "path": "/a", "value": 1 }),
            json!({ "a": 1 }),
        ),
        (
            json!({ "0": 1 }),
            json!({ "op": "replace", "path": "/0", "value": 2 }),
            json!({ "0": 2 }),
        ),
        (json!([1]), json!({ "op": "replace", "path": "", "value": {} }), json!({})),
        // move
        (json!({ "a": 1 }), json!({ "op": "move", "from": "/a", "path": "/b" }), json!({ "b": 1 })),
        (json!([1, 2, 3]), json!({ "op": "move", "from": "/0", "path": "/2" }), json!([2, 3, 1])),
        (json!([1, 2, 3]), json!({ "op": "move", "from": "/2", "path": "/0" }), json!([3, 1, 2])),
        (json!([1, 2]), json!({ "op": "move", "from": "/0", "path": "/-" }), json!([2, 1])),
        (
            json!({ "a": { "b": 1 } }),
            json!({ "op": "move", "from": "/a/b", "path": "/a" }),
            json!({ "a": 1 }),
        ),
        (json!({ "a": 1 }), json!({ "op": "move", "from": "/a", "path": "/a" }), json!({ "a": 1 })),
        (
            json!({ "a": 1, "ab": {} }),
            json!({ "op": "move", "from": "/a", "path": "/ab/c" }),
            json!({ "ab": { "c": 1 } }),
        ),
        (json!({ "a": 1 }), json!({ "op": "move", "from": "/a", "path": "" }), json!(1)),
        // copy
        (
            json!({ "a": [1] }),
            json!({ "op": "copy", "from": "/a", "path": "/b" }),
            json!({ "a": [1], "b": [1] }),
        ),
        (json!([1, 2]), json!({ "op": "copy", "from": "/0", "path": "/-" }), json!([1, 2, 1])),
        (
            json!({ "a": {} }),
            json!({ "op": "copy", "from": "", "path": "/a/b" }),
            json!({ "a": { "b": { "a": {} } } }),
        ),
        // test
        (json!({ "a": 1 }), json!({ "op": "test", "path": "/a", "value": 1 }), json!({ "a": 1 })),
        (json!({ "a": 1 }), json!({ "op": "test", "path": "/a", "value": 1.0 }), json!({ "a": 1 })),
        (
            json!({ "a": null }),
            json!({ "op": "test", "path": "/a", "value": null }),
            json!({ "a": null }),
        ),
        (
            json!({ "a": { "b": 1, "c": 2 } }),
            json!({ "op": "test", "path": "/a", "value": { "c": 2, "b": 1 } }),
            json!({ "a": { "b": 1, "c": 2 } }),
        ),
        (json!([1, [2]]), json!({ "op": "test", "path": "", "value": [1, [2]] }), json!([1, [2]])),
        // pointers
        (
            json!({ "a/b": 1 }),
            json!({ "op": "replace", "path": "/a~1b", "value": 2 }),
            json!({ "a/b": 2 }),
        ),
        (
            json!({ "m~n": 1 }),
            json!({ "op": "replace", "path": "/m~0n", "value": 2 }),
            json!({ "m~n": 2 }),
        ),
        (
            json!({ "~1": 1 }),
            json!({ "op": "replace", "path": "/~01", "value": 2 }),
            json!({ "~1": 2 }),
        ),
        (json!({ "/~/~": 1 }), json!({ "op": "remove", "path": "/~1~0~1~0" }), json!({})),
        (json!({ "01": 1 }), json!({ "op": "remove", "path": "/01" }), json!({})),
        (
            json!([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
            json!({ "op": "remove", "path": "/10" }),
            json!([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
        ),
    ];
    for (document, operation, after) in rows {
        let came = patched(&document, &json!([operation]));
        assert_eq!(came, Ok(after), "{operation} on {document}");
    }
}

/// Each row: an operation on `{ "a": 1, "list": [1, 2], "text": "x" }`, and the code.
#[test]
fn operations_that_are_refused() {
    let document = json!({ "a": 1, "list": [1, 2], "text": "x" });
    let rows = [
        (json!({ "op": "add", "path": "/list/3", "value": 0 }), "PATCH_FAILED"),
        (json!({ "op": "add", "path": "/list/x", "value": 0 }), "PATCH_FAILED"),
        (json!({ "op": "add", "path": "/list/00", "value": 0 }), "PATCH_FAILED"),
        (json!({ "op": "add", "path": "/list/01", "value": 0 }), "PATCH_FAILED"),
        (json!({ "op": "add", "path": "/list/+1", "value": 0 }), "PATCH_FAILED"),
        (json!({ "op": "add", "path": "/list/1e0", "value": 0 }), "PATCH_FAILED"),
        (json!({ "op": "add", "path": "/list/", "value": 0 }), "PATCH_FAILED"),
        (json!({ "op": "add", "path": "/list/99999999999999999999", "value": 0 }), "PATCH_FAILED"),
        (json!({ "op": "add", "path": "/text/0", "value": 0 }), "PATCH_FAILED"),
        (json!({ "op": "add", "path": "/b/c", "value": 0 }), "PATCH_FAILED"),
        (json!({ "op": "add", "path": "/list/-/c", "value": 0 }), "PATCH_FAILED"),
        (json!({ "op": "remove", "path": "/b" }), "PATCH_FAILED"),
        (json!({ "op": "remove", "path": "/list/2" }), "PATCH_FAILED"),
        (json!({ "op": "remove", "path": "/list/-" }), "PATCH_FAILED"),
        (json!({ "op": "remove", "path": "/text/0" }), "PATCH_FAILED"),
        (json!({ "op": "replace", "path": "/b", "value": 0 }), "PATCH_FAILED"),
        (json!({ "op": "replace", "path": "/list/2", "value": 0 }), "PATCH_FAILED"),
        (json!({ "op": "replace", "path": "/list/-", "value": 0 }), "PATCH_FAILED"),
        (json!({ "op": "replace", "path": "/a/b", "value": 0 }), "PATCH_FAILED"),
        (json!({ "op": "move", "from": "/b", "path": "/c" }), "PATCH_FAILED"),
        (json!({ "op": "move", "from": "/b", "path": "/b" }), "PATCH_FAILED"),
        (json!({ "op": "move", "from": "/list/0", "path": "/list/2" }), "PATCH_FAILED"),
        (json!({ "op": "move", "from": "/list", "path": "/list/0" }), "INVALID_PATCH"),
        (json!({ "op": "move", "from": "", "path": "/b" }), "INVALID_PATCH"),
        (json!({ "op": "copy", "from": "/b", "path": "/c" }), "PATCH_FAILED"),
        (json!({ "op": "copy", "from": "/a", "path": "/b/c" }), "PATCH_FAILED"),
        (json!({ "op": "test", "path": "/a", "value": 2 }), "PATCH_FAILED"),
        (json!({ "op": "test", "path": "/a", "value": "1" }), "PATCH_FAILED"),
        (json!({ "op": "test", "path": "/list", "value": [2, 1] }), "PATCH_FAILED"),
        (json!({ "op": "test", "path": "/list", "value": [1] }), "PATCH_FAILED"),
        (json!({ "op": "test", "path": "/b", "value": null }), "PATCH_FAILED"),
        (json!({ "op": "add", "path": "/c" }), "INVALID_PATCH"),
        (json!({ "op": "replace", "path": "/a" }), "INVALID_PATCH"),
        (json!({ "op": "test", "path": "/a" }), "INVALID_PATCH"),
        (json!({ "op": "remove" }), "INVALID_PATCH"),
        (json!({ "op": "remove", "path": 7 }), "INVALID_PATCH"),
        (json!({ "op": "remove", "path": "a" }), "INVALID_PATCH"),
        (json!({ "op": "remove", "path": "/a~" }), "INVALID_PATCH"),
        (json!({ "op": "remove", "path": "/a~2" }), "INVALID_PATCH"),
        (json!({ "op": "move", "path": "/a" }), "INVALID_PATCH"),
        (json!({ "op": "copy", "path": "/a" }), "INVALID_PATCH"),
        (json!({ "op": "spam", "path": "/a" }), "INVALID_PATCH"),
        (json!({ "path": "/a" }), "INVALID_PATCH"),
        (json!("remove"), "INVALID_PATCH"),
        (json!({ "op": "add", "path": "/__proto__", "value": 1 }), "FORBIDDEN_KEY"),
        (json!({ "op": "add", "path": "/__proto__/a", "value": 1 }), "FORBIDDEN_KEY"),
        (json!({ "op": "copy", "from": "/__proto__", "path": "/b" }), "FORBIDDEN_KEY"),
    ];
    for (operation, code) in rows {
        let error = patched(&document, &json!([operation])).unwrap_err();
        assert_eq!(error.code(), code, "{operation}: {error}");
    }
}

#[test]
fn a_patch_is_a_list() {
    for garbage in [json!(null), json!({}), json!("[]"), json!(7)] {
        let error = patched(&json!({}), &garbage).unwrap_err();
        assert_eq!(error.to_string(), "operations should be a list of JSON Patch operations.");
    }
    assert_eq!(patched(&json!({ "a": 1 }), &json!([])), Ok(json!({ "a": 1 })));
}

#[test]
fn operations_follow_each_other_and_errors_name_theirs() {
    let operations = json!([
        { "op": "add", "path": "/a", "value": [] },
        { "op": "add", "path": "/a/-", "value": 1 },
        { "op": "copy", "from": "/a/0", "path": "/a/0" },
        { "op": "test", "path": "/a", "value": [1, 1] },
    ]);
    assert_eq!(patched(&json!({}), &operations), Ok(json!({ "a": [1, 1] })));

    let operations = json!([
        { "op": "add", "path": "/a", "value": 1 },
        { "op": "remove", "path": "/b~1c" },
    ]);
    let refused = |operations: &Value| {
        let error = patched(&json!({}), operations).unwrap_err();
        (error.code(), error.to_string())
    };
    let missing = "Patch operation 1: nothing is at '/b~1c'.".to_owned();
    assert_eq!(refused(&operations), ("PATCH_FAILED", missing));
    let operations = json!([{ "op": "test", "path": "", "value": 1 }]);
    let failed = "Patch operation 0: the value at '' is not the one tested for.".to_owned();
    assert_eq!(refused(&operations), ("PATCH_FAILED", failed));
}

/// A path may be longer than the machine's stack is deep.
#[test]
fn a_long_path_is_followed() {
    let depth = 2_000;
    let mut document = json!({});
    for _ in 0..100 {
        document = json!({ "a": document });
    }
    let path = "/a".repeat(101);
    let operations = json!([{ "op": "add", "path": path, "value": 1 }]);
    let after = patched(&document, &operations).unwrap();
    assert_eq!(after.pointer(&path), Some(&json!(1)));
    let operations = json!([{ "op": "add", "path": "/a".repeat(depth), "value": 1 }]);
    assert_eq!(patched(&document, &operations).unwrap_err().code(), "PATCH_FAILED");
}
