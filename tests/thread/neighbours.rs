//! Updates beside one another: of one id, of one content, and of what the server has beside them.

use serde_json::{Value, json};
use threadfold::ag_ui::RunAgentInput;
use threadfold::{Json, Thread, ThreadEvent};

use super::{hear, human, ids, message, started, thread_of};

fn removal(id: &str) -> Value {
    json!({ "type": "remove", "id": id })
}

#[test]
fn a_message_that_one_update_writes_twice_stands_where_it_was_first_written() {
    let mut thread = thread_of(&[]);
    let messages = [human("a", "1"), human("b", "1"), human("a", "2")];
    thread.optimistic(json!({ "messages": messages })).unwrap();
    let state = thread.state();
    assert_eq!(ids(&state), ["a", "b"]);
    assert_eq!(state["messages"][0]["content"], "2");
}

#[test]
fn a_message_that_was_rolled_back_comes_where_the_server_sends_it() {
    let mut thread = thread_of(&[human("0", "o")]);
    let first = thread.optimistic(json!({ "messages": [human("a", "1")] })).unwrap();
    thread.optimistic(json!({ "messages": [human("b", "2")] })).unwrap();
    hear(&mut thread, [started("r")]);
    assert!(thread.rollback(&first));
    hear(&mut thread, [message(human("a", "1"))]);
    assert_eq!(ids(&thread.state()), ["0", "b", "a"]);
}

#[test]
fn a_message_that_you_removed_again_takes_the_next_name_of_its_content() {
    let mut thread = thread_of(&[]);
    let messages = [human("a", "1"), human("b", "1"), human("c", "1")];
    thread.optimistic(json!({ "messages": messages })).unwrap();
    hear(&mut thread, [started("r"), message(human("a", "1")), message(human("s1", "1"))]);
    thread.update(json!({ "messages": [removal("a")] })).unwrap();
    hear(&mut thread, [message(human("s2", "1"))]);
    assert_eq!(ids(&thread.state()), ["s2", "s1", "c"]);
}

#[test]
fn a_pending_removal_is_sent_beside_a_failed_message() {
    let mut thread: Thread<Json> =
        Thread::new(None, &json!({ "messages": [human("1", "o"), human("2", "o")] }).into())
            .unwrap();
    let failed = thread.optimistic(json!({ "messages": [human("3", "x")] }).into()).unwrap();
    assert!(thread.fail(&failed, json!("down").into()));
    thread.optimistic(json!({ "messages": [removal("1")] }).into()).unwrap();
    let input = RunAgentInput::of(&mut thread, "t").unwrap();
    let sent: Vec<_> = input.messages.iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(sent, ["2"]);
}

#[test]
fn a_server_names_the_write_that_counts() {
    let mut thread = thread_of(&[]);
    let messages = [human("a", "1"), human("b", "9"), human("a", "2")];
    thread.optimistic(json!({ "messages": messages, "x": 1 })).unwrap();
    hear(&mut thread, [started("r"), message(human("srv", "2"))]);
    let update = thread.pending().next().unwrap().update.clone();
    let written = [human("srv", "1"), human("b", "9"), human("srv", "2")];
    assert_eq!(update["messages"], json!(written));
}

#[test]
fn what_the_server_sends_as_you_wrote_it_is_the_same_object() {
    let parsed = |content: &str| Json::from(human("m", content));
    let mut thread: Thread<Json> = Thread::new(None, &json!({ "messages": [] }).into()).unwrap();
    thread.optimistic(json!({ "messages": [human("m", "1")] }).into()).unwrap();
    let mine = thread.state()["messages"][0].clone();
    thread.receive(ThreadEvent::RunStarted { id: Some(json!("r").into()), joined: None }).unwrap();
    let update = Json::from([("messages", Json::from(vec![parsed("1")]))]);
    thread.receive(ThreadEvent::Update { update }).unwrap();
    assert!(threadfold::Value::same(&mine, &thread.state()["messages"][0]));
}
