//! Values of JavaScript that JSON has no form for, as langgraph.js writes them.

use serde_json::{Value, json};

use crate::row::Object;

/// The mark of such a value.
const MARK: &str = "lc";

/// Reads a value. `undefined` is left out of objects, elsewhere it is null. Sets, maps and bytes are
/// lists, and a snapshot of a `DeltaChannel` is its value.
pub fn revived(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(revived).collect(),
        Value::Object(object) if object.get(MARK) == Some(&json!(2)) => special(object),
        Value::Object(object) => Value::Object(revived_fields(object)),
        other => other,
    }
}

/// Reads an object's fields.
pub fn revived_fields(object: Object) -> Object {
    let is_undefined = |value: &Value| {
        value.get(MARK) == Some(&json!(2)) && value.get("type") == Some(&json!("undefined"))
    };
    let fields = object.into_iter().filter(|(_, value)| !is_undefined(value));
    fields.map(|(name, value)| (name, revived(value))).collect()
}

fn special(mut object: Object) -> Value {
    let name = |object: &Object| {
        let id = object.get("id")?.as_array()?;
        id.last()?.as_str().map(str::to_owned)
    };
    let kind = object.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    let name = name(&object);
    match (kind.as_str(), name.as_deref()) {
        ("undefined", _) => Value::Null,
        ("delta_snapshot", _) => revived(object.remove("value").unwrap_or_default()),
        ("constructor", Some("Set" | "Map" | "Uint8Array")) => first(&mut object),
        ("constructor", Some("Error")) => json!({ "name": "Error", "message": first(&mut object) }),
        _ => Value::Object(object),
    }
}

fn first(object: &mut Object) -> Value {
    let args = object.remove("args");
    let first = args.as_ref().and_then(|args| args.get(0)).cloned();
    revived(first.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::revived;
    use serde_json::json;

    #[test]
    fn values_of_javascript_are_read() {
        let undefined = json!({ "lc": 2, "type": "undefined" });
        let set =
            json!({ "lc": 2, "type": "constructor", "id": ["Set"], "args": [[1, undefined]] });
        let value =
            json!({ "a": undefined, "b": [undefined, set], "c": { "lc": 1, "kwargs": {} } });
        let wanted = json!({ "b": [null, [1, null]], "c": { "lc": 1, "kwargs": {} } });
        assert_eq!(revived(value), wanted);
        let snapshot = json!({ "lc": 2, "type": "delta_snapshot", "value": [1] });
        assert_eq!(revived(snapshot), json!([1]));
    }
}
