//! Ids as langgraph.js makes them.

use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::json;
use threadfold::unstable::checkpoint::{Naming, PlannedTask};
use threadfold::unstable::planner::Cause;
use uuid::{Timestamp, Uuid};
use xxhash_rust::xxh3::xxh3_128;

/// The task of a caller's writes.
pub const CALLER: &str = "00000000-0000-0000-0000-000000000000";

/// From October 1582, when the calendar of uuids begins, to 1970, in tenths of microseconds.
const BEGINNING: u64 = 0x01b2_1dd2_1381_4000;

/// Makes LangGraph's ids.
#[derive(Debug, Default)]
pub struct Ids {
    /// The newest time of an id.
    last: Mutex<u64>,
}

impl Naming for Ids {
    fn checkpoint(&self, last: Option<&str>, step: i64) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = u64::try_from(now.as_nanos() / 100).unwrap_or(u64::MAX).saturating_add(BEGINNING);
        // Another machine's clock may be ahead.
        let known = last.and_then(time_of).unwrap_or_default();
        let mut newest = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let ticks = now.max(newest.saturating_add(1)).max(known.saturating_add(1));
        *newest = ticks;
        let sequence = u16::try_from(step.clamp(0, 0x3fff)).unwrap_or_default();
        let node = Uuid::new_v4().into_bytes().first_chunk().copied().unwrap_or_default();
        Uuid::new_v6(Timestamp::from_gregorian_time(ticks, sequence), &node).to_string()
    }

    fn interrupt(&self, task: &PlannedTask<'_>, answers: usize) -> String {
        interrupt_id(&place_of(task), answers)
    }
}

/// Returns the time of a uuid6, in tenths of microseconds since 1582.
fn time_of(id: &str) -> Option<u64> {
    let id = Uuid::parse_str(id).ok().filter(|id| id.get_version_num() == 6)?;
    Some(id.get_timestamp()?.to_gregorian().0)
}

/// Returns LangGraph's id of a task: the same whenever it is planned after the same checkpoint.
pub fn task_id(task: &PlannedTask<'_>) -> String {
    let node = task.names.node(task.node).unwrap_or_default();
    let step = task.step.to_string();
    let name = if let Cause::Push(index) = task.cause {
        json!([node, step, node, "__pregel_push", index.to_string()])
    } else {
        let trigger = task.names.channel(task.trigger).unwrap_or_default();
        json!([node, step, node, "__pregel_pull", [trigger]])
    };
    named(&name.to_string(), task.checkpoint)
}

/// Returns the id of the task of an update from outside.
pub fn update_id(checkpoint: &str) -> String {
    named("__interrupt__", checkpoint)
}

fn named(name: &str, checkpoint: &str) -> String {
    let namespace = Uuid::parse_str(checkpoint).unwrap_or_default();
    Uuid::new_v5(&namespace, name.as_bytes()).to_string()
}

/// Returns a task's namespace.
pub fn place_of(task: &PlannedTask<'_>) -> String {
    format!("{}:{}", task.names.node(task.node).unwrap_or_default(), task_id(task))
}

/// Returns the id of the interrupt after so many answers of the task in this namespace.
pub fn interrupt_id(place: &str, answers: usize) -> String {
    let hash = match answers {
        0 => xxh3_128(place.as_bytes()),
        _ => xxh3_128(format!("{place}|{answers}").as_bytes()),
    };
    format!("{hash:032x}")
}
