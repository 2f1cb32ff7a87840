//! Random streams of AG-UI lead to the threads that the package comes to, which
//! `js-tests/unit/ag-ui/fold-events.mjs` records.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use threadfold::ag_ui::{Event, Fold};
use threadfold::{Json, Thread};

use super::recording::empty_thread;

/// Names the ids that are made anew each time by their first place in the text.
fn with_names(value: &Value) -> Value {
    let mut text = value.to_string();
    let made = |text: &str| {
        let words = text.split(|sign: char| !(sign.is_ascii_hexdigit() || sign == '-'));
        let is_made = |id: &&str| {
            uuid::Uuid::parse_str(id).is_ok_and(|it| id.len() == 36 && it.get_version_num() == 4)
        };
        words.into_iter().find(is_made).map(str::to_owned)
    };
    for number in 0.. {
        let Some(id) = made(&text) else { break };
        text = text.replace(&id, &format!("new {number}"));
    }
    serde_json::from_str(&text).unwrap()
}

fn seen(thread: &mut Thread<Json>, refused: &[usize]) -> Value {
    let run = thread.run();
    let mut standing = json!({ "status": run.status.to_string() });
    if let Some(interrupts) = run.interrupts {
        standing["interrupts"] = interrupts.try_into().unwrap();
    }
    let state: Value = thread.confirmed().try_into().unwrap();
    let incomplete: Value = thread.incomplete_ids().try_into().unwrap();
    json!({ "state": state, "incomplete": incomplete, "run": standing, "refused": refused })
}

#[test]
fn random_streams_lead_to_the_threads_of_the_package() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("js-tests/unit/ag-ui/fold-events.json");
    let cases: Vec<Value> = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let (mut runs, mut events) = (0, 0);
    for case in &cases {
        let (mut thread, mut fold) = (empty_thread(), Fold::new());
        let mut threads = Vec::new();
        for run in case["runs"].as_array().unwrap() {
            let refused = fold_run(&mut thread, &mut fold, run);
            threads.push(seen(&mut thread, &refused));
            events += run.as_array().unwrap().len();
            runs += 1;
        }
        assert_eq!(with_names(&threads.into()), case["threads"], "{}", case["runs"]);
    }
    println!("AG-UI: {} random streams, {runs} runs, {events} events, 0 differences", cases.len());
    assert!(cases.len() >= 100);
}

/// Folds a run. Returns the positions of the events that are refused by their own names.
fn fold_run(thread: &mut Thread<Json>, fold: &mut Fold, run: &Value) -> Vec<usize> {
    let mut refused = Vec::new();
    for (at, event) in run.as_array().unwrap().iter().enumerate() {
        let event = Event::try_from(Json::from(event.clone())).unwrap();
        let name = event.event_type();
        let stands_for_others = name.ends_with("_CHUNK") || name.starts_with("THINKING_");
        let is_named = !stands_for_others && !["TOOL_CALL_START", "STATE_DELTA"].contains(&name);
        if fold.event(thread, &event).is_err() && is_named {
            refused.push(at);
        }
    }
    fold.finish(thread);
    refused
}
