//! Laws of the reducers, over random lists.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use crate::seeded;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};
use threadfold::reducer::{AddMessages, Reducer, TryReducer, TryReducerFn};
use threadfold::{
    Error, Json, Message, MessageKind, MessageRules, REMOVE_ALL_MESSAGES, State, add_json_messages,
};

use MessageRules::{DeepAgents, LangGraph};

/// A message, or a removal, of one of few ids.
#[derive(Debug, Clone, PartialEq)]
struct Item {
    id: Option<String>,
    text: String,
    removal: bool,
}

impl Item {
    fn message(&self) -> Message {
        if self.removal {
            return Message::remove(self.id.clone().unwrap_or_default());
        }
        Message { id: self.id.clone(), ..Message::user(self.text.as_str()) }
    }

    fn clears(&self) -> bool {
        self.removal && self.id.as_deref() == Some(REMOVE_ALL_MESSAGES)
    }
}

fn put() -> impl Strategy<Value = Item> {
    let id = option::weighted(0.9, (0..8u8).prop_map(|id| id.to_string()));
    (id, "[a-z]{1,3}").prop_map(|(id, text)| Item { id, text, removal: false })
}

fn removal() -> impl Strategy<Value = Item> {
    let id = prop_oneof![
        8 => (0..8u8).prop_map(|id| id.to_string()),
        1 => Just(REMOVE_ALL_MESSAGES.to_owned()),
    ];
    id.prop_map(|id| Item { id: Some(id), text: String::new(), removal: true })
}

/// Messages alone, ids repeated and missing.
fn state_list() -> impl Strategy<Value = Vec<Item>> {
    vec(put(), 0..12)
}

/// Messages and removals.
fn update_list() -> impl Strategy<Value = Vec<Item>> {
    vec(prop_oneof![3 => put(), 1 => removal()], 0..10)
}

fn rules() -> impl Strategy<Value = MessageRules> {
    prop_oneof![Just(LangGraph), Just(DeepAgents)]
}

/// The comparable part of a result: the text, and the id unless it was generated.
fn shown<'a>(
    list: impl IntoIterator<Item = (&'a str, Option<&'a str>)>,
) -> Vec<(String, Option<String>)> {
    let known = |id: &&str| id.len() < 36;
    list.into_iter()
        .map(|(text, id)| (text.to_owned(), id.filter(known).map(str::to_owned)))
        .collect()
}

fn shown_items(list: &[Item]) -> Vec<(String, Option<String>)> {
    shown(list.iter().map(|item| (item.text.as_str(), item.id.as_deref())))
}

fn messages(list: &[Item]) -> Vec<Message> {
    list.iter().map(Item::message).collect()
}

fn typed(left: &[Item], right: &[Item], rules: MessageRules) -> Result<Vec<Message>, Error> {
    rules.try_merge(messages(left), messages(right))
}

fn shown_messages(list: &[Message]) -> Vec<(String, Option<String>)> {
    let texts: Vec<_> = list.iter().map(Message::text).collect();
    shown(texts.iter().zip(list).map(|(text, message)| (&**text, message.id.as_deref())))
}

/// Python's `add_messages`, written as plainly as it reads. The error is the unknown id.
fn langgraph(left: &[Item], right: &[Item]) -> Result<Vec<Item>, String> {
    if let Some(clear) = right.iter().rposition(Item::clears) {
        return Ok(right[clear + 1..].to_vec());
    }
    let mut merged = left.to_vec();
    let mut gone = Vec::new();
    for item in right {
        let place = merged.iter().rposition(|known| item.id.is_some() && known.id == item.id);
        match (place, item.removal) {
            (Some(_), true) => gone.push(item.id.clone()),
            (Some(place), false) => {
                gone.retain(|id| *id != item.id);
                merged[place] = item.clone();
            }
            (None, true) => return Err(item.id.clone().unwrap_or_default()),
            (None, false) => merged.push(item.clone()),
        }
    }
    merged.retain(|item| !gone.contains(&item.id));
    Ok(merged)
}

/// DeepAgents' batch reducer, as plainly.
fn deepagents(left: &[Item], right: &[Item]) -> Vec<Item> {
    let clear = right.iter().rposition(Item::clears);
    let (left, right) = clear.map_or((left, right), |clear| (&[][..], &right[clear + 1..]));
    let mut result: Vec<Option<Item>> = Vec::new();
    let mut index = std::collections::HashMap::new();
    for item in left {
        index.insert(item.id.clone(), result.len());
        result.push(Some(item.clone()));
    }
    index.remove(&None);
    for item in right {
        match (index.get(&item.id).copied(), item.removal) {
            (Some(place), true) => {
                result[place] = None;
                index.remove(&item.id);
            }
            (Some(place), false) => result[place] = Some(item.clone()),
            (None, true) => {}
            (None, false) => {
                if item.id.is_some() {
                    index.insert(item.id.clone(), result.len());
                }
                result.push(Some(item.clone()));
            }
        }
    }
    result.into_iter().flatten().collect()
}

/// An update for which LangGraph's rules give the same list, as a batch or message by message.
/// Three kinds of items break that and are left out:
/// - a message after the removal of its id: in a batch it keeps its place;
/// - messages of one id after a remove-all: in a batch both stay;
/// - a removal before a remove-all: alone it may fail.
fn same_one_by_one() -> impl Strategy<Value = Vec<Item>> {
    update_list().prop_map(|list| {
        let clear = list.iter().rposition(Item::clears);
        let mut closed = Vec::new();
        let fits = |(at, item): (usize, &Item)| {
            if clear.is_some_and(|clear| at < clear) {
                return !item.removal;
            }
            let fits = !closed.contains(&item.id);
            if item.id.is_some() && (item.removal || clear.is_some()) {
                closed.push(item.id.clone());
            }
            fits
        };
        let fitting = list.iter().enumerate().map(fits).collect::<Vec<_>>();
        list.into_iter().zip(fitting).filter_map(|(item, fits)| fits.then_some(item)).collect()
    })
}

/// An update without removals after a remove-all: there ours carries them out, where Python
/// returns them as messages.
fn same_as_python() -> impl Strategy<Value = Vec<Item>> {
    update_list().prop_map(|list| {
        let clear = list.iter().rposition(Item::clears).unwrap_or(list.len());
        let fits = |(at, item): (usize, Item)| (at <= clear || !item.removal).then_some(item);
        list.into_iter().enumerate().filter_map(fits).collect()
    })
}

#[derive(Debug, Clone, Default, PartialEq, State)]
struct Thread {
    title: String,
    #[reducer(AddMessages)]
    messages: Vec<Message>,
    #[reducer(TryReducerFn(even))]
    even: u8,
}

fn even(_: u8, update: u8) -> Result<u8, Error> {
    if update.is_multiple_of(2) { Ok(update) } else { Err(Error::reducer("odd")) }
}

proptest! {
    #![proptest_config(seeded::config(4_000))]

    #[test]
    fn langgraphs_rules_are_those_of_python(left in state_list(), right in same_as_python()) {
        match (typed(&left, &right, LangGraph), langgraph(&left, &right)) {
            (Ok(ours), Ok(model)) => prop_assert_eq!(shown_messages(&ours), shown_items(&model)),
            (Err(ours), Err(id)) => {
                let sentence =
                    format!("Attempting to delete a message with an ID that doesn't exist ('{id}')");
                prop_assert_eq!(ours.to_string(), sentence);
            },
            (ours, model) => prop_assert!(false, "ours {:?}, the model's {:?}", ours, model),
        }
    }

    #[test]
    fn deepagents_rules_are_those_of_python(left in state_list(), right in update_list()) {
        let ours = typed(&left, &right, DeepAgents).unwrap();
        prop_assert_eq!(shown_messages(&ours), shown_items(&deepagents(&left, &right)));
    }

    #[test]
    fn typed_messages_and_json_agree(left in state_list(), right in update_list(), rules in rules()) {
        let json = add_json_messages(json!(messages(&left)), json!(messages(&right)), rules);
        match (typed(&left, &right, rules), json) {
            (Ok(typed), Ok(json)) => {
                let json: Vec<Message> = serde_json::from_value(json).unwrap();
                prop_assert_eq!(shown_messages(&typed), shown_messages(&json));
            }
            (typed, json) => prop_assert_eq!(typed.err(), json.err()),
        }
    }

    /// `merge` leaves out the removals that `try_merge` refuses, and no other message.
    #[test]
    fn merge_ignores_what_try_merge_refuses(left in state_list(), right in update_list(), rules in rules()) {
        let mut taken = Vec::new();
        for item in &right {
            taken.push(item.clone());
            if typed(&left, &taken, rules).is_err() {
                taken.pop();
            }
        }
        let wanted = shown_messages(&typed(&left, &taken, rules).unwrap());
        let structs = rules.merge(messages(&left), messages(&right));
        prop_assert_eq!(shown_messages(&structs), &*wanted);
        let value = rules.merge(json!(messages(&left)), json!(messages(&right)));
        let read = |value| serde_json::from_value::<Vec<Message>>(value).unwrap();
        prop_assert_eq!(shown_messages(&read(value)), &*wanted);
        let shared = rules.merge(Json::from(json!(messages(&left))), Json::from(json!(messages(&right))));
        prop_assert_eq!(shown_messages(&read(Value::try_from(&shared).unwrap())), &*wanted);
    }

    #[test]
    fn a_removal_is_never_in_the_result_and_ids_are_there(left in state_list(), right in update_list()) {
        for message in typed(&left, &right, LangGraph).into_iter().flatten() {
            prop_assert!(message.kind != MessageKind::Remove && message.id.is_some());
        }
    }

    #[test]
    fn a_batch_is_its_messages_one_by_one(left in state_list(), right in same_one_by_one()) {
        let batch = typed(&left, &right, LangGraph);
        let mut one_by_one = Ok(messages(&left));
        for item in &right {
            one_by_one = one_by_one.and_then(|list| LangGraph.try_merge(list, vec![item.message()]));
        }
        let lists = [batch, one_by_one].map(|list| list.ok().map(|list| shown_messages(&list)));
        prop_assert_eq!(&lists[0], &lists[1]);
    }

    #[test]
    fn an_update_without_removals_may_come_twice(left in state_list(), right in state_list()) {
        let right: Vec<Item> = right.into_iter().filter(|item| item.id.is_some()).collect();
        let once = typed(&left, &right, LangGraph).unwrap();
        let twice = LangGraph.try_merge(once.clone(), messages(&right)).unwrap();
        prop_assert_eq!(once, twice);
    }

    #[test]
    fn a_failing_update_changes_nothing(
        left in state_list(),
        title in option::of("[a-z]*"),
        right in option::of(update_list()),
        even in option::of(0..4u8),
    ) {
        let before = Thread { messages: messages(&left), ..Default::default() };
        let update = ThreadUpdate { title, messages: right.as_deref().map(messages), even };
        let mut state = before.clone();
        let result = state.update(update);
        if result.is_err() {
            prop_assert_eq!(state, before);
        } else {
            prop_assert!(even.is_none_or(|even| state.even == even && even % 2 == 0));
        }
    }

    #[test]
    fn a_typed_message_keeps_every_field(
        id in option::of("[a-z]*"),
        extra in proptest::collection::btree_map("x_[a-z]{0,5}", json_leaf(), 0..4),
        kind in prop_oneof![Just("human"), Just("ai"), Just("system"), Just("tool")],
    ) {
        let mut dict = json!({ "type": kind });
        if let Some(id) = id {
            dict["id"] = json!(id);
        }
        dict["content"] = json!("hi");
        if kind == "tool" {
            dict["tool_call_id"] = json!("c");
        }
        for (key, value) in extra {
            dict[key] = value;
        }
        let message: Message = serde_json::from_value(dict.clone()).unwrap();
        prop_assert_eq!(serde_json::to_string(&message).unwrap(), dict.to_string());
    }
}

fn json_leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-zé\"]*".prop_map(Value::from),
        Just(json!({ "nested": [1, { "deep": null }] })),
    ]
}
