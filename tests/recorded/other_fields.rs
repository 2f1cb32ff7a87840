//! Files, todos, and what a caller may give and see.

use serde_json::{Value, json};
use threadfold::unstable::check_todo_calls;
use threadfold::{Field, FieldReducer, Schema, merge_files, replace_todos};

use super::records::{fields, replay};

#[test]
fn files_are_merged_as_deepagents_does_the_order_of_paths_included() {
    replay("files", |record| {
        let given = &record.given;
        let updates = given["updates"].as_array().unwrap().iter().cloned();
        let start = merge_files(given["left"].clone(), json!({})).unwrap();
        let merged = updates.fold(start, |files, update| merge_files(files, update).unwrap());
        let pairs: Value = fields(&merged).iter().map(|(path, file)| json!([path, file])).collect();
        assert_eq!(&pairs, record.answer.as_ref().unwrap());
    });
}

#[test]
fn todos_are_checked_as_langchains_middleware_does() {
    replay("todos", |record| {
        let given = &record.given;
        if given["kind"] != "args" {
            let checked = check_todo_calls(&given["messages"]).map_err(|error| error.to_string());
            let wanted = match record.answer.as_ref().filter(|answer| !answer.is_null()) {
                Some(refused) => Err(refused[0]["content"].as_str().unwrap().to_owned()),
                None => Ok(()),
            };
            assert_eq!(checked, wanted);
            return;
        }
        let todos = &given["args"]["todos"];
        let came = replace_todos(json!([]), todos.clone());
        match record.all.get("errors") {
            None => assert_eq!(&came.unwrap(), record.answer.as_ref().unwrap()),
            Some(errors) => {
                // Null counts as missing.
                let wanted: Vec<String> = if todos.is_null() {
                    vec!["todos: Field required".to_owned()]
                } else {
                    serde_json::from_value(errors.clone()).unwrap()
                };
                assert_eq!(came.unwrap_err().to_string(), wanted.join("\n"));
            }
        }
    });
}

#[test]
fn input_and_output_match_langchains_agents() {
    replay("visibility", |record| {
        let given = &record.given;
        let declared = fields(&given["fields"]).iter().map(|(key, shown)| {
            let shows = |side: &str| shown[side].as_bool().unwrap();
            let field = Field::new(FieldReducer::Replace);
            (key.clone(), Field { input: shows("input"), output: shows("output"), ..field })
        });
        let schema = Schema::new(declared.collect()).unwrap();
        let came = schema.input(given["values"].clone());
        let Some(answer) = &record.answer else {
            assert_eq!(came.unwrap_err().to_string(), record.error.clone().unwrap());
            return;
        };
        let came = came.unwrap();
        assert_eq!(came.values, answer["seen_by_node"]);
        let passes = |key: &String| !fields(&came.values).contains_key(key);
        let missing: Vec<String> =
            fields(&given["values"]).keys().filter(|key| passes(key)).cloned().collect();
        assert_eq!(came.dropped, missing);
        let state = schema.merge(came.values, &given["writes"]).unwrap();
        assert_eq!(schema.output(state).unwrap().values, answer["result"]);
    });
}

#[test]
fn a_todo_that_changed_is_the_new_one_without_its_other_keys() {
    let todo = |status: &str| json!({ "content": "a", "status": status });
    let mut more = todo("completed");
    more["priority"] = json!(1);
    let came = replace_todos(json!([todo("pending"), todo("pending")]), json!([more, more]));
    assert_eq!(came.unwrap(), json!([todo("completed"), todo("completed")]));
    let came = replace_todos(json!([todo("completed")]), json!([more]));
    assert_eq!(came.unwrap(), json!([todo("completed")]));
}
