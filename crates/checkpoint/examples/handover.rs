//! Runs graphs for js-tests/hosts/databases/rust.test.ts, which hands their threads from one runtime to
//! another. It reads one line of JSON for each call, and answers with one.

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use threadfold::graph::{
    BoxError, Checkpointer, Command, Ctx, Graph, Outcome, Resume, StateGraph, Target,
};
use threadfold::reducer::{AddMessages, Append};
use threadfold::{Message, State};
use threadfold_checkpoint::{PostgresSaver, SqliteSaver};

#[derive(Debug, Clone, Default, State, Serialize, Deserialize)]
#[state(derive(Debug, Clone, Serialize, Deserialize))]
struct Chat {
    #[reducer(Append)]
    #[update(Vec<String>)]
    log: Vec<String>,
    #[reducer(|sum, more| sum + more)]
    sum: i64,
    last: Option<String>,
    #[reducer(AddMessages)]
    messages: Vec<Message>,
}

/// A node, by what it does.
#[derive(Debug, Clone, Deserialize)]
#[allow(clippy::struct_excessive_bools, reason = "each is a thing that a node does")]
struct Does {
    name: String,
    defer: bool,
    last: bool,
    says: bool,
    asks: bool,
    fails: bool,
    goto: Vec<String>,
}

/// A graph, as rust-graphs.ts draws it.
#[derive(Debug, Clone, Deserialize)]
struct Spec {
    nodes: Vec<Does>,
    edges: Vec<(String, String)>,
    joins: Vec<(Vec<String>, String)>,
    branches: Vec<(String, Vec<Vec<String>>)>,
    stops: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Call {
    database: String,
    schema: Option<String>,
    thread: String,
    spec: Spec,
    /// An update; else the thread goes on.
    input: Option<ChatUpdate>,
    answers: Vec<(String, Value)>,
    at: Option<String>,
    fails: bool,
    /// Keeps the log as deltas.
    delta: Option<u64>,
    #[serde(default)]
    deletes: bool,
    /// Lists the threads, and runs nothing.
    #[serde(default)]
    lists: bool,
}

fn target(name: &str, from: &str) -> Target<Chat> {
    match name.strip_prefix('>') {
        None => name.into(),
        Some(node) => {
            let sent = Chat { log: vec![format!("sent by {from}")], ..Chat::default() };
            Target::Send(node.to_owned(), sent)
        }
    }
}

fn run(does: Does, seen: &Chat, ctx: &Ctx, fails: bool) -> Result<Command<Chat>, BoxError> {
    let Does { name, last, says, asks, goto, .. } = does;
    if fails && does.fails {
        return Err("not yet".into());
    }
    let mut log = vec![match seen.log.first() {
        Some(sent) if sent.starts_with("sent by") => format!("{name} {sent}"),
        _ => name.clone(),
    }];
    if asks {
        log.push(format!("{name} got {}", ctx.interrupt(format!("{name}?"))?));
    }
    let message = Message::assistant(format!("I am {name}"));
    let id = format!("{name} {}", seen.log.len());
    let update = ChatUpdate {
        log: Some(log),
        sum: Some(1),
        last: last.then(|| Some(name.clone())),
        messages: says.then(|| vec![message.with_id(id)]),
    };
    let goto = goto.iter().map(|to| target(to, &name));
    Ok(goto.fold(Command::update(update), Command::goto))
}

fn graph(
    spec: &Spec,
    fails: bool,
    saver: impl Checkpointer<Chat> + 'static,
) -> Result<Graph<Chat>, BoxError> {
    let mut graph = StateGraph::<Chat>::new();
    for does in spec.nodes.clone() {
        let (name, defer) = (does.name.clone(), does.defer);
        graph = graph.node(&name, move |state: &Chat, ctx: Ctx| {
            std::future::ready(run(does.clone(), state, &ctx, fails))
        });
        if defer {
            graph = graph.defer(&name);
        }
    }
    for (from, to) in &spec.edges {
        graph = graph.edge(from, to);
    }
    for (from, to) in &spec.joins {
        graph = graph.join(from.iter().map(String::as_str), to);
    }
    for (from, answers) in spec.branches.clone() {
        let name = from.clone();
        graph = graph.branch(&name, move |state: &Chat| {
            let answer = answers.iter().cycle().nth(state.log.len());
            answer.into_iter().flatten().map(|to| target(to, &from)).collect::<Vec<_>>()
        });
    }
    if spec.stops {
        graph = graph.interrupt_before(spec.nodes.iter().map(|node| node.name.as_str()));
    }
    Ok(graph.checkpointer(saver).recursion_limit(60).compile()?)
}

async fn call(graph: Graph<Chat>, call: Call) -> Result<Value, BoxError> {
    let thread = graph.on(&call.thread);
    if call.deletes {
        thread.delete().await?;
        return Ok(json!({ "ids": thread.checkpoints().await? }));
    }
    let thread = call.at.as_deref().map_or(thread.clone(), |at| thread.at(at));
    let ended: Outcome<Chat> = match call.input {
        Some(input) => thread.invoke(input).await?,
        None if call.answers.is_empty() => thread.resume(()).await?,
        None => thread.resume(Resume::Answers(call.answers)).await?,
    };
    let Outcome { state, interrupts, next, checkpoint, .. } = ended;
    let ids = graph.on(&call.thread).checkpoints().await?;
    Ok(json!({
        "state": state,
        "interrupts": interrupts,
        "next": next.iter().map(|node| &**node).collect::<Vec<_>>(),
        "checkpoint": checkpoint,
        "ids": ids,
    }))
}

async fn answer(line: &str, clients: &mut Clients) -> Result<Value, BoxError> {
    let given: Call = serde_json::from_str(line)?;
    let made = match &given.schema {
        None => {
            let mut saver = SqliteSaver::open(&given.database)?;
            if let Some(every) = given.delta {
                saver = saver.delta("log", every);
            }
            if given.lists {
                return Ok(json!({ "threads": saver.threads().await? }));
            }
            graph(&given.spec, given.fails, saver)?
        }
        Some(schema) => {
            let key = format!("{schema} {:?}", given.delta);
            if !clients.contains_key(&key) {
                clients.clear();
                let (client, connection) =
                    tokio_postgres::connect(&given.database, tokio_postgres::NoTls).await?;
                tokio::spawn(connection);
                let mut saver = PostgresSaver::of(client, schema).await?;
                if let Some(every) = given.delta {
                    saver = saver.delta("log", every);
                }
                clients.insert(key.clone(), Arc::new(saver));
            }
            let saver = clients.get(&key).ok_or("no saver")?.clone();
            if given.lists {
                return Ok(json!({ "threads": saver.threads().await? }));
            }
            graph(&given.spec, given.fails, saver)?
        }
    };
    call(made, given).await
}

type Clients = HashMap<String, Arc<PostgresSaver>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let mut clients = Clients::new();
    for line in std::io::stdin().lock().lines() {
        let answer = match answer(&line?, &mut clients).await {
            Ok(answer) => answer,
            Err(error) => {
                let mut text = error.to_string();
                let mut source = error.source();
                while let Some(inner) = source {
                    text = format!("{text}: {inner}");
                    source = inner.source();
                }
                json!({ "error": text })
            }
        };
        println!("{answer}");
        std::io::stdout().flush()?;
    }
    Ok(())
}
