//! Schemas and states under them: every kind of field, public fields, and refused updates.
#![allow(clippy::unwrap_used)]

use std::cell::Cell;

use std::sync::Arc;

use serde_json::{Value, json};
use threadfold::unstable::JsonMessageList;
use threadfold::unstable::{add_field, channel, empty_schema};
use threadfold::{
    CustomReducer, Error, Field, FieldReducer, Lifetime, MessageRules, Prefer, Schema, Thread,
};

fn schema(fields: Vec<(&str, Field<Value>)>) -> Schema<Value> {
    Schema::new(fields.into_iter().map(|(key, field)| (key.to_owned(), field)).collect()).unwrap()
}

fn field(reducer: FieldReducer<Value>) -> Field<Value> {
    Field::new(reducer)
}

fn replace() -> Field<Value> {
    field(FieldReducer::Replace)
}

fn ephemeral(guard: bool) -> Field<Value> {
    replace().lasting(Lifetime::Ephemeral { guard })
}

fn untracked(guard: bool) -> Field<Value> {
    replace().lasting(Lifetime::Untracked { guard })
}

/// A reducer that keeps the higher of two numbers, and refuses anything else.
fn highest(name: &str, id: u32) -> Field<Value> {
    let merge = |current: Option<Value>, update: Value| {
        let update_is = update.as_i64().ok_or_else(|| Error::reducer("no number"))?;
        Ok(current.filter(|current| current.as_i64() > Some(update_is)).unwrap_or(update))
    };
    field(FieldReducer::Custom(CustomReducer { name: name.to_owned(), id, merge: Arc::new(merge) }))
}

fn id(n: u32) -> Value {
    json!({ "type": "human", "id": n.to_string(), "content": "" })
}

/// Each row: a reducer, the current value (or none), an update, the result or the error's code.
#[test]
fn every_field_folds_by_its_reducer() {
    use FieldReducer::{Append, Files, Merge, Messages, Replace, Todos, Tools};
    let todo = json!({ "content": "a", "status": "pending" });
    let old = json!({ "name": "t", "v": 1 });
    let new = json!({ "name": "t", "v": 2 });
    let remove = json!({ "type": "remove", "id": "9" });
    let rows = [
        (Replace, None, json!(1), Ok(json!(1))),
        (Replace, Some(json!(1)), json!(null), Ok(json!(null))),
        (Todos, None, json!([todo]), Ok(json!([todo]))),
        (Todos, Some(json!([todo])), json!([]), Ok(json!([]))),
        (Todos, None, json!(null), Err("INVALID_TODOS")),
        (Messages(MessageRules::LangGraph), None, json!([id(1)]), Ok(json!([id(1)]))),
        (
            Messages(MessageRules::LangGraph),
            Some(json!([id(1)])),
            json!([id(2)]),
            Ok(json!([id(1), id(2)])),
        ),
        (Messages(MessageRules::LangGraph), None, json!([remove]), Err("UNKNOWN_MESSAGE")),
        (Messages(MessageRules::DeepAgents), None, json!([remove]), Ok(json!([]))),
        (Tools(Prefer::First), None, json!([old]), Ok(json!([old]))),
        (Tools(Prefer::First), Some(json!([old])), json!([new]), Ok(json!([old]))),
        (Tools(Prefer::Last), Some(json!([old])), json!([new]), Ok(json!([new]))),
        (Tools(Prefer::Last), None, json!({}), Err("INVALID_ARGUMENT")),
        (Files, None, json!({ "/a": 1, "/b": null }), Ok(json!({ "/a": 1 }))),
        (Files, Some(json!({ "/a": 1 })), json!({ "/a": null }), Ok(json!({}))),
        (Append, None, json!([1]), Ok(json!([1]))),
        (Append, Some(json!([1])), json!([2, 3]), Ok(json!([1, 2, 3]))),
        (Append, Some(json!([1])), json!([]), Ok(json!([1]))),
        (Append, Some(json!([1])), json!(null), Ok(json!([1]))),
        (Append, None, json!("x"), Err("INVALID_ARGUMENT")),
        (Append, Some(json!("x")), json!([1]), Err("INVALID_ARGUMENT")),
        (Merge, None, json!({ "a": null }), Ok(json!({ "a": null }))),
        (Merge, Some(json!({ "a": 1, "b": 1 })), json!({ "b": 2 }), Ok(json!({ "a": 1, "b": 2 }))),
        (Merge, Some(json!([])), json!({}), Err("INVALID_ARGUMENT")),
        (Merge, None, json!([]), Err("INVALID_ARGUMENT")),
    ];
    for (reducer, current, update, wanted) in rows {
        let field = field(reducer);
        let came = field.fold(current.clone(), update.clone()).map_err(|error| error.code());
        assert_eq!(came, wanted, "{}: {current:?} and {update}", channel(&field));
        // The same through a whole state; nothing else changes.
        let schema = schema(vec![("x", field)]);
        let mut state = json!({ "other": 1 });
        if let Some(current) = current {
            state["x"] = current;
        }
        let came = schema.merge(state.clone(), &json!({ "x": update, "unknown": 1 }));
        let mut whole = state;
        let wanted = wanted.map(|value| {
            whole["x"] = value;
            whole
        });
        assert_eq!(came.map_err(|error| error.code()), wanted);
    }
    let highest = highest("highest", 1);
    assert_eq!(highest.fold(None, json!(1)).unwrap(), json!(1));
    assert_eq!(highest.fold(Some(json!(2)), json!(1)).unwrap(), json!(2));
    let refused = anyhow::Error::new(highest.fold(None, json!("x")).unwrap_err());
    assert_eq!(format!("{refused:#}"), "A reducer failed: no number");
}

#[test]
fn an_error_names_the_wrong_part_of_an_appending_or_merging_field() {
    let said = |reducer, current: Value, update| {
        field(reducer).fold(Some(current), update).unwrap_err().to_string()
    };
    assert_eq!(said(FieldReducer::Append, json!("x"), json!([])), "left should be a list.");
    assert_eq!(said(FieldReducer::Append, json!([]), json!("x")), "right should be a list.");
    assert_eq!(said(FieldReducer::Merge, json!("x"), json!({})), "left should be an object.");
    assert_eq!(said(FieldReducer::Merge, json!({}), json!("x")), "right should be an object.");
}

/// Every kind of field, its name in errors, and whether it takes several writes a step.
fn channels() -> Vec<(Field<Value>, &'static str, bool)> {
    use FieldReducer::{Append, Files, Merge, Messages, Replace, Todos, Tools};
    vec![
        (field(Replace), "replace", false),
        (field(Todos), "todos", false),
        (field(Messages(MessageRules::LangGraph)), "messages", true),
        (field(Messages(MessageRules::DeepAgents)), "messages by DeepAgents' rules", true),
        (field(Tools(Prefer::First)), "tools", true),
        (field(Tools(Prefer::Last)), "tools, the last preferred", true),
        (field(Files), "files", true),
        (field(Append), "append", true),
        (field(Merge), "merge", true),
        (highest("highest", 1), "highest", true),
        (ephemeral(true), "ephemeral", false),
        (ephemeral(false), "ephemeral without guard", false),
        (untracked(true), "untracked", false),
        (untracked(false), "untracked without guard", false),
    ]
}

#[test]
fn a_channel_has_a_name() {
    for (field, name, _) in channels() {
        assert_eq!(channel(&field), name);
    }
}

#[test]
fn two_schemas_agree_only_on_the_same_channel() {
    for (first, one, _) in channels() {
        for (second, two, _) in channels() {
            let schemas = [schema(vec![("x", first.clone())]), schema(vec![("x", second)])];
            let combined = Schema::combine(&schemas.iter().collect::<Vec<_>>());
            if one == two {
                assert_eq!(channel(combined.unwrap().field("x").unwrap()), one);
            } else {
                let conflict =
                    format!("The field 'x' is declared with two reducers: '{one}' and '{two}'.");
                assert_eq!(combined.unwrap_err().to_string(), conflict);
            }
        }
    }
    // A custom reducer is identified by its number, not by its name, and differs from the built-in
    // ones.
    let combined = |a: Field<Value>, b| {
        let schemas = [schema(vec![("x", a)]), schema(vec![("x", b)])];
        Schema::combine(&schemas.iter().collect::<Vec<_>>()).is_ok()
    };
    assert!(combined(highest("one", 1), highest("other", 1)));
    assert!(!combined(highest("one", 1), highest("one", 2)));
    assert!(!combined(highest("replace", 1), replace()));
    assert!(!combined(replace(), highest("replace", 1)));
}

#[test]
fn of_several_schemas_the_last_declaration_stands_and_private_wins() {
    let hidden = || Field { output: false, ..replace() };
    let first = schema(vec![("a", replace()), ("b", replace().private()), ("c", hidden())]);
    let second = schema(vec![
        ("d", replace()),
        ("b", replace()),
        ("a", hidden()),
        ("c", replace().private()),
    ]);
    let combined = Schema::combine(&[&first, &second]).unwrap();
    let shown: Vec<_> =
        combined.fields().map(|(key, field)| (key, field.input, field.output)).collect();
    assert_eq!(
        shown,
        [("a", true, false), ("b", false, false), ("c", false, false), ("d", true, true)]
    );
    let other_way = Schema::combine(&[&second, &first]).unwrap();
    let shown: Vec<_> =
        other_way.fields().map(|(key, field)| (key, field.input, field.output)).collect();
    assert_eq!(
        shown,
        [("d", true, true), ("b", false, false), ("a", true, true), ("c", false, false)]
    );
    // Half hidden on both sides is not private.
    let (no_input, no_output) = (Field { input: false, ..replace() }, hidden());
    let (one, two) = (schema(vec![("x", no_input)]), schema(vec![("x", no_output)]));
    let combined = Schema::combine(&[&one, &two]).unwrap();
    assert!(combined.field("x").is_some_and(|x| x.input && !x.output));
    assert!(Schema::<Value>::combine(&[]).unwrap().fields().next().is_none());
}

#[test]
fn fields_are_found_by_name_and_no_field_reaches_a_prototype() {
    let mut made = empty_schema();
    assert!(made.field("a").is_none());
    add_field(&mut made, "a", replace()).unwrap();
    add_field(&mut made, "b", field(FieldReducer::Append)).unwrap();
    assert_eq!(channel(made.field("b").unwrap()), "append");
    assert!(made.field("c").is_none());
    let forbidden = add_field(&mut made, "__proto__", replace()).unwrap_err();
    assert_eq!(forbidden.code(), "FORBIDDEN_KEY");
    assert_eq!(made.fields().count(), 2);
    let fields = vec![("a".to_owned(), replace()), ("__proto__".to_owned(), replace())];
    assert_eq!(Schema::new(fields).unwrap_err(), forbidden);
}

#[test]
fn an_update_other_than_an_object_is_refused() {
    let schema = schema(vec![("x", replace())]);
    for garbage in [json!(null), json!([]), json!("x"), json!(7)] {
        let said = |came: Result<Value, Error>| came.unwrap_err().to_string();
        assert_eq!(
            said(schema.merge(garbage.clone(), &json!({}))),
            "a state should be an object of fields."
        );
        assert_eq!(
            said(schema.merge(json!({}), &garbage)),
            "an update should be an object of fields."
        );
        assert_eq!(
            said(schema.step(garbage.clone(), &json!([]))),
            "a state should be an object of fields."
        );
        assert_eq!(
            said(schema.step(json!({}), &json!([garbage]))),
            "an update should be an object of fields."
        );
        assert_eq!(
            said(schema.output(garbage.clone()).map(|it| it.values)),
            "a state should be an object of fields."
        );
        assert_eq!(
            said(schema.checkpoint(garbage.clone()).map(|it| it.values)),
            "a state should be an object of fields."
        );
        let input = schema.input(garbage.clone()).map(|it| it.values);
        let wanted = if garbage.is_null() {
            "Received no input for __start__"
        } else {
            "input should be an object of fields."
        };
        assert_eq!(said(input), wanted);
    }
    for garbage in [json!(null), json!({}), json!("x")] {
        let error = schema.step(json!({}), &garbage).unwrap_err();
        assert_eq!(error.to_string(), "updates should be a list of updates.");
    }
}

#[test]
fn a_step_takes_the_writes_that_its_channels_take() {
    for (field, name, takes_many) in channels() {
        let update = match name {
            "highest" => json!(1),
            "files" | "merge" => json!({}),
            _ => json!([]),
        };
        let one = schema(vec![("x", field)]);
        let came = one.step(json!({}), &json!([{ "x": update }, { "x": update }]));
        let guarded = match name {
            "ephemeral" => Some("EphemeralValue"),
            "untracked" => Some("UntrackedValue"),
            _ => None,
        };
        if takes_many || name.ends_with("without guard") {
            assert_eq!(came.unwrap(), json!({ "x": update }), "{name}");
        } else {
            let error = came.unwrap_err();
            assert_eq!(error.code(), "CONCURRENT_UPDATE");
            let sentence = error.to_string();
            assert!(sentence.starts_with("At key 'x': "), "{sentence}");
            let named = guarded.map(|guard| format!("{guard}(guard=True)"));
            assert!(named.is_none_or(|named| sentence.contains(&named)), "{sentence}");
        }
        assert_eq!(
            one.step(json!({}), &json!([{ "x": update }, {}])).unwrap(),
            json!({ "x": update })
        );
    }
    // Without guard the last one wins; with it as well, of one.
    for guard in [false, true] {
        for field in [ephemeral(guard), untracked(guard)] {
            let one = schema(vec![("x", field)]);
            let came = one.step(json!({}), &json!([{ "x": 1 }, { "x": 2 }]));
            assert_eq!(came.ok(), (!guard).then(|| json!({ "x": 2 })));
        }
    }
}

#[test]
fn a_step_clears_ephemeral_fields_and_keeps_the_rest() {
    let all =
        schema(vec![("gone", ephemeral(true)), ("stays", untracked(true)), ("too", replace())]);
    let state = json!({ "gone": 1, "stays": 2, "too": 3, "unknown": 4 });
    let kept = json!({ "stays": 2, "too": 3, "unknown": 4 });
    assert_eq!(all.step(state.clone(), &json!([])).unwrap(), kept);
    assert_eq!(all.step(kept.clone(), &json!([{}])).unwrap(), kept);
    assert_eq!(all.step(state.clone(), &json!([{ "gone": null }])).unwrap()["gone"], json!(null));
    // A partial update is not a step.
    assert_eq!(all.merge(state.clone(), &json!({})).unwrap(), state);
}

#[test]
fn an_overwrite_sets_a_field_with_a_reducer_over_other_writes() {
    let log = schema(vec![("log", field(FieldReducer::Append))]);
    let step = |writes: Value| {
        let updates: Value =
            writes.as_array().unwrap().iter().map(|it| json!({ "log": it })).collect();
        log.step(json!({ "log": ["old"] }), &updates)
    };
    let overwrites =
        [json!({ "__overwrite__": ["new"] }), json!({ "type": "__overwrite__", "value": ["new"] })];
    for overwrite in &overwrites {
        let new = json!({ "log": ["new"] });
        assert_eq!(step(json!([overwrite])).unwrap(), new);
        assert_eq!(step(json!([["a"], overwrite, ["b"]])).unwrap(), new);
        // Writes after it are not looked at, those before it are.
        assert_eq!(step(json!([overwrite, "no list"])).unwrap(), new);
        assert_eq!(step(json!(["no list", overwrite])).unwrap_err().code(), "INVALID_ARGUMENT");
        for other in &overwrites {
            let twice = "At key 'log': Can receive only one Overwrite value per super-step.";
            assert_eq!(step(json!([overwrite, ["a"], other])).unwrap_err().to_string(), twice);
        }
        assert_eq!(log.merge(json!({}), &json!({ "log": overwrite })).unwrap(), new);
        // A field that replaces takes it for a value.
        let one = schema(vec![("x", replace())]);
        assert_eq!(
            one.merge(json!({}), &json!({ "x": overwrite })).unwrap(),
            json!({ "x": overwrite })
        );
    }
    let merged = schema(vec![("x", field(FieldReducer::Merge))]);
    for plain in [
        json!({ "__overwrite__": 1, "more": 2 }),
        json!({ "type": "other", "value": 1 }),
        json!({ "type": "__overwrite__" }),
    ] {
        let came = merged.merge(json!({ "x": { "a": 1 } }), &json!({ "x": plain })).unwrap();
        assert_eq!(came["x"]["a"], 1, "{plain}");
    }
}

#[test]
fn input_output_and_checkpoint_drop_hidden_fields() {
    let all = schema(vec![
        ("public", replace()),
        ("given", Field { output: false, ..replace() }),
        ("shown", Field { input: false, ..replace() }),
        ("private", replace().private()),
        ("once", ephemeral(true)),
        ("live", untracked(true)),
    ]);
    let state = json!({ "live": 1, "once": 1, "private": 1, "shown": 1, "given": 1, "public": 1, "unknown": 1 });
    let dropped = |filtered: threadfold::Filtered<Value>| {
        let keys: Vec<_> = filtered.values.as_object().unwrap().keys().cloned().collect();
        (keys.join(" "), filtered.dropped.join(" "))
    };
    let pair = |kept: &str, gone: &str| (kept.to_owned(), gone.to_owned());
    let input = all.input(state.clone()).unwrap();
    assert_eq!(dropped(input), pair("live once given public", "private shown unknown"));
    let output = all.output(state.clone()).unwrap();
    assert_eq!(dropped(output), pair("live once shown public", "private given unknown"));
    let checkpoint = all.checkpoint(state).unwrap();
    assert_eq!(dropped(checkpoint), pair("once private shown given public", "live unknown"));
    let nothing = all.input(json!({})).unwrap();
    assert_eq!(dropped(nothing), pair("", ""));
}

#[test]
fn what_an_update_writes_is_asked_of_each_field_once() {
    thread_local! { static ASKED: Cell<u32> = const { Cell::new(0) } }
    let merge = |_: Option<Value>, update: Value| {
        ASKED.set(ASKED.get() + 1);
        Ok(update)
    };
    let custom = CustomReducer { name: "counted".to_owned(), id: 1, merge: Arc::new(merge) };
    let one = schema(vec![("x", field(FieldReducer::Custom(custom))), ("y", replace())]);
    let state = one.merge(json!({}), &json!({ "x": 1 })).unwrap();
    assert_eq!((ASKED.get(), &state), (1, &json!({ "x": 1 })));
    one.step(state, &json!([{ "x": 2 }, { "y": 1 }, { "x": 3 }])).unwrap();
    assert_eq!(ASKED.get(), 3);
}

#[test]
fn schemas_have_a_debug_form() {
    let made = format!("{:?}", schema(vec![("x", highest("highest", 7))]));
    assert!(made.contains("highest") && made.contains('7'), "{made}");
}

#[test]
fn lists_and_threads_have_a_debug_form() {
    let messages = json!([{ "type": "human", "id": "1", "content": "hello" }]);
    let list = JsonMessageList::new(messages.clone(), MessageRules::LangGraph).unwrap();
    assert!(format!("{list:?}").contains("hello"));
    let mut thread = Thread::new(None, &json!({})).unwrap();
    thread.optimistic(json!({ "messages": messages })).unwrap();
    let made = format!("{thread:?}");
    assert!(made.contains("hello") && made.contains("Pending"), "{made}");
}
