//! [`Plan`] and [`Run`] for JavaScript. `pkg-template/src/graph/planner.ts` writes and reads the numbers.

use std::sync::Arc;

use wasm_bindgen::prelude::*;

use super::buffer::{Reader, Writer, count, read, whole, write};
use threadfold::unstable::planner::{
    Answer, By, Cause, ChannelState, Join, Options, Plan, PlanSpec, PlanState, Run, Status, Writes,
};

// The operations, in the order of planner.ts.
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
const RESTART: u32 = 13;
const OPEN: u32 = 14;
const START: u32 = 15;

/// [`Plan`].
#[wasm_bindgen]
pub struct RawPlan(Arc<Plan>);

#[wasm_bindgen]
#[allow(missing_docs)]
impl RawPlan {
    /// Makes a plan of the buffer's numbers; `None` if they are invalid.
    #[must_use]
    pub fn of(length: usize) -> Option<RawPlan> {
        Plan::new(&read(length, spec)).ok().map(|plan| Self(Arc::new(plan)))
    }

    /// Makes a run, which must be opened.
    #[must_use]
    pub fn run(&self) -> RawRun {
        RawRun { plan: self.0.clone(), run: Run::default(), writes: Writes::default() }
    }
}

/// Begins a run; `None` if the buffer's numbers do not describe a state of this plan.
#[inline(never)] // Smaller.
fn open(plan: &Arc<Plan>, numbers: &mut Reader<'_>) -> Option<Run> {
    let plan = plan.clone();
    let options = Options {
        recursion_limit: version(numbers.next()),
        interrupt_before: numbers.wholes(),
        interrupt_after: numbers.wholes(),
    };
    if numbers.is_empty() {
        return Some(Run::new(plan, &options));
    }
    Run::open(plan, state(numbers), &options).ok()
}

/// [`Run`]; one that has ended may begin again, which is cheaper than another JavaScript object.
#[wasm_bindgen]
pub struct RawRun {
    plan: Arc<Plan>,
    run: Run,
    writes: Writes,
}

#[wasm_bindgen]
#[allow(missing_docs)]
impl RawRun {
    /// Carries out a request with the buffer's numbers, and leaves its answer there. Returns the
    /// length of the answer; 0: the numbers do not fit, and nothing was done.
    pub fn act(&mut self, what: u32, length: usize) -> usize {
        if what == COMMIT { self.commit(length) } else { self.act_seldom(what, length) }
    }
}

impl RawRun {
    /// Ends a step. It is alone, so that V8 reads and compiles little code for what each step does.
    #[inline(never)]
    fn commit(&mut self, length: usize) -> usize {
        let Self { run, writes, .. } = self;
        read(length, |numbers| read_writes(numbers, writes));
        run.commit(writes).map_or(0, |status| write(|out| write_step(out, run, status)))
    }

    #[inline(never)]
    fn act_seldom(&mut self, what: u32, length: usize) -> usize {
        let Self { plan, run, writes } = self;
        let done = read(length, |numbers| {
            Some(match what {
                INPUT => run.input(),
                START => {
                    read_writes(numbers, writes);
                    run.start(writes).ok()?
                }
                RESUME => run.resume(),
                COMMAND | COMMAND_AND_RESUME => {
                    read_writes(numbers, writes);
                    run.command(writes, what == COMMAND_AND_RESUME).ok()?
                }
                HANDLER => run
                    .add_handler(numbers.whole(), numbers.whole())
                    .ok()
                    .map(|()| Status::Tasks)?,
                PEEK => run.peek(),
                APPLY => {
                    let length = numbers.length();
                    let by: Vec<_> = (0..length).map(|_| writer(numbers.next())).collect();
                    read_writes(numbers, writes);
                    run.apply(&by, writes).ok().map(|()| Status::Done)?
                }
                _ => {
                    match what {
                        OPEN => {
                            let mut ended = std::mem::replace(run, open(plan, numbers)?);
                            run.take_room(&mut ended);
                        }
                        ADVANCE => run.advance(),
                        ANSWERS => {
                            let has_answer = numbers.next() > 0.0;
                            run.set_answers(numbers.wholes(), has_answer);
                        }
                        RESTART => run.restart(numbers.whole()),
                        _ => {}
                    }
                    Status::Done
                }
            })
        });
        let Some(status) = done else { return 0 };
        match what {
            STATE => write(|out| write_state(out, run.state_now())),
            LAST_NODE => write(|out| out.push(run.last_node().map_or(-1.0, f64::from))),
            INTERRUPT => {
                #[allow(clippy::redundant_closure_for_method_calls)] // Its lifetime.
                let task = read(length, |numbers| numbers.whole());
                let answer = match run.interrupt(task) {
                    Answer::Saved(index) => f64::from(index),
                    Answer::Take => -1.0,
                    Answer::None => -2.0,
                };
                write(|out| out.push(answer))
            }
            _ => write(|out| write_step(out, run, status)),
        }
    }
}

/// A writer: a task from 0 on, an update as a node from -2 down, or the input at -1.
fn writer(number: f64) -> By {
    if number >= 0.0 {
        By::Task(whole(number))
    } else if number > -2.0 {
        By::Input
    } else {
        By::Node(whole(-2.0 - number))
    }
}

/// Reads each task's writes: how many, and the numbers.
#[inline(never)] // Smaller.
fn read_writes(numbers: &mut Reader<'_>, writes: &mut Writes) {
    writes.clear();
    while !numbers.is_empty() {
        for _ in 0..numbers.length() {
            writes.push(numbers.whole());
        }
        writes.end();
    }
}

#[inline(never)] // Smaller.
fn spec(numbers: &mut Reader<'_>) -> PlanSpec {
    let flags = |list: Vec<u32>| list.iter().map(|flag| *flag > 0).collect();
    let mut spec = PlanSpec {
        python: numbers.next() > 0.0,
        fields: flags(numbers.wholes()),
        defer: flags(numbers.wholes()),
        ranks: numbers.wholes(),
        joins: Vec::new(),
    };
    while !numbers.is_empty() {
        spec.joins.push(Join { to: numbers.whole(), from: numbers.wholes() });
    }
    spec
}

// The flags of a channel, in a state.
const HELD: u32 = 1;
const FINISHED: u32 = 2;
const UPDATED: u32 = 4;

#[inline(never)] // Smaller.
fn state(numbers: &mut Reader<'_>) -> PlanState {
    let mut state = PlanState {
        step: signed(numbers.next()),
        highest: version(numbers.next()),
        knows_updated: numbers.next() > 0.0,
        sends: numbers.wholes(),
        ..PlanState::default()
    };
    for _ in 0..numbers.length() / 2 {
        state.arrived.push((numbers.whole(), numbers.whole()));
    }
    while !numbers.is_empty() {
        let mut channel = ChannelState::default();
        channel.version = version(numbers.next());
        channel.seen = version(numbers.next());
        channel.passed = version(numbers.next());
        let flags = numbers.whole();
        channel.is_held = flags & HELD != 0;
        channel.is_finished = flags & FINISHED != 0;
        channel.is_updated = flags & UPDATED != 0;
        state.channels.push(channel);
    }
    state
}

#[inline(never)] // Smaller.
fn write_state(out: &mut Writer<'_>, state: &PlanState) {
    out.push(wide_signed(state.step.saturating_sub(1)));
    out.push(wide(state.highest));
    out.push(f64::from(u8::from(state.knows_updated)));
    out.push(count(state.sends.len()));
    for node in &state.sends {
        out.push(f64::from(*node));
    }
    out.push(count(2 * state.arrived.len()));
    for (join, node) in &state.arrived {
        out.push(f64::from(*join));
        out.push(f64::from(*node));
    }
    for channel in &state.channels {
        for version in [channel.version, channel.seen, channel.passed] {
            out.push(wide(version));
        }
        let flags = [channel.is_held, channel.is_finished, channel.is_updated];
        out.push(
            flags
                .iter()
                .zip([HELD, FINISHED, UPDATED])
                .filter(|(is_set, _)| **is_set)
                .map(|(_, flag)| f64::from(flag))
                .sum(),
        );
    }
}

/// Writes the status, the step, and of tasks and cleared fields how many; then the tasks, their order
/// and the fields.
#[inline(never)] // Smaller.
fn write_step(out: &mut Writer<'_>, run: &Run, status: Status) {
    out.push(match status {
        Status::Tasks => 0.0,
        Status::Done => 1.0,
        Status::Limit => 2.0,
        Status::InterruptBefore => 3.0,
        Status::InterruptAfter => 4.0,
    });
    out.push(wide_signed(run.step()));
    out.push(count(run.tasks().len()));
    out.push(count(run.cleared().len()));
    for task in run.tasks() {
        out.push(f64::from(task.node));
        out.push(match task.cause {
            Cause::Pull => -1.0,
            Cause::Push(index) => f64::from(index),
            Cause::Error(failed) => -2.0 - f64::from(failed),
        });
        out.push(count(run.triggers(task).count()));
        for trigger in run.triggers(task) {
            out.push(f64::from(trigger));
        }
    }
    for number in run.order().iter().chain(run.cleared()) {
        out.push(f64::from(*number));
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Saturates.
#[inline(never)] // Smaller.
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
