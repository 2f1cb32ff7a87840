//! The native core's figures: `cargo bench -p threadfold-bench`. The names and sizes are those of
//! `crates/bench/python/add_messages.py`, so that `scripts/bench-native.mjs` can set them side by side.
#![allow(clippy::expect_used, clippy::indexing_slicing)]

use std::hint::black_box;
use std::mem::take;
use std::time::Duration;

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use serde_json::{Value, json};
use threadfold::Value as _;
use threadfold::context::Context;
use threadfold::context::Estimated;
use threadfold::context::{Policy, Size};
use threadfold::unstable::JsonMessageList;
use threadfold::{
    Json, Message, MessageRules, Prefer, Reducer, Thread, ThreadEvent, add_json_messages,
    merge_tools,
};

const SIZES: [usize; 3] = [100, 1_000, 10_000];
const RULES: MessageRules = MessageRules::LangGraph;

fn conversation(count: usize, prefix: &str) -> Vec<Message> {
    let message = |n: usize| {
        let content = format!("message number {n}");
        let made =
            if n.is_multiple_of(2) { Message::user(content) } else { Message::assistant(content) };
        made.with_id(format!("{prefix}{n}"))
    };
    (0..count).map(message).collect()
}

fn add(left: Vec<Message>, right: Vec<Message>) -> Vec<Message> {
    RULES.merge(left, right)
}

/// Adds one message; the next round removes it again.
fn typed_one_more(c: &mut Criterion) {
    let mut group = c.benchmark_group("add_messages n + 1");
    for n in SIZES {
        let mut list = conversation(n, "m");
        let new = conversation(1, "new");
        group.bench_function(BenchmarkId::from_parameter(n), |b| {
            b.iter(|| {
                let mut merged = add(take(&mut list), black_box(new.clone()));
                merged.pop();
                list = merged;
            });
        });
    }
}

/// The same by hand: a scan for the id, and a push.
fn by_hand_one_more(c: &mut Criterion) {
    let mut group = c.benchmark_group("by hand: a scan, n + 1");
    for n in SIZES {
        let mut list = conversation(n, "m");
        let new = conversation(1, "new");
        group.bench_function(BenchmarkId::from_parameter(n), |b| {
            b.iter(|| {
                for message in black_box(new.clone()) {
                    match list.iter_mut().find(|known| known.id == message.id) {
                        Some(known) => *known = message,
                        None => list.push(message),
                    }
                }
                list.pop();
            });
        });
    }
}

/// Looks at a list and at the same with one more message, in turn: half of the looks read a message.
/// The lists share their chunks, as states of a thread do, or only their messages.
fn context_one_more(c: &mut Criterion) {
    let mut group = c.benchmark_group("context, one more");
    for n in SIZES {
        let message = |at: usize| {
            let kind = if at.is_multiple_of(2) { "human" } else { "ai" };
            Json::from(
                json!({ "type": kind, "id": format!("m{at}"), "content": "What is the weather?" }),
            )
        };
        let all: Vec<Json> = (0..=n).map(message).collect();
        let list = Json::array(all[..n].to_vec());
        let longer = list.clone().splice(n, 0, all.last().cloned());
        let shared = [list.clone(), longer];
        let apart = [list, Json::array(all)];
        for (name, lists) in [("shared", shared), ("apart", apart)] {
            let policy = Policy { trigger: vec![Size::tokens(1e9)], ..Policy::default() };
            let context = Context::new(policy, &Estimated);
            let mut conversation = context.conversation();
            let mut look = 0;
            group.bench_function(BenchmarkId::new(name, n), |b| {
                b.iter(|| {
                    look += 1;
                    conversation.view(black_box(&lists[look % 2]), None).expect("messages").tokens
                });
            });
        }
    }
}

/// Replaces the last message again and again, as streaming does.
fn typed_last_replaced(c: &mut Criterion) {
    let mut group = c.benchmark_group("add_messages n, last replaced");
    for n in SIZES {
        let mut list = conversation(n, "m");
        let edited = vec![Message::user("edited").with_id(format!("m{}", n - 1))];
        group.bench_function(BenchmarkId::from_parameter(n), |b| {
            b.iter(|| list = add(take(&mut list), black_box(edited.clone())));
        });
    }
}

fn values_one_more(c: &mut Criterion) {
    let mut group = c.benchmark_group("add_messages n dicts + 1");
    for n in SIZES {
        let mut list = json!(conversation(n, "m"));
        let new = json!(conversation(1, "new"));
        group.bench_function(BenchmarkId::from_parameter(n), |b| {
            b.iter(|| {
                let right = black_box(new.clone());
                let mut merged = add_json_messages(list.take(), right, RULES).expect("no removals");
                merged.as_array_mut().and_then(Vec::pop);
                list = merged;
            });
        });
    }
}

fn typed_two_long_lists(c: &mut Criterion) {
    let mut group = c.benchmark_group("add_messages 1000 + 1000");
    let (left, right) = (conversation(1_000, "m"), conversation(1_000, "new"));
    group.bench_function(BenchmarkId::from_parameter(1_000), |b| {
        let lists = || (left.clone(), right.clone());
        b.iter_batched(lists, |(left, right)| add(left, right), BatchSize::LargeInput);
    });
}

fn shared(messages: &[Message]) -> Json {
    json!(messages).into()
}

/// The length of an answer in tokens: after it the message starts over.
const ANSWER: usize = 1_000;

/// Appends a streamed token and reads the list: a service's work for each token.
fn list_token_and_look(c: &mut Criterion) {
    let mut group = c.benchmark_group("JsonMessageList token + look");
    for n in SIZES {
        let messages = shared(&conversation(n, "m"));
        let mut list = JsonMessageList::new(messages.clone(), RULES).expect("messages");
        let (id, token) = (Json::from(format!("m{}", n - 1)), Json::from(" token"));
        let mut shown = list.snapshot();
        let mut tokens = 0..;
        group.bench_function(BenchmarkId::from_parameter(n), |b| {
            b.iter(|| {
                if tokens.next().is_some_and(|token: usize| token.is_multiple_of(ANSWER)) {
                    list.update(messages[n - 1].clone()).expect("a message");
                }
                list.append(&id, black_box(&token)).expect("the id is known");
                shown = list.snapshot();
            });
        });
        black_box(shown);
    }
}

fn thread(n: usize) -> Thread<Json> {
    let values = Json::from([("messages", shared(&conversation(n, "m")))]);
    Thread::new(None, &values).expect("messages")
}

/// Does the same with a thread.
fn thread_token_and_look(c: &mut Criterion) {
    let mut group = c.benchmark_group("Thread token + look");
    for n in SIZES {
        let mut thread = thread(n);
        let (id, token) = (Json::from(format!("m{}", n - 1)), Json::from(" token"));
        let mut shown = thread.state();
        let first = Json::from([("messages", shown["messages"][n - 1].clone())]);
        let mut tokens = 0..;
        group.bench_function(BenchmarkId::from_parameter(n), |b| {
            b.iter(|| {
                if tokens.next().is_some_and(|token: usize| token.is_multiple_of(ANSWER)) {
                    thread.update(first.clone()).expect("a message");
                }
                let text = ThreadEvent::Text { id: id.clone(), text: black_box(token.clone()) };
                thread.receive(text).expect("the id is known");
                shown = thread.state();
            });
        });
        black_box(shown);
    }
}

fn thread_unchanged_look(c: &mut Criterion) {
    let mut group = c.benchmark_group("Thread unchanged look");
    for n in SIZES {
        let mut thread = thread(n);
        group.bench_function(BenchmarkId::from_parameter(n), |b| b.iter(|| thread.state()));
    }
}

/// Two lists of tools, half of the names in both.
fn tools(c: &mut Criterion) {
    let tools = |names: std::ops::Range<usize>| -> Value {
        names.map(|n| json!({ "name": format!("tool_{n}"), "description": "…" })).collect()
    };
    let mut group = c.benchmark_group("merge_tools n + n");
    for n in [10, 100] {
        let (left, right) = (tools(0..n), tools(n / 2..n + n / 2));
        group.bench_function(BenchmarkId::from_parameter(n), |b| {
            let lists = || (left.clone(), right.clone());
            let merge = |(left, right)| merge_tools(left, right, Prefer::First);
            b.iter_batched(lists, merge, BatchSize::SmallInput);
        });
    }
}

criterion_group! {
    name = core;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = typed_one_more, by_hand_one_more, typed_last_replaced,
    context_one_more, values_one_more, typed_two_long_lists, tools,
        list_token_and_look, thread_token_and_look, thread_unchanged_look
}
criterion_main!(core);
