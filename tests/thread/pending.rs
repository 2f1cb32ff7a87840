//! The list of pending updates.

use serde_json::{Value, json};
use threadfold::{Thread, ThreadEvent, UpdateStatus};

use super::{ai, failed, hear, human, ids, message, snapshot, started, statuses, thread_of};

fn add(id: &str) -> Value {
    json!({ "messages": [human(id, id)] })
}

#[test]
fn an_update_has_a_status_until_it_is_the_servers_or_gone() {
    let mut thread = thread_of(&[]);
    let first = thread.optimistic(add("1")).unwrap();
    let second = thread.optimistic(add("2")).unwrap();
    assert_eq!(thread.status(&first), Some(UpdateStatus::Pending));
    assert_eq!(thread.status("update-99"), None);
    hear(&mut thread, [started("r"), message(human("1", "1"))]);
    assert_eq!(thread.status(&first), None);
    assert_eq!(thread.status(&second), Some(UpdateStatus::Sent));
    hear(&mut thread, [failed()]);
    assert_eq!(thread.status(&second), Some(UpdateStatus::Failed));
    assert!(thread.rollback(&second));
    assert_eq!(thread.status(&second), None);
}

#[test]
fn what_fails_again_has_the_error_it_failed_with_last() {
    let error = |thread: &mut Thread<Value>| thread.pending().next().unwrap().error.clone();
    let mut thread = thread_of(&[]);
    let update = thread.optimistic(add("1")).unwrap();
    for text in ["a", "b"] {
        assert!(thread.fail(&update, json!(text)));
        assert_eq!(error(&mut thread), Some(json!(text)));
    }
    // A record may lack it: `undefined` is not in JSON.
    let mut record = thread.to_json();
    record["pending"][0].as_object_mut().unwrap().remove("error");
    let mut thread = Thread::from_json(None, &record).unwrap();
    assert_eq!((statuses(&mut thread), error(&mut thread)), (vec![UpdateStatus::Failed], None));
    assert!(thread.fail(&update, json!("c")));
    assert_eq!(error(&mut thread), Some(json!("c")));
    assert!(thread.retry(&update));
    assert_eq!(error(&mut thread), None);
}

#[test]
fn no_two_updates_have_one_id() {
    let mut thread = thread_of(&[]);
    let first = thread.optimistic(add("1")).unwrap();
    assert!(thread.rollback(&first));
    let second = thread.optimistic(add("1")).unwrap();
    assert_ne!(first, second);
    // Nor if a record lacks the number of runs.
    let mut record = thread.to_json();
    record["made"] = json!("0");
    record["pending"][0]["id"] = json!("update-1");
    let mut thread = Thread::from_json(None, &record).unwrap();
    assert_eq!(thread.optimistic(add("2")).unwrap(), "update-2");
    assert_eq!(thread.pending().count(), 2);
}

#[test]
fn a_message_is_found_as_it_is_at_this_moment() {
    let mut thread = thread_of(&[ai("1", "a")]);
    hear(&mut thread, [super::text("1", "b")]);
    assert_eq!(thread.message(&json!("1")), Some(ai("1", "ab")));
    assert_eq!(thread.message(&json!("2")), None);
    // Pending messages do not count as confirmed.
    thread.optimistic(add("2")).unwrap();
    assert_eq!(thread.message(&json!("2")), None);
}

#[test]
fn what_is_settled_where_it_was_moved_from_stands_where_it_is_shown() {
    let removal = json!({ "messages": [{ "type": "remove", "id": "1" }] });
    let mut thread = thread_of(&[human("0", "a"), human("1", "b"), human("2", "c")]);
    thread.optimistic(removal).unwrap();
    let again = thread.optimistic(add("1")).unwrap();
    hear(&mut thread, [started("r"), message(ai("3", "d"))]);
    assert_eq!(ids(&thread.state()), ["0", "2", "1", "3"]);
    assert!(thread.settle(&again).unwrap());
    assert_eq!(ids(&thread.confirmed()), ["0", "2", "1", "3"]);
}

#[test]
fn a_message_settled_after_its_place_goes_before_it() {
    let removal = json!({ "messages": [{ "type": "remove", "id": "1" }] });
    let all = [human("0", "a"), human("1", "b"), human("2", "c"), ai("3", "d")];
    for order in [[0, 3, 1, 2], [0, 2, 1, 3], [0, 2, 3, 1], [1, 0, 2, 3]] {
        let mut thread = thread_of(&all[..3]);
        thread.optimistic(removal.clone()).unwrap();
        let again = thread.optimistic(add("1")).unwrap();
        hear(&mut thread, [started("r"), snapshot(&order.map(|at| all[at].clone()))]);
        let shown = thread.state();
        assert!(thread.settle(&again).unwrap());
        assert_eq!(ids(&thread.confirmed()), ids(&shown));
    }
}

#[test]
fn text_of_a_message_that_is_not_there_is_an_error() {
    let mut thread = thread_of(&[]);
    let error = thread.receive(super::text("1", "a")).unwrap_err();
    assert_eq!(error.code(), "UNKNOWN_MESSAGE");
    assert_eq!(error.to_string(), "There is no message with the id '1'.");
}

#[test]
fn another_run_does_not_replay_even_if_marked_as_joined() {
    let mut thread = thread_of(&[]);
    hear(&mut thread, [started("r"), message(ai("1", "a"))]);
    hear(&mut thread, [ThreadEvent::RunStarted { id: Some(json!("s")), joined: Some(true) }]);
    assert_eq!(ids(&thread.state()), ["1"]);
    // Nor is the last one, unless it is named, once it has ended.
    hear(&mut thread, [message(ai("2", "b")), ThreadEvent::run_finished(), started("s")]);
    assert_eq!(ids(&thread.state()), ["1", "2"]);
    let mut thread = thread_of(&[]);
    hear(&mut thread, [started("r"), message(ai("1", "a")), started("r")]);
    assert_eq!(ids(&thread.state()), Vec::<&str>::new());
}

#[test]
fn a_record_has_nothing_of_updates_that_are_gone() {
    let empty = |thread: &mut Thread<Value>| {
        let record = thread.to_json();
        ["pending", "seats", "anchors"].map(|part| record[part].clone())
    };
    let mut thread = thread_of(&[]);
    let updates = ["1", "2", "3"].map(|id| thread.optimistic(add(id)).unwrap());
    assert_ne!(empty(&mut thread), [json!([]), json!([]), json!([])]);
    for update in &updates {
        assert!(thread.rollback(update));
    }
    assert_eq!(empty(&mut thread), [json!([]), json!([]), json!([])]);
    thread.optimistic(add("1")).unwrap();
    hear(
        &mut thread,
        [started("r"), message(human("1", "1")), ThreadEvent::run_finished(), started("s")],
    );
    assert_eq!(empty(&mut thread), [json!([]), json!([]), json!([])]);
}

#[test]
fn what_a_failed_run_has_brought_over_leaves_the_other_updates_countable() {
    let many = |ids: &[&str]| {
        let all: Vec<_> = ids.iter().map(|id| human(id, id)).collect();
        json!({ "messages": all })
    };
    let mut thread = thread_of(&[]);
    thread.optimistic(many(&["1", "2", "3"])).unwrap();
    let lost = thread.optimistic(many(&["4", "5"])).unwrap();
    let arrived = ["1", "2", "3"].map(|id| message(human(id, id)));
    hear(&mut thread, [started("r")]);
    hear(&mut thread, arrived);
    hear(&mut thread, [failed()]);
    assert_eq!(statuses(&mut thread), [UpdateStatus::Failed]);
    assert!(thread.rollback(&lost));
    assert_eq!(ids(&thread.state()), ["1", "2", "3"]);
    assert_eq!(thread.pending().count(), 0);
}

#[test]
fn a_removed_message_that_the_run_sent_again_is_removed_once_more_by_its_replay() {
    let mut thread = thread_of(&[human("0", "a"), human("1", "b")]);
    thread.optimistic(json!({ "messages": [{ "type": "remove", "id": "1" }] })).unwrap();
    for joined in [None, Some(true)] {
        hear(&mut thread, [ThreadEvent::RunStarted { id: Some(json!("r")), joined }]);
        assert_eq!(ids(&thread.state()), ["0"]);
        hear(&mut thread, [message(human("1", "anew"))]);
        assert_eq!(ids(&thread.state()), ["0", "1"]);
        hear(&mut thread, [ThreadEvent::Disconnected { error: None }]);
    }
}
