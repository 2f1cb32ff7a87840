//! Checkpoints as databases have them.

use serde_json::{Map, Value};

pub const START: &str = "__start__";
pub const TASKS: &str = "__pregel_tasks";
pub const INPUT: &str = "__input__";
pub const INTERRUPT: &str = "__interrupt__";
pub const RESUME: &str = "__resume__";
pub const ERROR: &str = "__error__";
/// In npm and langgraph.js: a failed task's node, whose error handler is at work. Here the node runs again.
pub const ERROR_SOURCE: &str = "__error_source_node__";
pub const NO_WRITES: &str = "__no_writes__";
pub const BRANCH: &str = "branch:to:";
pub const JOIN: &str = "join:";

/// The key of a checkpoint's metadata that counts a field's updates and steps since its value was
/// kept whole.
pub const COUNTERS: &str = "counters_since_delta_snapshot";

/// The key of an interrupt with the run that is at work on its task with the answer.
pub const RUN: &str = "run";

/// The key of a task's error, or of an interrupt that has its answer, that counts the attempts to continue
/// after the process ended.
pub const KILLED: &str = "attempts";

/// The places of a task's reports on itself.
const PLACES: [(&str, i32); 4] =
    [(ERROR, -1), ("__scheduled__", -2), (INTERRUPT, -3), (RESUME, -4)];

/// Returns the place of a report of a task on itself; none for any other write.
pub fn place_of(channel: &str) -> Option<i32> {
    PLACES.iter().find(|(name, _)| *name == channel).map(|(_, place)| *place)
}

/// An object of JSON.
pub type Object = Map<String, Value>;

/// A checkpoint that is read.
#[derive(Debug, Clone, Default)]
pub struct Row {
    pub id: String,
    pub parent: Option<String>,
    /// Has its `channel_values`.
    pub checkpoint: Object,
    pub metadata: Object,
    /// The writes beside it, by task and place.
    pub writes: Vec<Write>,
}

impl Row {
    /// Returns the versions of its channels.
    pub fn versions(&self) -> impl Iterator<Item = (&String, u64)> {
        let versions = object(&self.checkpoint, "channel_versions");
        versions.map(|(name, version)| (name, version_of(version)))
    }
}

/// A write of a task.
#[derive(Debug, Clone)]
pub struct Write {
    pub task: String,
    pub channel: String,
    pub value: Value,
}

/// The writes of one task, to be put beside a checkpoint.
#[derive(Debug, Clone)]
pub struct TaskWrites {
    pub checkpoint: String,
    pub task: String,
    pub entries: Vec<(String, Value)>,
}

impl TaskWrites {
    /// Returns whether it only reports on its task: then it replaces earlier reports.
    pub fn replaces(&self) -> bool {
        self.entries.iter().all(|(channel, _)| place_of(channel).is_some())
    }

    /// Returns whether it belongs to the step that follows the thread's newest checkpoint. A run reads the
    /// results there and puts only others: if one is there already, another run has put it since. Beside an
    /// older checkpoint, it is another branch's.
    pub fn is_beside(&self, newest: Option<&str>) -> bool {
        newest == Some(&*self.checkpoint)
    }

    /// Returns the writes with their places.
    pub fn placed(&self) -> impl Iterator<Item = (i32, &str, &Value)> {
        (0..).zip(&self.entries).map(|(index, (channel, value))| {
            (place_of(channel).unwrap_or(index), channel.as_str(), value)
        })
    }
}

/// A checkpoint to put.
#[derive(Debug, Clone)]
pub struct NewRow {
    pub id: String,
    pub parent: Option<String>,
    /// Without values.
    pub checkpoint: Object,
    pub values: Object,
    pub metadata: Object,
    /// The channels whose versions are new, with these versions.
    pub fresh: Vec<(String, u64)>,
}

/// Everything that is put at once.
#[derive(Debug, Clone, Default)]
pub struct Put {
    pub row: Option<NewRow>,
    pub writes: Vec<TaskWrites>,
    /// The checkpoint whose tasks the run goes on with, if nobody else does.
    pub claim: Option<Claim>,
}

/// The tasks of a step that a run goes on with.
#[derive(Debug, Clone)]
pub struct Claim {
    pub checkpoint: String,
    /// This run, and the one that it found there.
    pub runs: [Option<String>; 2],
}

impl Claim {
    /// Whether another run has gone on with a task since, by the record of the task's question.
    pub fn is_lost(&self, record: &Value) -> bool {
        let run = record.get(RUN).and_then(Value::as_str);
        run.is_some_and(|run| self.runs.iter().flatten().all(|own| own != run))
    }
}

/// Returns an object's field that is an object.
pub fn object<'a>(of: &'a Object, key: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    of.get(key).and_then(Value::as_object).into_iter().flatten()
}

/// Reads a version: a number, or text that begins with one.
pub fn version_of(value: &Value) -> u64 {
    let text = || {
        let text = value.as_str()?;
        let end = text.find(|digit: char| !digit.is_ascii_digit()).unwrap_or(text.len());
        text.get(..end)?.parse().ok()
    };
    value.as_u64().or_else(text).unwrap_or_default()
}
