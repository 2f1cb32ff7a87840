//! Laws of a context, over conversations that grow and are compacted, on both native heaps.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::HashSet;
use std::fmt;

use serde_json::{Value, json};
use threadfold::Json;
use threadfold::Value as _;
use threadfold::context::{
    Boundary, Context, CountTokens, Counter, Estimated, Policy, Record, Size, View,
};
use threadfold::context::{ClearOptions, TruncateOptions, clear_tool_uses};
use threadfold::unstable::summary_message;

/// Random numbers (splitmix64): the same ones for the same seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }
}

/// Anything: repeated ids, results of no call, late ones, before their calls, twice.
fn wild(dice: &mut Dice) -> Vec<Value> {
    let id =
        |dice: &mut Dice| ["", "a", "b", "c", "d", "e"][usize::try_from(dice.below(6)).unwrap()];
    let messages = (0..dice.below(40)).map(|at| {
        let text = "word ".repeat(usize::try_from(dice.below(12)).unwrap());
        let mut message = match dice.below(5) {
            0 if at == 0 => json!({ "type": "system", "content": text }),
            0 | 1 => json!({ "type": "human", "content": text }),
            2 => json!({ "type": "tool", "content": text, "tool_call_id": id(dice) }),
            _ => {
                let calls = (0..dice.below(3))
                    .map(|_| json!({ "id": id(dice), "name": "f", "args": { "t": &text } }));
                json!({ "type": "ai", "content": "", "tool_calls": calls.collect::<Vec<_>>() })
            }
        };
        if dice.below(10) > 0 {
            message["id"] = json!(format!("m{at}"));
        }
        message
    });
    messages.collect()
}

/// Each call is answered at once.
fn plain(dice: &mut Dice) -> Vec<Value> {
    let mut messages = Vec::new();
    while messages.len() < 40 {
        let at = messages.len();
        let call = format!("c{at}");
        messages.push(
            json!({ "type": "human", "content": "word ".repeat(at % 7), "id": format!("m{at}") }),
        );
        for _ in 0..dice.below(3) {
            let (at, call) = (messages.len(), format!("{call}-{}", messages.len()));
            messages.push(json!({ "type": "ai", "content": "", "id": format!("m{at}"),
                "tool_calls": [{ "id": call, "name": "f", "args": { "t": "x".repeat(at) } }] }));
            messages.push(json!({ "type": "tool", "content": "ok ".repeat(at), "tool_call_id": call, "id": format!("t{at}") }));
        }
    }
    messages
}

fn policies() -> Vec<(Policy, bool)> {
    let policy = |trigger: Vec<Size>, keep| Policy { trigger, keep, ..Policy::default() };
    vec![
        (policy(vec![Size::messages(6)], None), false),
        (policy(vec![Size::tokens(80.0)], Some(Size::tokens(30.0))), false),
        (policy(vec![Size::messages(9), Size::tokens(120.0)], None), true),
        (Policy { max_input_tokens: Some(200.0), ..policy(vec![Size::fraction(0.5)], None) }, true),
    ]
}

fn context<V: threadfold::Value + fmt::Display>(
    (policy, edits): (Policy, bool),
) -> Context<'static, V> {
    let clear = ClearOptions { keep: 1, ..ClearOptions::default() };
    let keep = Size::messages(3);
    let truncate =
        TruncateOptions { tools: &["f"], max_length: 6, keep, ..TruncateOptions::default() };
    Context {
        clear: edits.then_some(clear),
        truncate: edits.then_some(truncate),
        ..Context::new(policy, &Estimated)
    }
}

/// Returns the fault of a list by the strictest provider's rules; the last message with calls may
/// wait.
fn complaint(messages: &Value) -> Option<String> {
    let list = messages.as_array().unwrap();
    let mut at = 0;
    while at < list.len() {
        let start = at;
        if list[at]["type"] == "tool" {
            return Some(format!("messages[{at}] is the result of no call"));
        }
        let calls = list[at]["tool_calls"].as_array();
        let mut open: HashSet<&str> =
            calls.into_iter().flatten().map(|call| call["id"].as_str().unwrap()).collect();
        at += 1;
        while !open.is_empty() && at < list.len() && list[at]["type"] == "tool" {
            if !open.remove(list[at]["tool_call_id"].as_str().unwrap()) {
                return Some(format!("messages[{at}] answers nothing that is open"));
            }
            at += 1;
        }
        if !open.is_empty() && at < list.len() {
            return Some(format!("messages[{start}] has calls without a result"));
        }
    }
    None
}

/// One look: the full track so far, the record, and the view by `serde_json`'s heap.
struct Look {
    full: Value,
    record: Option<Record<Value>>,
    view: View<Value>,
    policy: (Policy, bool),
}

/// How many conversations there are: with `THREADFOLD_THOROUGH=1` more. A multiple of the eight that
/// two kinds and four policies make.
fn conversations() -> usize {
    if std::env::var("THREADFOLD_THOROUGH").is_ok_and(|it| it == "1") { 160 } else { 8 }
}

fn grow(check: impl Fn(&Look, Option<&Look>)) -> (usize, usize) {
    let (mut looks, mut compactions) = (0, 0);
    for seed in 0..conversations() as u64 {
        let mut dice = Dice(seed);
        let all = if seed % 2 == 0 { wild(&mut dice) } else { plain(&mut dice) };
        let policy = policies()[usize::try_from(seed / 2 % 4).unwrap()].clone();
        let (mut record, mut before): (Option<Record<Value>>, Option<Look>) = (None, None);
        for length in 0..=all.len() {
            let full = json!(&all[..length]);
            let view = context(policy.clone()).view(&full, record.as_ref()).unwrap();
            let look = Look { full, record: record.clone(), view, policy: policy.clone() };
            looks += 1;
            check(&look, before.as_ref());
            let due = look.view.due.clone().filter(|_| dice.below(5) > 0);
            before = Some(look);
            if let Some(due) = due {
                compactions += 1;
                let summary = format!("They said {length}.");
                record = Some(due.record((dice.below(5) > 0).then_some(summary.as_str()), None));
                before = None;
            }
        }
    }
    (looks, compactions)
}

#[test]
fn l2_the_view_is_a_function_of_track_and_record_in_either_heap() {
    let (looks, compactions) = grow(|look, _| {
        let full: Json = serde_json::from_str(&look.full.to_string()).unwrap();
        let record = look.record.as_ref().map(|record| {
            let event: Json = serde_json::from_str(&record.write().to_string()).unwrap();
            Record::read(&event).unwrap()
        });
        let view = context(look.policy.clone()).view(&full, record.as_ref()).unwrap();
        assert_eq!(view.messages.to_string(), look.view.messages.to_string());
        assert_eq!(view.tokens.to_bits(), look.view.tokens.to_bits());
        let own = look.view.due.as_ref().map(|due| due.cutoff);
        assert_eq!(view.due.map(|due| due.cutoff), own);
    });
    let each = conversations();
    assert!(looks > 18 * each && compactions > each, "{looks} looks, {compactions} compactions");
}

#[test]
fn l3_every_provider_takes_the_view() {
    grow(|look, _| {
        assert_eq!(complaint(&look.view.messages), None, "{}", look.view.messages);
        if let Some(due) = &look.view.due {
            assert_eq!(complaint(&due.messages), None);
            assert_eq!(complaint(&due.kept), None);
        }
    });
}

#[test]
fn l4_between_two_records_the_view_only_grows_at_its_end() {
    grow(|look, before| {
        let Some(before) = before else { return };
        let (was, now) =
            (before.view.messages.as_array().unwrap(), look.view.messages.as_array().unwrap());
        let added = look.full.as_array().unwrap().last().unwrap();
        // A result that comes late goes to its call.
        if added["type"] == "tool" && now.get(was.len()) != Some(added) {
            return;
        }
        assert_eq!(now.get(..was.len()), Some(&was[..]), "{}", look.full);
    });
}

#[test]
fn l5_the_tokens_are_those_of_the_messages() {
    grow(|look, _| {
        let messages = look.view.messages.as_array().unwrap();
        let sum: f64 = messages.iter().map(|message| Estimated.count(message).unwrap()).sum();
        assert!((sum - look.view.tokens).abs() < 1e-9);
    });
}

/// Where edits are due, too, what stays is measured with the edits done. A result never leaves its call.
#[test]
fn the_cut_is_before_the_earliest_message_from_which_all_may_stay() {
    let text = |chars| "x".repeat(chars);
    let turn = |at: usize| {
        let call = json!({ "name": "f", "args": {}, "id": at.to_string() });
        [
            json!({ "type": "human", "content": text(7 * at) }),
            json!({ "type": "ai", "content": "", "tool_calls": [call] }),
            json!({ "type": "tool", "content": text(90 + at), "tool_call_id": at.to_string() }),
        ]
    };
    let messages: Vec<Value> = (1..=8).flat_map(turn).collect();
    let before_last = Boundary::Index(messages.len() - 1);
    let clear = ClearOptions { edited_before: Some(&before_last), ..ClearOptions::default() };
    let edited = clear_tool_uses(&json!(messages), clear, Counter::Approximate).unwrap();
    let tokens =
        |list: &[Value]| -> f64 { list.iter().map(|one| Estimated.count(one).unwrap()).sum() };
    let edited = edited.as_array().unwrap();
    let mut cuts = HashSet::new();
    for keep in 40..200 {
        let keep = f64::from(keep);
        let policy = Policy {
            trigger: vec![Size::tokens(1.0)],
            keep: Some(Size::tokens(keep)),
            ..Policy::default()
        };
        let clear = ClearOptions { keep: 1, ..ClearOptions::default() };
        let context = Context { clear: Some(clear), ..Context::new(policy, &Estimated) };
        let due = context.view(&json!(messages), None).unwrap().due.unwrap();
        // The whole is rounded up before the edits' savings are taken off.
        let may_stay = |at: &usize| {
            let (all, after) = (tokens(&messages[*at..]), tokens(&edited[*at..]));
            all.ceil() - (all - after) <= keep
        };
        let target = (0..messages.len()).find(may_stay).unwrap();
        let cut = (0..=target).rfind(|at| messages[*at]["type"] != "tool");
        assert_eq!(Some(due.cutoff), cut, "{keep}");
        assert_eq!(due.kept, json!(edited[due.cutoff..]), "{keep}");
        cuts.insert(due.cutoff);
    }
    assert!(cuts.len() > 5, "{cuts:?}");
}

#[test]
fn a_policy_that_makes_no_sense_is_refused() {
    for trigger in [
        Size::default(),
        Size::tokens(0.0),
        Size::tokens(1.5),
        Size::tokens(f64::NAN),
        Size::messages(0),
        Size::fraction(1.5),
        Size::fraction(0.5),
    ] {
        let policy = Policy { trigger: vec![trigger], ..Policy::default() };
        let refused = Context::new(policy, &Estimated).view(&json!([]), None).unwrap_err();
        assert_eq!(refused.code(), "INVALID_ARGUMENT");
    }
    let of_total = |fraction| {
        let policy = Policy {
            trigger: vec![Size::fraction(fraction)],
            max_input_tokens: Some(100.0),
            ..Policy::default()
        };
        Context::new(policy, &Estimated).view(&json!([]), None).map(|view| view.tokens)
    };
    for fraction in [-0.5, 0.0, 1.01, f64::NAN] {
        assert_eq!(of_total(fraction).unwrap_err().code(), "INVALID_ARGUMENT", "{fraction}");
    }
    of_total(1.0).unwrap();
    for messages in [json!(null), json!({}), json!("a"), json!([1]), json!([null])] {
        assert!(Context::new(Policy::default(), &Estimated).view(&messages, None).is_err());
    }
}

/// The next list: grown, or with another last message, cut off, or changed somewhere.
fn next_list(dice: &mut Dice, list: &mut Vec<Value>, more: &mut impl Iterator<Item = Value>) {
    let place = |dice: &mut Dice, length: usize| {
        usize::try_from(dice.below(u64::try_from(length.max(1)).unwrap())).unwrap()
    };
    match dice.below(8) {
        0..=3 => list.extend(more.take(usize::try_from(dice.below(4)).unwrap())),
        4 => {
            list.pop();
            list.extend(more.next());
        }
        5 => list.truncate(place(dice, list.len() + 1)),
        6 if !list.is_empty() => {
            let at = place(dice, list.len());
            if let Some(other) = more.next() {
                list[at] = other;
            }
        }
        _ => list.push(json!({ "role": "reasoning", "id": "r", "content": "for the screen" })),
    }
}

/// All that a view says.
fn told<V: threadfold::Value + fmt::Display + fmt::Debug>(view: &View<V>) -> String {
    let due = view.due.as_ref().map(|due| {
        let record = due.record(Some("S"), None).write().to_string();
        (due.cutoff, due.messages.to_string(), due.kept.to_string(), record)
    });
    format!("{} {} {due:?}", view.messages, view.tokens)
}

fn followed<V: threadfold::Value + fmt::Display + fmt::Debug + 'static>(
    heap: impl Fn(&Value) -> V,
) -> usize {
    let mut compactions = 0;
    for seed in 0..8 * conversations() as u64 {
        let mut dice = Dice(seed);
        let all = if seed % 2 == 0 { wild(&mut dice) } else { plain(&mut dice) };
        let mut more = all.into_iter();
        let policy = policies()[usize::try_from(seed / 2 % 4).unwrap()].clone();
        let context = context::<V>(policy);
        let mut conversation = context.conversation();
        let (mut list, mut record): (Vec<V>, Option<Record<V>>) = (Vec::new(), None);
        let mut values: Vec<Value> = Vec::new();
        for step in 0..30 {
            let before = values.clone();
            next_list(&mut dice, &mut values, &mut more);
            let same = before.iter().zip(&values).take_while(|(a, b)| a == b).count();
            list.truncate(same);
            list.extend(values[same..].iter().map(&heap));
            let full = V::array(list.clone());
            let view = conversation.view(&full, record.as_ref()).unwrap();
            let anew = context.view(&full, record.as_ref()).unwrap();
            assert_eq!(told(&view), told(&anew), "seed {seed}, step {step}: {full}");
            if let Some(due) = view.due.filter(|_| dice.below(3) > 0) {
                compactions += 1;
                record = Some(due.record((dice.below(4) > 0).then_some("They spoke."), None));
            }
            if dice.below(20) == 0 {
                record = None;
            }
        }
    }
    compactions
}

#[test]
fn a_followed_conversation_equals_one_read_anew() {
    let compactions = followed(Value::clone);
    assert!(compactions > 100, "{compactions} compactions");
    assert_eq!(followed(|value| Json::from(value.clone())), compactions);
}

#[test]
fn a_look_finds_what_changed_in_lists_that_share_their_chunks() {
    let message = |at: usize, text: &str| {
        Json::from(json!({ "type": "human", "id": format!("m{at}"), "content": text }))
    };
    let context = context::<Json>(policies()[0].clone());
    for length in [0, 1, 63, 64, 65, 127, 128, 129, 200] {
        let list = Json::array((0..length).map(|at| message(at, "as it was")));
        let longer = list.clone().splice(length, 0, Some(message(length, "one more")));
        let shorter = list.clone().splice(length / 2, length, None);
        let edited = [0, 1, 62, 63, 64, 127, length.saturating_sub(1)].map(|at| {
            list.clone().splice(
                at.min(length),
                1,
                Some(message(at, "edited, and of another length")),
            )
        });
        let apart = Json::array(list.iter().cloned());
        for other in [longer, shorter, apart].into_iter().chain(edited) {
            let mut conversation = context.conversation();
            for look in [&list, &other, &list, &other] {
                let view = conversation.view(look, None).unwrap();
                let anew = context.view(look, None).unwrap();
                assert_eq!(told(&view), told(&anew), "{length} messages: {look}");
            }
        }
    }
}

/// Turns of four messages: a question, a call with its result, and an answer with reasoning.
fn turns(count: usize) -> Vec<Value> {
    let message = |at: usize| {
        let (id, call) = (format!("m{at}"), format!("c{}", at / 4));
        match at % 4 {
            0 => json!({ "type": "human", "id": id, "content": format!("Question {at}") }),
            1 => json!({ "type": "ai", "id": id, "content": "",
                "tool_calls": [{ "id": call, "name": "f", "args": { "text": "long enough to be cut" } }] }),
            2 => {
                json!({ "type": "tool", "id": id, "content": format!("found {at}"), "tool_call_id": call })
            }
            _ => json!({ "type": "ai", "id": id, "content": [
                { "type": "thinking", "thinking": "so", "signature": id },
                { "type": "text", "text": "so it is" },
            ] }),
        }
    };
    (0..count).map(message).collect()
}

/// Two looks after each other, of one conversation: the second equals a look at it anew.
fn second_look(first: (&[Value], &Value), second: (&[Value], &Value)) -> (String, String) {
    let edits = Policy { trigger: vec![Size::messages(100)], ..Policy::default() };
    let context = context::<Value>((edits, true));
    let mut conversation = context.conversation();
    let mut look = |(messages, record): (&[Value], &Value)| {
        let (messages, record) = (json!(messages), Record::read(record).unwrap());
        let view = told(&conversation.view(&messages, Some(&record)).unwrap());
        assert_eq!(view, told(&context.view(&messages, Some(&record)).unwrap()), "{record:?}");
        view
    };
    (look(first), look(second))
}

#[test]
fn a_record_that_differs_in_one_place_is_another() {
    let all = turns(16);
    let summary = json!({ "type": "human", "content": "Before." });
    let record = |fields: &Value| {
        let mut record = json!({ "cutoff_index": 4, "summary_message": summary });
        record.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        record
    };
    let other_summary = json!({ "summary_message": { "type": "human", "content": "Earlier." } });
    for (one, other) in [
        (json!({}), json!({ "cutoff_index": 8 })),
        (json!({}), other_summary),
        (json!({ "created_at_index": 4 }), json!({ "created_at_index": 12 })),
        (json!({ "edited_before": 4 }), json!({ "edited_before": 12 })),
        (json!({ "cutoff_id": "m4" }), json!({ "cutoff_id": "m8" })),
        (json!({ "summarized_id": "m3" }), json!({ "summarized_id": "m7" })),
        (json!({ "edited_id": "m3" }), json!({ "edited_id": "m11" })),
        (
            json!({ "cutoff_id": "m4", "summarized_id": "m3", "file_path": "/a", "edited_id": "m3" }),
            json!({ "cutoff_id": "m8", "summarized_id": "m7", "file_path": "/b", "edited_id": "m11" }),
        ),
    ] {
        let (first, second) = second_look((&all, &record(&one)), (&all, &record(&other)));
        assert_ne!(first, second, "{one} and {other}");
    }
}

#[test]
fn a_record_gives_its_summary_back_without_the_words_around_it() {
    let record = |summary_message: Value| {
        let event = json!({ "cutoff_index": 1, "summary_message": summary_message });
        Record::read(&event).unwrap().summary()
    };
    let summary = Some("They spoke.".to_owned());
    for path in [None, Some("/history.md")] {
        assert_eq!(record(summary_message("They spoke.", path)), summary);
    }
    assert_eq!(record(json!({ "type": "human", "content": "They spoke." })), summary);
    assert_eq!(record(json!({ "type": "human", "content": [] })), None);
    assert_eq!(record(json!(null)), None);
}

/// A record names its places by messages: where one comes, goes or is replaced, they are elsewhere.
#[test]
fn a_conversation_that_changes_where_its_record_points_is_read_anew() {
    let all = turns(16);
    let summary = json!({ "type": "human", "content": "Before." });
    let mut replaced = all.clone();
    replaced[4] = json!({ "type": "human", "id": "other", "content": "Instead" });
    let mut edge_replaced = all.clone();
    edge_replaced[11] = replaced[4].clone();
    for (record, before, after) in [
        (json!({ "cutoff_index": 8, "cutoff_id": "m8", "summarized_id": "m3" }), &all[..8], &all),
        (json!({ "cutoff_index": 4, "cutoff_id": "m4" }), &all[..], &replaced),
        (json!({ "cutoff_index": 4, "summarized_id": "m3" }), &all[..], &replaced),
        (json!({ "cutoff_index": 0, "edited_id": "m11" }), &all[..8], &all),
        (json!({ "cutoff_index": 0, "edited_id": "m11" }), &all[..], &edge_replaced),
        (json!({ "cutoff_index": 0, "edited_before": "m12", "edited_id": "m7" }), &all[..12], &all),
        (json!({ "cutoff_index": 12 }), &all[..8], &all),
        (json!({ "cutoff_index": 4, "created_at_index": 12 }), &all[..8], &all),
    ] {
        let mut record = record;
        record["summary_message"] = summary.clone();
        second_look((before, &record), (after, &record));
        second_look((after, &record), (before, &record));
    }
}

#[test]
fn a_failed_look_leaves_no_trace() {
    let context = context::<Value>((policies()[0].0.clone(), false));
    let mut conversation = context.conversation();
    let good = json!([{ "type": "human", "content": "Hello" }]);
    let before = told(&conversation.view(&good, None).unwrap());
    let bad = json!([{ "type": "human", "content": "Hello" }, 4]);
    assert!(conversation.view(&bad, None).is_err());
    assert!(conversation.view(&json!({}), None).is_err());
    assert_eq!(told(&conversation.view(&good, None).unwrap()), before);
}
