//! A super-step of a graph compared with juncture-core's:
//! `cargo bench -p threadfold-bench --bench graph`. Each figure is a run of `STEPS` steps of one
//! node.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::sync::Arc;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use threadfold::graph::{BoxError, Ctx, END, START, StateGraph};
use threadfold::reducer::AddMessages;
use threadfold::{Message, State};
use tokio::runtime::{Builder, Runtime};

const STEPS: u64 = 100;
/// 0 is a state of a number alone.
const SIZES: [u64; 3] = [0, 1_000, 10_000];

/// Whether a node adds a message besides the number.
const CASES: [(&str, bool); 2] = [("super-step {n}", false), ("super-step +1 message", true)];

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().expect("a runtime")
}

mod ours {
    use super::{AddMessages, BoxError, Ctx, Message, State};

    #[derive(Debug, Clone, Default, State)]
    #[state(derive(Clone))]
    pub struct Chat {
        #[reducer(AddMessages)]
        pub messages: Vec<Message>,
        #[reducer(|sum, more| sum + more)]
        pub n: u64,
    }

    pub async fn count(_: &Chat, _: Ctx) -> Result<ChatUpdate, BoxError> {
        Ok(ChatUpdate { n: Some(1), ..ChatUpdate::default() })
    }

    pub async fn speak(chat: &Chat, _: Ctx) -> Result<ChatUpdate, BoxError> {
        let message = Message::assistant("a message").with_id(format!("new{}", chat.n));
        Ok(ChatUpdate { n: Some(1), messages: Some(vec![message]) })
    }
}

mod theirs {
    use juncture_core::State;
    use juncture_core::state::messages::{Message, messages_reducer};
    use serde::{Deserialize, Serialize};

    #[derive(Debug, Clone, Default, Serialize, Deserialize)]
    pub struct Chat {
        pub messages: Vec<Message>,
        pub n: u64,
    }

    #[derive(Debug, Clone, Default, Serialize, Deserialize)]
    pub struct Update {
        pub messages: Option<Vec<Message>>,
        pub n: Option<u64>,
    }

    impl State for Chat {
        type Update = Update;

        fn apply(&mut self, update: Update) -> juncture_core::FieldsChanged {
            let mut changed = 0;
            if let Some(messages) = update.messages {
                messages_reducer(&mut self.messages, messages);
                changed |= 1;
            }
            if let Some(more) = update.n {
                self.n += more;
                changed |= 2;
            }
            juncture_core::FieldsChanged(changed)
        }

        fn reset_ephemeral(&mut self) {}
    }
}

fn ours(c: &mut Criterion) {
    let runtime = runtime();
    for (name, speaks) in CASES {
        let mut group = c.benchmark_group(name);
        group.throughput(Throughput::Elements(STEPS));
        for size in SIZES {
            let graph = StateGraph::<ours::Chat>::new();
            let graph =
                if speaks { graph.node("a", ours::speak) } else { graph.node("a", ours::count) };
            let graph = graph
                .edge(START, "a")
                .branch("a", |chat: &ours::Chat| if chat.n < STEPS { "a" } else { END })
                .recursion_limit(STEPS * 2)
                .compile()
                .expect("a graph");
            let messages =
                (0..size).map(|n| Message::user(format!("message {n}")).with_id(format!("m{n}")));
            let chat = ours::Chat { messages: messages.collect(), n: 0 };
            group.bench_function(BenchmarkId::new("threadfold", size), |b| {
                b.iter_batched(
                    || chat.clone(),
                    |chat| {
                        let done = runtime.block_on(graph.invoke(chat)).expect("a run").state;
                        assert_eq!(done.n, STEPS);
                        done
                    },
                    BatchSize::LargeInput,
                );
            });
        }
    }
}

fn theirs(c: &mut Criterion) {
    use juncture_core::edge::PathMap;
    use juncture_core::node::NodeFnUpdate;
    use juncture_core::state::messages::Message;
    use juncture_core::{GraphOutput, RunnableConfig, StateGraph};
    use theirs::{Chat, Update};

    fn next(chat: &Chat) -> &str {
        if chat.n < STEPS { "a" } else { "end" }
    }

    let runtime = runtime();
    for (name, speaks) in CASES {
        let mut group = c.benchmark_group(name);
        group.throughput(Throughput::Elements(STEPS));
        for size in SIZES {
            let mut graph = StateGraph::<Chat>::new();
            let node = move |chat: &Chat| {
                let n = chat.n;
                async move {
                    let message = speaks
                        .then(|| Message { id: format!("new{n}"), ..Message::ai("a message") });
                    Ok(Update { n: Some(1), messages: message.map(|message| vec![message]) })
                }
            };
            graph.add_node_simple("a", NodeFnUpdate(node)).expect("a node");
            graph.set_entry_point("a");
            let ends = juncture_core::END;
            graph.add_conditional_edges(
                "a",
                Arc::new(next as fn(&Chat) -> &str),
                PathMap::from(&[("a", "a"), ("end", ends)]),
            );
            let graph = graph.compile().expect("a graph");
            let messages = (0..size)
                .map(|n| Message { id: format!("m{n}"), ..Message::human(format!("message {n}")) });
            let chat = Chat { messages: messages.collect(), n: 0 };
            let config = RunnableConfig { recursion_limit: 1_000, ..RunnableConfig::new() };
            group.bench_function(BenchmarkId::new("juncture-core", size), |b| {
                b.iter_batched(
                    || chat.clone(),
                    |chat| {
                        let done: GraphOutput<Chat, Chat> =
                            runtime.block_on(graph.invoke_async(chat, &config)).expect("a run");
                        assert_eq!(done.value.n, STEPS);
                        done
                    },
                    BatchSize::LargeInput,
                );
            });
        }
    }
}

criterion_group! {
    name = graph;
    config = Criterion::default().sample_size(20);
    targets = ours, theirs
}
criterion_main!(graph);
