//! [`Json`], the heap that shares: identity, copies, and the needs of a service.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use serde_json::json;
use threadfold::unstable::Bulk;
use threadfold::unstable::JsonMessageList;
use threadfold::{
    Field, FieldReducer, Json, MessageRules, Prefer, Schema, Thread, ThreadEvent, Value,
    apply_patch, diff, merge_tools, replace_todos,
};

fn shared(value: serde_json::Value) -> Json {
    value.into()
}

fn conversation(count: usize) -> Json {
    let message = |n: usize| json!({ "type": "ai", "id": n.to_string(), "content": "a" });
    (0..count).map(|n| shared(message(n))).collect()
}

#[test]
fn a_clone_is_the_same_and_an_equal_value_is_not() {
    let value = shared(json!({ "a": [1], "b": "text" }));
    assert!(value.same(&value.clone()));
    let other = shared(json!({ "b": "text", "a": [1.0] }));
    assert!(value.equals(&other) && !value.same(&other));
    assert!(value["b"].same(&other["b"])); // text has no identity of its own
    assert!(value["a"][0].same(&other["a"][0]));
}

#[test]
fn a_change_copies_the_nodes_on_the_way_to_it() {
    let before = shared(json!({ "a": { "x": [1] }, "b": { "y": [2] } }));
    let patch = shared(json!([{ "op": "add", "path": "/a/x/-", "value": 3 }]));
    let after = apply_patch(&before, &patch).unwrap();
    assert_eq!(before, json!({ "a": { "x": [1] }, "b": { "y": [2] } }));
    assert_eq!(after, json!({ "a": { "x": [1, 3] }, "b": { "y": [2] } }));
    assert!(after["b"].same(&before["b"]));
    assert!(!after["a"].same(&before["a"]));
}

#[test]
fn what_nobody_else_has_changes_in_place() {
    let list = conversation(100);
    let place = std::ptr::from_ref(&list[0]);
    let list = list.splice(3, 1, Some("other".into()));
    assert_eq!(std::ptr::from_ref(&list[0]), place);
    let kept = list.clone();
    let list = list.splice(4, 1, None);
    assert_ne!(std::ptr::from_ref(&list[0]), place);
    assert_eq!((kept.len(), list.len()), (100, 99));
}

/// A long list is a list, wherever the chunks begin in which it is kept.
#[test]
fn a_long_list_is_spliced_as_a_vec_is() {
    for len in [0, 1, 63, 64, 65, 127, 128, 200] {
        for index in [0, 1, 63, 64, 65, 128, 199, 200, 300] {
            for (delete, insert) in
                [(0, Some(-1)), (1, Some(-1)), (1, None), (70, Some(-1)), (0, None)]
            {
                let numbers: Vec<i64> = (0..len).collect();
                let list: Json = numbers.iter().map(|n| Json::from(*n)).collect();
                let mut expected = numbers;
                let start = index.min(expected.len());
                let end = (index + delete).min(expected.len());
                expected.splice(start..end, insert);
                let spliced = list.clone().splice(index, delete, insert.map(Json::from));
                assert_eq!(spliced, json!(expected), "{len} items, {delete} at {index}");
                assert_eq!(list.len(), usize::try_from(len).unwrap());
            }
        }
    }
}

#[test]
fn two_long_lists_have_the_same_items_or_not_wherever_they_differ() {
    let list = conversation(200);
    assert!(list.clone().splice(0, 0, None).same_items(&list.iter().cloned().collect()));
    for at in [0, 63, 64, 130, 199] {
        assert!(!list.clone().splice(at, 1, Some("other".into())).same_items(&list), "{at}");
    }
    assert!(!list.clone().splice(199, 1, None).same_items(&list));
    assert!(!Json::NULL.same_items(&Json::NULL));
}

#[test]
fn what_changes_nothing_is_the_same() {
    let known = shared(json!({ "a": [1], "b": [2] }));
    let over = Json::from([("a", known["a"].clone()), ("gone", Json::NULL)]);
    assert!(known.clone().overlay(&over, true).same(&known));
    assert!(known.clone().without("c").same(&known));
    assert!(shared(json!({ "b": [2.0], "a": [1] })).reuse(&known).same(&known));
}

#[test]
fn lists_that_an_update_leaves_as_they_were_are_the_same() {
    let tools = shared(json!([{ "name": "a" }, { "name": "b" }]));
    let again = shared(json!([{ "name": "b", "description": "new" }]));
    assert!(merge_tools(tools.clone(), again.clone(), Prefer::First).unwrap().same(&tools));
    assert!(!merge_tools(tools.clone(), again, Prefer::Last).unwrap().same(&tools));
    let todo = |content: &str| json!({ "content": content, "status": "pending" });
    let todos = shared(json!([todo("a"), todo("b")]));
    let said = shared(json!([todo("a"), todo("b")]));
    assert!(replace_todos(todos.clone(), said).unwrap().same(&todos));
    let said = shared(json!([todo("a"), todo("c")]));
    let made = replace_todos(todos.clone(), said.clone()).unwrap();
    assert!(made[0].same(&todos[0]) && made[1].same(&said[1]));
    // A wholly new value is the given object.
    let said = shared(json!([todo("c")]));
    assert!(replace_todos(todos, said.clone()).unwrap().same(&said));
}

#[test]
fn a_threads_state_is_the_same_until_something_of_it_changes() {
    let add =
        || shared(json!({ "messages": [{ "type": "human", "id": "9", "content": "a" }], "n": 2 }));
    let fields = ["messages", "n", "log"].map(|name| {
        let reducer = match name {
            "messages" => FieldReducer::Messages(MessageRules::LangGraph),
            "n" => FieldReducer::Replace,
            _ => FieldReducer::Append,
        };
        (name.to_owned(), Field::new(reducer))
    });
    for schema in [None, Some(Schema::new(fields.into()).unwrap())] {
        let values = Json::from([("messages", conversation(2)), ("n", 1.into())]);
        let mut thread = Thread::new(schema, &values).unwrap();
        let state = thread.state();
        let added = thread.optimistic(add()).unwrap();
        assert!(thread.rollback(&added));
        assert!(thread.state().same(&state));
        // A change elsewhere leaves the view as it is.
        let failing = thread.optimistic(add()).unwrap();
        let shown = thread.state();
        assert!(!shown.same(&state) && shown["messages"][1].same(&state["messages"][1]));
        assert!(thread.fail(&failing, "no".into()));
        assert!(thread.state().same(&shown));
        let values = ThreadEvent::State { values: shared(json!({ "n": 1 })), own: None };
        thread.receive(values).unwrap();
        assert!(thread.state().same(&shown));
        let changed = ThreadEvent::State { values: shared(json!({ "n": 3 })), own: None };
        thread.receive(changed).unwrap();
        assert!(!thread.confirmed().same(&state));
    }
}

#[test]
fn a_snapshot_shares_all_messages_but_the_one_that_grew() {
    let mut list = JsonMessageList::new(conversation(50), MessageRules::LangGraph).unwrap();
    let before = list.snapshot();
    list.append(&"7".into(), &"bc".into()).unwrap();
    let after = list.snapshot();
    assert_eq!(
        (before[7]["content"].as_str(), after[7]["content"].as_str()),
        (Some("a"), Some("abc"))
    );
    let same = (0..50).filter(|at| before[*at].same(&after[*at])).count();
    assert_eq!(same, 49);
    assert!(after.same(&list.snapshot()));
}

#[test]
fn a_list_and_its_clone_go_their_own_ways() {
    let mut list = JsonMessageList::new(conversation(2), MessageRules::LangGraph).unwrap();
    list.append(&"0".into(), &"b".into()).unwrap();
    let mut other = list.clone();
    other.append(&"0".into(), &"c".into()).unwrap();
    list.append(&"1".into(), &"d".into()).unwrap();
    let texts = |list: &mut JsonMessageList<Json>| {
        let list = list.snapshot();
        [0, 1].map(|at| list[at]["content"].as_str().unwrap().to_owned())
    };
    assert_eq!(
        (texts(&mut list), texts(&mut other)),
        (["ab", "ad"].map(String::from), ["abc", "a"].map(String::from))
    );
    assert!(format!("{list:?}").contains("\"ab\""));
    let mut emptied = list.clone();
    emptied.update(shared(json!([{ "type": "remove", "id": "__remove_all__" }]))).unwrap();
    assert_eq!(
        [&list, &emptied].map(|list| (list.len(), list.is_empty())),
        [(2, false), (0, true)]
    );
}

/// A state that a thread handed out never changes, and a look without a change is the same state.
#[test]
fn a_threads_states_share_unchanged_values() {
    let values =
        Json::from([("messages", conversation(20)), ("files", shared(json!({ "a": {} })))]);
    let mut thread = Thread::new(None, &values).unwrap();
    let before = thread.state();
    assert!(before.same(&thread.state()));
    thread.receive(ThreadEvent::Text { id: "3".into(), text: "!".into() }).unwrap();
    let after = thread.state();
    assert_eq!(
        (&before["messages"][3]["content"], &after["messages"][3]["content"]),
        (&"a".into(), &"a!".into())
    );
    assert!(before["files"].same(&after["files"]));
    assert!((0..20).all(|at| at == 3 || before["messages"][at].same(&after["messages"][at])));
}

#[test]
fn integers_beyond_2_to_53_keep_their_digits_on_both_heaps() {
    const LESS: i64 = 1_234_567_890_123_456_788;
    assert!(!json!(LESS).equals(&json!(LESS + 1)));
    assert!(!Json::from(LESS).equals(&Json::from(LESS + 1)));
    assert!(!json!(u64::MAX).equals(&json!(u64::MAX - 1)));
    // The float nearest to it is another number.
    assert!(!json!(LESS).equals(&json!(1_234_567_890_123_456_800.0)));
    assert!(json!(-3).equals(&json!(-3.0)) && Json::from(3).equals(&shared(json!(3.0))));
    let patch = diff(&json!({ "n": LESS }), &json!({ "n": LESS + 1 }));
    assert_eq!(patch.to_string(), r#"[{"op":"replace","path":"/n","value":1234567890123456789}]"#);
    let text = r#"{"n":1234567890123456788,"m":18446744073709551615,"f":0.1}"#;
    assert_eq!(text.parse::<Json>().unwrap().to_string(), text);

    let mut thread = Thread::new(None, &Json::from([("n", Json::from(LESS))])).unwrap();
    thread
        .receive(ThreadEvent::Values {
            values: Json::from([("n", Json::from(LESS + 1))]),
            partial: false,
        })
        .unwrap();
    assert_eq!(thread.state()["n"].to_string(), (LESS + 1).to_string());
}

/// [`serde_json::Value`] ends the program at some tens of thousands of levels.
#[test]
fn depth_has_no_end() {
    let nested = || {
        let deeper = |inner: Json, n: i32| match n % 2 {
            0 => Json::from(vec![inner, Json::from("beside")]),
            _ => Json::from([("inner", inner)]),
        };
        (0..200_000).fold(Json::from(1), deeper)
    };
    let (value, other) = (nested(), nested());
    assert!(value.equals(&other) && !value.same(&other));
    assert!(other.clone().reuse(&value).same(&value));
    assert_eq!(diff(&value, &other), json!([]));
    let path = "/inner/0".repeat(100_000);
    let operations = Json::from(vec![Json::from([
        ("op", Json::from("replace")),
        ("path", path.as_str().into()),
        ("value", 2.into()),
    ])]);
    let changed = apply_patch(&value, &operations).ok();
    assert!(changed.is_some_and(|changed| !changed.equals(&value)));
    assert!(serde_json::Value::try_from(&value).is_err());
    let text = value.to_string();
    assert!(text.parse::<Json>().is_err());
    assert_eq!(format!("{value:?}"), text);
    assert_eq!(text.len(), 100_000 * r#"[{"inner":},"beside"]"#.len() + 1);
}

/// A patch that makes two values under `a` and `b`, each with 2^n paths. `turn` has their halves differ
/// as objects: then no value meets the same one each time.
fn copied(names: [&str; 2], leaf: &serde_json::Value, levels: usize, turn: bool) -> Json {
    let [a, b] = names.map(|name| format!("/{name}"));
    let add = |path: &str, value: &serde_json::Value| json!({ "op": "add", "path": path, "value": value });
    let (empty, mut patch) = (json!([]), vec![add(&a, leaf), add(&b, leaf)]);
    for _ in 0..levels {
        for to in ["/left", "/right"] {
            patch.push(add(to, &empty));
            for from in [&a, if turn { &b } else { &a }] {
                patch.push(json!({ "op": "copy", "from": from, "path": format!("{to}/-") }));
            }
        }
        for (from, to) in [("/left", &a), ("/right", &b)] {
            patch.push(json!({ "op": "move", "from": from, "path": to }));
        }
    }
    shared(json!(patch))
}

#[test]
fn values_that_copies_made_are_compared_once() {
    let made = |leaf: u32, turn| {
        let patch = copied(["a", "b"], &json!([leaf]), 64, turn);
        apply_patch(&Json::object(), &patch).unwrap()
    };
    let (known, value, other) = (made(1, true), made(1, false), made(2, false));
    assert!(known.equals(&value) && !known.equals(&other));
    assert!(known["a"].equals(&known["b"]));
    assert_eq!(diff(&known, &value), json!([]));
    assert!(value.clone().reuse(&known).same(&known));
    let reused = other.clone().reuse(&known);
    assert!(reused.equals(&other) && !reused.same(&known));
    assert!(value.reuse_patched(&known).same(&known));

    let mut thread: Thread<Json> = Thread::new(None, &Json::object()).unwrap();
    for turn in [true, false] {
        let operations = copied(["a", "b"], &json!([1]), 64, turn);
        thread.receive(ThreadEvent::Delta { operations }).unwrap();
        assert!(thread.state()["a"].equals(&known["a"]));
    }
}

#[test]
fn a_serializer_round_trips() {
    let nested = |depth| (0..depth).fold(Json::from("a"), |inner, _| Json::from(vec![inner]));
    let text = serde_json::to_string(&nested(127)).unwrap();
    assert_eq!(text, nested(127).to_string());
    assert_eq!(text.parse::<Json>().unwrap(), nested(127));
    let refused = serde_json::to_string(&nested(128)).unwrap_err();
    assert_eq!(refused.to_string(), "A value should be nested at most 127 deep.");
    assert!(nested(128).to_string().parse::<Json>().is_err());
}

/// The nesting that a server's deltas build, one level each.
#[test]
fn a_state_of_any_depth_is_written() {
    let mut thread: Thread<Json> = Thread::new(None, &json!({ "a": {} }).into()).unwrap();
    let deeper = json!([
        { "op": "add", "path": "/b", "value": {} },
        { "op": "move", "from": "/a", "path": "/b/a" },
        { "op": "move", "from": "/b", "path": "/a" },
    ]);
    let operations: Json = (0..1_000)
        .flat_map(|_| deeper.as_array().unwrap())
        .map(|one| shared(one.clone()))
        .collect();
    for _ in 0..30 {
        thread.receive(ThreadEvent::Delta { operations: operations.clone() }).unwrap();
    }
    let text = thread.state()["a"].to_string();
    assert_eq!(text.len(), 30_000 * r#"{"a":}"#.len() + 2);
    assert!(thread.to_json().to_string().contains(&text));
}

fn is_send_and_sync<T: Send + Sync>() {}

#[test]
fn a_service_can_hold_all_of_them() {
    is_send_and_sync::<Json>();
    is_send_and_sync::<Schema<Json>>();
    is_send_and_sync::<JsonMessageList<Json>>();
    is_send_and_sync::<Thread<Json>>();
    is_send_and_sync::<Thread<serde_json::Value>>();

    let mut thread = Thread::new(None, &Json::from([("messages", conversation(1))])).unwrap();
    let state = thread.state();
    let (thread, seen) = std::thread::scope(|scope| {
        let reader = scope.spawn(|| state["messages"][0]["content"].to_string());
        let writer = scope.spawn(move || {
            thread.receive(ThreadEvent::Text { id: "0".into(), text: "b".into() }).unwrap();
            thread
        });
        (writer.join().unwrap(), reader.join().unwrap())
    });
    assert_eq!(seen, "\"a\"");
    assert_eq!({ thread }.state()["messages"][0]["content"].as_str(), Some("ab"));
}
