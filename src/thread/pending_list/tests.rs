#![allow(clippy::unwrap_used)]

use crate::thread::UpdateStatus;
use crate::value::Value as _;
use crate::{Json, Thread, ThreadEvent};

fn json(value: serde_json::Value) -> Json {
    value.into()
}

fn message(id: &str) -> Json {
    json(serde_json::json!({ "type": "human", "id": id, "content": id }))
}

fn add(id: &str) -> Json {
    Json::from([("messages", Json::array([message(id)]))])
}

#[test]
fn an_update_that_is_looked_at_by_itself_changes_in_the_list_too() {
    let mut thread = Thread::new(None, &Json::object()).unwrap();
    let id = thread.optimistic(add("1")).unwrap();
    let status = |list: &Json| list.at(0).unwrap().text_of("status").unwrap();
    assert_eq!(status(&thread.pending_list()), "pending");
    thread.receive(ThreadEvent::RunStarted { id: None, joined: None }).unwrap();
    assert_eq!(thread.told(&id).unwrap().text_of("status").as_deref(), Some("sent"));
    assert_eq!(status(&thread.pending_list()), "sent");
    assert!(thread.retry(&id));
    assert_eq!(thread.told(&id).unwrap().text_of("status").as_deref(), Some("pending"));
    assert_eq!(status(&thread.pending_list()), "pending");
}

#[test]
fn two_updates_that_the_server_has_since_the_last_look_are_both_out_of_the_list() {
    let mut thread = Thread::new(None, &Json::object()).unwrap();
    let ids = ["1", "2", "3"];
    for id in ids {
        thread.optimistic(add(id)).unwrap();
    }
    thread.receive(ThreadEvent::RunStarted { id: None, joined: None }).unwrap();
    assert_eq!(thread.pending_list().len(), 3);
    for id in &ids[..2] {
        let mine = ThreadEvent::Message { message: message(id), after: None, streaming: false };
        thread.receive(mine).unwrap();
    }
    assert_eq!(thread.pending_list().len(), 1);
}

#[test]
fn what_is_pending_is_one_list_until_something_of_it_changes() {
    let mut thread = Thread::new(None, &Json::object()).unwrap();
    let first = thread.optimistic(add("1")).unwrap();
    let second = thread.optimistic(Json::from([("topic", Json::string("a"))])).unwrap();
    let told = thread.pending_list();
    let text = |key: &str, at: usize| told.at(at).unwrap().text_of(key);
    assert_eq!((text("id", 0), text("id", 1)), (Some(first.clone()), Some(second.clone())));
    assert_eq!(text("status", 0).as_deref(), Some("pending"));
    assert!(thread.pending_list().same(&told));
    assert!(thread.told(&first).unwrap().same(told.at(0).unwrap()));
    // Events about other messages and fields do not concern it.
    let other = ThreadEvent::Message { message: message("2"), after: None, streaming: false };
    thread.receive(other).unwrap();
    thread.update(Json::from([("mood", Json::string("calm"))])).unwrap();
    assert!(thread.pending_list().same(&told));
    // Changing one update leaves the others' objects the same.
    assert!(thread.fail(&first, Json::string("no")));
    let failed = thread.pending_list();
    assert_eq!(failed.at(0).unwrap().text_of("error").as_deref(), Some("no"));
    assert!(!failed.same(&told) && failed.at(1).unwrap().same(told.at(1).unwrap()));
    assert!(thread.fail(&first, Json::string("no")));
    assert!(thread.retry(&first));
    // Updates that the server has are not listed: a message when it has it, a field when it has
    // changed.
    thread.receive(ThreadEvent::RunStarted { id: None, joined: None }).unwrap();
    assert_eq!(thread.pending_list().len(), 2);
    let mine = ThreadEvent::Message { message: message("1"), after: None, streaming: false };
    thread.receive(mine).unwrap();
    assert_eq!(thread.pending_list().len(), 1);
    assert!(thread.told(&first).is_none());
    thread
        .receive(ThreadEvent::State {
            values: Json::from([("topic", Json::string("b"))]),
            own: None,
        })
        .unwrap();
    assert_eq!(thread.pending_list().len(), 0);
    thread.receive(ThreadEvent::State { values: Json::object(), own: None }).unwrap();
    assert_eq!(thread.pending_list().len(), 1);
    assert_eq!(thread.status(&second), Some(UpdateStatus::Sent));
    let none =
        ThreadEvent::Messages { messages: Json::array([]), client_roles: None, partial: false };
    thread.receive(none).unwrap();
    assert_eq!(thread.pending_list().len(), 2);
}

#[test]
fn a_renamed_message_is_reported_under_its_new_name() {
    let mut thread = Thread::new(None, &Json::object()).unwrap();
    let two = Json::array([message("1"), message("2")]);
    thread.optimistic(Json::from([("messages", two)])).unwrap();
    thread.receive(ThreadEvent::RunStarted { id: None, joined: None }).unwrap();
    let told = thread.pending_list();
    let theirs = message("1").with("id", Json::string("theirs"));
    let event = ThreadEvent::Message { message: theirs, after: None, streaming: false };
    thread.receive(event).unwrap();
    let now = thread.pending_list();
    assert!(!now.same(&told));
    let update = now.at(0).unwrap().get("update").unwrap().clone();
    let messages = update.get("messages").unwrap().clone();
    let ids: Vec<_> = messages.items().map(|it| it.text_of("id").unwrap()).collect();
    assert_eq!(ids, ["theirs", "2"]);
}

/// Updates get new numbers once most are gone.
#[test]
fn the_list_is_right_when_most_updates_are_gone() {
    let mut thread = Thread::new(None, &Json::object()).unwrap();
    let made: Vec<_> = (0..100).map(|n| thread.optimistic(add(&n.to_string())).unwrap()).collect();
    let ids = |thread: &mut Thread<Json>| -> Vec<_> {
        thread.pending_list().items().map(|it| it.text_of("id").unwrap()).collect()
    };
    assert_eq!(ids(&mut thread), made);
    let (kept, gone): (Vec<_>, Vec<_>) = (0..).zip(made).partition(|(n, _)| n % 7 == 6);
    for (_, update) in &gone {
        assert!(thread.rollback(update));
    }
    let mut left: Vec<_> = kept.into_iter().map(|(_, update)| update).collect();
    assert_eq!(ids(&mut thread), left);
    left.push(thread.optimistic(add("new")).unwrap());
    assert!(thread.fail(&left[3], Json::string("no")));
    assert_eq!(ids(&mut thread), left);
}

#[test]
fn a_list_without_two_updates_has_the_others_as_they_were() {
    let mut thread = Thread::new(None, &Json::object()).unwrap();
    let made: Vec<_> = (0..4).map(|n| thread.optimistic(add(&n.to_string())).unwrap()).collect();
    let told = thread.pending_list();
    assert!(thread.rollback(&made[0]) && thread.rollback(&made[2]));
    let now = thread.pending_list();
    assert_eq!(now.len(), 2);
    for (at, before) in [(0, 1), (1, 3)] {
        assert!(now.at(at).unwrap().same(told.at(before).unwrap()));
    }
}

#[test]
fn an_update_of_which_the_server_has_a_part_is_listed_as_it_was() {
    let mut thread = Thread::new(None, &Json::object()).unwrap();
    let two = Json::array([message("1"), message("2")]);
    thread.optimistic(Json::from([("messages", two)])).unwrap();
    thread.receive(ThreadEvent::RunStarted { id: None, joined: None }).unwrap();
    let told = thread.pending_list();
    let mine = ThreadEvent::Message { message: message("1"), after: None, streaming: false };
    thread.receive(mine).unwrap();
    assert!(thread.pending_list().same(&told));
}

#[test]
fn an_update_that_the_server_has_no_more_comes_back_to_its_place_in_the_list() {
    let mut thread = Thread::new(None, &Json::object()).unwrap();
    let topic = |topic: &str| Json::from([("topic", Json::string(topic))]);
    let made = [add("1"), topic("a"), add("2")].map(|update| thread.optimistic(update).unwrap());
    thread.receive(ThreadEvent::RunStarted { id: None, joined: None }).unwrap();
    let ids = |thread: &mut Thread<Json>| -> Vec<_> {
        thread.pending_list().items().map(|it| it.text_of("id").unwrap()).collect()
    };
    thread.receive(ThreadEvent::State { values: topic("b"), own: None }).unwrap();
    assert_eq!(ids(&mut thread), [made[0].clone(), made[2].clone()]);
    thread.receive(ThreadEvent::State { values: Json::object(), own: None }).unwrap();
    assert_eq!(ids(&mut thread), made);
}
