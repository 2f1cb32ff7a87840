//! Recorded parts with a value replaced by another: none panics, and one that is refused leaves the
//! thread's state as it was.

use serde_json::{Value, json};
use threadfold::{Json, Thread, Value as _, ag_ui, langgraph};

use super::recording::{empty_thread, recordings};

/// Returns a value with each of its parts replaced, down to a depth.
fn mutants(value: &Value, depth: usize) -> Vec<Value> {
    let odd = [json!(null), json!(5), json!("x"), json!([]), json!({}), json!([[{}]])];
    let mut all = odd.to_vec();
    if depth == 0 {
        return all;
    }
    let pointers: Vec<String> = match value {
        Value::Object(fields) => fields.keys().map(|key| format!("/{key}")).collect(),
        Value::Array(items) => (0..items.len().min(2)).map(|at| format!("/{at}")).collect(),
        _ => Vec::new(),
    };
    for pointer in pointers {
        let Some(inner) = value.pointer(&pointer) else { continue };
        for mutant in mutants(inner, depth - 1) {
            let mut whole = value.clone();
            *whole.pointer_mut(&pointer).unwrap() = mutant;
            all.push(whole);
        }
    }
    all
}

/// Folds mutants before each recorded part. Returns how many were folded, and how many refused.
fn fold_all(
    protocol: &str,
    names: &[&str],
    mut fold: impl FnMut(&mut Thread<Json>, &Value) -> Result<(), String>,
) -> [usize; 2] {
    let [mut folded, mut refused] = [0, 0];
    for recording in recordings(protocol).iter().filter(|it| names.contains(&&*it.name)) {
        let mut thread = empty_thread();
        for part in recording.turns.iter().flat_map(|turn| &turn.parts).step_by(3) {
            for mutant in mutants(part, 3) {
                let before = thread.confirmed();
                match fold(&mut thread, &mutant) {
                    Ok(()) => folded += 1,
                    Err(error) => {
                        refused += 1;
                        assert_eq!(thread.confirmed(), before, "{error}: {mutant}");
                    }
                }
            }
            fold(&mut thread, part).ok();
        }
    }
    [folded, refused]
}

#[test]
fn malformed_events_of_ag_ui() {
    let mut folding = ag_ui::Fold::new();
    let [folded, refused] = fold_all("ag-ui", &["chat", "parallel", "approval"], |thread, part| {
        let folded = folding.json(thread, &part["data"].to_string());
        folded.map(|_| ()).map_err(|error| format!("{} {error}", error.code()))
    });
    assert!(folded > 100 && refused > 500, "{folded} folded, {refused} refused");
}

#[test]
fn malformed_parts_of_langgraph() {
    let mut folding = langgraph::Fold::new();
    let [folded, refused] = fold_all("langgraph", &["parallel", "consent"], |thread, part| {
        let read: langgraph::Part =
            serde_json::from_value(part.clone()).map_err(|error| error.to_string())?;
        let folded = folding.part(thread, &langgraph::Part::new(read.event, read.data));
        folded.map(|_| ()).map_err(|error| format!("{} {error}", error.code()))
    });
    assert!(folded > 500 && refused > 100, "{folded} folded, {refused} refused");
}

/// A server in this process may send values deeper than text can be. A stack has no room to merge them.
#[test]
fn parts_too_deep_to_merge_are_refused() {
    let nested = |levels: u32, list: bool, text: &str| {
        (0..levels).fold(Json::from(text), |inner, level| {
            let object = Json::from([("a", inner)]);
            if !list || level % 2 == 1 {
                return object;
            }
            Json::from(vec![object.with("index", 0.into())])
        })
    };
    let part = |field: &str, list: bool, levels: u32, text: &str| {
        let value = match field {
            "content" => Json::from(vec![nested(levels, list, text).with("index", 0.into())]),
            _ => nested(levels, list, text),
        };
        let message = Json::from([("type", "AIMessageChunk".into()), ("id", "a".into())]);
        let message = message.with(field, value);
        langgraph::Part::new("messages", Json::from(vec![message, Json::object()]))
    };
    for field in ["additional_kwargs", "response_metadata", "content"] {
        for list in [false, true] {
            let fold = |levels| {
                let (mut thread, mut folding) = (empty_thread(), langgraph::Fold::new());
                folding.part(&mut thread, &part(field, list, levels, "Hel")).unwrap();
                let before = thread.confirmed();
                let folded = folding.part(&mut thread, &part(field, list, levels, "lo"));
                (folded.map(|_| ()), before, thread.confirmed())
            };
            let (folded, _, after) = fold(60);
            assert!(folded.is_ok() && after.to_string().contains("Hello"), "{field}");
            let (refused, before, after) = fold(9_000);
            let refused = refused.unwrap_err();
            assert_eq!(refused.code(), "INVALID_ARGUMENT");
            let remedy = "of the message chunk is nested more than 127 deep. Send it as text.";
            assert!(refused.to_string().ends_with(remedy), "{refused}");
            assert_eq!(after, before);
        }
    }
}
