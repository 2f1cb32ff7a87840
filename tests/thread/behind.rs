//! The position of a message that the server inserts after another one.

use crate::seeded;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use threadfold::{Thread, ThreadEvent};

use super::{ai, hear, human, ids, message, snapshot, started, text, thread_of};

fn result(id: &str) -> Value {
    json!({ "type": "tool", "id": id, "tool_call_id": "c", "content": id })
}

fn behind(message: Value, after: &str) -> ThreadEvent<Value> {
    ThreadEvent::Message { message, after: Some(json!(after)), streaming: false }
}

#[test]
fn a_result_comes_after_its_call_and_the_present_results() {
    let mut thread = thread_of(&[human("q", "Hi"), ai("a", ""), ai("b", "")]);
    hear(&mut thread, [behind(result("1"), "a"), behind(result("2"), "a")]);
    assert_eq!(ids(&thread.state()), ["q", "a", "1", "2", "b"]);
    hear(&mut thread, [behind(result("3"), "b"), behind(result("4"), "a")]);
    assert_eq!(ids(&thread.state()), ["q", "a", "1", "2", "4", "b", "3"]);
}

#[test]
fn other_messages_separate_later_results_from_the_call() {
    let mut thread = thread_of(&[ai("a", "")]);
    hear(&mut thread, [behind(result("1"), "a"), behind(human("q", "And?"), "a")]);
    hear(&mut thread, [behind(result("2"), "q"), behind(result("3"), "a")]);
    assert_eq!(ids(&thread.state()), ["a", "1", "3", "q", "2"]);
}

#[test]
fn a_result_that_becomes_something_else_separates_later_ones_from_the_call() {
    let mut thread = thread_of(&[ai("a", "")]);
    hear(&mut thread, [behind(result("1"), "a"), behind(result("2"), "a")]);
    hear(&mut thread, [message(ai("1", "no result")), behind(result("3"), "a")]);
    assert_eq!(ids(&thread.state()), ["a", "3", "1", "2"]);
}

#[test]
fn a_sent_message_comes_after_those_that_the_server_put_at_its_place() {
    let mut thread = thread_of(&[human("0", "old")]);
    for id in ["1", "2"] {
        thread.optimistic(json!({ "messages": [human(id, id)] })).unwrap();
    }
    hear(&mut thread, [started("r")]);
    assert_eq!(ids(&thread.state()), ["0", "1", "2"]);
    hear(&mut thread, [behind(human("1", "1"), "0")]);
    assert_eq!(ids(&thread.state()), ["0", "1", "2"]);
}

#[test]
fn after_an_unknown_message_means_the_end() {
    let mut thread = thread_of(&[ai("a", ""), ai("b", "")]);
    hear(&mut thread, [behind(result("1"), "nobody")]);
    assert_eq!(ids(&thread.state()), ["a", "b", "1"]);
}

/// A change of a list of messages with few ids, and their positions.
#[derive(Debug, Clone)]
enum Step {
    Put { id: u8, tool: bool, after: Option<u8> },
    Grow(u8),
    Remove(u8),
}

fn step() -> impl Strategy<Value = Step> {
    let after = prop_oneof![3 => (0..6u8).prop_map(Some), 1 => Just(None)];
    prop_oneof![
        8 => (0..24u8, prop::bool::weighted(0.7), after)
            .prop_map(|(id, tool, after)| Step::Put { id, tool, after }),
        1 => (0..24u8).prop_map(Step::Grow),
        1 => (0..24u8).prop_map(Step::Remove),
    ]
}

fn named(id: u8, tool: bool) -> Value {
    if tool { result(&id.to_string()) } else { ai(&id.to_string(), "") }
}

/// Applies it to a plain list of ids, each with whether it is a tool result.
fn put(list: &mut Vec<(u8, bool)>, id: u8, tool: bool, after: Option<u8>) {
    if let Some(own) = list.iter_mut().find(|own| own.0 == id) {
        own.1 = tool;
        return;
    }
    let first = after.and_then(|after| list.iter().position(|own| own.0 == after));
    let place = first.map(|first| {
        let results = list.iter().skip(first + 1).take_while(|own| own.1).count();
        first + 1 + results
    });
    list.insert(place.unwrap_or(list.len()), (id, tool));
}

/// Server events, and a user's additions between them.
#[derive(Debug, Clone)]
enum Word {
    Add(u8),
    Start,
    End(bool),
    Say { id: u8, tool: bool, after: Option<u8> },
    Grow(u8),
    Has(Vec<u8>),
    Settle,
}

fn word() -> impl Strategy<Value = Word> {
    let after = prop_oneof![1 => (0..8u8).prop_map(Some), 1 => Just(None)];
    prop_oneof![
        3 => (0..8u8).prop_map(Word::Add),
        2 => Just(Word::Start),
        1 => any::<bool>().prop_map(Word::End),
        8 => (0..12u8, prop::bool::weighted(0.6), after)
            .prop_map(|(id, tool, after)| Word::Say { id, tool, after }),
        2 => (0..12u8).prop_map(Word::Grow),
        1 => vec(0..12u8, 0..5).prop_map(Word::Has),
        1 => Just(Word::Settle),
    ]
}

fn say(thread: &mut Thread<Value>, word: &Word, runs: usize) {
    let event = match word {
        Word::Add(id) => {
            let update = json!({ "messages": [human(&id.to_string(), &format!("of {id}"))] });
            thread.optimistic(update).unwrap();
            return;
        }
        Word::Settle => {
            let first = thread.pending().next().map(|update| update.id.clone());
            if let Some(id) = first {
                assert!(thread.settle(&id).unwrap());
            }
            return;
        }
        Word::Start => started(&format!("r{runs}")),
        Word::End(true) => ThreadEvent::run_finished(),
        Word::End(false) => ThreadEvent::RunError { error: json!("down") },
        Word::Say { id, tool, after: Some(after) } => behind(named(*id, *tool), &after.to_string()),
        Word::Say { id, tool, after: None } => message(named(*id, *tool)),
        Word::Grow(id) => text(&id.to_string(), "x"),
        Word::Has(ids) => {
            let mut ids = ids.clone();
            ids.sort_unstable();
            ids.dedup();
            snapshot(&ids.iter().map(|id| named(*id, id % 2 == 0)).collect::<Vec<_>>())
        }
    };
    // Text for a missing message is refused.
    let _ = thread.receive(event);
}

proptest! {
    #![proptest_config(seeded::config(300))]

    #[test]
    fn the_place_is_behind_the_message_and_its_results(steps in vec(step(), 1..40)) {
        let mut thread = thread_of(&[]);
        let mut list = Vec::new();
        for step in steps {
            match step {
                Step::Put { id, tool, after } => {
                    put(&mut list, id, tool, after);
                    let after = after.map(|after| json!(after.to_string()));
                    let message = named(id, tool);
                    hear(&mut thread, [ThreadEvent::Message { message, after, streaming: false }]);
                }
                Step::Grow(id) => {
                    let is_there = list.iter().any(|own| own.0 == id);
                    prop_assert_eq!(thread.receive(text(&id.to_string(), "x")).is_ok(), is_there);
                }
                Step::Remove(id) => {
                    list.retain(|own| own.0 != id);
                    let removal = json!({ "type": "remove", "id": id.to_string() });
                    let _ = thread.receive(ThreadEvent::Update { update: json!({ "messages": [removal] }) });
                }
            }
            let expected: Vec<String> = list.iter().map(|own| own.0.to_string()).collect();
            let confirmed = thread.confirmed();
            prop_assert_eq!(ids(&confirmed), expected);
        }
    }

    /// The cache between events never decides.
    #[test]
    fn a_thread_that_was_just_loaded_places_messages_as_one_that_was_not(words in vec(word(), 1..40)) {
        let (mut kept, mut loaded) = (thread_of(&[]), thread_of(&[]));
        for (at, word) in words.iter().enumerate() {
            say(&mut kept, word, at);
            say(&mut loaded, word, at);
            loaded = Thread::from_json(None, &loaded.to_json()).unwrap();
            prop_assert_eq!(kept.confirmed(), loaded.confirmed());
            prop_assert_eq!(kept.state(), loaded.state());
        }
    }
}

#[test]
fn the_servers_copy_of_a_message_moves_those_that_a_later_run_sent() {
    let mut thread = thread_of(&[]);
    let sent = |thread: &mut Thread<Value>, ids: &[&str]| {
        for id in ids {
            thread.optimistic(json!({ "messages": [human(id, "Hi")] })).unwrap();
        }
        hear(thread, [ThreadEvent::RunStarted { id: None, joined: Some(false) }]);
    };
    sent(&mut thread, &["1", "2", "3"]);
    hear(&mut thread, [message(human("2", "Hi"))]);
    sent(&mut thread, &["4"]);
    // No message "x" is there, so that the first goes last.
    hear(&mut thread, [behind(human("1", "Hi"), "x")]);
    assert_eq!(ids(&thread.state()).join(" "), "2 3 1 4");
    hear(&mut thread, [message(human("3", "Hi"))]);
    assert_eq!(ids(&thread.state()).join(" "), "2 3 4 1");
    let mut loaded = Thread::from_json(None, &thread.to_json()).unwrap();
    assert_eq!(loaded.state(), thread.state());
}

#[test]
fn a_snapshot_without_the_results_before_it_moves_the_place_of_the_next() {
    let results = ["1", "2", "3"].map(|id| behind(result(id), "a"));
    for (now, all) in [
        // As many messages as before, and fewer.
        (
            vec![ai("a", ""), human("q", ""), human("r", ""), result("3"), ai("b", "")],
            "a 4 q r 3 b",
        ),
        (vec![ai("a", ""), result("1"), human("q", ""), result("3")], "a 1 4 q 3"),
    ] {
        let mut thread = thread_of(&[ai("a", ""), ai("b", "")]);
        hear(&mut thread, results.clone());
        hear(&mut thread, [snapshot(&now), behind(result("4"), "a")]);
        assert_eq!(ids(&thread.state()).join(" "), all);
    }
}
