//! [`Plan`] and [`Run`] for JavaScript. `pkg-template/src/graph/planner.ts` writes and reads the numbers.

use std::sync::Arc;

use wasm_bindgen::prelude::*;

use super::buffer::{Reader, Writer, count, read, whole, write};
use crate::graph::{
    Answer, Breakpoints, By, Cause, Join, Options, Plan, PlanSpec, PlanState, Run, Status, Writes,
};

// What is done, in the order of planner.ts.
const INPUT: u32 = 0;
const RESUME: u32 = 1;
const COMMAND: u32 = 2;
const COMMAND_AND_RESUME: u32 = 3;
const COMMIT: u32 = 4;
const HANDLER: u32 = 5;
const PEEK: u32 = 6;
const APPLY: u32 = 7;
const ADVANCE: u32 = 8;
const LAST_NODE: u32 = 9;
const STATE: u32 = 10;
const ANSWERS: u32 = 11;
const INTERRUPT: u32 = 12;

/// In a list, that it is all nodes.
const ALL: f64 = -1.0;

/// [`Plan`].
#[wasm_bindgen]
pub struct RawPlan(Arc<Plan>);

#[wasm_bindgen]
#[allow(missing_docs)]
impl RawPlan {
    /// Makes a plan of the buffer's numbers; `None` if they are none.
    #[must_use]
    pub fn of(length: usize) -> Option<RawPlan> {
        let spec = read(length, spec)?;
        Plan::new(spec).ok().map(|plan| Self(Arc::new(plan)))
    }

    /// Begins a run; `None` if the buffer's numbers are no state of this plan.
    #[must_use]
    pub fn open(&self, length: usize) -> Option<RawRun> {
        let plan = self.0.clone();
        let (options, state) = read(length, |numbers| {
            let options = options(numbers)?;
            let state = if numbers.is_empty() { None } else { Some(state(numbers)?) };
            Some((options, state))
        })?;
        let run = match state {
            None => Run::new(plan, options),
            Some(state) => Run::open(plan, &state, options).ok()?,
        };
        Some(RawRun { run, writes: Writes::default() })
    }
}

/// [`Run`].
#[wasm_bindgen]
pub struct RawRun {
    run: Run,
    writes: Writes,
}

#[wasm_bindgen]
#[allow(missing_docs)]
impl RawRun {
    /// Does what it is asked with the buffer's numbers, and leaves its answer there. Returns the
    /// length of the answer; 0: the numbers do not fit, and nothing was done.
    pub fn act(&mut self, what: u32, length: usize) -> usize {
        let Self { run, writes } = self;
        let answered = match what {
            INPUT => Some(run.input()),
            RESUME => Some(run.resume()),
            COMMAND | COMMAND_AND_RESUME => {
                read_writes(length, writes);
                run.command(writes, what == COMMAND_AND_RESUME).ok()
            }
            COMMIT => {
                read_writes(length, writes);
                run.commit(writes).ok()
            }
            HANDLER => read(length, |numbers| {
                run.add_handler(numbers.whole()?, numbers.whole()?).ok().map(|_| Status::Tasks)
            }),
            PEEK => Some(run.peek()),
            APPLY => read(length, |numbers| {
                let by: Vec<_> = numbers.list()?.iter().map(|number| writer(*number)).collect();
                read_parts(numbers, writes);
                run.apply(&by, writes).ok().map(|()| Status::Done)
            }),
            ADVANCE => {
                run.advance();
                Some(Status::Done)
            }
            LAST_NODE => return write(|out| out.push(run.last_node().map_or(-1.0, f64::from))),
            STATE => return write(|out| write_state(out, &run.state())),
            ANSWERS => {
                read(length, |numbers| {
                    let shared = numbers.next() > Some(0.0);
                    run.set_answers(numbers.wholes().unwrap_or_default(), shared);
                });
                Some(Status::Done)
            }
            INTERRUPT => {
                let answer =
                    read(length, |numbers| run.interrupt(numbers.whole().unwrap_or(u32::MAX)));
                return write(|out| {
                    out.push(match answer {
                        Answer::Saved(index) => f64::from(index),
                        Answer::Take => -1.0,
                        Answer::None => -2.0,
                    });
                });
            }
            _ => {
                read(length, |numbers| run.restart(numbers.whole().unwrap_or(u32::MAX)));
                Some(Status::Done)
            }
        };
        answered.map_or(0, |status| write(|out| write_step(out, run, status)))
    }
}

/// A writer: a task from 0 on, a node as which somebody writes from -2 down, or the input at -1.
fn writer(number: f64) -> By {
    if number >= 0.0 {
        By::Task(whole(number))
    } else if number > -2.0 {
        By::Input
    } else {
        By::Node(whole(-2.0 - number))
    }
}

fn read_writes(length: usize, writes: &mut Writes) {
    read(length, |numbers| read_parts(numbers, writes));
}

/// Reads each task's writes: how many, and the numbers.
fn read_parts(numbers: &mut Reader<'_>, writes: &mut Writes) {
    writes.clear();
    while let Some(length) = numbers.whole() {
        for _ in 0..length {
            // Too few: what is not there is no channel.
            let Some(write) = numbers.whole() else {
                writes.push(u32::MAX);
                break;
            };
            writes.push(write);
        }
        writes.end();
    }
}

fn spec(numbers: &mut Reader<'_>) -> Option<PlanSpec> {
    let flags = |list: &[f64]| list.iter().map(|flag| *flag > 0.0).collect();
    let mut spec = PlanSpec {
        python: numbers.next()? > 0.0,
        fields: flags(numbers.list()?),
        defer: flags(numbers.list()?),
        ranks: numbers.wholes()?,
        joins: Vec::new(),
    };
    while let Some(to) = numbers.whole() {
        spec.joins.push(Join { to, from: numbers.wholes()? });
    }
    Some(spec)
}

fn options(numbers: &mut Reader<'_>) -> Option<Options> {
    Some(Options {
        recursion_limit: version(numbers.next()?),
        interrupt_before: breakpoints(numbers)?,
        interrupt_after: breakpoints(numbers)?,
    })
}

fn breakpoints(numbers: &mut Reader<'_>) -> Option<Breakpoints> {
    let nodes = numbers.list()?;
    if nodes.first() == Some(&ALL) {
        return Some(Breakpoints::All);
    }
    Some(Breakpoints::at(nodes.iter().map(|node| whole(*node))))
}

fn state(numbers: &mut Reader<'_>) -> Option<PlanState> {
    let versions = |list: &[f64]| list.iter().map(|number| version(*number)).collect();
    let mut state = PlanState {
        step: signed(numbers.next()?),
        floor: version(numbers.next()?),
        versions: versions(numbers.list()?),
        seen: versions(numbers.list()?),
        breakpoints: versions(numbers.list()?),
        held: numbers.wholes()?,
        finished: numbers.wholes()?,
        sends: numbers.list()?.iter().map(|node| (*node >= 0.0).then(|| whole(*node))).collect(),
        updated: None,
        joins: Vec::new(),
    };
    if numbers.next()? > 0.0 {
        state.updated = Some(numbers.wholes()?);
    }
    while !numbers.is_empty() {
        state.joins.push(numbers.wholes()?);
    }
    Some(state)
}

fn write_state(out: &mut Writer<'_>, state: &PlanState) {
    out.push(wide_signed(state.step));
    out.push(wide(state.floor));
    for versions in [&state.versions, &state.seen, &state.breakpoints] {
        out.list(versions.iter().map(|version| wide(*version)));
    }
    for channels in [&state.held, &state.finished] {
        out.list(channels.iter().map(|channel| f64::from(*channel)));
    }
    out.list(state.sends.iter().map(|node| node.map_or(-1.0, f64::from)));
    out.push(f64::from(u8::from(state.updated.is_some())));
    for list in state.updated.iter().chain(&state.joins) {
        out.list(list.iter().map(|number| f64::from(*number)));
    }
}

/// Writes the status, the step, and of tasks and cleared fields how many; then the tasks, their order
/// and the fields.
fn write_step(out: &mut Writer<'_>, run: &Run, status: Status) {
    let (tasks, cleared) = (run.tasks(), run.cleared());
    out.push(match status {
        Status::Tasks => 0.0,
        Status::Done => 1.0,
        Status::Limit => 2.0,
        Status::InterruptBefore => 3.0,
        Status::InterruptAfter => 4.0,
    });
    out.push(wide_signed(run.step()));
    out.push(count(tasks.list().len()));
    out.push(count(cleared.len()));
    for task in tasks.list() {
        out.push(f64::from(task.node));
        out.push(match task.cause {
            Cause::Pull => -1.0,
            Cause::Push(index) => f64::from(index),
            Cause::Error(failed) => -2.0 - f64::from(failed),
        });
        out.list(tasks.triggers(task).iter().map(|trigger| f64::from(*trigger)));
    }
    for number in tasks.order().iter().chain(cleared) {
        out.push(f64::from(*number));
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Saturates.
fn version(number: f64) -> u64 {
    number as u64
}

#[allow(clippy::cast_possible_truncation)] // Saturates.
fn signed(number: f64) -> i64 {
    number as i64
}

#[allow(clippy::cast_precision_loss)] // JavaScript counts no further.
fn wide(version: u64) -> f64 {
    version as f64
}

#[allow(clippy::cast_precision_loss)] // JavaScript counts no further.
fn wide_signed(step: i64) -> f64 {
    step as f64
}
