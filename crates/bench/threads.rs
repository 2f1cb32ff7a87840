//! A thread's steps by its length: `cargo bench -p threadfold-bench --bench threads`. A run makes
//! `STEPS` steps of one message, each with a checkpoint.
#![allow(clippy::expect_used, missing_docs)]

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use threadfold::graph::{BoxError, Ctx, END, Graph, MemorySaver, START, StateGraph};
use threadfold::reducer::AddMessages;
use threadfold::typed::MessageList;
use threadfold::{Message, State};
use tokio::runtime::{Builder, Runtime};

const STEPS: usize = 100;
const SIZES: [usize; 4] = [100, 2_500, 10_000, 40_000];

#[derive(Debug, Clone, Default, State)]
#[state(derive(Clone))]
struct Chat {
    #[reducer(AddMessages)]
    #[update(Vec<Message>)]
    messages: MessageList<Message>,
    #[reducer(|sum, more| sum + more)]
    n: usize,
}

async fn speak(chat: &Chat, _: Ctx) -> Result<ChatUpdate, BoxError> {
    let message = Message::assistant("a message").with_id(format!("new{}", chat.n));
    Ok(ChatUpdate { n: Some(1), messages: Some(vec![message]) })
}

fn conversation(size: usize) -> Vec<Message> {
    (0..size).map(|n| Message::user(format!("message {n}")).with_id(format!("m{n}"))).collect()
}

/// A graph whose thread "1" has so many messages; a run of it makes `STEPS` steps.
fn thread_of(size: usize, runtime: &Runtime) -> Graph<Chat> {
    let saver = Arc::new(MemorySaver::new());
    let graph = StateGraph::<Chat>::new()
        .node("speak", speak)
        .branch(START, |chat: &Chat| if chat.n == 0 { END } else { "speak" })
        .branch("speak", |chat: &Chat| if chat.n.is_multiple_of(STEPS) { END } else { "speak" })
        .recursion_limit(1_000)
        .checkpointer(saver)
        .compile()
        .expect("a graph");
    let input = ChatUpdate { messages: Some(conversation(size)), n: None };
    runtime.block_on(graph.on("1").invoke(input)).expect("a run");
    graph
}

fn steps(c: &mut Criterion) {
    let runtime = Builder::new_current_thread().build().expect("a runtime");
    let mut group = c.benchmark_group("MemorySaver, steps of one message");
    group.throughput(Throughput::Elements(STEPS as u64));
    for size in SIZES {
        group.bench_function(BenchmarkId::from_parameter(size), |b| {
            b.iter_batched(
                || thread_of(size, &runtime),
                |graph| {
                    let thread = graph.on("1");
                    let input = ChatUpdate { n: Some(STEPS), messages: None };
                    let done = runtime.block_on(thread.invoke(input)).expect("a run").state;
                    assert_eq!(done.messages.len(), size + STEPS);
                    (graph, done)
                },
                BatchSize::LargeInput,
            );
        });
    }
}

fn clones(c: &mut Criterion) {
    let mut group = c.benchmark_group("a clone of typed::MessageList");
    for size in SIZES {
        let list = MessageList::new(conversation(size)).expect("messages");
        group.bench_function(BenchmarkId::from_parameter(size), |b| {
            b.iter(|| black_box(list.clone()));
        });
    }
    group.finish();
    let mut group = c.benchmark_group("typed::MessageList + 1, with its copy held");
    for size in SIZES {
        let mut list = MessageList::new(conversation(size)).expect("messages");
        let mut n = 0;
        group.bench_function(BenchmarkId::from_parameter(size), |b| {
            b.iter(|| {
                let kept = list.clone();
                n += 1;
                let id = format!("new{}", n % 1_000);
                list.update(vec![Message::user("a message").with_id(id)]).expect("a message");
                kept
            });
        });
    }
}

criterion_group! {
    name = threads;
    config = Criterion::default().sample_size(10);
    targets = clones, steps
}
criterion_main!(threads);
