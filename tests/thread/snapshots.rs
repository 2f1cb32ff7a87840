//! How a snapshot reconciles the messages it has, and those it lacks.

use serde_json::{Value, json};
use threadfold::value::Found;
use threadfold::{
    Field, FieldReducer, Json, MessageRules, Schema, Thread, ThreadEvent, UpdateStatus, Value as _,
};

use super::{ai, failed, hear, human, ids, message, snapshot, started, streamed, text, thread_of};

fn with_roles(messages: &[Value], roles: Value) -> ThreadEvent<Value> {
    ThreadEvent::Messages { messages: json!(messages), client_roles: Some(roles), partial: false }
}

fn some(messages: &[Value]) -> ThreadEvent<Value> {
    ThreadEvent::Messages { messages: json!(messages), client_roles: None, partial: true }
}

fn nameless(kind: &str, content: &str) -> Value {
    json!({ "type": kind, "content": content })
}

fn result(id: &str) -> Value {
    json!({ "type": "tool", "id": id, "tool_call_id": "c", "content": "42" })
}

fn thread_by(rules: MessageRules, messages: &[Value]) -> Thread<Value> {
    let field = Field::new(FieldReducer::Messages(rules));
    let schema = Schema::new(vec![("messages".to_owned(), field)]).unwrap();
    Thread::new(Some(schema), &json!({ "messages": messages })).unwrap()
}

#[test]
fn messages_of_client_roles_stay_after_their_predecessors() {
    let note = |id: &str| json!({ "role": "activity", "id": id, "content": {} });
    let all = [note("0"), human("1", "a"), note("2"), note("3"), ai("4", "b"), human("5", "c")];
    let server = [human("1", "a"), ai("4", "b")];
    let mut thread = thread_of(&all);
    hear(&mut thread, [with_roles(&server, json!(["reasoning", "activity"]))]);
    assert_eq!(ids(&thread.state()), ["0", "1", "2", "3", "4"]);
    for roles in [json!(["reasoning"]), json!([]), json!("activity"), Value::Null] {
        let mut thread = thread_of(&all);
        hear(&mut thread, [with_roles(&server, roles)]);
        assert_eq!(ids(&thread.state()), ["1", "4"]);
    }
}

#[test]
fn a_message_without_an_id_is_the_one_of_its_kind_and_content() {
    let mut thread = thread_of(&[human("1", "x"), ai("2", "x"), ai("3", "y"), ai("4", "y")]);
    hear(&mut thread, [snapshot(&[nameless("ai", "x"), nameless("human", "x")])]);
    assert_eq!(ids(&thread.state()), ["2", "1"]);
    let mut thread = thread_of(&[ai("1", "x"), ai("2", "x"), ai("3", "y")]);
    // One that the snapshot names is itself, and each is one.
    let said = [nameless("ai", "x"), ai("1", "x"), nameless("ai", "x"), nameless("ai", "y")];
    hear(&mut thread, [snapshot(&said)]);
    let state = thread.state();
    let ids = ids(&state);
    assert_eq!((ids[0], ids[1], ids[3]), ("2", "1", "3"));
    assert!(!["1", "2", "3"].contains(&ids[2]));
    hear(&mut thread, [snapshot(&[nameless("ai", "x"), ai("1", "x"), nameless("ai", "x")])]);
    assert_eq!(super::ids(&thread.state()), ids[..3]);
}

#[test]
fn by_deep_agents_rules_a_message_may_have_no_id() {
    let mut thread = thread_by(MessageRules::DeepAgents, &[human("1", "x")]);
    hear(&mut thread, [snapshot(&[nameless("human", "x"), ai("2", "y")])]);
    assert_eq!(thread.state()["messages"], json!([nameless("human", "x"), ai("2", "y")]));
}

#[test]
fn a_snapshot_has_one_message_of_each_id_and_nothing_that_it_removes() {
    for rules in [MessageRules::LangGraph, MessageRules::DeepAgents] {
        let mut thread = thread_by(rules, &[]);
        hear(&mut thread, [snapshot(&[human("1", "a"), ai("2", "b"), human("1", "c")])]);
        assert_eq!(thread.state()["messages"], json!([human("1", "c"), ai("2", "b")]));
        let removal = json!({ "type": "remove", "id": "1" });
        hear(&mut thread, [snapshot(&[human("1", "a"), ai("2", "b"), removal])]);
        assert_eq!(thread.state()["messages"], json!([ai("2", "b")]));
    }
}

#[test]
fn a_snapshot_that_clears_keeps_what_follows() {
    let clear = json!({ "type": "remove", "id": "__remove_all__" });
    let mut thread = thread_of(&[human("0", "a")]);
    hear(&mut thread, [snapshot(&[human("0", "a"), clear, ai("1", "b")])]);
    assert_eq!(ids(&thread.state()), ["1"]);
}

#[test]
fn only_a_new_message_is_one_that_the_run_took_along() {
    let mut thread = thread_of(&[human("0", "old")]);
    thread.optimistic(json!({ "messages": [human("1", "Hi")] })).unwrap();
    let update = json!({ "messages": [human("0", "Hi")] });
    hear(&mut thread, [started("r"), ThreadEvent::Update { update }]);
    assert_eq!(ids(&thread.state()), ["0", "1"]);
    let update = json!({ "messages": [human("theirs", "Hi")] });
    hear(&mut thread, [ThreadEvent::Update { update }]);
    assert_eq!(ids(&thread.state()), ["0", "theirs"]);
    assert_eq!(thread.pending().count(), 0);
}

#[test]
fn a_result_under_another_id_takes_the_place_of_the_one_there_is() {
    let mut thread = thread_of(&[ai("1", "calling"), result("local"), ai("2", "so")]);
    hear(&mut thread, [some(&[ai("1", "calling"), result("server")])]);
    assert_eq!(ids(&thread.state()), ["1", "server", "2"]);
    // One call may have two results: each is one.
    let mut thread = thread_of(&[result("a"), result("b"), ai("2", "so")]);
    hear(&mut thread, [some(&[result("c"), result("b")])]);
    assert_eq!(ids(&thread.state()), ["c", "b", "2"]);
}

#[test]
fn what_is_streamed_takes_from_a_snapshot_all_but_less_text() {
    let named = |content: &str| json!({ "type": "ai", "id": "a", "content": content, "name": "n" });
    for (said, shown) in [
        (named("He"), ai("a", "Hell")),
        (named("Hell"), named("Hell")),
        (named("Hello"), named("Hello")),
        (named("No"), named("No")),
    ] {
        let mut thread = thread_of(&[]);
        hear(&mut thread, [started("r"), streamed("a"), text("a", "Hell"), snapshot(&[said])]);
        assert_eq!(thread.state()["messages"], json!([shown]));
    }
}

#[test]
fn a_snapshot_has_the_messages_that_the_run_took_along_under_its_own_ids() {
    let mut thread = thread_of(&[human("0", "old")]);
    thread.optimistic(json!({ "messages": [human("1", "Hi"), human("2", "Hi")] })).unwrap();
    hear(&mut thread, [started("r")]);
    hear(&mut thread, [snapshot(&[human("0", "old"), human("theirs", "Hi"), ai("a", "Hello")])]);
    assert_eq!(ids(&thread.state()), ["0", "theirs", "2", "a"]);
    let update = thread.pending().next().unwrap().update.clone();
    assert_eq!(ids(&update), ["theirs", "2"]);
    assert_eq!(ids(&thread.to_json()["pending"][0]["update"]), ["theirs", "2"]);
    hear(&mut thread, [snapshot(&[human("0", "old"), human("theirs", "Hi"), human("more", "Hi")])]);
    assert_eq!(thread.pending().count(), 0);
    assert_eq!(thread.state(), thread.confirmed());
}

#[test]
fn messages_without_text_are_renamed_too() {
    let blocks = |id: &str, text: &str| json!({ "type": "human", "id": id, "content": [{ "type": "text", "text": text }] });
    let mut thread = thread_of(&[]);
    thread.optimistic(json!({ "messages": [blocks("1", "a"), blocks("2", "b")] })).unwrap();
    hear(&mut thread, [started("r"), message(blocks("theirs", "b"))]);
    assert_eq!(ids(&thread.state()), ["1", "theirs"]);
}

#[test]
fn the_id_that_a_message_had_before_the_server_named_it_is_nobodys() {
    let mut thread = thread_of(&[]);
    thread.optimistic(json!({ "messages": [human("1", "Hi")] })).unwrap();
    thread.optimistic(json!({ "messages": [human("2", "Hi")] })).unwrap();
    hear(&mut thread, [started("r"), message(human("theirs", "Hi")), message(human("1", "Hi"))]);
    assert_eq!(thread.pending().count(), 0);
    assert_eq!(ids(&thread.state()), ["theirs", "1"]);
}

#[test]
fn a_replay_goes_back_to_the_message_under_the_id_that_the_server_gave() {
    let mut thread = thread_of(&[human("0", "old")]);
    let sent = json!({ "messages": [human("1", "Hi"), human("2", "Ho")] });
    thread.optimistic(sent).unwrap();
    // The save point has the first, and a snapshot then lacks it.
    hear(&mut thread, [message(human("1", "Hi")), started("r"), snapshot(&[human("0", "old")])]);
    hear(&mut thread, [message(human("theirs", "Hi"))]);
    thread.update(json!({ "messages": [ai("mine", "a")] })).unwrap();
    let mut saved = Thread::from_json(None, &thread.to_json()).unwrap();
    for thread in [&mut thread, &mut saved] {
        hear(thread, [started("r")]);
        assert_eq!(ids(&thread.confirmed()), ["0", "theirs", "mine"]);
        assert_eq!(ids(&thread.state()), ["0", "theirs", "2", "mine"]);
    }
}

#[test]
fn only_a_message_that_the_run_sent_is_renamed_also_after_fail() {
    let mut thread = thread_of(&[]);
    let first = thread.optimistic(json!({ "messages": [human("1", "Hi")] })).unwrap();
    hear(&mut thread, [message(human("early", "Hi"))]);
    assert_eq!(ids(&thread.state()), ["early", "1"]);
    hear(&mut thread, [started("r")]);
    thread.optimistic(json!({ "messages": [human("2", "Ho")] })).unwrap();
    assert!(thread.fail(&first, json!("no")));
    hear(&mut thread, [message(human("late", "Hi")), message(human("later", "Ho"))]);
    assert_eq!(ids(&thread.confirmed()), ["early", "late", "later"]);
    // Rule 8 asks what the run sent: `fail` in mid-run does not unsend it, so that "late" is its echo.
    assert_eq!(ids(&thread.state()), ["early", "late", "later", "2"]);
    assert_eq!(thread.pending().count(), 1);
}

#[test]
fn a_partial_snapshot_removes_nothing_at_the_runs_end_either() {
    let said = |event| {
        let mut thread = thread_of(&[human("0", "old")]);
        thread.optimistic(json!({ "messages": [human("1", "Hi")] })).unwrap();
        hear(&mut thread, [started("r"), event]);
        let drift = thread.receive(ThreadEvent::run_finished()).unwrap();
        (super::ids(&thread.state()).join(" "), drift)
    };
    assert_eq!(said(some(&[human("0", "old")])), ("0 1".to_owned(), None));
    let removal = json!([{ "op": "remove", "path": "/messages/1" }]);
    assert_eq!(said(snapshot(&[human("0", "old")])), ("0".to_owned(), Some(removal)));
}

#[test]
fn a_snapshot_other_than_a_list_of_messages_is_refused() {
    let log = Field::new(FieldReducer::Append);
    let schema = || Schema::new(vec![("messages".to_owned(), log.clone())]).unwrap();
    let mut thread = Thread::new(Some(schema()), &json!({ "messages": [] })).unwrap();
    for messages in [json!({}), json!([human("1", "a"), 7]), json!(["text"]), Value::Null] {
        let event = ThreadEvent::Messages { messages, client_roles: None, partial: false };
        assert_eq!(thread.receive(event).unwrap_err().code(), "INVALID_ARGUMENT");
    }
    hear(&mut thread, [snapshot(&[human("1", "a"), json!({ "type": "alien", "id": "2" })])]);
    assert_eq!(ids(&thread.state()), ["1", "2"]);
    // Such a reducer applies to updates, too: a message that comes again is there again.
    hear(&mut thread, [ThreadEvent::Update { update: json!({ "messages": [human("3", "b")] }) }]);
    assert_eq!(ids(&thread.state()), ["1", "2", "3"]);
    assert!(thread.update(json!({ "messages": [7] })).is_err());
    assert_eq!(ids(&thread.state()), ["1", "2", "3"]);
}

#[test]
fn what_the_server_sends_back_as_it_was_written_stays_the_object_that_it_was() {
    let shared = |value: Value| Json::from(value);
    let first = |state: &Json| state.get("messages").unwrap().at(0).map(Found::into_owned).unwrap();
    for whole in [true, false] {
        let mut thread = Thread::new(None, &shared(json!({}))).unwrap();
        thread.optimistic(shared(json!({ "messages": [human("1", "Hi")] }))).unwrap();
        let written = first(&thread.state());
        let run = ThreadEvent::RunStarted { id: None, joined: None };
        thread.receive(run).unwrap();
        let event = if whole {
            let messages = shared(json!([human("1", "Hi")]));
            ThreadEvent::Messages { messages, client_roles: None, partial: false }
        } else {
            let message = shared(human("1", "Hi"));
            ThreadEvent::Message { message, after: None, streaming: false }
        };
        thread.receive(event).unwrap();
        assert_eq!(thread.pending().count(), 0);
        assert!(first(&thread.state()).same(&written));
    }
}

#[test]
fn what_a_failed_run_broke_off_is_whole_once_a_snapshot_has_it() {
    let mut thread = thread_of(&[]);
    hear(&mut thread, [started("r"), streamed("a"), streamed("b"), text("a", "He"), failed()]);
    assert_eq!(thread.incomplete_ids(), json!(["a", "b"]));
    hear(&mut thread, [snapshot(&[ai("a", "Hello")])]);
    assert_eq!(thread.incomplete_ids(), json!(["b"]));
    assert_eq!(ids(&thread.state()), ["a", "b"]);
    hear(&mut thread, [started("s")]);
    assert_eq!(ids(&thread.state()), ["a"]);
    assert_eq!(thread.incomplete_ids(), json!([]));
}

#[test]
fn a_manual_update_comes_after_a_runs_updates() {
    let mut thread = thread_of(&[human("0", "old")]);
    thread.optimistic_manual(json!({ "messages": [human("1", "by hand")] })).unwrap();
    thread.optimistic(json!({ "messages": [human("2", "by a run")] })).unwrap();
    hear(&mut thread, [started("r")]);
    assert_eq!(ids(&thread.state()), ["0", "2", "1"]);
    let statuses: Vec<_> = thread.pending().map(|update| update.status).collect();
    assert_eq!(statuses, [UpdateStatus::Pending, UpdateStatus::Sent]);
}
