//! Graphs of a script, served: the events are those of the npm package's `serveAgUi`, recorded by
//! `js-tests/unit/serve/served-runs.test.ts`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use threadfold::ag_ui::{Service, ServiceBody, ServiceRequest};
use threadfold::graph::{
    BoxError, Command, Ctx, Graph, MemorySaver, MessageChunk, Node, StateGraph,
};
use threadfold::reducer::{AddMessages, Append};
use threadfold::{Message, State};

#[derive(Debug, Clone, Default, Serialize, Deserialize, State)]
#[state(derive(Clone, Serialize, Deserialize))]
struct Talk {
    #[reducer(AddMessages)]
    messages: Vec<Message>,
    mood: String,
    #[reducer(Append)]
    notes: Vec<String>,
}

/// The turn, and whether a node has failed.
#[derive(Default)]
struct Run {
    turn: AtomicUsize,
    has_failed: AtomicBool,
}

/// A node that does what its script says.
struct Scripted {
    actions: Value,
    run: Arc<Run>,
}

impl Node<Talk> for Scripted {
    async fn run(&self, _: &Talk, ctx: Ctx) -> Result<Command<Talk>, BoxError> {
        let turn = self.run.turn.load(Ordering::SeqCst).to_string();
        let actions: Vec<BTreeMap<String, Value>> =
            serde_json::from_str(&self.actions.to_string().replace("{turn}", &turn))?;
        let mut update = TalkUpdate::default();
        for action in actions {
            let (name, value) = action.into_iter().next().ok_or("an action")?;
            let text = |at: usize| value[at].as_str().unwrap_or_default();
            let index = || u32::try_from(value[1].as_u64().unwrap_or_default()).unwrap();
            match &*name {
                "text" => ctx.message(MessageChunk::text(text(0), text(1))),
                "reasoning" => ctx.message(MessageChunk::reasoning(text(0), text(1))),
                "call" => {
                    let chunk = MessageChunk::new(text(0));
                    ctx.message(chunk.with_call(index(), text(2), text(3)));
                }
                "args" => ctx.message(MessageChunk::new(text(0)).with_args(index(), text(2))),
                "last" => ctx.message(MessageChunk::new(value.as_str().unwrap()).last()),
                "custom" => ctx.custom(value),
                "ask" => drop(ctx.interrupt(value)?),
                "update" => update = serde_json::from_value(value)?,
                "fail" => return Err(value.as_str().unwrap().into()),
                "fail once" if !self.run.has_failed.swap(true, Ordering::SeqCst) => {
                    return Err(value.as_str().unwrap().into());
                }
                "fail once" => {}
                other => panic!("an unknown action: {other}"),
            }
            tokio::task::yield_now().await;
        }
        Ok(Command::update(update))
    }
}

fn graph(script: &Value, run: &Arc<Run>) -> Graph<Talk> {
    let mut graph = StateGraph::<Talk>::new().checkpointer(MemorySaver::new());
    for (name, actions) in script["nodes"].as_object().unwrap() {
        graph = graph.node(name, Scripted { actions: actions.clone(), run: run.clone() });
    }
    for edge in script["edges"].as_array().unwrap() {
        graph = graph.edge(edge[0].as_str().unwrap(), edge[1].as_str().unwrap());
    }
    graph.compile().unwrap()
}

/// Posts a run, and returns its events.
async fn posted(service: &Service<Talk>, body: &Value) -> Vec<Value> {
    let body = body.to_string();
    let request = ServiceRequest::new("POST", "/agent").body(body.as_bytes());
    let mut response = service.answer(request).await;
    assert_eq!(response.status, 200, "{:?}", response.body);
    if let Some(work) = response.work.take() {
        tokio::spawn(work);
    }
    events(response.body).await
}

pub async fn events(mut body: ServiceBody) -> Vec<Value> {
    let mut events = Vec::new();
    while let Some(part) = body.next().await {
        let (id, data) = part.trim_end().split_once("\ndata: ").unwrap();
        assert!(id.starts_with("id: "), "{part}");
        events.push(serde_json::from_str(data).unwrap());
    }
    events
}

/// The open interrupts at a run's end.
fn asked(events: &[Value]) -> Vec<Value> {
    let outcome = &events.last().unwrap()["outcome"];
    outcome["interrupts"].as_array().cloned().unwrap_or_default()
}

/// Events without the ids of their interrupts, and without the fields of LangChain's that the package
/// carries in a message's metadata for the way back.
fn nameless(mut events: Vec<Value>) -> Vec<Value> {
    for event in &mut events {
        for message in event.get_mut("messages").and_then(Value::as_array_mut).into_iter().flatten()
        {
            message.as_object_mut().unwrap().remove("metadata");
        }
        let is_open = event["name"] == "open_interrupts";
        let at = if is_open { "/value" } else { "/outcome/interrupts" };
        let interrupts = event.pointer_mut(at).and_then(Value::as_array_mut);
        for interrupt in interrupts.into_iter().flatten() {
            assert!(interrupt["id"].is_string());
            interrupt["id"] = Value::Null;
        }
    }
    events
}

fn read(name: &str) -> BTreeMap<String, Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("js-tests/unit/serve");
    serde_json::from_str(&fs::read_to_string(folder.join(name)).unwrap()).unwrap()
}

#[tokio::test]
async fn a_service_says_what_the_packages_server_says() {
    let recorded = read("served-runs.json");
    let scripts = read("served-scripts.json");
    assert!(scripts.len() > 15 && scripts.keys().eq(recorded.keys()));
    for (name, script) in &scripts {
        let run = Arc::new(Run::default());
        let service = Service::new(graph(script, &run)).unwrap();
        let mut open: Vec<Value> = Vec::new();
        for (at, turn) in script["turns"].as_array().unwrap().iter().enumerate() {
            run.turn.store(at + 1, Ordering::SeqCst);
            let entry = |(interrupt, payload): (&Value, Option<&Value>)| match payload {
                Some(payload) => {
                    json!({ "interruptId": interrupt["id"], "status": "resolved", "payload": payload })
                }
                None => json!({ "interruptId": interrupt["id"], "status": "cancelled" }),
            };
            let answers = turn["answers"].as_array();
            let payloads = answers.into_iter().flatten().map(Some);
            let answered = answers.map(|_| open.iter().zip(payloads).map(entry).collect::<Value>());
            let cancels = turn["cancels"].as_bool().unwrap_or_default();
            let cancelled =
                cancels.then(|| open.iter().map(|one| entry((one, None))).collect::<Value>());
            let mut body = turn.clone();
            let fields = body.as_object_mut().unwrap();
            fields.extend([
                ("threadId".to_owned(), "t".into()),
                ("runId".to_owned(), format!("r{}", at + 1).into()),
            ]);
            if let Some(resume) = answered.or(cancelled) {
                fields.insert("resume".to_owned(), resume);
            }
            let events = posted(&service, &body).await;
            open = asked(&events);
            let expected = recorded[name][at].as_array().unwrap().clone();
            assert_same(&nameless(events), &nameless(expected), &format!("{name}, {}", at + 1));
        }
    }
}

/// Compares event by event, to name the first that differs.
fn assert_same(events: &[Value], expected: &[Value], place: &str) {
    for (at, (event, expected)) in events.iter().zip(expected).enumerate() {
        assert_eq!(event, expected, "{place}: event {at} of {events:#?}");
    }
    assert_eq!(events.len(), expected.len(), "{place}: {events:#?}");
}
