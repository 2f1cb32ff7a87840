//! The thread over JSON: the core rules, and that nothing makes it panic.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use crate::seeded;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};
use threadfold::{
    Field, FieldReducer, MessageRules, RunStatus, Schema, StreamPosition, Thread, ThreadEvent,
    UpdateStatus, apply_patch,
};

mod behind;
mod drift;
mod held;
mod neighbours;
mod pending;
mod shown;
mod snapshots;

fn human(id: &str, content: &str) -> Value {
    json!({ "type": "human", "id": id, "content": content })
}

fn ai(id: &str, content: &str) -> Value {
    json!({ "type": "ai", "id": id, "content": content })
}

fn thread_of(messages: &[Value]) -> Thread<Value> {
    Thread::new(None, &json!({ "messages": messages })).unwrap()
}

fn hear(thread: &mut Thread<Value>, events: impl IntoIterator<Item = ThreadEvent<Value>>) {
    for event in events {
        assert_eq!(thread.receive(event).unwrap(), None);
    }
}

fn started(id: &str) -> ThreadEvent<Value> {
    ThreadEvent::RunStarted { id: Some(json!(id)), joined: None }
}

fn message(message: Value) -> ThreadEvent<Value> {
    ThreadEvent::Message { message, after: None, streaming: false }
}

fn streamed(id: &str) -> ThreadEvent<Value> {
    ThreadEvent::Message { message: ai(id, ""), after: None, streaming: true }
}

fn text(id: &str, text: &str) -> ThreadEvent<Value> {
    ThreadEvent::Text { id: json!(id), text: json!(text) }
}

fn snapshot(messages: &[Value]) -> ThreadEvent<Value> {
    ThreadEvent::Messages { messages: json!(messages), client_roles: None, partial: false }
}

fn failed() -> ThreadEvent<Value> {
    ThreadEvent::RunError { error: json!("down") }
}

fn ids(state: &Value) -> Vec<&str> {
    let messages = state["messages"].as_array().unwrap();
    messages.iter().map(|message| message["id"].as_str().unwrap()).collect()
}

fn statuses(thread: &mut Thread<Value>) -> Vec<UpdateStatus> {
    thread.pending().map(|pending| pending.status).collect()
}

#[test]
fn a_pending_message_keeps_its_place_until_the_server_has_it() {
    let mut thread = thread_of(&[human("0", "old")]);
    thread.optimistic(json!({ "messages": [human("q", "Hi")] })).unwrap();
    hear(&mut thread, [started("r"), streamed("a"), text("a", "Hello")]);
    assert_eq!(ids(&thread.state()), ["0", "q", "a"]);
    assert_eq!(ids(&thread.confirmed()), ["0", "a"]);
    assert_eq!(statuses(&mut thread), [UpdateStatus::Sent]);
    hear(&mut thread, [snapshot(&[human("0", "old"), human("q", "Hi")])]);
    assert_eq!(ids(&thread.state()), ["0", "q", "a"]);
    assert_eq!(thread.state(), thread.confirmed());
    assert_eq!(statuses(&mut thread), []);
}

#[test]
fn a_failed_run_fails_unconfirmed_updates() {
    let mut thread = thread_of(&[]);
    let held = thread.optimistic(json!({ "messages": [human("1", "a")] })).unwrap();
    let id = thread.optimistic(json!({ "messages": [human("2", "b")] })).unwrap();
    hear(&mut thread, [started("r"), message(human("1", "a")), failed()]);
    assert_eq!(statuses(&mut thread), [UpdateStatus::Failed]);
    assert_eq!(ids(&thread.state()), ["1", "2"]);
    assert!(!thread.retry(&held));
    assert!(thread.retry(&id));
    assert_eq!(statuses(&mut thread), [UpdateStatus::Pending]);
    assert!(thread.rollback(&id));
    assert_eq!(thread.state(), thread.confirmed());
}

#[test]
fn a_settled_update_is_the_truth_where_it_was_shown() {
    let mut thread = thread_of(&[human("0", "old")]);
    let first = thread.optimistic(json!({ "messages": [human("1", "a")] })).unwrap();
    let second =
        thread.optimistic(json!({ "messages": [human("2", "b")], "mood": "calm" })).unwrap();
    hear(&mut thread, [started("r"), message(ai("3", "c"))]);
    assert!(thread.settle(&second).unwrap());
    assert_eq!(ids(&thread.confirmed()), ["0", "2", "3"]);
    assert_eq!(ids(&thread.state()), ["0", "1", "2", "3"]);
    assert!(thread.settle(&first).unwrap());
    assert!(!thread.settle(&first).unwrap());
    assert_eq!(thread.state(), thread.confirmed());
    assert_eq!(thread.state()["mood"], "calm");
}

#[test]
fn messages_that_the_server_has_in_another_order_stand_as_they_were_sent() {
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let mut thread = thread_of(&[human("0", "old")]);
        let sent = [human("1", "a"), human("2", "b"), human("3", "c")];
        for own in &sent {
            thread.optimistic(json!({ "messages": [own] })).unwrap();
        }
        hear(&mut thread, [started("r")]);
        for at in order {
            hear(&mut thread, [message(sent[at].clone())]);
            assert_eq!(ids(&thread.state()), ["0", "1", "2", "3"], "{order:?}, {at}");
        }
        assert_eq!(thread.state(), thread.confirmed());
    }
}

#[test]
fn a_message_that_the_server_named_anew_is_the_same() {
    let mut thread = thread_of(&[]);
    thread.optimistic(json!({ "messages": [human("mine", "Hi")] })).unwrap();
    thread.optimistic(json!({ "messages": [human("next", "And?")] })).unwrap();
    hear(&mut thread, [started("r"), streamed("a"), message(human("theirs", "Hi"))]);
    assert_eq!(thread.pending().count(), 1);
    hear(&mut thread, [snapshot(&[human("theirs", "Hi"), ai("a", "")])]);
    assert_eq!(ids(&thread.state()), ["theirs", "next", "a"]);
}

#[test]
fn a_later_edit_of_a_pending_message_waits_for_it() {
    let mut thread = thread_of(&[]);
    thread.optimistic(json!({ "messages": [human("1", "a")] })).unwrap();
    thread.optimistic(json!({ "messages": [human("1", "b")] })).unwrap();
    let removal = json!({ "messages": [{ "type": "remove", "id": "1" }] });
    let removal = thread.optimistic(removal).unwrap();
    hear(&mut thread, [message(ai("2", "c"))]);
    assert_eq!(thread.pending().count(), 3);
    assert_eq!(ids(&thread.state()), ["2"]);
    thread.rollback(&removal);
    assert_eq!(thread.state()["messages"][1]["content"], "b");
}

#[test]
fn a_run_from_its_start_again_is_the_run_once() {
    let mut thread = thread_of(&[human("0", "old")]);
    thread.optimistic(json!({ "messages": [human("q", "Hi")], "topic": "x" })).unwrap();
    let values = json!({ "messages": [human("q", "Hi"), ai("a", "Hello")], "topic": "x" });
    let run = || {
        [
            started("r"),
            streamed("a"),
            text("a", "Hello"),
            ThreadEvent::Update { update: json!({ "files": { "/a": {} } }) },
            ThreadEvent::Values { values: values.clone(), partial: false },
            ThreadEvent::run_finished(),
        ]
    };
    hear(&mut thread, run());
    let once = thread.state();
    let joined = || ThreadEvent::RunStarted { id: Some(json!("r")), joined: Some(true) };
    hear(&mut thread, [joined()].into_iter().chain(run().into_iter().skip(1).take(1)));
    assert_eq!(ids(&thread.state()), ["0", "q", "a"]);
    assert_eq!(thread.state()["topic"], "x");
    thread.update(json!({ "mood": "calm" })).unwrap();
    hear(&mut thread, run());
    assert_eq!(thread.state()["messages"], once["messages"]);
    assert_eq!(thread.pending().count(), 0);
}

#[test]
fn a_run_that_began_without_an_id_takes_the_one_it_gets() {
    let mut thread = thread_of(&[]);
    thread.optimistic(json!({ "messages": [human("1", "a")] })).unwrap();
    hear(&mut thread, [ThreadEvent::RunStarted { id: None, joined: None }]);
    thread.optimistic(json!({ "messages": [human("2", "b")] })).unwrap();
    hear(&mut thread, [started("r")]);
    assert_eq!(statuses(&mut thread), [UpdateStatus::Sent, UpdateStatus::Pending]);
    hear(&mut thread, [snapshot(&[human("1", "a")]), started("r")]);
    assert_eq!(statuses(&mut thread), [UpdateStatus::Sent, UpdateStatus::Pending]);
    hear(&mut thread, [snapshot(&[human("1", "a")]), ThreadEvent::run_finished()]);
    assert_eq!(ids(&thread.state()), ["1", "2"]);
}

#[test]
fn a_part_that_follows_the_end_of_a_run_joined_late_opens_no_run() {
    let mut thread = thread_of(&[]);
    let finished = ThreadEvent::run_finished();
    let late = ThreadEvent::State { values: json!({ "topic": "tea" }), own: None };
    for (id, event) in [("8", finished), ("9", late)] {
        let part = StreamPosition { id: Some(json!(id)), key: None };
        assert_eq!(thread.receive_at(part, event).unwrap(), None);
    }
    let run = thread.run();
    assert_eq!((run.status, run.last_event_id), (RunStatus::Ready, Some(json!("9"))));
}

#[test]
fn what_a_replay_makes_impossible_is_passed_over() {
    let mut thread = thread_of(&[]);
    hear(&mut thread, [started("r"), streamed("a")]);
    thread.update(json!({ "messages": [{ "type": "remove", "id": "a" }] })).unwrap();
    thread.update(json!({ "mood": "calm" })).unwrap();
    hear(&mut thread, [started("r")]);
    assert_eq!(thread.state(), json!({ "messages": [], "mood": "calm" }));
}

#[test]
fn snapshots_rename_results_and_leave_messages_in_flight() {
    let result =
        |id: &str| json!({ "type": "tool", "id": id, "tool_call_id": "c", "content": "42" });
    let mut thread = thread_of(&[ai("1", "calling"), result("local")]);
    hear(&mut thread, [started("r"), streamed("2"), text("2", "So it")]);
    hear(&mut thread, [snapshot(&[ai("1", "calling"), result("server"), ai("2", "So")])]);
    assert_eq!(ids(&thread.state()), ["1", "server", "2"]);
    assert_eq!(thread.state()["messages"][2]["content"], "So it");
    hear(
        &mut thread,
        [snapshot(&[ai("1", "calling")]), ThreadEvent::run_finished(), snapshot(&[])],
    );
    assert_eq!(ids(&thread.state()), Vec::<&str>::new());
}

#[test]
fn drift_is_the_way_from_the_predicted_to_the_actual() {
    let log = ("log".to_owned(), Field::new(FieldReducer::Append));
    let messages = Field::new(FieldReducer::Messages(MessageRules::LangGraph));
    let schema = Schema::new(vec![("messages".to_owned(), messages), log]).unwrap();
    let mut thread = Thread::new(Some(schema), &json!({})).unwrap();
    hear(
        &mut thread,
        [message(ai("1", "a")), ThreadEvent::Update { update: json!({ "log": [1] }) }],
    );
    let predicted = thread.confirmed();
    let values = json!({ "messages": [ai("1", "b")], "log": [1, 2] });
    let drift = thread
        .receive(ThreadEvent::Values { values: values.clone(), partial: false })
        .unwrap()
        .unwrap();
    assert_eq!(apply_patch(&predicted, &drift).unwrap(), values);
    hear(&mut thread, [ThreadEvent::Values { values, partial: false }]);
}

#[test]
fn a_schema_hides_and_refuses() {
    let hidden = Field { output: false, ..Field::new(FieldReducer::Append) };
    let secret = Field::new(FieldReducer::Replace).private();
    let fields = vec![("notes".to_owned(), hidden), ("secret".to_owned(), secret)];
    let mut thread = Thread::new(Some(Schema::new(fields).unwrap()), &json!({})).unwrap();
    thread.update(json!({ "secret": 1 })).unwrap();
    thread.optimistic(json!({ "notes": [1] })).unwrap();
    assert_eq!(thread.state(), json!({}));
    for update in [json!({ "secret": 2 }), json!({ "stranger": 1 })] {
        assert_eq!(thread.optimistic(update).unwrap_err().code(), "NOT_INPUT");
    }
}

#[test]
fn an_empty_plan_is_sent_only_to_a_server_that_has_one() {
    let plan = json!([{ "content": "Plan", "status": "pending" }]);
    for (said, own, sent) in [
        (json!({}), json!([]), json!({})),
        (json!({}), plan.clone(), json!({ "todos": plan })),
        (json!({ "todos": plan }), json!([]), json!({ "todos": [] })),
        (json!({ "todos": plan }), plan.clone(), json!({})),
    ] {
        let mut thread = thread_of(&[]);
        hear(&mut thread, [ThreadEvent::State { values: said, own: None }]);
        thread.optimistic(json!({ "todos": own })).unwrap();
        assert_eq!(thread.unsent_fields().unwrap(), sent);
    }
}

/// Anything in the place of a message, a field or an operation.
fn anything() -> impl Strategy<Value = Value> {
    let id = prop_oneof![Just("1"), Just("2"), Just("3"), Just("__remove_all__"), Just("")];
    let kind = prop_oneof![Just("human"), Just("ai"), Just("tool"), Just("remove"), Just("alien")];
    let message = (kind, option::weighted(0.9, id), "[ab]{0,2}").prop_map(|(kind, id, content)| {
        json!({ "type": kind, "id": id, "content": content, "tool_call_id": "c" })
    });
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i8>().prop_map(Value::from),
        "[a/~_]{0,3}".prop_map(Value::from),
    ];
    let nested = prop_oneof![3 => message, 2 => leaf].prop_recursive(3, 12, 4, |inner| {
        let key = prop_oneof![Just("messages"), Just("files"), Just("todos"), Just("log"), Just("x")];
        let op = prop_oneof![Just("add"), Just("remove"), Just("replace"), Just("move"), Just("copy")];
        let path = prop_oneof![Just("/x"), Just("/log/0"), Just("/files/x"), Just(""), Just("/x/-")];
        prop_oneof![
            2 => vec(inner.clone(), 0..4).prop_map(Value::from),
            2 => vec((key, inner.clone()), 0..3)
                .prop_map(|pairs| pairs.into_iter().map(|(key, it)| (key.to_owned(), it)).collect()),
            1 => (op, path.clone(), path, inner)
                .prop_map(|(op, path, from, value)| json!([{ "op": op, "path": path, "from": from, "value": value }])),
        ]
    });
    nested.boxed()
}

fn event() -> impl Strategy<Value = ThreadEvent<Value>> {
    let maybe = || option::of(anything());
    prop_oneof![
        (maybe(), option::of(any::<bool>()))
            .prop_map(|(id, joined)| ThreadEvent::RunStarted { id, joined }),
        Just(started("r")),
        Just(ThreadEvent::run_finished()),
        anything().prop_map(|error| ThreadEvent::RunError { error }),
        (anything(), maybe(), any::<bool>()).prop_map(|(message, after, streaming)| {
            ThreadEvent::Message { message, after, streaming }
        }),
        (anything(), anything()).prop_map(|(id, text)| ThreadEvent::Text { id, text }),
        ("[123]", "[ab]").prop_map(|(id, it)| text(&id, &it)),
        anything().prop_map(|id| ThreadEvent::MessageFinished { id }),
        (anything(), maybe(), any::<bool>()).prop_map(|(messages, client_roles, partial)| {
            ThreadEvent::Messages { messages, client_roles, partial }
        }),
        anything().prop_map(|update| ThreadEvent::Update { update }),
        (anything(), any::<bool>())
            .prop_map(|(values, partial)| ThreadEvent::Values { values, partial }),
        anything().prop_map(|values| ThreadEvent::State { values, own: None }),
        anything().prop_map(|operations| ThreadEvent::Delta { operations }),
    ]
}

/// A user's action: an update of some kind, or a change of a pending update.
#[derive(Debug, Clone)]
enum Step {
    Hear(ThreadEvent<Value>),
    Update(Value),
    Optimistic(Value),
    Change(u8, usize),
    Reload,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => event().prop_map(Step::Hear),
        2 => anything().prop_map(Step::Update),
        3 => anything().prop_map(Step::Optimistic),
        1 => anything().prop_map(|messages| Step::Optimistic(json!({ "messages": messages }))),
        2 => (0..4u8, 0..3usize).prop_map(|(how, which)| Step::Change(how, which)),
        1 => Just(Step::Reload),
    ]
}

/// Whether a step was refused.
fn take(thread: &mut Thread<Value>, step: Step) -> bool {
    match step {
        Step::Hear(event) => thread.receive(event).is_err(),
        Step::Update(update) => thread.update(update).is_err(),
        Step::Optimistic(update) => thread.optimistic(update).is_err(),
        Step::Change(how, which) => {
            let Some(id) = thread.pending().nth(which).map(|pending| pending.id.clone()) else {
                return false;
            };
            match how {
                0 => return thread.settle(&id).is_err(),
                1 => thread.fail(&id, json!("no")),
                2 => thread.retry(&id),
                _ => thread.rollback(&id),
            };
            false
        }
        Step::Reload => {
            *thread = Thread::from_json(None, &thread.to_json()).unwrap();
            false
        }
    }
}

proptest! {
    #![proptest_config(seeded::config(512))]

    #[test]
    fn nothing_makes_it_panic_and_what_is_refused_changes_nothing(steps in vec(step(), 1..20)) {
        let mut thread = thread_of(&[human("1", "a")]);
        for step in steps {
            let mut before = (thread.state(), thread.confirmed(), thread.to_json());
            let reload = matches!(step, Step::Reload);
            // A reload ends the connection.
            let status = &mut before.2["run"]["status"];
            if reload && (*status == "submitted" || *status == "streaming") {
                *status = json!("disconnected");
            }
            if take(&mut thread, step) || reload {
                prop_assert_eq!(before, (thread.state(), thread.confirmed(), thread.to_json()));
            }
        }
    }

    #[test]
    fn a_record_of_anything_is_a_thread_or_an_error(record in anything(), confirmed in anything()) {
        for record in [record.clone(), json!({ "confirmed": confirmed, "pending": record, "run": record })] {
            if let Ok(mut thread) = Thread::from_json(None, &record) {
                thread.state();
                let _ = thread.receive(started("r"));
                thread.to_json();
            }
        }
    }
}

#[test]
fn a_record_keeps_interrupts_only_of_a_run_that_may_wait_for_them() {
    let interrupts = Some(json!([{ "id": "1" }]));
    let mut thread = thread_of(&[]);
    let asked = ThreadEvent::RunFinished { interrupts, stopped: false, folded: false };
    hear(&mut thread, [started("r"), asked]);
    let record = thread.to_json();
    for (status, keeps) in [
        ("interrupted", true),
        ("submitted", true),
        ("disconnected", true),
        ("error", true),
        ("ready", false),
        ("unheard of", false),
    ] {
        let mut record = record.clone();
        record["run"]["status"] = json!(status);
        let run = Thread::from_json(None, &record).unwrap().run();
        assert_eq!(run.interrupts.is_some(), keeps, "{status}");
    }
}

#[test]
fn a_record_of_another_version_is_refused() {
    let record = thread_of(&[]).to_json();
    for (key, value) in
        [("version", json!("1")), ("version", json!(null)), ("confirmed", json!([]))]
    {
        let mut other = record.clone();
        other[key] = value.clone();
        let error = Thread::from_json(None, &other).unwrap_err();
        assert_eq!(error.code(), "INVALID_ARGUMENT", "{key}: {value}");
    }
}

#[test]
fn a_run_that_ends_with_an_empty_list_of_questions_waits_for_none() {
    for interrupts in [json!([]), json!({}), json!("why?")] {
        let mut thread = thread_of(&[]);
        let interrupts = Some(interrupts);
        let ended = ThreadEvent::RunFinished { interrupts, stopped: false, folded: false };
        hear(&mut thread, [started("r"), ended]);
        assert_eq!((thread.run().status, thread.run().interrupts), (RunStatus::Ready, None));
    }
}
