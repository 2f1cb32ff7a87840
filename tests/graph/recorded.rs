//! The answers of langgraph.js and langgraph for Python, as `js-tests/unit/graph/recorded` recorded
//! them.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::host::{Case, Host, Row};

fn read(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("js-tests/peers/conformance/records");
    fs::read_to_string(folder.join(name)).unwrap()
}

fn cases() -> Vec<(Case, Value)> {
    read("graphs-js.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// `[version, channel, …]` for each version that is new.
fn changes(before: &[u64], now: &[u64]) -> Value {
    let mut all: Vec<Vec<u64>> = Vec::new();
    for (at, version) in
        now.iter().enumerate().filter(|(at, version)| before.get(*at) != Some(version))
    {
        match all.iter_mut().find(|places| places[0] == *version) {
            Some(places) => places.push(at as u64),
            None => all.push(vec![*version, at as u64]),
        }
    }
    all.sort_by_key(|places| places[0]);
    all.into()
}

/// A checkpoint, as it is recorded after another.
fn row(before: Option<&Row>, row: &Row) -> Value {
    let none = vec![0; row.versions.len()];
    let (versions, seen) = before.map_or((&none, &none), |before| (&before.versions, &before.seen));
    let mut all = vec![row.step.into(), changes(versions, &row.versions), changes(seen, &row.seen)];
    if row.source != "loop" {
        all.push(row.source.into());
    }
    all.into()
}

/// The result of a case.
#[derive(Debug)]
enum Compared {
    Same,
    /// The same, up to where langgraph.js consumes only the first of several triggers.
    SameUntilSeveralTriggers,
    Different(String),
}

fn compare(case: &Case, answers: &[Value], is_python: bool) -> Compared {
    let mut host = Host::new(case, is_python);
    let (mut rows, mut said) = (0, 0);
    for (at, (action, answer)) in case.o.iter().zip(answers).enumerate() {
        let outcome = host.act(action, at);
        let end = host.several_triggers_at.filter(|_| !is_python).unwrap_or(usize::MAX);
        let all = rows..host.rows.len();
        let new = all.map(|at| row(at.checked_sub(1).map(|at| &host.rows[at]), &host.rows[at]));
        let new: Vec<_> = new.collect();
        if end < host.rows.len() {
            let until = end - rows;
            let theirs = answer[2].as_array().unwrap();
            if new[..until] == theirs[..until.min(theirs.len())] {
                return Compared::SameUntilSeveralTriggers;
            }
        }
        let log = &host.log[if new.is_empty() { host.log.len() } else { said }..];
        let ours = json!([outcome, log, new]);
        if ours != *answer {
            return Compared::Different(format!("action {at}: ours, theirs\n  {ours}\n  {answer}"));
        }
        if !new.is_empty() {
            said = host.log.len();
        }
        rows = host.rows.len();
    }
    Compared::Same
}

/// Compares all cases with the recorded answers. Returns how many go the whole way.
fn compare_all<'a>(
    answered: impl Iterator<Item = (&'a Case, &'a Value)>,
    is_python: bool,
) -> usize {
    let (mut same, mut different) = (0, Vec::new());
    for (at, (case, answers)) in answered.enumerate() {
        match compare(case, answers.as_array().unwrap(), is_python) {
            Compared::Same => same += 1,
            Compared::SameUntilSeveralTriggers => {}
            Compared::Different(how) => different.push(format!("case {}, {how}", at + 1)),
        }
    }
    assert!(
        different.is_empty(),
        "{} differ, {same} do not\n{}",
        different.len(),
        different[..different.len().min(9)].join("\n")
    );
    same
}

#[test]
fn langgraph_js_answers_the_same() {
    let cases = cases();
    let same = compare_all(cases.iter().map(|(case, answers)| (case, answers)), false);
    assert!(same >= 1_000, "{same}");
}

#[test]
fn langgraph_for_python_answers_the_same() {
    let answers: Vec<Value> = serde_json::from_str(&read("graphs.json")).unwrap();
    let same = compare_all(cases().iter().map(|(case, _)| case).zip(&answers), true);
    assert!(same >= 600, "{same}");
}
