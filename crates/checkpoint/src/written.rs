//! A checkpoint of a graph, written as LangGraph's rows.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::SystemTime;

use serde::Serialize;
use serde_json::{Value, json};
use threadfold::State;
use threadfold::graph::{BoxError, Checkpoint, Delta, Interrupt};
use threadfold::reducer::kind::FieldKind;
use threadfold::unstable::checkpoint::{
    Answered, Ended, Finished, Names, Pending, PlannedTask, Source, TaskError,
};
use threadfold::unstable::planner::{Cause, Channel, ChannelState, Node};

use crate::channels::{channel_count, numbered, target};
use crate::fields::some_fields;
use crate::ids::{task_id, update_id};
use crate::known::{Counter, Known};
use crate::messages::to_records;
use crate::row::{
    COUNTERS, Claim, ERROR, INPUT, INTERRUPT, JOIN, KILLED, NO_WRITES, NewRow, Object, Put, RESUME,
    RUN, START, TASKS, TaskWrites,
};

/// The number of steps that reading may walk back.
const MOST_STEPS: u64 = 5_000;

/// The fields that are kept as deltas, and after how many updates each is kept whole.
pub type Deltas = HashMap<String, u64>;

/// Writes a checkpoint that follows `parent`.
pub fn written<S>(
    checkpoint: &Checkpoint<S>,
    parent: Option<&Known>,
    deltas: &Deltas,
) -> Result<(Put, Known), BoxError>
where
    S: State + Serialize,
    S::Update: Serialize,
{
    let Checkpoint { state, delta } = checkpoint;
    let write = Write { delta, parent };
    let pending = write.pending()?;
    if delta.source == Source::Stop {
        let mut known = parent.cloned().unwrap_or_default();
        known.written.extend(channels_of(&pending));
        let claim = delta.pending.iter().any(Pending::is_at_work).then(|| Claim {
            checkpoint: delta.id.clone(),
            runs: [delta.run_id.clone(), delta.follows_run.clone()],
        });
        return Ok((Put { row: None, writes: pending, claim }, known));
    }
    let mut writes = write.ended()?;
    let (row, mut known) = write.row(state, deltas, &writes)?;
    known.written.extend(channels_of(&pending));
    writes.extend(pending);
    Ok((Put { row: Some(row), writes, claim: None }, known))
}

fn channels_of(writes: &[TaskWrites]) -> impl Iterator<Item = String> {
    writes.iter().flat_map(|own| &own.entries).map(|(channel, _)| channel.clone())
}

struct Write<'a, S: State> {
    delta: &'a Delta<S>,
    parent: Option<&'a Known>,
}

impl<S> Write<'_, S>
where
    S: State + Serialize,
    S::Update: Serialize,
{
    fn names(&self) -> &Names {
        &self.delta.names
    }

    fn channel(&self, channel: Channel) -> ChannelState {
        self.delta.plan.channels.get(channel as usize).copied().unwrap_or_default()
    }

    /// The number of the channel `__start__`; `__pregel_tasks` and the branches follow.
    fn start(&self) -> Channel {
        u32::try_from(self.names().fields.len()).unwrap_or(u32::MAX)
    }

    fn is_deferred(&self, node: &str) -> bool {
        let mut deferred = self.names().deferred.iter();
        deferred.any(|number| self.names().node(*number) == Some(node))
    }

    /// Writes the checkpoint itself.
    fn row(
        &self,
        state: &S,
        deltas: &Deltas,
        writes: &[TaskWrites],
    ) -> Result<(NewRow, Known), BoxError> {
        let delta = self.delta;
        let counters = self.counters(deltas, writes);
        let mut values = self.fields(state, &counters)?;
        let mut versions = self.versions(&values, &counters);
        self.controls(&mut values)?;
        let seen = self.seen();
        let before = |name: &str| self.parent.map_or(0, |parent| parent.version(name));
        let is_fork = delta.source == Source::Fork;
        if is_fork {
            // Older than its parent's newest versions, it is the newest checkpoint: the next branch
            // counts its versions from here.
            versions.insert(TASKS.to_owned(), delta.plan.highest);
        }
        // A field that the parent kept as a delta has no value of its version yet.
        let was_delta = |name: &str| self.parent.is_some_and(|own| own.counters.contains_key(name));
        let is_fresh = |name: &str, version: u64| {
            is_fork || version != before(name) || was_delta(name) && values.contains_key(name)
        };
        let fresh = versions.iter().filter(|(name, version)| is_fresh(name, **version));
        let fresh = fresh.map(|(name, version)| (name.clone(), *version)).collect();
        let time = humantime::format_rfc3339_millis(SystemTime::now()).to_string();
        let checkpoint = object_of([
            ("v", json!(4)),
            ("id", json!(delta.id)),
            ("ts", json!(time)),
            ("channel_versions", json!(versions)),
            ("versions_seen", json!(seen)),
        ]);
        let mut metadata = object_of([
            ("source", json!(source(delta.source))),
            ("step", json!(delta.plan.step)),
            ("parents", json!({})),
        ]);
        if let Some(id) = &delta.run_id {
            metadata.insert("run_id".to_owned(), json!(id));
        }
        if !counters.is_empty() {
            metadata.insert(COUNTERS.to_owned(), json!(counters));
        }
        let row = NewRow {
            id: delta.id.clone(),
            parent: delta.parent.clone(),
            checkpoint,
            values,
            metadata,
            fresh,
        };
        Ok((row, Known { versions, seen, counters, written: BTreeSet::new() }))
    }

    /// Writes the state's fields, except those that are kept as deltas.
    fn fields(&self, state: &S, counters: &BTreeMap<String, Counter>) -> Result<Object, BoxError> {
        let fields = S::fields();
        let number = |key: &str| fields.iter().position(|field| field.name == Some(key));
        let is_written =
            |at: usize| self.delta.plan.channels.get(at).is_some_and(|channel| channel.version > 0);
        let wanted = |key: &str| {
            let replaces =
                |at: usize| fields.get(at).is_some_and(|field| field.kind == FieldKind::Replace);
            // langgraph.js has no value of a field without a reducer before it is written.
            !counters.contains_key(key)
                && number(key).is_none_or(|at| is_written(at) || !replaces(at))
        };
        let mut values = some_fields(state, wanted)?;
        for field in &fields {
            let (Some(name), FieldKind::Messages(_)) = (field.name, field.kind) else { continue };
            if let Some(value) = values.get_mut(name) {
                *value = to_records(value.take());
            }
        }
        Ok(values)
    }

    /// Writes the versions of channels. Fields of a flattened one have its version.
    fn versions(
        &self,
        values: &Object,
        counters: &BTreeMap<String, Counter>,
    ) -> BTreeMap<String, u64> {
        let mut versions = BTreeMap::new();
        let names = self.names();
        for (channel, name) in numbered(self.names()) {
            let version = self.channel(channel).version;
            if version == 0 {
                continue;
            }
            if !name.is_empty() {
                versions.insert(name, version);
                continue;
            }
            let is_flat =
                |key: &&String| !names.fields.contains(*key) && !counters.contains_key(*key);
            versions.extend(values.keys().filter(is_flat).map(|key| (key.clone(), version)));
        }
        versions
    }

    /// Writes the values of the channels that lead to nodes.
    fn controls(&self, values: &mut Object) -> Result<(), BoxError> {
        let (delta, start) = (self.delta, self.start());
        if self.channel(start).is_held {
            let input =
                delta.input.as_ref().map(|input| some_fields(input, |_| true)).transpose()?;
            values.insert(START.to_owned(), input.map_or(Value::Null, Value::Object));
        }
        let mut sends = Vec::with_capacity(delta.sends.len());
        for (node, state) in delta.plan.sends.iter().zip(&delta.sends) {
            sends.push(self.send(*node, state)?);
        }
        values.insert(TASKS.to_owned(), json!([[], sends]));
        for (channel, name) in numbered(self.names()).filter(|(channel, _)| *channel > start + 1) {
            let own = self.channel(channel);
            let value = if name.starts_with(JOIN) {
                let arrived = delta.plan.arrived.iter().filter(|(join, _)| *join == channel);
                arrived.map(|(_, node)| json!(self.names().node(*node))).collect()
            } else if own.is_held {
                let mut held = delta.held.iter();
                let by = held.find(|(held, _)| *held == channel).and_then(|(_, node)| *node);
                json!(by.and_then(|node| self.names().node(node)))
            } else {
                continue;
            };
            let is_deferred = self.is_deferred(target(&name));
            let value = if is_deferred { json!([value, own.is_finished]) } else { value };
            values.insert(name, value);
        }
        Ok(())
    }

    fn send(&self, node: Node, state: &S) -> Result<Value, BoxError> {
        let args = some_fields(state, |_| true)?;
        Ok(json!({ "node": self.names().node(node), "args": args }))
    }

    /// Writes the versions that nodes have seen: the parent's, and what is new.
    fn seen(&self) -> Object {
        let mut seen = self.parent.map(|parent| parent.seen.clone()).unwrap_or_default();
        let mut mark = |node: &str, channel: Option<(&str, u64)>| {
            let own = seen.entry(node).or_insert_with(|| json!({}));
            if let (Some((channel, version)), Some(own)) = (channel, own.as_object_mut()) {
                own.insert(channel.to_owned(), json!(version));
            }
        };
        for (channel, name) in numbered(self.names()) {
            let ChannelState { seen, passed, .. } = self.channel(channel);
            if seen > 0 {
                mark(target(&name), Some((&name, seen)));
            }
            if passed > 0 && !name.is_empty() {
                mark(INTERRUPT, Some((&name, passed)));
            }
        }
        if self.delta.source == Source::Input {
            mark(INPUT, None);
        }
        for ended in self.delta.ended.iter() {
            let is_named = ended.cause != Cause::Pull || self.delta.source == Source::Update;
            if let (Some(node), true) = (self.names().node(ended.node), is_named) {
                mark(node, None);
            }
        }
        seen
    }

    /// Decides which fields are kept as deltas: their values can be made of the writes beside the
    /// parent. Those of several tasks are not: they would be folded in the order of the tasks' ids.
    fn counters(&self, deltas: &Deltas, writes: &[TaskWrites]) -> BTreeMap<String, Counter> {
        let mut counters = BTreeMap::new();
        for (name, every) in deltas {
            let position = self.names().fields.iter().position(|field| field == name);
            let Some(channel) = position.and_then(|at| self.delta.plan.channels.get(at)) else {
                continue;
            };
            let known = self.parent;
            let is_new = channel.version > known.map_or(0, |parent| parent.version(name));
            let writes_it =
                |own: &&TaskWrites| own.entries.iter().any(|(channel, _)| channel == name);
            let tasks = writes.iter().filter(writes_it).count();
            let is_told = match known {
                Some(parent) => tasks == usize::from(is_new) && !parent.written.contains(name),
                None => self.delta.parent.is_none() && !is_new,
            };
            let (updates, steps) =
                known.and_then(|parent| parent.counters.get(name)).copied().unwrap_or_default();
            let next = (updates + u64::from(is_new), steps + 1);
            if is_told && next.0 < *every && next.1 < MOST_STEPS {
                counters.insert(name.clone(), next);
            }
        }
        counters
    }

    /// Writes the tasks that ended with the checkpoint's step, beside its parent.
    fn ended(&self) -> Result<Vec<TaskWrites>, BoxError> {
        let delta = self.delta;
        let Some(parent) = &delta.parent else { return Ok(Vec::new()) };
        let (mut updates, mut sends) = (delta.updates.iter(), delta.sends.iter());
        let mut all = Vec::with_capacity(delta.ended.len());
        for ended in delta.ended.iter() {
            let own: Vec<&S::Update> = updates.by_ref().take(ended.updates).collect();
            let count = ended.writes.iter().filter(|write| self.is_send(**write)).count();
            let sent: Vec<&S> = sends.by_ref().take(count).collect();
            if ended.is_kept {
                continue;
            }
            let Ended { node, cause, trigger, answers, writes, edges, .. } = ended;
            let mut entries = resumed(answers);
            let first = |at: &u32| edges.contains(at);
            self.add_writes(&mut entries, *node, &own, writes, &sent, first)?;
            let task = if delta.source == Source::Update {
                update_id(parent)
            } else {
                self.task(parent, delta.plan.step, *node, *cause, *trigger)
            };
            all.push(TaskWrites { checkpoint: parent.clone(), task, entries });
        }
        Ok(all)
    }

    /// Writes the tasks of a step that did not end, beside the checkpoint.
    fn pending(&self) -> Result<Vec<TaskWrites>, BoxError> {
        let delta = self.delta;
        let mut all = Vec::with_capacity(delta.pending.len());
        for pending in &delta.pending {
            let Pending { node, cause, trigger, finished, answers, interrupt, error, .. } = pending;
            let task = self.task(&delta.id, delta.plan.step + 1, *node, *cause, *trigger);
            let finished = finished.as_ref().filter(|finished| finished.edges.is_some());
            if finished.is_some_and(|own| own.is_kept && delta.source == Source::Stop) {
                continue;
            }
            let forwards = answers.iter().any(|answer| answer.forwarded.is_some());
            let inside: Vec<_> = if forwards {
                answers.iter().map(|answer| json!([answer.value, answer.forwarded])).collect()
            } else {
                Vec::new()
            };
            let mut entries = Vec::new();
            if let Some(asked) = interrupt {
                let mut record = asked_for(asked, pending.is_answered);
                if pending.is_at_work() {
                    record.extend(delta.run_id.iter().map(|run| (RUN.to_owned(), json!(run))));
                    if let Some(TaskError::Killed(attempts)) = error {
                        record.insert(KILLED.to_owned(), json!(attempts));
                    }
                }
                entries.push((INTERRUPT.to_owned(), with_inside(record, inside.clone())));
            } else if finished.is_none() && !answers.is_empty() {
                // It had a question, which it does not ask any more.
                entries.push((INTERRUPT.to_owned(), json!([])));
            }
            // Those of a run with an answer are in the question's record: savers remove no write.
            let error = error.as_ref().filter(|own| {
                finished.is_none() && (interrupt.is_none() || matches!(own, TaskError::Failed(_)))
            });
            if let Some(error) = error {
                let message = json!(error.to_string());
                let mut record = object_of([("name", json!("Error")), ("message", message)]);
                if let TaskError::Killed(attempts) = error {
                    record.insert(KILLED.to_owned(), json!(attempts));
                }
                entries.push((ERROR.to_owned(), with_inside(record, inside)));
            }
            entries.extend(resumed(answers));
            if let Some(Finished { updates, writes, sends, edges, .. }) = finished {
                let (updates, sends): (Vec<_>, Vec<_>) =
                    (updates.iter().collect(), sends.iter().collect());
                let is_edge = |at: &u32| edges.as_ref().is_some_and(|edges| edges.contains(at));
                self.add_writes(&mut entries, *node, &updates, writes, &sends, is_edge)?;
            }
            if !entries.is_empty() {
                all.push(TaskWrites { checkpoint: delta.id.clone(), task, entries });
            }
        }
        Ok(all)
    }

    /// Adds what a task wrote: fields, then where it goes.
    fn add_writes(
        &self,
        entries: &mut Vec<(String, Value)>,
        node: Node,
        updates: &[&S::Update],
        writes: &[u32],
        sends: &[&S],
        is_edge: impl Fn(&u32) -> bool,
    ) -> Result<(), BoxError> {
        let from = entries.len();
        for update in updates {
            entries.extend(some_fields(update, |_| true)?);
        }
        let mut sends = sends.iter();
        for (at, write) in (0..).zip(writes).filter(|(_, write)| **write > self.start()) {
            if self.is_send(*write) {
                if let Some(state) = sends.next() {
                    let node = *write - channel_count(self.names());
                    entries.push((TASKS.to_owned(), self.send(node, state)?));
                }
                continue;
            }
            let Some(name) = self.names().channel(*write) else { continue };
            let by = if is_edge(&at) && !name.starts_with(JOIN) {
                Value::Null
            } else {
                json!(self.names().node(node))
            };
            entries.push((name, by));
        }
        if entries.len() == from {
            entries.push((NO_WRITES.to_owned(), Value::Null));
        }
        Ok(())
    }

    fn is_send(&self, write: u32) -> bool {
        write as usize >= self.names().channels()
    }

    fn task(
        &self,
        checkpoint: &str,
        step: i64,
        node: Node,
        cause: Cause,
        trigger: Channel,
    ) -> String {
        let names = self.names();
        task_id(&PlannedTask { checkpoint, step, node, cause, trigger, names })
    }
}

/// The answers of a task, if it was given any.
fn resumed(answers: &[Answered]) -> Vec<(String, Value)> {
    let values: Vec<&Value> = answers.iter().map(|answer| &answer.value).collect();
    if values.is_empty() { Vec::new() } else { vec![(RESUME.to_owned(), json!(values))] }
}

fn asked_for(asked: &Interrupt, is_answered: bool) -> Object {
    let mut record = object_of([("id", json!(asked.id)), ("value", asked.value.clone())]);
    if let Some(forwarded) = asked.forwarded() {
        record.insert("forwarded".to_owned(), json!(forwarded));
    }
    if is_answered {
        record.insert("answered".to_owned(), json!(true));
    }
    record
}

/// Adds the answers to questions of a graph inside, which LangGraph does not distinguish.
fn with_inside(mut record: Object, inside: Vec<Value>) -> Value {
    if !inside.is_empty() {
        record.insert("answers".to_owned(), Value::Array(inside));
    }
    Value::Object(record)
}

fn source(source: Source) -> &'static str {
    match source {
        Source::Input => "input",
        Source::Update => "update",
        Source::Fork => "fork",
        _ => "loop",
    }
}

fn object_of<const N: usize>(fields: [(&str, Value); N]) -> Object {
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
