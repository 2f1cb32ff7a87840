//! LangGraph's channels: several writes in one super-step.

use serde_json::{Map, Value, json};
use threadfold::{Error, Field, FieldReducer, Lifetime, MessageRules, Schema};

use super::records::{fields, normal_list, replay};

fn field(declared: &Value) -> Field<Value> {
    let guard = declared["guard"].as_bool().unwrap_or(true);
    let replace = || Field::new(FieldReducer::Replace);
    match declared["kind"].as_str().unwrap() {
        "replace" => replace(),
        "ephemeral" => replace().lasting(Lifetime::Ephemeral { guard }),
        "untracked" => replace().lasting(Lifetime::Untracked { guard }),
        "append" => Field::new(FieldReducer::Append),
        "messages" => Field::new(FieldReducer::Messages(MessageRules::LangGraph)),
        "merge" => Field::new(FieldReducer::Merge),
        kind => panic!("{kind}"),
    }
}

fn step(given: &Value) -> Result<Value, Error> {
    let declared = fields(&given["fields"]).iter().map(|(key, it)| (key.clone(), field(it)));
    Schema::new(declared.collect())?.step(given["state"].clone(), &given["updates"])
}

/// Python gives an empty value to a field that has a type and was never written; ours leaves it
/// out.
fn normal(state: &Value, given: &Value) -> Map<String, Value> {
    let named = fields(&given["fields"]).iter().filter_map(|(key, declared)| {
        let kind = declared["kind"].as_str().unwrap();
        let value = state.get(key)?;
        let folded = ["append", "messages", "merge"].contains(&kind);
        if folded && (*value == json!([]) || *value == json!({})) {
            return None;
        }
        let messages = kind == "messages" && value.is_array();
        Some((key.clone(), if messages { json!(normal_list(value)) } else { value.clone() }))
    });
    named.collect()
}

/// With a conflict in two fields, LangGraph names the one written first and ours the one declared
/// first.
fn conflicts(given: &Value) -> Vec<String> {
    let updates = given["updates"].as_array().unwrap();
    let writes = |key: &str| updates.iter().filter(|update| update.get(key).is_some()).count();
    let twice = fields(&given["fields"]).iter().filter(|(key, _)| writes(key) > 1);
    let says = twice.filter_map(|(key, declared)| {
        let channel = match declared["kind"].as_str().unwrap() {
            "replace" => {
                return Some(format!(
                    "At key '{key}': Can receive only one value per step. Use an Annotated key to handle multiple values."
                ));
            }
            "ephemeral" => "EphemeralValue",
            "untracked" => "UntrackedValue",
            _ => return None,
        };
        let guarded = declared["guard"].as_bool().unwrap_or(true);
        guarded.then(|| {
            format!(
                "At key '{key}': {channel}(guard=True) can receive only one value per step. Use guard=False if you want to store any one of multiple values."
            )
        })
    });
    says.collect()
}

#[test]
fn a_step_matches_langgraphs_channels() {
    replay("super-step", |record| {
        let given = &record.given;
        let Some(said) = &record.error else {
            let answer = record.answer.clone().unwrap_or_else(|| json!({}));
            assert_eq!(normal(&step(given).unwrap(), given), normal(&answer, given));
            return;
        };
        let error = step(given).unwrap_err();
        match error.code() {
            "CONCURRENT_UPDATE" if !error.to_string().contains("Overwrite") => {
                assert!(conflicts(given).contains(&error.to_string()));
            }
            // Ours names the field of two overwrites, too.
            "CONCURRENT_UPDATE" | "UNKNOWN_MESSAGE" => {
                assert!(error.to_string().ends_with(said), "{error}");
            }
            code => panic!("{code}"),
        }
        if said.contains("At key") {
            assert!(conflicts(given).contains(said));
        }
    });
}
