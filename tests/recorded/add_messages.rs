//! LangGraph's `add_messages`, and DeepAgents' batch reducer.

use std::cell::Cell;

use serde_json::{Value, json};
use threadfold::reducer::TryReducer;
use threadfold::unstable::JsonMessageList;
use threadfold::{
    Error, Message, MessageKind, MessageRules, REMOVE_ALL_MESSAGES, add_json_messages,
};

use super::records::{Record, items, normal_list, replay};

use MessageRules::{DeepAgents, LangGraph};

fn ours(given: &Value) -> Result<Value, Error> {
    add_json_messages(given["left"].clone(), given["right"].clone(), LangGraph)
}

/// Python writes a number for an id as text; ours says that an id is text.
fn has_number_for_id(messages: &[Value]) -> bool {
    messages.iter().any(|message| message.get("id").is_some_and(Value::is_number))
}

fn compare_errors(record: &Record) {
    let error = ours(&record.given).unwrap_err();
    let said = record.error.as_deref().unwrap();
    if record.stumbled() {
        // Python stumbled: ours has only to refuse it.
    } else if said.starts_with("Must specify non-null") {
        assert_eq!(error.code(), "INVALID_ARGUMENT");
    } else if said.starts_with("Attempting to delete") {
        assert_eq!((error.code(), &*error.to_string()), ("UNKNOWN_MESSAGE", said));
    } else {
        assert_eq!(error.code(), "INVALID_MESSAGE");
    }
}

/// Ours carries a removal after a remove-all out, or refuses it; Python answers with the removal.
fn compare_after_remove_all(given: &Value, answer: &[Value]) {
    let is_removal = |message: &Value| message["kind"] == "remove";
    let removes = |removal: &Value, message: &Value| {
        is_removal(removal) && !is_removal(message) && removal["id"] == message["id"]
    };
    let removals = answer.iter().enumerate().filter(|(_, message)| is_removal(message));
    let mut known =
        removals.map(|(at, removal)| answer[..at].iter().any(|each| removes(removal, each)));
    if !known.all(|known| known) {
        assert_eq!(ours(given).unwrap_err().code(), "UNKNOWN_MESSAGE");
        return;
    }
    let stays = |(at, message): &(usize, &Value)| {
        !is_removal(message) && !answer[*at..].iter().any(|removal| removes(removal, message))
    };
    let left: Vec<&Value> =
        answer.iter().enumerate().filter(stays).map(|(_, message)| message).collect();
    assert_eq!(normal_list(&ours(given).unwrap()).iter().collect::<Vec<_>>(), left);
}

#[test]
fn add_messages_answers_as_pythons_does() {
    replay("add-messages", |record| {
        let given = &record.given;
        let both = [items(&given["left"]), items(&given["right"])].concat();
        // A message without content: langgraph.js and ours take it.
        let without_content = |error: &String| error.contains("got {'type': 'human'}");
        if has_number_for_id(&both) {
            let code = ours(given).unwrap_err().code();
            assert!(code == "INVALID_MESSAGE" || code == "INVALID_ARGUMENT", "{code}");
        } else if record.error.as_ref().is_some_and(without_content) {
            let wanted = json!({ "kind": "human", "content": "", "id": "<uuid>" });
            assert!(normal_list(&ours(given).unwrap()).contains(&wanted));
        } else if let Some(answer) = &record.answer {
            let clears = items(&given["right"]).iter().any(|it| it["id"] == REMOVE_ALL_MESSAGES);
            let answer = normal_list(answer);
            if clears && answer.iter().any(|message| message["kind"] == "remove") {
                compare_after_remove_all(given, &answer);
            } else {
                assert_eq!(normal_list(&ours(given).unwrap()), answer);
            }
        } else {
            compare_errors(record);
        }
    });
}

/// A list of structs is refused or folded as its JSON is, but that it takes kinds that it does not
/// know.
#[test]
fn typed_messages_answer_as_json_does() {
    let compared = Cell::new(0);
    replay("add-messages", |record| {
        let read = |side: &str| serde_json::from_value::<Vec<Message>>(record.given[side].clone());
        let (Ok(left), Ok(right)) = (read("left"), read("right")) else { return };
        let is_other = |message: &Message| matches!(message.kind, MessageKind::Other(_));
        if left.iter().chain(&right).any(is_other) {
            return;
        }
        let typed = LangGraph.try_merge(left, right).map(|list| normal_list(&json!(list)));
        let json = ours(&record.given).map(|list| normal_list(&list));
        assert_eq!(typed, json);
        compared.set(compared.get() + 1);
    });
    assert!(compared.get() > 600, "{compared:?}");
}

/// Whether `left` has an id twice.
fn has_doubles(given: &Value) -> bool {
    let mut ids: Vec<_> =
        given["left"].as_array().into_iter().flatten().filter_map(|it| it["id"].as_str()).collect();
    ids.sort_unstable();
    ids.windows(2).any(|pair| pair[0] == pair[1])
}

fn writes(given: &Value) -> &Vec<Value> {
    given["writes"].as_array().unwrap()
}

fn check(record: &Record, merge: impl Fn(&Value) -> Result<Value, Error>) {
    let given = &record.given;
    let messages: Vec<Value> = writes(given).iter().flat_map(items).collect();
    if has_number_for_id(&[messages, items(&given["left"])].concat()) {
        assert_eq!(merge(given).unwrap_err().code(), "INVALID_MESSAGE");
    } else {
        assert_eq!(
            normal_list(&merge(given).unwrap()),
            normal_list(record.answer.as_ref().unwrap())
        );
    }
}

#[test]
fn deepagents_rules_answer_as_its_batch_reducer_all_writes_at_once() {
    replay("deepagents-messages", |record| {
        check(record, |given| {
            let all = writes(given).iter().flat_map(items).collect();
            add_json_messages(given["left"].clone(), Value::Array(all), DeepAgents)
        });
    });
}

/// Of two messages with one id in `left` a removal takes the last; the next write then finds the
/// first.
#[test]
fn deepagents_rules_answer_as_its_batch_reducer_write_by_write() {
    replay("deepagents-messages", |record| {
        if has_doubles(&record.given) {
            return;
        }
        check(record, |given| {
            let left = given["left"].as_array().cloned().unwrap_or_default();
            writes(given).iter().try_fold(Value::Array(left), |list, write| {
                add_json_messages(list, write.clone(), DeepAgents)
            })
        });
        check(record, |given| {
            let left = given["left"].as_array().cloned().unwrap_or_default();
            let mut list = JsonMessageList::new(Value::Array(left), DeepAgents)?;
            for write in writes(given) {
                list.update(write.clone())?;
            }
            Ok(list.snapshot())
        });
    });
}
