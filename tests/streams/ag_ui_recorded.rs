//! Recorded runs of an AG-UI server, folded: at the end of each the thread equals the server's state,
//! as in `js-tests/peers/recorded/ag-ui.test.ts`.

use serde_json::{Value, json};
use threadfold::ag_ui::{Event, Fold};
use threadfold::{Json, Thread};

use super::recording::{
    Held, Turn, adds, assert_all_kept, assert_in_sync, empty_thread, recordings,
};

/// The turns that end in an error, that change an answer streamed whole, and that remove the user's
/// message: see `js-tests/hosts/servers/scenarios.mjs`.
const FAILING: [(&str, &[usize]); 2] = [("fail", &[1]), ("remove_unknown", &[1, 2])];
const CHANGED: [(&str, &[usize]); 1] = [("redact", &[1, 2])];
const TAKEN_BACK: [(&str, &[usize]); 1] = [("clear", &[2])];

fn is_one(table: &[(&str, &[usize])], name: &str, turn: usize) -> bool {
    table.iter().any(|(own, turns)| *own == name && turns.contains(&turn))
}

/// The message that the user adds before a run.
fn question(turn: &Turn) -> Option<Value> {
    let asks = turn.request["resume"].is_null();
    turn.request["messages"].as_array()?.last().filter(|_| asks).cloned()
}

fn ask(thread: &mut Thread<Json>, turn: &Turn) {
    if let Some(message) = question(turn) {
        thread.optimistic(adds(&[message])).unwrap();
    }
}

fn server(turn: &Turn) -> Option<Held> {
    let state = &turn.state;
    let refused = state.get("refused").is_some();
    let fields = Held::of(&state["values"]).fields;
    (!refused).then(|| Held { messages: state["messages"].clone(), fields })
}

/// Folds parts. Returns the drifts.
fn fold(fold: &mut Fold, thread: &mut Thread<Json>, parts: &[Value]) -> Vec<Json> {
    let mut drifts = Vec::new();
    for part in parts {
        let event = Event::try_from(Json::from(part["data"].clone())).unwrap();
        drifts.extend(fold.event(thread, &event).unwrap().drift);
    }
    fold.finish(thread);
    drifts
}

fn check(thread: &mut Thread<Json>, name: &str, at: usize, turn: &Turn, drifts: &[Json]) {
    let place = format!("{name}, turn {at}: {drifts:?}");
    let drifts = drifts.len();
    let expected = if is_one(&CHANGED, name, at) { drifts.max(1) } else { 0 };
    let expected = if is_one(&TAKEN_BACK, name, at) { 1 } else { expected };
    assert_eq!(drifts, expected, "{place}");
    assert_in_sync(thread, &server(turn).unwrap(), &place);
}

#[test]
fn the_thread_is_in_sync_after_each_recorded_run() {
    let (mut runs, mut events) = (0, 0);
    let all = recordings("ag-ui");
    for recording in &all {
        let (mut thread, mut folding) = (empty_thread(), Fold::new());
        for (at, turn) in (1..).zip(&recording.turns) {
            let before = Held::confirmed(&mut thread);
            ask(&mut thread, turn);
            let drifts = fold(&mut folding, &mut thread, &turn.parts);
            if is_one(&FAILING, &recording.name, at) {
                let place = format!("{}, turn {at}", recording.name);
                assert_all_kept(&mut thread, server(turn).as_ref(), &before, &place);
            } else {
                check(&mut thread, &recording.name, at, turn, &drifts);
            }
            runs += 1;
            events += turn.parts.len();
        }
    }
    println!("AG-UI: {} recordings, {runs} runs, {events} events folded, 0 differences", all.len());
    assert_eq!((all.len(), runs), (13, 27));
}

#[test]
fn a_run_replayed_in_part_or_in_full_equals_the_run_folded_once() {
    let is_whole = |name: &str| FAILING.iter().all(|(failing, _)| *failing != name);
    for recording in recordings("ag-ui").iter().filter(|it| is_whole(&it.name)) {
        let (mut thread, mut folding) = (empty_thread(), Fold::new());
        for (at, turn) in (1..).zip(&recording.turns) {
            ask(&mut thread, turn);
            let half = turn.parts.get(..turn.parts.len() / 2).unwrap();
            let mut drifts = fold(&mut folding, &mut thread, half);
            drifts.extend(fold(&mut folding, &mut thread, &turn.parts));
            check(&mut thread, &recording.name, at, turn, &drifts);
            // It has ended: only the caller knows that it is the same one once more.
            folding.join(true);
            let drifts = fold(&mut folding, &mut thread, &turn.parts);
            check(&mut thread, &recording.name, at, turn, &drifts);
        }
    }
}

#[test]
fn the_stream_alone_has_all_messages() {
    let names = ["chat", "todos", "parallel", "files", "log"];
    for recording in recordings("ag-ui").iter().filter(|it| names.contains(&&*it.name)) {
        let (mut thread, mut folding) = (empty_thread(), Fold::new());
        for turn in &recording.turns {
            thread.update(adds(&[question(turn).unwrap()])).unwrap();
            let is_snapshot = |part: &&Value| part["data"]["type"] == "MESSAGES_SNAPSHOT";
            let parts: Vec<Value> =
                turn.parts.iter().filter(|part| !is_snapshot(part)).cloned().collect();
            fold(&mut folding, &mut thread, &parts);
            let words = |held: &Held| -> Vec<Value> {
                held.messages.as_array().unwrap().iter().map(gist).collect()
            };
            let confirmed = Held::confirmed(&mut thread);
            assert_eq!(words(&confirmed), words(&server(turn).unwrap()), "{}", recording.name);
        }
    }
}

/// A message without its id, which a result gets anew in a snapshot, and with its calls' arguments as
/// values.
fn gist(message: &Value) -> Value {
    let calls = message["toolCalls"].as_array().into_iter().flatten().map(|call| {
        let arguments = call["function"]["arguments"].as_str().unwrap();
        let arguments: Value = serde_json::from_str(arguments).unwrap();
        json!([call["id"], call["function"]["name"], arguments])
    });
    let content = message["content"].as_str().unwrap_or_default();
    let calls: Vec<Value> = calls.collect();
    json!({ "role": message["role"], "content": content, "calls": calls, "for": message["toolCallId"] })
}
