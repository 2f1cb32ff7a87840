//! Every native heap gives the same answer, over random values: heaps differ in how they build it.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod plain;

use crate::seeded;
use std::sync::Arc;

use plain::Plain;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value as Owned, json};
use threadfold::ag_ui::{Compat, langgraph_default_merge_state};
use threadfold::unstable::Bulk;
use threadfold::unstable::JsonMessageList;
use threadfold::unstable::check_todo_calls;
use threadfold::{
    CustomReducer, Error, Field, FieldReducer, Json, Lifetime, MessageRules, Prefer, Schema, Value,
    add_json_messages, apply_patch, diff, merge_files, merge_tools, replace_todos,
};

/// A message in one of the forms that `add_messages` takes, or in none.
fn message() -> impl Strategy<Value = Owned> {
    let id = || {
        prop_oneof![
            9 => select(vec!["1", "2", "3", "4"]).prop_map(Owned::from),
            1 => Just(json!("__remove_all__")),
            1 => Just(Owned::Null),
            1 => Just(json!(7)),
        ]
    };
    let kind = select(vec!["human", "ai", "AIMessageChunk", "system", "tool", "remove", "odd"]);
    let role = select(vec!["user", "assistant", "developer", "tool", "stranger"]);
    let call = json!({ "id": "c", "function": { "name": "f", "arguments": "{\"a\":1}" } });
    let calls = option::weighted(0.2, Just(json!([call])));
    let content = prop_oneof![
        4 => "[a-z]{0,3}".prop_map(Owned::from),
        1 => Just(json!([{ "type": "text", "text": "block" }])),
        1 => any::<i64>().prop_map(Owned::from),
    ];
    let dict = (id(), kind, content.clone(), calls, option::weighted(0.3, Just("c"))).prop_map(
        |(id, kind, content, calls, answered)| {
            let mut made = json!({ "type": kind, "id": id, "content": content });
            if let Some(calls) = calls {
                made["tool_calls"] = calls;
            }
            if let Some(call) = answered {
                made["tool_call_id"] = call.into();
            }
            made
        },
    );
    prop_oneof![
        6 => dict,
        2 => (id(), role, content)
            .prop_map(|(id, role, content)| json!({ "role": role, "id": id, "content": content })),
        1 => "[a-z]{0,3}".prop_map(Owned::from),
        1 => Just(json!(["user", "hi"])),
        1 => id().prop_map(|id| {
            json!({ "lc": 1, "type": "constructor", "id": ["x", "AIMessage"], "kwargs": { "id": id } })
        }),
        1 => value(),
    ]
}

fn messages() -> impl Strategy<Value = Owned> {
    prop_oneof![9 => vec(message(), 0..8).prop_map(Owned::from), 1 => message()]
}

fn leaf() -> impl Strategy<Value = Owned> {
    prop_oneof![
        Just(Owned::Null),
        any::<bool>().prop_map(Owned::from),
        (0..3i64).prop_map(Owned::from),
        (0..3i32).prop_map(|n| json!(f64::from(n))),
        select(vec![1_234_567_890_123_456_788_i64, 1_234_567_890_123_456_789])
            .prop_map(Owned::from),
        "[ab]?".prop_map(Owned::from),
    ]
}

fn key() -> impl Strategy<Value = String> {
    select(vec!["a", "b", "c", "~/", "__proto__"]).prop_map(str::to_owned)
}

fn value() -> impl Strategy<Value = Owned> {
    leaf().prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Owned::from),
            vec((key(), inner), 0..4).prop_map(|pairs| pairs.into_iter().collect()),
        ]
    })
}

fn operations() -> impl Strategy<Value = Owned> {
    let op = select(vec!["add", "remove", "replace", "move", "copy", "test", "odd"]);
    let path = || {
        let token = select(vec!["a", "b", "c", "0", "1", "-", "~0~1"]);
        vec(token, 0..4)
            .prop_map(|tokens| tokens.iter().map(|token| ["/", token].concat()).collect())
    };
    let operation = (op, path(), path(), value()).prop_map(|(op, path, from, value): (_, String, String, _)| {
        json!({ "op": op, "path": path, "from": from, "value": value })
    });
    vec(operation, 0..4).prop_map(Owned::from)
}

fn files() -> impl Strategy<Value = Owned> {
    let file = prop_oneof![3 => value(), 1 => Just(Owned::Null)];
    prop_oneof![
        9 => vec((key(), file), 0..5).prop_map(|files| files.into_iter().collect()),
        1 => value(),
    ]
}

fn tools() -> impl Strategy<Value = Owned> {
    let name = prop_oneof![select(vec!["x", "y", ""]).prop_map(Owned::from), Just(Owned::Null)];
    let tool = (name, value()).prop_map(|(name, it)| json!({ "name": name, "it": it }));
    prop_oneof![9 => vec(tool, 0..5).prop_map(Owned::from), 1 => value()]
}

fn todos() -> impl Strategy<Value = Owned> {
    let status = select(vec!["pending", "in_progress", "completed", "later"]);
    let todo = ("[ab]", status, option::of(value())).prop_map(|(content, status, more)| {
        let mut todo = json!({ "content": content, "status": status });
        if let Some(more) = more {
            todo["more"] = more;
        }
        todo
    });
    prop_oneof![9 => vec(todo, 0..4).prop_map(Owned::from), 1 => value()]
}

/// A partial update of [`schema`]'s fields.
fn update() -> impl Strategy<Value = Owned> {
    let overwritten = |value: Owned| json!({ "__overwrite__": value });
    let log = prop_oneof![
        3 => vec(leaf(), 0..3).prop_map(Owned::from),
        1 => vec(leaf(), 0..3).prop_map(Owned::from).prop_map(overwritten),
        1 => value(),
    ];
    let fields = (
        option::of(messages()),
        option::of(todos()),
        option::of(files()),
        option::of(tools()),
        option::of(log),
        option::of(value()),
        option::of(0..9i64),
    );
    fields.prop_map(|(messages, todos, files, tools, log, topic, highest)| {
        let values = [
            ("messages", messages),
            ("todos", todos),
            ("files", files),
            ("tools", tools),
            ("log", log),
            ("topic", topic),
            ("highest", highest.map(Owned::from)),
        ];
        values.into_iter().filter_map(|(key, it)| Some((key.to_owned(), it?))).collect()
    })
}

fn schema<V: Value + 'static>() -> Schema<V> {
    let highest = CustomReducer {
        name: "highest".to_owned(),
        id: 1,
        merge: Arc::new(|current: Option<V>, update: V| {
            Ok(current.filter(|it| it.equals(&update)).unwrap_or(update))
        }),
    };
    let fields = [
        ("messages", FieldReducer::Messages(MessageRules::LangGraph)),
        ("todos", FieldReducer::Todos),
        ("files", FieldReducer::Files),
        ("tools", FieldReducer::Tools(Prefer::Last)),
        ("log", FieldReducer::Append),
        ("highest", FieldReducer::Custom(highest)),
    ];
    let mut fields: Vec<_> =
        fields.into_iter().map(|(key, it)| (key.to_owned(), Field::new(it))).collect();
    let topic = Field::new(FieldReducer::Replace).lasting(Lifetime::Ephemeral { guard: true });
    fields.push(("topic".to_owned(), topic));
    Schema::new(fields).unwrap()
}

/// Returns an answer without generated ids.
fn known(answer: Result<Owned, Error>) -> Result<Owned, Error> {
    fn strip(value: &mut Owned) {
        match value {
            Owned::Array(items) => items.iter_mut().for_each(strip),
            Owned::Object(map) => {
                let made_up = |id: &Owned| id.as_str().is_some_and(|id| id.len() == 36);
                if map.get("id").is_some_and(made_up) {
                    map.insert("id".to_owned(), json!("made up"));
                }
                map.values_mut().for_each(strip);
            }
            _ => {}
        }
    }
    answer.map(|mut answer| {
        strip(&mut answer);
        answer
    })
}

fn shared(value: &Owned) -> Json {
    Json::from(value.clone())
}

/// Asks each heap; the texts are compared, so that the order of keys and the digits count.
macro_rules! one_answer {
    (|$($name:ident),+| $ask:expr) => {{
        let owned: Result<Owned, Error> = { $(let $name = $name.clone();)+ $ask };
        let inner: Result<Json, Error> = { $(let $name = shared(&$name);)+ $ask };
        let plain: Result<Plain, Error> = { $(let $name = Plain::from($name.clone());)+ $ask };
        let answers = [owned, inner.map(|it| Owned::try_from(it).unwrap()), plain.map(Owned::from)].map(known);
        let [owned, inner, plain] = answers.each_ref().map(|it| it.as_ref().map(ToString::to_string));
        prop_assert_eq!(&owned, &inner);
        prop_assert_eq!(&owned, &plain);
        answers.into_iter().next().and_then(Result::ok)
    }};
}

proptest! {
    #![proptest_config(seeded::config(1_000))]

    #[test]
    fn values_go_in_and_out(value in value()) {
        let inner = shared(&value);
        prop_assert_eq!(Owned::try_from(inner.clone()).unwrap().to_string(), value.to_string());
        prop_assert_eq!(serde_json::to_string(&inner).unwrap(), value.to_string());
        prop_assert_eq!(value.to_string().parse::<Json>().unwrap().to_string(), value.to_string());
    }

    #[test]
    fn equality_is_one(left in value(), right in value()) {
        prop_assert_eq!(left.equals(&right), shared(&left).equals(&shared(&right)));
        prop_assert!(shared(&left).equals(&shared(&left)));
    }

    /// A reused value is equal, and identical to the known one where that is equal.
    #[test]
    fn reusing_changes_nothing_but_identity(value in value(), known in value()) {
        let (value, known) = (shared(&value), shared(&known));
        let reused = value.clone().reuse(&known);
        prop_assert!(reused.equals(&value));
        prop_assert_eq!(reused.same(&known), value.equals(&known));
        for (key, own) in reused.entries() {
            if let Some(old) = known.get(key) {
                prop_assert_eq!(own.same(old), own.equals(old));
            }
        }
    }

    #[test]
    fn add_messages_is_one(left in messages(), right in messages(), deep_agents in any::<bool>()) {
        let rules = if deep_agents { MessageRules::DeepAgents } else { MessageRules::LangGraph };
        one_answer!(|left, right| add_json_messages(left, right, rules));
    }

    #[test]
    fn merge_tools_is_one(left in tools(), right in tools(), last in any::<bool>()) {
        let prefer = if last { Prefer::Last } else { Prefer::First };
        one_answer!(|left, right| merge_tools(left, right, prefer));
    }

    #[test]
    fn merge_files_is_one(left in files(), right in files()) {
        one_answer!(|left, right| merge_files(left, right));
    }

    #[test]
    fn replace_todos_is_one(left in todos(), right in todos(), messages in messages()) {
        one_answer!(|left, right| replace_todos(left, right));
        prop_assert_eq!(check_todo_calls(&messages), check_todo_calls(&shared(&messages)));
    }

    #[test]
    fn apply_patch_is_one(document in value(), operations in operations()) {
        one_answer!(|document, operations| apply_patch(&document, &operations));
    }

    #[test]
    fn diff_is_one_and_makes_the_other(left in value(), right in value()) {
        let patch = one_answer!(|left, right| Ok(diff(&left, &right))).unwrap();
        // A patch never writes `__proto__`.
        if !patch.to_string().contains("__proto__") {
            let made = one_answer!(|left, patch| apply_patch(&left, &patch)).unwrap();
            prop_assert!(made.equals(&right), "{} is not {}", made, right);
        }
    }

    #[test]
    fn merge_state_is_one(state in update(), messages in messages(), tools in tools()) {
        let input = json!({ "tools": tools, "context": [] });
        for compat in [Compat::Accumulate, Compat::V0_0, Compat::Current] {
            one_answer!(|state, messages, input| {
                langgraph_default_merge_state(state, messages, input, compat)
            });
        }
    }

    #[test]
    fn a_schemas_updates_are_one(state in update(), updates in vec(update(), 0..3)) {
        for update in &updates {
            one_answer!(|state, update| schema().merge(state, &update));
        }
        let updates = Owned::from(updates);
        one_answer!(|state, updates| schema().step(state, &updates));
        one_answer!(|state| schema().checkpoint(state).map(|kept| kept.values));
    }

    /// And so is a list that takes them one by one, looked at or not.
    #[test]
    fn a_list_is_one(start in messages(), steps in vec((messages(), any::<bool>()), 0..4)) {
        let owned = list_of::<Owned>(start.clone(), &steps);
        prop_assert_eq!(&owned, &list_of::<Json>(start.clone(), &steps));
        prop_assert_eq!(&owned, &list_of::<Plain>(start, &steps));
    }
}

/// Returns the answers and views of a list, step by step; checks that earlier views stay unchanged.
fn list_of<V: Value + From<Owned>>(start: Owned, steps: &[(Owned, bool)]) -> Vec<String>
where
    Owned: TryFrom<V, Error: std::fmt::Debug>,
{
    let said = |result: Result<(), Error>| format!("{result:?}");
    let text =
        |list: &V| known(Ok(Owned::try_from(list.clone()).unwrap())).map(|it| it.to_string());
    let mut list = match JsonMessageList::new(V::from(start), MessageRules::LangGraph) {
        Ok(list) => list,
        Err(error) => return vec![error.to_string()],
    };
    let (mut answers, mut looks) = (Vec::new(), Vec::new());
    for (update, look) in steps {
        answers.push(said(list.update(update.clone().into())));
        answers.push(said(list.append(&V::string("1"), &V::string("more"))));
        if *look {
            let seen = list.snapshot();
            answers.extend(text(&seen));
            looks.push((text(&seen), seen));
        }
    }
    answers.extend(text(&list.snapshot()));
    assert!(looks.iter().all(|(before, seen)| *before == text(seen)));
    answers
}

/// One by one, each would move all after it: a minute and more.
#[test]
fn a_hundred_thousand_files_of_two_are_deleted_at_once() {
    let files = |of: fn(u32) -> Owned| -> Owned {
        (0..200_000).map(|at| (at.to_string(), of(at))).collect::<serde_json::Map<_, _>>().into()
    };
    let left = files(|at| json!({ "content": at }));
    let right = files(|at| if at % 2 == 0 { Owned::Null } else { json!({ "content": "new" }) });
    let merged = merge_files(left, right).unwrap();
    let paths: Vec<_> = merged.as_object().unwrap().keys().collect();
    assert_eq!((paths.len(), paths[0].as_str(), paths[99_999].as_str()), (100_000, "1", "199999"));
}
