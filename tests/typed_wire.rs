//! An update has the shape of its state on the wire, whatever serde's attributes say of it.
#![allow(clippy::unwrap_used, clippy::trivially_copy_pass_by_ref)]

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use threadfold::reducer::Append;
use threadfold::{Error, State};

/// Seconds, as a text.
mod seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(value: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{}s", value.as_secs()))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        let text = String::deserialize(deserializer)?;
        let count = text.strip_suffix('s').and_then(|count| count.parse().ok());
        count.map(Duration::from_secs).ok_or_else(|| D::Error::custom("invalid seconds"))
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Size {
    width: u32,
    #[serde(rename = "h")]
    height: u32,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, State)]
#[serde(rename_all = "camelCase", default)]
#[state(derive(Debug, Clone, PartialEq, Serialize, Deserialize))]
struct Job {
    #[serde(with = "seconds")]
    run_time: std::time::Duration,
    #[serde(skip)]
    cached: u64,
    #[serde(skip_serializing)]
    secret: String,
    #[serde(skip_deserializing)]
    version: u32,
    #[serde(flatten)]
    size: Size,
    #[serde(rename = "LOG", alias = "lines")]
    #[reducer(Append)]
    #[update(Option<String>)]
    log: Vec<String>,
    #[serde(with = "seconds")]
    #[reducer(add)]
    #[update(u64, serde())]
    waited: std::time::Duration,
    #[reducer(checked)]
    left: u8,
}

fn add(sum: std::time::Duration, seconds: u64) -> std::time::Duration {
    sum + std::time::Duration::from_secs(seconds)
}

fn checked(left: u8, used: u8) -> Result<u8, Error> {
    left.checked_sub(used).ok_or_else(|| Error::reducer("nothing is left"))
}

fn job() -> Job {
    Job {
        run_time: std::time::Duration::from_secs(3),
        cached: 1,
        secret: "s".to_owned(),
        version: 2,
        size: Size { width: 4, height: 5 },
        log: vec!["a".to_owned()],
        waited: std::time::Duration::from_secs(6),
        left: 7,
    }
}

#[test]
fn an_update_that_writes_each_field_has_the_shape_of_its_state() {
    let update = JobUpdate {
        run_time: Some(job().run_time),
        cached: Some(1),
        secret: Some("s".to_owned()),
        version: Some(2),
        size: Some(job().size),
        log: Some(Some("a".to_owned())),
        waited: Some(6),
        left: Some(7),
    };
    let state = serde_json::to_value(job()).unwrap();
    assert_eq!(
        state,
        json!({ "runTime": "3s", "version": 2, "width": 4, "h": 5, "LOG": ["a"], "waited": "6s", "left": 7 })
    );
    let mut wire = serde_json::to_value(&update).unwrap();
    assert_eq!((&wire["LOG"], &wire["waited"]), (&json!("a"), &json!(6)));
    // Those two have updates of another type.
    wire["LOG"] = json!(["a"]);
    wire["waited"] = json!("6s");
    assert_eq!(wire, state);
}

#[test]
fn an_update_is_read_as_its_state_is() {
    let wire = json!({ "runTime": "9s", "cached": 8, "secret": "t", "version": 8, "h": 5, "width": 1,
        "lines": "b", "waited": 1, "left": 2, "unknown": {} });
    let update: JobUpdate = serde_json::from_value(wire).unwrap();
    let read = JobUpdate {
        run_time: Some(std::time::Duration::from_secs(9)),
        secret: Some("t".to_owned()),
        size: Some(Size { width: 1, height: 5 }),
        log: Some(Some("b".to_owned())),
        waited: Some(1),
        left: Some(2),
        ..JobUpdate::default()
    };
    assert_eq!(update, read);
    let mut state = job();
    state.update(update).unwrap();
    assert_eq!((state.waited.as_secs(), state.left, state.cached), (7, 5, 1));
}

#[test]
fn a_fn_may_refuse_an_update() {
    let update = JobUpdate { left: Some(8), ..JobUpdate::default() };
    let refused = job().try_merge(update).unwrap_err();
    let source = std::error::Error::source(&refused).map(ToString::to_string);
    assert_eq!(source.as_deref(), Some("nothing is left"));
}

#[test]
fn a_flattened_field_is_written_if_one_of_its_fields_is_there() {
    let read = |wire: Value| serde_json::from_value::<JobUpdate>(wire);
    assert_eq!(read(json!({ "left": 1 })).unwrap().size, None);
    assert_eq!(
        read(json!({ "width": 1 })).unwrap_err().to_string(),
        "missing field `h`",
        "not a silent None"
    );
    assert!(read(json!({ "width": "wide", "h": 2 })).is_err());
    assert!(read(json!({ "runTime": 3 })).is_err());
}

/// A flattened map takes every field that no other does.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, State)]
#[state(derive(Debug, PartialEq, Serialize, Deserialize))]
struct Open<T> {
    id: Option<T>,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
    #[serde(flatten)]
    size: Option<Size>,
}

#[test]
fn a_flattened_map_is_written_only_by_what_there_is() {
    let read = |wire: Value| serde_json::from_value::<OpenUpdate<u8>>(wire).unwrap();
    assert_eq!(read(json!({ "id": 1 })).rest, None);
    assert_eq!(read(json!({ "id": 1 })).size, None);
    let update = read(json!({ "a": [1], "width": 1, "h": 2 }));
    assert_eq!(update.id, None);
    assert_eq!(update.size, Some(Some(Size { width: 1, height: 2 })));
    assert_eq!(update.rest.as_ref().and_then(|rest| rest.get("a")), Some(&json!([1])));
    let wire = serde_json::to_value(&update).unwrap();
    let state = Open::<u8>::default().merge(update);
    assert_eq!(state.size, Some(Size { width: 1, height: 2 }));
    assert_eq!((&wire["a"], &wire["h"]), (&json!([1]), &json!(2)));
}

/// Written as hexadecimal, read as a number; and the other way round.
mod hex {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn write<S: Serializer>(value: &u32, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{value:x}"))
    }

    pub fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
        u32::from_str_radix(&String::deserialize(deserializer)?, 16).map_err(D::Error::custom)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, State)]
#[serde(rename = "halves", deny_unknown_fields)]
#[serde(rename_all(serialize = "kebab-case", deserialize = "SCREAMING_SNAKE_CASE"))]
#[state(derive(Debug, Default, PartialEq, Serialize, Deserialize))]
struct Halves {
    #[serde(serialize_with = "hex::write")]
    out_only: u32,
    #[serde(deserialize_with = "hex::read")]
    in_only: u32,
    #[serde(rename(serialize = "to", deserialize = "from"))]
    both: u32,
    #[serde(default = "seven", skip_serializing_if = "is_seven")]
    may_lack: u32,
}

fn seven() -> u32 {
    7
}

fn is_seven(value: &u32) -> bool {
    *value == 7
}

#[test]
fn each_half_of_serde_has_its_own_names_and_functions() {
    let state = Halves { out_only: 255, in_only: 254, both: 3, may_lack: 4 };
    let update =
        HalvesUpdate { out_only: Some(255), in_only: Some(254), both: Some(3), may_lack: Some(4) };
    let wire = json!({ "out-only": "ff", "in-only": 254, "to": 3, "may-lack": 4 });
    assert_eq!((json!(state), json!(update)), (wire.clone(), wire));
    let wire = json!({ "OUT_ONLY": 255, "IN_ONLY": "fe", "from": 3, "MAY_LACK": 4 });
    assert_eq!(serde_json::from_value::<HalvesUpdate>(wire.clone()).unwrap(), update);
    assert_eq!(serde_json::from_value::<Halves>(wire).unwrap(), state);
    // A field that a state may lack is not written in an update without it, and a write is always written.
    assert_eq!(serde_json::from_value::<HalvesUpdate>(json!({})).unwrap(), HalvesUpdate::default());
    assert_eq!(
        json!(HalvesUpdate { may_lack: Some(7), ..Default::default() }),
        json!({ "may-lack": 7 })
    );
    assert!(serde_json::from_value::<HalvesUpdate>(json!({ "other": 1 })).is_err());
}
