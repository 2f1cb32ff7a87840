//! Compression touches only the model's input: the history stays whole.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use threadfold::agent::{AgentState, ModelRequest, Summarization, create_agent};
use threadfold::context::{ClearOptions, CountTokens, Policy, Size};
use threadfold::graph::{Graph, MemorySaver};
use threadfold::{Json, Message, MessageKind};

use super::{Raised, records, run, scripted, shown};

type Sent = Arc<Mutex<Vec<Vec<String>>>>;

fn policy(messages: u32) -> Policy {
    let (trigger, keep) = (vec![Size::messages(messages)], Some(Size::messages(2)));
    Policy { trigger, keep, ..Policy::default() }
}

/// An agent whose conversation is compressed at six messages, and the texts that its model got.
fn compressing(saver: &Arc<MemorySaver<AgentState>>) -> (Graph<AgentState>, Sent) {
    let sent = Sent::default();
    let seen = sent.clone();
    let model = move |request: ModelRequest| {
        let texts = request.messages.iter().map(|message| message.text().into_owned());
        seen.lock().expect("a list").push(texts.collect());
        let answer = format!("Answer {}", request.messages.len());
        std::future::ready(Ok::<_, Raised>(Message::assistant(answer)))
    };
    let summary = |request: ModelRequest| {
        let asked = request.messages.last().expect("a question").text().into_owned();
        let count = asked.matches("human: Question").count();
        std::future::ready(Ok::<_, Raised>(Message::assistant(format!(" Summary of {count}. "))))
    };
    let summary = Summarization::new(summary).policy(policy(6));
    let agent = create_agent(model).middleware(summary).checkpointer(saver.clone());
    (agent.compile().expect("an agent"), sent)
}

fn text(message: &Message) -> String {
    message.text().into_owned()
}

#[test]
fn the_model_gets_a_summary_and_the_history_stays_whole() {
    let saver = Arc::new(MemorySaver::new());
    let (agent, sent) = compressing(&saver);
    run(async {
        let mut before: Vec<Message> = Vec::new();
        for n in 0..8 {
            let outcome =
                agent.on("1").invoke(format!("Question {n}").into()).await.expect("a run");
            let now: Vec<_> =
                outcome.state.messages.iter().map(|one| Message::clone(one)).collect();
            assert_eq!(now.len(), 2 * (n + 1));
            assert_eq!(&now[..before.len()], before);
            before = now;
        }
        assert!(!before.iter().any(|message| text(message).contains("Summary")));
    });
    let all = sent.lock().expect("a list").clone();
    assert!(all.iter().all(|texts| texts.len() < 7));
    let last = all.last().expect("a request");
    assert!(last[0].contains("Summary of"), "{last:?}");
    assert_eq!(last.last().map(String::as_str), Some("Question 7"));
    // Another process comes to the same context from the saved history and record.
    let (again, restored) = compressing(&saver);
    run(async {
        let last = agent.on("1").outcome().await.expect("a look").expect("an outcome");
        let place = last.checkpoint.expect("a checkpoint");
        for agent in [&agent, &again] {
            agent.on("1").at(&place).invoke("Question 8".into()).await.expect("a run");
        }
    });
    let context = sent.lock().expect("a list").last().cloned();
    assert_eq!(context.as_ref(), restored.lock().expect("a list").last());
    assert!(context.is_some_and(|texts| texts.len() > 1));
}

/// Counts ten tokens a message, and its calls.
struct Counting(Arc<AtomicUsize>);

impl CountTokens<Json> for Counting {
    fn count(&self, _: &Json) -> Result<f64, threadfold::Error> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(10.0)
    }
}

#[test]
fn a_turn_counts_only_what_is_new() {
    let counted = Arc::new(AtomicUsize::new(0));
    let model = |_: ModelRequest| std::future::ready(Ok::<_, Raised>(Message::assistant("Yes.")));
    let tokens = Policy {
        trigger: vec![Size::tokens(1000.0)],
        keep: Some(Size::messages(20)),
        ..Policy::default()
    };
    let summary = Summarization::new(model).policy(tokens).counter(Counting(counted.clone()));
    let agent = create_agent(model).middleware(summary).checkpointer(MemorySaver::new());
    let agent = agent.compile().expect("an agent");
    let mut summarized = 0;
    run(async {
        for n in 0..200 {
            let outcome = agent.on("1").invoke(format!("Question {n}").into()).await;
            let state = outcome.expect("a run").state;
            summarized = state
                .fields
                .get("_summarization_event")
                .map_or(0, |event| event["cutoff_index"].as_u64().unwrap_or_default());
        }
    });
    assert!(summarized > 300, "{summarized}");
    let counts = counted.load(Ordering::Relaxed);
    // 400 messages, and some twenty again after each of the five compactions.
    assert!(counts < 800, "{counts} counts of 400 messages");
}

#[test]
fn old_results_are_cleared_before_anything_is_summarized() {
    let sent = Arc::new(Mutex::new(Vec::new()));
    let seen = sent.clone();
    let model = move |request: ModelRequest| {
        seen.lock().expect("a list").push(shown(&request.messages));
        std::future::ready(Ok::<_, Raised>(Message::assistant("Yes.")))
    };
    let summarized =
        |_: ModelRequest| std::future::ready(Err::<Message, _>(Raised("asked".into())));
    let clear = ClearOptions { keep: 1, ..ClearOptions::default() };
    let tokens = Policy {
        trigger: vec![Size::tokens(300.0)],
        keep: Some(Size::messages(4)),
        edit_keep_results: Some(1),
        ..Policy::default()
    };
    let edits = Summarization::new(summarized).policy(tokens).clear(clear);
    let agent = create_agent(model).middleware(edits).compile().expect("an agent");
    let mut messages = vec![Message::user("go")];
    for id in ["c1", "c2"] {
        let call = threadfold::ToolCall::new(id, "search", json!({}));
        messages.push(Message::assistant("").with_tool_calls([call]));
        messages.push(Message::tool("word ".repeat(200), id));
    }
    let state = run(agent.invoke(threadfold::agent::AgentUpdate::from(messages).into()));
    let state = state.expect("a run").state;
    let sent = sent.lock().expect("a list").clone();
    assert_eq!(sent[0][2]["content"], "[cleared]");
    assert_eq!(sent[0][4]["content"], "word ".repeat(200));
    assert_eq!(state.messages.iter().nth(2).map(|one| text(one)), Some("word ".repeat(200)));
}

#[test]
fn open_calls_are_answered_before_the_agent_begins_as_in_deepagents() {
    let read = |name: &str| records(&format!("../context/{name}"));
    let (conversations, mut differing, mut held) = (read("conversations"), Vec::new(), 0);
    for record in read("patch") {
        let given = &record["in"]["messages"];
        let at = given.as_u64().and_then(|at| usize::try_from(at).ok());
        let messages = at.map_or(given, |at| &conversations[at]);
        let typed = messages.as_array().into_iter().flatten().cloned().map(Message::try_from);
        // An agent in Rust gets only what has a typed form.
        let Ok(typed) = typed.collect::<Result<Vec<_>, _>>() else { continue };
        let ids = typed.iter().filter_map(|message| message.id.clone());
        let unique: std::collections::HashSet<_> = ids.clone().collect();
        // In Python a chunk of a result answers nothing; typed, it is a result.
        let is_chunk = messages.to_string().contains("ToolMessageChunk");
        if is_chunk
            || unique.len() != ids.count()
            || typed.iter().any(|one| one.kind == MessageKind::Remove)
        {
            continue;
        }
        held += 1;
        let patched = match record["out"].as_array() {
            None => messages.clone(),
            Some(told) => expand(&told[1..], messages),
        };
        let state = threadfold::agent::AgentUpdate::of_messages(typed).into();
        let agent = create_agent(scripted(&json!([])))
            .middleware(threadfold::agent::Middleware::patch_tool_calls());
        let state = run(agent.compile().expect("an agent").invoke(state)).expect("a run").state;
        let theirs = patched.as_array().into_iter().flatten().cloned().map(Message::try_from);
        let theirs = theirs.collect::<Result<Vec<_>, _>>().expect("messages");
        let bare = |message: &Message| Message { id: None, ..message.clone() };
        let own: Vec<_> = state.messages.iter().map(|one| bare(one)).collect();
        if own[..own.len() - 1] != theirs.iter().map(bare).collect::<Vec<_>>() {
            differing.push(format!("{}\n{}", json!(own), patched));
        }
    }
    println!("patch: {held} records, {} differ", differing.len());
    assert!(
        held > 200 && differing.is_empty(),
        "{held} {}: {:?}",
        differing.len(),
        differing.first()
    );
}

/// The list that a record has: positions, ranges of them, and new messages.
fn expand(told: &[Value], messages: &Value) -> Value {
    let position = |value: &Value| usize::try_from(value.as_u64().expect("a place")).expect("one");
    let mut list = Vec::new();
    for item in told {
        match item {
            Value::Number(_) => list.push(messages[position(item)].clone()),
            Value::Array(range) => {
                list.extend(
                    (position(&range[0])..position(&range[1])).map(|at| messages[at].clone()),
                );
            }
            _ => list.push(item["new"].clone()),
        }
    }
    json!(list)
}
