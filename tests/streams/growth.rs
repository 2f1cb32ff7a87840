//! Nothing grows faster than what it is given.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use threadfold::langgraph::{Fold, Part};
use threadfold::{Json, Thread};

use super::recording::empty_thread;

/// Checks that four times as much takes less than nine times as long: quadratic code takes sixteen.
fn grows(what: &str, n: usize, time: impl Fn(usize) -> Duration) {
    let mut ratio = f64::MAX;
    // Other load may last as long as a measurement.
    for _ in 0..8 {
        let [mut one, mut four] = [Duration::MAX; 2];
        for _ in 0..3 {
            (one, four) = (one.min(time(n)), four.min(time(4 * n)));
        }
        ratio = ratio.min(four.as_secs_f64() / one.as_secs_f64());
        if ratio < 9.0 {
            return;
        }
    }
    panic!("{what}: four times as much takes {ratio:.1} times as long");
}

fn timed(work: impl FnOnce()) -> Duration {
    let begun = Instant::now();
    work();
    begun.elapsed()
}

fn folded(messages: Vec<Value>) -> Duration {
    let parts: Vec<Part> =
        messages.into_iter().map(|one| Part::new("messages", json!([one, {}]).into())).collect();
    let (mut thread, mut fold) = (empty_thread(), Fold::new());
    timed(|| parts.iter().for_each(|part| _ = fold.part(&mut thread, part).unwrap()))
}

fn part(chunks: &Value) -> Value {
    json!({ "type": "AIMessageChunk", "id": "a", "content": "", "tool_call_chunks": chunks })
}

fn chunk(at: usize, args: &str) -> Value {
    json!({ "index": at, "id": format!("c{at}"), "name": "t", "args": args })
}

#[test]
fn many_parts_of_a_message() {
    grows("calls of own index", 150, |n| {
        folded((0..n).map(|at| part(&json!([chunk(at, "{}")]))).collect())
    });
    grows("parts of the last of many calls", 150, |n| {
        let all: Vec<Value> = (0..n).map(|at| chunk(at, "{")).collect();
        let more = (0..n).map(|_| part(&json!([{ "index": n - 1, "args": " " }])));
        folded(std::iter::once(part(&json!(all))).chain(more).collect())
    });
    grows("blocks of own index", 300, |n| {
        let block = |at| json!([{ "type": "text", "index": at, "text": "a" }]);
        let part = |at| json!({ "type": "AIMessageChunk", "id": "a", "content": block(at) });
        folded((0..n).map(part).collect())
    });
    grows("arguments in one another", 300, |n| {
        folded((0..n).map(|_| part(&json!([chunk(0, "{\"a\":")]))).collect())
    });
}

#[test]
fn many_looks_at_many_pending_updates() {
    grows("looks at the first pending update", 1_000, |n| {
        let mut thread: Thread<Json> = empty_thread();
        for at in 0..n {
            let message = json!({ "type": "human", "id": at.to_string(), "content": "a" });
            thread.optimistic(json!({ "messages": [message] }).into()).unwrap();
        }
        timed(|| (0..n).for_each(|_| assert!(thread.pending().next().is_some())))
    });
}
