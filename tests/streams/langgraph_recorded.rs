//! Recorded runs of a LangGraph server, folded: at the end of each the thread equals the server's
//! state, as in `js-tests/peers/recorded/langgraph.test.ts`.

use std::sync::Arc;

use serde_json::{Value, json};
use threadfold::langgraph::{Fold, Part};
use threadfold::stream::RunEnd;
use threadfold::{
    CustomReducer, Error, Field, FieldReducer, Json, MessageRules, RunStatus, Schema, Thread,
};

use super::recording::{
    Held, Recording, Turn, assert_all_kept, assert_in_sync, empty_thread, recordings,
};

/// The turns that end in an error, and the text that a subgraph streamed before it asked: see
/// `js-tests/hosts/servers/scenarios.mjs`.
const FAILING: [(&str, usize); 2] = [("fail", 1), ("remove_unknown", 1)];
const BEFORE_ASKING: (&str, usize, &str) = ("consent", 1, "I would delete three files.");

fn graph(recording: &Recording) -> &str {
    recording.name.split('.').next().unwrap()
}

fn ask(thread: &mut Thread<Json>, turn: &Turn) {
    if !turn.request["input"].is_null() {
        thread.optimistic(turn.request["input"].clone().into()).unwrap();
    }
}

struct Folded {
    drifts: Vec<Json>,
    end: Option<RunEnd>,
}

fn fold(fold: &mut Fold, thread: &mut Thread<Json>, parts: &[Value]) -> Folded {
    let (mut drifts, mut end) = (Vec::new(), None);
    for part in parts {
        let part: Part = serde_json::from_value(part.clone()).unwrap();
        let folded = fold.part(thread, &part).unwrap();
        drifts.extend(folded.drift);
        end = folded.end.or(end);
    }
    let folded = fold.finish(thread).unwrap();
    drifts.extend(folded.drift);
    Folded { drifts, end: folded.end.or(end) }
}

fn check(thread: &mut Thread<Json>, graph: &str, at: usize, turn: &Turn, place: &str) {
    let server = Held::of(&turn.state["values"]);
    let (asking, asked_at, said) = BEFORE_ASKING;
    if (graph, at) != (asking, asked_at) {
        return assert_in_sync(thread, &server, place);
    }
    assert_eq!(thread.run().status, RunStatus::Interrupted, "{place}");
    assert_eq!(thread.pending().count(), 0, "{place}");
    let shown = Held::shown(thread);
    let ids = shown.ids();
    assert_eq!(shown.messages.as_array().unwrap().last().unwrap()["content"], said, "{place}");
    assert_eq!(ids[..ids.len() - 1], server.ids(), "{place}");
}

fn replay(thread: &mut Thread<Json>, recording: &Recording) -> usize {
    let graph = graph(recording);
    let (mut folding, mut parts) = (Fold::new(), 0);
    for (at, turn) in (1..).zip(&recording.turns) {
        let place = format!("{}, turn {at}", recording.name);
        let before = Held::confirmed(thread);
        ask(thread, turn);
        let Folded { drifts, end } = fold(&mut folding, thread, &turn.parts);
        parts += turn.parts.len();
        if FAILING.contains(&(graph, at)) {
            let values = Some(&turn.state["values"]).filter(|values| !values.is_null());
            assert_all_kept(thread, values.map(Held::of).as_ref(), &before, &place);
            assert!(matches!(end, Some(RunEnd::Failed { .. })), "{place}: {end:?}");
        } else {
            assert!(drifts.is_empty(), "{place}: {drifts:?}");
            check(thread, graph, at, turn, &place);
            let asks = matches!(end, Some(RunEnd::Interrupted { .. }));
            assert_eq!(asks, thread.run().status == RunStatus::Interrupted, "{place}: {end:?}");
        }
    }
    parts
}

#[test]
fn the_thread_is_in_sync_after_each_recorded_run() {
    let all = recordings("langgraph");
    let parts: usize = all.iter().map(|recording| replay(&mut empty_thread(), recording)).sum();
    let runs: usize = all.iter().map(|recording| recording.turns.len()).sum();
    println!(
        "LangGraph: {} recordings, {runs} runs, {parts} parts folded, 0 differences",
        all.len()
    );
    assert_eq!((all.len(), runs), (26, 52));
}

/// The fields of the graphs whose reducers a client can run itself.
fn schema(graph: &str) -> Option<Schema<Json>> {
    let add = |own: Option<Json>, update: Json| -> Result<Json, Error> {
        let number =
            |value: &Json| value.as_number().and_then(serde_json::Number::as_i64).unwrap_or(0);
        Ok((own.as_ref().map_or(0, number) + number(&update)).into())
    };
    let add = CustomReducer { name: "add".into(), id: 1, merge: Arc::new(add) };
    let more = match graph {
        "chat" | "redact" | "clear" | "prune" => vec![],
        "todos" => vec![("todos", FieldReducer::Todos)],
        "files" => vec![("files", FieldReducer::Files)],
        "log" => vec![("log", FieldReducer::Append), ("count", FieldReducer::Custom(add))],
        _ => return None,
    };
    let messages = [("messages", FieldReducer::Messages(MessageRules::LangGraph))];
    let fields = messages.into_iter().chain(more);
    let fields = fields.map(|(name, reducer)| (name.to_owned(), Field::new(reducer)));
    Some(Schema::new(fields.collect()).unwrap())
}

fn with_schema(graph: &str) -> Option<Thread<Json>> {
    let schema = schema(graph)?;
    let values = if graph == "log" { json!({ "log": [], "count": 0 }) } else { json!({}) };
    Some(Thread::new(Some(schema), &values.into()).unwrap())
}

#[test]
fn a_thread_with_a_schema_is_in_sync_too() {
    let all = recordings("langgraph");
    let threads = all.iter().filter_map(|it| Some((it, with_schema(graph(it))?)));
    let folded = threads.map(|(recording, mut thread)| replay(&mut thread, recording)).count();
    assert_eq!(folded, 14);
}

#[test]
fn the_updates_alone_lead_to_the_servers_state() {
    let all = recordings("langgraph");
    for recording in all.iter().filter(|it| !it.name.contains('.')) {
        let Some(mut thread) = with_schema(&recording.name) else { continue };
        let mut folding = Fold::new();
        for turn in &recording.turns {
            thread.update(turn.request["input"].clone().into()).unwrap();
            let is_quiet = |part: &&Value| part["event"] != "values";
            let parts: Vec<Value> = turn.parts.iter().filter(is_quiet).cloned().collect();
            fold(&mut folding, &mut thread, &parts);
            let (own, server) = (Held::confirmed(&mut thread), Held::of(&turn.state["values"]));
            assert_eq!(gists(&own), gists(&server), "{}", recording.name);
            for (name, value) in server.fields.as_object().unwrap() {
                assert_eq!(own.fields[name], *value, "{}: {name}", recording.name);
            }
        }
    }
}

#[test]
fn a_run_replayed_in_part_or_in_full_equals_the_run_folded_once() {
    let is_whole = |it: &&Recording| FAILING.iter().all(|(failing, _)| *failing != graph(it));
    for recording in recordings("langgraph").iter().filter(is_whole) {
        let (mut thread, mut folding) = (empty_thread(), Fold::new());
        for (at, turn) in (1..).zip(&recording.turns) {
            let place = format!("{}, turn {at}", recording.name);
            ask(&mut thread, turn);
            let half = turn.parts.get(..turn.parts.len() / 2).unwrap();
            for parts in [half, &turn.parts, &turn.parts] {
                fold(&mut folding, &mut thread, parts);
                if parts.len() > half.len() {
                    check(&mut thread, graph(recording), at, turn, &place);
                }
            }
        }
    }
}

#[test]
fn a_token_that_was_lost_is_drift() {
    let all = recordings("langgraph");
    let chat = all.iter().find(|it| it.name == "chat.two-modes").unwrap();
    let turn = chat.turns.first().unwrap();
    let is_lost = |part: &&Value| part["data"][0]["content"] == "said ";
    let parts: Vec<Value> = turn.parts.iter().filter(|part| !is_lost(part)).cloned().collect();
    assert_eq!(parts.len(), turn.parts.len() - 1);
    let mut thread = empty_thread();
    let folded = fold(&mut Fold::new(), &mut thread, &parts);
    assert_eq!(folded.drifts.len(), 1);
    assert_eq!(Held::confirmed(&mut thread), Held::of(&turn.state["values"]));
}

/// A message's author, text and calls: every form of a LangChain message has them.
fn gists(held: &Held) -> Vec<Value> {
    let messages = held.messages.as_array().unwrap().iter();
    let call = |call: &Value| json!([call["id"], call["name"], call["args"]]);
    messages
        .map(|message| {
            let calls: Vec<Value> =
                message["tool_calls"].as_array().into_iter().flatten().map(call).collect();
            let content = message["content"].as_str().map(str::to_owned);
            json!([message["id"], message["type"], content, calls, message["tool_call_id"]])
        })
        .collect()
}
