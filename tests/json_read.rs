//! Values for Rust: numbers, items, and everything serde reads.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, HashMap};

use crate::seeded;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;
use threadfold::{Json, json};

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Todo {
    content: String,
    done: Option<bool>,
    #[serde(default)]
    weight: f64,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Step {
    Wait,
    Say(String),
    Move(i8, u64),
    Call { name: String, args: Value },
}

#[derive(Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
struct Id(u32);

#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
enum Tagged {
    Text { text: String },
    Image { url: String },
}

/// Reads a value as `serde_json` does, or refuses it as that does.
fn agrees<T: DeserializeOwned + PartialEq + std::fmt::Debug>(value: &Value) -> bool {
    let json = Json::from(value.clone());
    let (ours, theirs) = (T::deserialize(&json), serde_json::from_value::<T>(value.clone()));
    assert_eq!(ours.is_ok(), theirs.is_ok(), "{value}: {ours:?}, {theirs:?}");
    ours.ok() == theirs.ok()
}

fn agrees_in_every_type(value: &Value) -> bool {
    agrees::<Value>(value)
        && agrees::<Vec<Todo>>(value)
        && agrees::<Todo>(value)
        && agrees::<Step>(value)
        && agrees::<Vec<Step>>(value)
        && agrees::<Tagged>(value)
        && agrees::<Option<Id>>(value)
        && agrees::<BTreeMap<Id, Value>>(value)
        && agrees::<BTreeMap<bool, u8>>(value)
        && agrees::<HashMap<String, i64>>(value)
        && agrees::<(u8, String)>(value)
        && agrees::<[f32; 2]>(value)
        && agrees::<(char, ())>(value)
        && agrees::<i16>(value)
        && agrees::<u64>(value)
        && agrees::<f64>(value)
        && agrees::<bool>(value)
        && agrees::<()>(value)
        && agrees::<String>(value)
        && agrees::<IgnoredAny>(value)
}

#[test]
fn every_type_is_read_as_serde_json_reads_it() {
    for value in [
        serde_json::json!({ "content": "a", "done": true, "weight": 0.5 }),
        serde_json::json!({ "content": "a", "done": null, "other": [] }),
        serde_json::json!([{ "content": "a" }, { "content": "b", "weight": 1 }]),
        serde_json::json!({ "done": true }),
        serde_json::json!("wait"),
        serde_json::json!({ "wait": null }),
        serde_json::json!({ "say": "hi" }),
        serde_json::json!({ "move": [-1, u64::MAX] }),
        serde_json::json!({ "move": [-1] }),
        serde_json::json!({ "move": [-1, 2, 3] }),
        serde_json::json!({ "call": { "name": "f", "args": { "x": [1] } } }),
        serde_json::json!({ "say": "hi", "wait": null }),
        serde_json::json!(["wait", { "say": "hi" }]),
        serde_json::json!({ "type": "text", "text": "a" }),
        serde_json::json!({ "url": "u", "type": "image" }),
        serde_json::json!({ "1": "a", "20": null }),
        serde_json::json!({ "true": 1, "false": 2 }),
        serde_json::json!({ "x": 1, "y": -1 }),
        serde_json::json!([7, "seven"]),
        serde_json::json!([7, "seven", 7]),
        serde_json::json!([0.5, 1]),
        serde_json::json!(["c", null]),
        serde_json::json!(i64::MIN),
        serde_json::json!(u64::MAX),
        serde_json::json!(1e300),
        serde_json::json!(7),
        serde_json::json!(null),
        serde_json::json!({}),
        serde_json::json!([]),
    ] {
        assert!(agrees_in_every_type(&value), "{value}");
    }
}

fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3..300i64).prop_map(Value::from),
        any::<f64>().prop_filter("it is finite", |it| it.is_finite()).prop_map(Value::from),
        "wait|say|text|[a-c]?|1|true".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let key = "content|done|weight|say|move|call|name|args|type|text|1|true|[a-c]";
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map(key, inner, 0..4).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(seeded::config(2_000))]

    #[test]
    fn any_value_is_read_as_serde_json_reads_it(value in anything()) {
        prop_assert!(agrees_in_every_type(&value));
    }
}

#[test]
fn text_is_borrowed_and_depth_is_limited() {
    let json = json!({ "a": ["text"] });
    let read = BTreeMap::<&str, Vec<&str>>::deserialize(&json).unwrap();
    assert!(std::ptr::eq(read["a"][0], json["a"][0].as_str().unwrap()));
    let nested = |deep: usize| (1..deep).fold(json!([]), |inner, _| Json::from(vec![inner]));
    assert!(Value::deserialize(&nested(127)).is_ok());
    let error = Value::deserialize(&nested(128)).unwrap_err();
    assert_eq!(error.to_string(), "A value should be nested at most 127 deep.");
    assert!(IgnoredAny::deserialize(&nested(200_000)).is_err(), "and the stack holds");
}

#[test]
fn numbers_are_what_they_fit_into() {
    let big = json!(u64::MAX);
    assert_eq!((big.as_u64(), big.as_i64()), (Some(u64::MAX), None));
    assert_eq!((json!(-1).as_u64(), json!(-1).as_i64()), (None, Some(-1)));
    assert_eq!(
        (json!(0.5).as_f64(), json!(0.5).as_i64(), json!(2).as_f64()),
        (Some(0.5), None, Some(2.0))
    );
    assert_eq!((json!("1").as_u64(), json!("1").as_i64(), json!("1").as_f64()), (None, None, None));
    assert!(Json::NULL.is_null() && !json!(0).is_null());
}

#[test]
fn rust_values_become_json_and_compare_with_it() {
    let name = String::from("Ada");
    let message = json!({ "type": "human", "name": &name, "tokens": [1, 2.5, true, null] });
    assert_eq!(message.to_string(), r#"{"type":"human","name":"Ada","tokens":[1,2.5,true,null]}"#);
    assert_eq!(message["name"], "Ada");
    assert_eq!(message["name"], name);
    assert_eq!(message["tokens"][0], 1);
    assert_eq!(message["tokens"][1], 2.5);
    assert_eq!(message["tokens"][2], true);
    assert_ne!(message["tokens"][0], "1");
    assert!(json!(1.0) == 1 && json!(1) == 1.0);
    for infinite in [f64::INFINITY, f64::INFINITY - f64::INFINITY] {
        assert!(Json::NULL != infinite);
    }
    for (made, written) in [
        (Json::from(7_u8), "7"),
        (Json::from(-7_i16), "-7"),
        (Json::from(7_usize), "7"),
        (Json::from(Some("a")), r#""a""#),
        (Json::from(None::<u8>), "null"),
    ] {
        assert_eq!(made.to_string(), written);
    }
}

#[test]
fn a_literal_and_text_keep_the_order_of_fields() {
    let (key, list) = (String::from("m"), vec!["x", "y"]);
    let made = json!({
        "z": [null, [], {}, -1, [1, { "b": 2, "a": 1 }],],
        (key): list,
        "a": null, "if": if made_of(1) { "one" } else { "other" },
        "last": { "k": "v" },
    });
    let text = r#"{"z":[null,[],{},-1,[1,{"b":2,"a":1}]],"m":["x","y"],"a":null,"if":"one","last":{"k":"v"}}"#;
    assert_eq!(made.to_string(), text);
    let read: Json = text.parse().unwrap();
    assert_eq!((&read, read.to_string()), (&made, text.to_owned()));
    assert_eq!(serde_json::to_string(&Json::deserialize(&read).unwrap()).unwrap(), text);
    assert_eq!((json!([]).to_string(), json!({}).to_string()), ("[]".to_owned(), "{}".to_owned()));
}

fn made_of(count: u8) -> bool {
    count == 1
}

#[test]
fn a_list_is_iterated_and_anything_else_has_no_items() {
    for count in [0_u8, 1, 63, 64, 65, 130] {
        let list: Json = (0..count).map(Json::from).collect();
        assert_eq!(list.iter().len(), usize::from(count));
        let borrowed: Vec<_> = (&list).into_iter().filter_map(Json::as_i64).collect();
        assert_eq!(borrowed, (0..i64::from(count)).collect::<Vec<_>>());
        let owned: Vec<_> = list.into_iter().filter_map(|item| item.as_i64()).collect();
        assert_eq!(owned, borrowed);
    }
    assert_eq!(json!({ "a": 1 }).into_iter().count() + json!("text").iter().count(), 0);
}
