//! The least that runs a graph: a log of the nodes that ran, and the host's part of the planner's
//! work.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use threadfold::unstable::planner::{
    Answer, By, Cause, Join, Options, Plan, PlanSpec, PlanState, Run, Status, Task, Writes,
};

/// As `js-tests/unit/graph/recorded/cases.mjs` says.
#[derive(Debug, Clone, Deserialize)]
pub struct Case {
    pub n: Vec<String>,
    pub d: Vec<u32>,
    pub e: Vec<(i64, i64)>,
    pub j: Vec<(Vec<u32>, u32)>,
    pub b: Vec<(i64, Vec<Vec<Target>>)>,
    pub x: Vec<Does>,
    #[serde(rename = "B")]
    pub before: Option<Points>,
    #[serde(rename = "A")]
    pub after: Option<Points>,
    pub o: Vec<Action>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Target {
    Node(i64),
    Send([u32; 1]),
}

#[derive(Debug, Clone, Deserialize)]
pub struct Does {
    g: Option<Vec<Vec<Target>>>,
    u: Option<u32>,
    #[serde(default)]
    f: u32,
    #[serde(default)]
    i: u32,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Points {
    Some(Vec<u32>),
    /// `"*"`.
    All(#[allow(dead_code)] String),
}

#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "Vec<Value>")]
pub enum Action {
    Update(u32),
    In(u64),
    Go(u64, usize),
    Goto(u64, Vec<Target>),
}

impl TryFrom<Vec<Value>> for Action {
    type Error = serde_json::Error;

    fn try_from(mut all: Vec<Value>) -> Result<Self, Self::Error> {
        let what = all.remove(0);
        let all = Value::Array(all);
        Ok(match what.as_str() {
            Some("update") => {
                serde_json::from_value(all).map(|(node,): (u32,)| Self::Update(node))?
            }
            Some("in") => serde_json::from_value(all).map(|(limit,): (u64,)| Self::In(limit))?,
            Some("go") => {
                serde_json::from_value(all).map(|(limit, every)| Self::Go(limit, every))?
            }
            _ => serde_json::from_value(all).map(|(limit, targets)| Self::Goto(limit, targets))?,
        })
    }
}

/// From this size on a node goes nowhere.
const LARGE: usize = 30;

/// The writes of a task.
#[derive(Debug, Clone, Default)]
struct Wrote {
    numbers: Vec<u32>,
    said: Vec<String>,
    /// The values of its Sends.
    brought: Vec<usize>,
}

/// The saved results of a task, besides its checkpoint.
#[derive(Debug, Clone, Default)]
struct Saved {
    wrote: Option<Wrote>,
    answers: Vec<String>,
    is_interrupted: bool,
}

/// A checkpoint, as it is recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub step: i64,
    pub versions: Vec<u64>,
    pub seen: Vec<u64>,
    pub source: &'static str,
}

/// A thread of a case.
pub struct Host<'a> {
    case: &'a Case,
    plan: Arc<Plan>,
    is_python: bool,
    state: Option<PlanState>,
    pub log: Vec<String>,
    input: String,
    sent: Vec<usize>,
    /// As of the last checkpoint: the length of the log, and `sent`.
    last: (usize, Vec<usize>),
    saved: HashMap<(u32, Cause), Saved>,
    null: Option<Wrote>,
    starts: Vec<u32>,
    pub rows: Vec<Row>,
    /// Where langgraph.js has consumed fewer triggers than there were, and goes its own way from then on.
    pub several_triggers_at: Option<usize>,
}

pub fn plan(case: &Case, python: bool) -> Plan {
    let mut names: Vec<(&str, u32)> = case.n.iter().map(String::as_str).zip(0..).collect();
    names.push(("__start__", case.n.len() as u32));
    names.sort_unstable();
    let mut ranks = vec![0; names.len()];
    for (rank, (_, node)) in names.iter().enumerate() {
        ranks[*node as usize] = rank as u32;
    }
    Plan::new(&PlanSpec {
        fields: vec![false],
        defer: (0..case.n.len() as u32).map(|node| case.d.contains(&node)).collect(),
        ranks,
        joins: case.j.iter().map(|(from, to)| Join { from: from.clone(), to: *to }).collect(),
        python,
    })
    .unwrap()
}

impl<'a> Host<'a> {
    pub fn new(case: &'a Case, is_python: bool) -> Self {
        Self {
            case,
            plan: Arc::new(plan(case, is_python)),
            is_python,
            state: None,
            log: Vec::new(),
            input: String::new(),
            sent: Vec::new(),
            last: Default::default(),
            saved: HashMap::new(),
            null: None,
            starts: vec![0; case.n.len()],
            rows: Vec::new(),
            several_triggers_at: None,
        }
    }

    /// Does an action. Returns how it ended.
    pub fn act(&mut self, action: &Action, at: usize) -> &'static str {
        let limit = match action {
            Action::In(limit) | Action::Go(limit, _) | Action::Goto(limit, _) => *limit,
            Action::Update(..) => 0,
        };
        let mut run = self.open(limit);
        self.log.truncate(self.last.0);
        self.sent.clone_from(&self.last.1);
        let mut mapped = HashMap::new();
        let status = match action {
            Action::Update(node) => {
                self.update(&mut run, *node, at);
                return "done";
            }
            Action::In(..) => {
                run.peek();
                self.look_for_several_triggers(&run);
                if let Some(null) = self.null.take() {
                    run.apply(&[By::Input], &Writes::from_iter([&null.numbers])).unwrap();
                }
                self.input = format!("in{at}");
                let status = run.input();
                self.put(&run, "input");
                status
            }
            Action::Go(_, every) => {
                run.peek();
                let asked = run.tasks().iter().map(|task| (task.node, task.cause));
                let asked: Vec<_> = asked
                    .filter(|key| {
                        self.saved.get(key).is_some_and(|saved| {
                            saved.is_interrupted && !(self.is_python && saved.wrote.is_some())
                        })
                    })
                    .collect();
                for key in asked.iter().step_by(*every) {
                    mapped.insert(*key, format!("r{at}"));
                }
                match self.null.clone() {
                    Some(null) => {
                        let status =
                            run.command(&Writes::from_iter([&null.numbers]), true).unwrap();
                        self.take_null(&null);
                        status
                    }
                    None => run.resume(),
                }
            }
            Action::Goto(_, targets) => {
                // In Python those of a command before it count again, until there is a checkpoint.
                let mut wrote = self.null.take().unwrap_or_default();
                wrote.add(self.targets(targets, 0));
                let status =
                    run.command(&Writes::from_iter([&wrote.numbers]), self.is_python).unwrap();
                self.take_null(&wrote);
                if self.is_python {
                    self.null = Some(wrote);
                } else {
                    self.put(&run, "input");
                }
                status
            }
        };
        self.go(&mut run, status, &mut mapped)
    }

    fn open(&self, limit: u64) -> Run {
        let points = |points: &Option<Points>| match points {
            None => Vec::new(),
            Some(Points::All(_)) => (0..self.plan.nodes()).collect(),
            Some(Points::Some(nodes)) => nodes.clone(),
        };
        let options = Options {
            recursion_limit: limit,
            interrupt_before: points(&self.case.before),
            interrupt_after: points(&self.case.after),
        };
        match &self.state {
            None => Run::new(self.plan.clone(), &options),
            Some(state) => Run::open(self.plan.clone(), state.clone(), &options).unwrap(),
        }
    }

    fn go(
        &mut self,
        run: &mut Run,
        mut status: Status,
        mapped: &mut HashMap<(u32, Cause), String>,
    ) -> &'static str {
        loop {
            match status {
                Status::Done => return "done",
                Status::Limit => return "limit",
                Status::InterruptBefore | Status::InterruptAfter => {
                    return if run.peek() == Status::Done { "done" } else { "break" };
                }
                Status::Tasks => {}
            }
            let tasks = run.tasks().to_vec();
            self.look_for_several_triggers(run);
            let keys: Vec<_> = tasks.iter().map(|task| (task.node, task.cause)).collect();
            let answers: Vec<Vec<String>> = keys
                .iter()
                .map(|key| {
                    let saved = self.saved.get(key).map_or(&[][..], |saved| &saved.answers);
                    saved.iter().chain(mapped.get(key)).cloned().collect()
                })
                .collect();
            run.set_answers(answers.iter().map(|all| all.len() as u32), false);
            let (mut failed, mut interrupted) = (false, false);
            for (at, task) in tasks.iter().enumerate() {
                if self.saved.get(&keys[at]).is_some_and(|saved| saved.wrote.is_some()) {
                    continue;
                }
                match self.node(run, at, task, &answers[at]) {
                    Ok(wrote) => self.saved.entry(keys[at]).or_default().wrote = Some(wrote),
                    Err("error") => failed = true,
                    Err(_) => {
                        interrupted = true;
                        self.saved.entry(keys[at]).or_default().is_interrupted = true;
                    }
                }
            }
            if failed || interrupted {
                return if failed { "error" } else { "interrupt" };
            }
            let wrote: Vec<Wrote> =
                keys.iter().map(|key| self.saved[key].wrote.clone().unwrap()).collect();
            let order: Vec<_> = run.order().iter().map(|at| &wrote[*at as usize]).collect();
            self.take(&order);
            status = run.commit(&wrote.iter().map(|wrote| &wrote.numbers).collect()).unwrap();
            self.put(run, "loop");
            mapped.clear();
        }
    }

    fn look_for_several_triggers(&mut self, run: &Run) {
        let several = run.tasks().iter().any(|task| run.triggers(task).count() > 1);
        if several && self.several_triggers_at.is_none() {
            self.several_triggers_at = Some(self.rows.len());
        }
    }

    /// Runs a task.
    fn node(
        &mut self,
        run: &mut Run,
        at: usize,
        task: &Task,
        answers: &[String],
    ) -> Result<Wrote, &'static str> {
        let node = task.node as usize;
        let Some(does) = self.case.x.get(node) else {
            let said = vec![self.input.clone()];
            return Ok(self.edges(-1, Wrote { numbers: vec![0], said, ..Wrote::default() }));
        };
        let own = &self.case.n[node];
        let brought = match task.cause {
            Cause::Push(index) => Some(self.sent[index as usize]),
            _ => None,
        };
        if brought.is_none() {
            self.starts[node] += 1;
            if self.starts[node] <= does.f {
                return Err("error");
            }
        }
        let mut said = brought.map_or(own.clone(), |k| format!("{own}({k})"));
        for _ in 0..does.i {
            match run.interrupt(at as u32) {
                Answer::Saved(index) => {
                    let index = index as usize;
                    said += &format!(":{}", answers[index]);
                    let saved = self.saved.entry((task.node, task.cause)).or_default();
                    if saved.answers.len() <= index {
                        saved.answers.push(answers[index].clone());
                    }
                }
                _ => return Err("interrupt"),
            }
        }
        let size = brought.unwrap_or(self.log.len());
        let mut wrote = Wrote::default();
        if does.u != Some(0) {
            wrote.numbers.push(0);
            wrote.said.push(said);
        }
        if let Some(options) = &does.g {
            wrote.add(self.options(options, size));
        }
        Ok(self.edges(node as i64, wrote))
    }

    /// Adds the writes of a node's edges.
    fn edges(&self, node: i64, mut wrote: Wrote) -> Wrote {
        for (_, to) in self.case.e.iter().filter(|(from, to)| *from == node && *to >= 0) {
            wrote.numbers.push(self.plan.branch(*to as u32));
        }
        for (at, (from, _)) in self.case.j.iter().enumerate() {
            if from.iter().any(|from| i64::from(*from) == node) {
                wrote.numbers.push(self.plan.join(at as u32));
            }
        }
        for (_, options) in self.case.b.iter().filter(|(from, _)| *from == node) {
            let size = self.log.len() + wrote.said.len();
            wrote.add(self.options(options, size));
        }
        wrote
    }

    fn options(&self, options: &[Vec<Target>], size: usize) -> Wrote {
        if size >= LARGE {
            Wrote::default()
        } else {
            self.targets(&options[size % options.len()], size)
        }
    }

    fn targets(&self, targets: &[Target], size: usize) -> Wrote {
        let mut wrote = Wrote::default();
        for target in targets {
            match target {
                Target::Node(node) => {
                    wrote
                        .numbers
                        .extend(u32::try_from(*node).ok().map(|node| self.plan.branch(node)));
                }
                Target::Send([node]) => {
                    wrote.numbers.push(self.plan.send(Some(*node)));
                    wrote.brought.push(2 * size + 1);
                }
            }
        }
        wrote
    }

    /// Takes writes into the state.
    fn take(&mut self, order: &[&Wrote]) {
        self.log.extend(order.iter().flat_map(|wrote| wrote.said.clone()));
        self.sent = order.iter().flat_map(|wrote| wrote.brought.clone()).collect();
    }

    /// Takes a command's writes. They are not a step: without new Sends the present ones stay.
    fn take_null(&mut self, null: &Wrote) {
        if !null.brought.is_empty() {
            self.sent.clone_from(&null.brought);
        }
    }

    fn put(&mut self, run: &Run, source: &'static str) {
        let mut state = run.state();
        let step = state.step;
        let versions = state.channels.iter().map(|channel| channel.version).collect();
        let seen = state.channels.iter().map(|channel| channel.seen).collect();
        self.rows.push(Row { step, versions, seen, source });
        if !self.is_python {
            state.knows_updated = false;
        }
        self.state = Some(state);
        self.last = (self.log.len(), self.sent.clone());
        self.saved.clear();
        self.null = None;
    }

    /// Updates the state as a node, after the writes of finished tasks; Python leaves those out.
    fn update(&mut self, run: &mut Run, node: u32, at: usize) {
        if !self.is_python {
            run.peek();
            let tasks = run.tasks();
            // One that has answers counts as well.
            let wrote = tasks.iter().map(|task| {
                let saved = self.saved.get(&(task.node, task.cause))?;
                saved.wrote.clone().or_else(|| (!saved.answers.is_empty()).then(Wrote::default))
            });
            let wrote: Vec<_> = wrote.collect();
            let order: Vec<_> =
                run.order().iter().filter_map(|at| wrote[*at as usize].as_ref()).collect();
            if !order.is_empty() {
                self.take(&order);
                let done = (0..)
                    .zip(&wrote)
                    .filter_map(|(at, wrote)| Some((By::Task(at), &wrote.as_ref()?.numbers)));
                let (by, numbers): (Vec<_>, Vec<_>) = done.unzip();
                run.apply(&by, &Writes::from_iter(numbers)).unwrap();
            }
        }
        let said = vec![format!("u{at}")];
        let wrote =
            self.edges(i64::from(node), Wrote { numbers: vec![0], said, ..Wrote::default() });
        run.apply(&[By::Node(node)], &Writes::from_iter([&wrote.numbers])).unwrap();
        self.take(&[&wrote]);
        run.advance();
        self.put(run, "update");
    }
}

impl Wrote {
    fn add(&mut self, other: Self) {
        self.numbers.extend(other.numbers);
        self.brought.extend(other.brought);
    }
}
