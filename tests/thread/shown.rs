//! The effect of an optimistic update on the view: the result of the messages' reducer.

use crate::seeded;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use threadfold::{
    CustomReducer, Error, Field, FieldReducer, Json, MessageRules, Schema, Thread, ThreadEvent,
    add_json_messages,
};

use super::{ai, hear, human, ids, message, started, streamed, text, thread_of};

fn thread_by(reducer: FieldReducer<Value>, messages: &[Value]) -> Thread<Value> {
    Thread::new(Some(schema(reducer)), &json!({ "messages": messages })).unwrap()
}

/// A message, a removal, or the removal of all.
fn item() -> impl Strategy<Value = Value> {
    let id = || (0..5u8).prop_map(|id| id.to_string());
    prop_oneof![
        8 => (id(), "[ab]").prop_map(|(id, content)| human(&id, &content)),
        4 => id().prop_map(|id| json!({ "type": "remove", "id": id })),
        1 => Just(json!({ "type": "remove", "id": "__remove_all__" })),
    ]
}

/// A thread has one message of each id, though `add_messages` leaves two of an update that clears.
fn reduced(shown: &Value, update: &Value, rules: MessageRules) -> Result<Value, Error> {
    let list = add_json_messages(shown.clone(), update.clone(), rules)?;
    add_json_messages(json!([]), list, rules)
}

fn schema(reducer: FieldReducer<Value>) -> Schema<Value> {
    Schema::new(vec![("messages".to_owned(), Field::new(reducer))]).unwrap()
}

fn by_id(list: &Value) -> Vec<Value> {
    let mut list = list.as_array().unwrap().clone();
    list.sort_by_key(|message| message["id"].as_str().map(str::to_owned));
    list
}

/// The last three messages, a later one of an id in the place of the earlier one.
fn last_three() -> FieldReducer<Value> {
    FieldReducer::Custom(CustomReducer {
        name: "last three".to_owned(),
        id: 1,
        merge: Arc::new(|list, update| Ok(three(list.as_ref(), &update))),
    })
}

fn three(list: Option<&Value>, update: &Value) -> Value {
    let mut all = list.and_then(Value::as_array).cloned().unwrap_or_default();
    for message in update.as_array().into_iter().flatten() {
        match all.iter_mut().find(|own| own["id"] == message["id"]) {
            Some(own) => *own = message.clone(),
            None => all.push(message.clone()),
        }
    }
    all.split_off(all.len().saturating_sub(3)).into()
}

proptest! {
    #![proptest_config(seeded::config(400))]

    #[test]
    fn add_messages_of_what_was_shown_is_shown(
        start in vec((0..5u8).prop_map(|id| human(&id.to_string(), "old")), 0..5),
        updates in vec(vec(item(), 0..6), 1..4),
        deep_agents in any::<bool>(),
        settled in any::<bool>(),
    ) {
        let rules = if deep_agents { MessageRules::DeepAgents } else { MessageRules::LangGraph };
        let mut thread = thread_by(FieldReducer::Messages(rules), &[]);
        thread.update(json!({ "messages": start })).unwrap();
        for update in updates {
            let update = json!(update);
            let before = thread.state();
            match reduced(&before["messages"], &update, rules) {
                Ok(expected) => {
                    let id = thread.optimistic(json!({ "messages": update })).unwrap();
                    if settled {
                        prop_assert_eq!(&thread.state()["messages"], &expected);
                        prop_assert!(thread.settle(&id).unwrap());
                        prop_assert_eq!(&thread.confirmed()["messages"], &expected);
                    }
                    // A pending message that is written again keeps its place after any removal in
                    // between.
                    prop_assert_eq!(by_id(&thread.state()["messages"]), by_id(&expected));
                    let schema = schema(FieldReducer::Messages(rules));
                    let mut loaded = Thread::from_json(Some(schema), &thread.to_json()).unwrap();
                    prop_assert_eq!(loaded.state(), thread.state());
                }
                Err(error) => {
                    prop_assert_eq!(thread.optimistic(json!({ "messages": update })), Err(error));
                    prop_assert_eq!(thread.state(), before);
                }
            }
        }
    }

    #[test]
    fn what_a_reducer_of_ones_own_makes_is_shown(
        start in vec((0..5u8).prop_map(|id| human(&id.to_string(), "old")), 0..5),
        updates in vec(vec((0..6u8, "[ab]"), 0..4), 1..4),
    ) {
        let mut thread = thread_by(last_three(), &[]);
        thread.update(json!({ "messages": start })).unwrap();
        for update in updates {
            let list: Vec<_> = update.iter().map(|(id, it)| human(&id.to_string(), it)).collect();
            let expected = three(thread.state().get("messages"), &json!(list));
            thread.optimistic(json!({ "messages": list })).unwrap();
            prop_assert_eq!(&thread.state()["messages"], &expected);
        }
    }
}

#[test]
fn what_a_reducer_of_ones_own_leaves_as_it_is_stays_the_servers_to_change() {
    let mut thread = thread_by(last_three(), &[human("1", "a"), human("2", "b")]);
    thread.optimistic(json!({ "messages": [human("3", "c")] })).unwrap();
    hear(&mut thread, [message(human("1", "the server's"))]);
    assert_eq!(thread.state()["messages"][0]["content"], "the server's");
    assert_eq!(ids(&thread.state()), ["1", "2", "3"]);
    // The dropped message comes back when the update is rolled back.
    let dropping = thread.optimistic(json!({ "messages": [human("4", "d")] })).unwrap();
    assert_eq!(ids(&thread.state()), ["2", "3", "4"]);
    assert!(thread.rollback(&dropping));
    assert_eq!(ids(&thread.state()), ["1", "2", "3"]);
}

#[test]
fn what_it_makes_anew_and_equal_is_as_it_was() {
    let merge = |list: Option<Json>, update: Json| {
        let list = list.map(|list| Value::try_from(list).unwrap());
        Ok(Json::from(three(list.as_ref(), &Value::try_from(update).unwrap())))
    };
    let name = "last three".to_owned();
    let reducer = CustomReducer::<Json> { name, id: 1, merge: Arc::new(merge) };
    let field = Field::new(FieldReducer::Custom(reducer));
    let schema = Schema::new(vec![("messages".to_owned(), field)]).unwrap();
    let values = Json::from(json!({ "messages": [human("1", "a")] }));
    let mut thread = Thread::new(Some(schema), &values).unwrap();
    thread.optimistic(json!({ "messages": [human("2", "b")] }).into()).unwrap();
    let message = human("1", "the server's").into();
    thread.receive(ThreadEvent::Message { message, after: None, streaming: false }).unwrap();
    let shown = json!([human("1", "the server's"), human("2", "b")]);
    assert_eq!(thread.state()["messages"], shown);
}

#[test]
fn what_one_update_removes_and_writes_again_is_one_edit() {
    let again = json!([{ "type": "remove", "id": "1" }, human("1", "new")]);
    let mut thread = thread_by(
        FieldReducer::Messages(MessageRules::LangGraph),
        &[human("1", "old"), ai("2", "")],
    );
    let update = thread.optimistic(json!({ "messages": again })).unwrap();
    hear(&mut thread, [ThreadEvent::RunStarted { id: None, joined: None }]);
    // The server took it: nothing is left of it.
    hear(&mut thread, [message(human("1", "new"))]);
    assert_eq!(thread.status(&update), None);
    assert_eq!(ids(&thread.state()), ["1", "2"]);
}

#[test]
fn nothing_counts_that_stands_before_a_removal_of_all() {
    let mut thread = thread_by(FieldReducer::Messages(MessageRules::LangGraph), &[human("1", "a")]);
    let removal = |id: &str| json!({ "type": "remove", "id": id });
    let update = json!([removal("stranger"), ai("2", ""), removal("__remove_all__"), ai("3", "")]);
    thread.optimistic(json!({ "messages": update })).unwrap();
    assert_eq!(ids(&thread.state()), ["3"]);
}

#[test]
fn what_an_update_adds_for_the_second_time_is_added_still() {
    let again = json!([human("1", "a"), { "type": "remove", "id": "1" }, human("1", "b")]);
    for rules in [MessageRules::LangGraph, MessageRules::DeepAgents] {
        let mut thread = thread_by(FieldReducer::Messages(rules), &[]);
        let update = thread.optimistic(json!({ "messages": again.clone() })).unwrap();
        // An added message is the server's when it has the id.
        hear(&mut thread, [message(human("1", "the server's"))]);
        assert_eq!(thread.status(&update), None);
        assert_eq!(thread.state()["messages"], json!([human("1", "the server's")]));
    }
}

#[test]
fn an_update_that_adds_and_removes_a_message_does_nothing() {
    let mut thread = thread_by(FieldReducer::Messages(MessageRules::LangGraph), &[]);
    let nothing = json!([human("1", "a"), { "type": "remove", "id": "1" }]);
    let update = thread.optimistic(json!({ "messages": nothing })).unwrap();
    assert_eq!(thread.status(&update), None);
    assert_eq!(thread.state(), json!({ "messages": [] }));
}

#[test]
fn a_field_that_the_schema_does_not_know_is_not_taken() {
    let mut thread = thread_by(FieldReducer::Messages(MessageRules::LangGraph), &[]);
    let _ = thread.update(json!({ "stranger": 1 }));
    let _ = thread.receive(ThreadEvent::Update { update: json!({ "stranger": 1 }) });
    assert_eq!(thread.confirmed(), json!({ "messages": [] }));
}

#[test]
fn a_record_of_a_thread_with_a_schema_needs_it() {
    let reducer = || FieldReducer::Messages(MessageRules::LangGraph);
    let record = thread_by(reducer(), &[]).to_json();
    assert!(Thread::from_json(None, &record).is_err());
    let other = Schema::new(vec![("log".to_owned(), Field::new(FieldReducer::Append))]).unwrap();
    assert!(Thread::from_json(Some(other), &record).is_err());
    assert!(Thread::from_json(Some(schema(reducer())), &record).is_ok());
    let record = Thread::<Value>::new(None, &json!({})).unwrap().to_json();
    assert!(Thread::<Value>::from_json(None, &record).is_ok());
}

#[test]
fn what_grows_after_a_message_that_is_to_be_removed_grows_where_it_is_shown() {
    let removal = json!({ "messages": [{ "type": "remove", "id": "1" }] });
    let mut thread = thread_of(&[human("0", "a"), human("1", "b")]);
    hear(&mut thread, [started("r"), streamed("2"), message(ai("3", "d"))]);
    thread.optimistic(removal).unwrap();
    assert_eq!(ids(&thread.state()), ["0", "2", "3"]);
    hear(&mut thread, [text("2", "x")]);
    assert_eq!(thread.state()["messages"], json!([human("0", "a"), ai("2", "x"), ai("3", "d")]));
}

#[test]
fn a_state_in_which_nothing_changed_is_the_same_one() {
    let fields = json!({ "messages": [human("1", "a")], "title": "Old" });
    let mut thread = Thread::<Json>::new(None, &fields.into()).unwrap();
    let before = thread.state();
    thread.optimistic(json!({ "title": "Old" }).into()).unwrap();
    assert!(threadfold::Value::same(&thread.state(), &before));
    thread.optimistic(json!({ "title": "New" }).into()).unwrap();
    let after = thread.state();
    assert!(!threadfold::Value::same(&after, &before));
    assert!(threadfold::Value::same(&after["messages"], &before["messages"]));
}
