//! LangGraph's rows, read as a checkpoint of a graph.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use threadfold::State;
use threadfold::graph::{BoxError, Checkpoint, Delta, Interrupt};
use threadfold::reducer::kind::FieldKind;
use threadfold::typed::StateField;
use threadfold::unstable::checkpoint::{
    Answered, Finished, Names, Pending, PlannedTask, Source, TaskError,
};
use threadfold::unstable::planner::{Cause, Channel, ChannelState, Node, PlanState};

use crate::channels::{channel_count, is_field, is_lead, numbered, target};
use crate::fields::some_fields;
use crate::ids::{CALLER, interrupt_id, place_of, task_id};
use crate::messages::from_records;
use crate::row::{
    BRANCH, ERROR, ERROR_SOURCE, INPUT, INTERRUPT, JOIN, KILLED, NO_WRITES, Object, RESUME, RUN,
    Row, START, TASKS, Write, object, version_of,
};

/// The look at a checkpoint.
#[derive(Debug, Clone, Copy, Default)]
pub struct Look {
    /// The highest version of the thread's newest checkpoint, if that is another one: then all tasks run
    /// again, and what they asked is asked again.
    pub past: Option<u64>,
}

/// Reads a checkpoint. `values` are those of its channels.
pub fn read<S>(row: &Row, values: &Object, look: Look) -> Result<Checkpoint<S>, BoxError>
where
    S: State + Default + Serialize + DeserializeOwned,
    S::Update: DeserializeOwned,
{
    let fields = S::fields();
    let names = names(row, values, &fields);
    let reading = Reading { row, values, fields: &fields, names: &names, look };
    let sends = reading.sends();
    let mut plan = reading.plan(look.past.unwrap_or_default());
    plan.sends = sends.iter().map(|(node, _)| reading.node(node).unwrap_or(Node::MAX)).collect();
    let sent: Result<Vec<S>, _> = sends.iter().map(|(_, args)| laid_over_default(args)).collect();
    let input = values.get(START).filter(|input| !input.is_null());
    let input = input.map(|input| reading.update(input.clone())).transpose()?;
    let ((pending, run), held) = (reading.pending(&plan)?, reading.held());
    let run = run.or_else(|| row.metadata.get("run_id").and_then(Value::as_str));
    let delta = Delta {
        id: row.id.clone(),
        parent: row.parent.clone(),
        run_id: run.map(str::to_owned),
        updates: Arc::default(),
        plan,
        input,
        sends: sent?,
        pending,
        names: Arc::new(names.clone()),
        source: Source::default(),
        follows_run: None,
        ended: Arc::default(),
        held,
    };
    Ok(Checkpoint {
        state: laid_over_default(&Value::Object(state_fields(values, &fields)))?,
        delta,
    })
}

/// Returns the fields of a state among the values of channels.
pub fn state_fields(values: &Object, fields: &[StateField]) -> Object {
    let own = values.iter().filter(|(name, _)| is_field(name));
    own.map(|(name, value)| (name.clone(), plain(fields, name, value.clone()))).collect()
}

/// Returns a field's value, messages as dicts.
fn plain(fields: &[StateField], name: &str, value: Value) -> Value {
    if has_messages(fields, name) { from_records(value) } else { value }
}

/// Whether a field is a list of messages.
fn has_messages(fields: &[StateField], name: &str) -> bool {
    let mut named = fields.iter().filter(|field| field.name == Some(name));
    named.next().is_some_and(|field| matches!(field.kind, FieldKind::Messages(_)))
}

/// Reads a state that may lack fields.
fn laid_over_default<S>(given: &Value) -> Result<S, BoxError>
where
    S: Default + Serialize + DeserializeOwned,
{
    let Some(given) = given.as_object() else {
        return Err(format!("A state is an object of fields, got {given}.").into());
    };
    let mut state = some_fields(&S::default(), |field| !given.contains_key(field))?;
    state.extend(given.iter().map(|(name, value)| (name.clone(), value.clone())));
    let name = std::any::type_name::<S>();
    serde_json::from_value(Value::Object(state))
        .map_err(|error| format!("Invalid state `{name}` in the checkpoint: {error}").into())
}

/// Finds the nodes and list edges that a checkpoint names.
fn names(row: &Row, values: &Object, fields: &[StateField]) -> Names {
    let writes = row.writes.iter();
    let channels = row
        .versions()
        .map(|(name, _)| name)
        .chain(values.keys())
        .chain(writes.map(|write| &write.channel));
    let channels: BTreeSet<&String> = channels.collect();
    let (mut nodes, mut deferred) = (BTreeSet::new(), BTreeSet::new());
    let mut joins = Vec::new();
    for name in channels {
        let value = values.get(name);
        if let Some(node) = name.strip_prefix(BRANCH) {
            nodes.insert(node.to_owned());
            if value.is_some_and(Value::is_array) {
                deferred.insert(node.to_owned());
            }
        } else if let Some((from, to)) =
            name.strip_prefix(JOIN).and_then(|rest| rest.rsplit_once(':'))
        {
            joins.push(name.clone());
            let members = value.map(|value| arrived(value).0).unwrap_or_default();
            nodes.extend(members.into_iter().chain([to]).map(str::to_owned));
            nodes.extend(from.split('+').map(str::to_owned));
        }
    }
    let seen = object(&row.checkpoint, "versions_seen").map(|(node, _)| node.clone());
    nodes.extend(seen.filter(|node| ![START, INPUT, INTERRUPT].contains(&node.as_str())));
    nodes.extend(packets(values).filter_map(|(node, _)| Some(node?.to_owned())));
    let sent = row.writes.iter().filter(|write| write.channel == TASKS);
    nodes.extend(sent.filter_map(|write| write.value.get("node")?.as_str().map(str::to_owned)));
    nodes.remove(START);
    let nodes: Vec<String> = nodes.into_iter().collect();
    let deferred = (0..).zip(&nodes).filter(|(_, node)| deferred.contains(*node));
    let deferred = deferred.map(|(at, _)| at).collect();
    let field = |field: &StateField| field.name.unwrap_or_default().to_owned();
    Names { fields: fields.iter().map(field).collect(), nodes, joins, deferred }
}

/// Returns the nodes that have arrived at a list edge, and whether it is free, if its node waits.
fn arrived(value: &Value) -> (Vec<&str>, bool) {
    let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
    let (list, is_free) = match list {
        [Value::Array(list), Value::Bool(is_free)] => (list.as_slice(), *is_free),
        _ => (list, false),
    };
    (list.iter().filter_map(Value::as_str).collect(), is_free)
}

/// Returns the Sends among the values: each has a node and its arguments.
fn packets(values: &Object) -> impl Iterator<Item = (Option<&str>, Option<&Value>)> {
    let list = values.get(TASKS).and_then(Value::as_array).map(Vec::as_slice);
    let list = match list.unwrap_or_default() {
        [_, Value::Array(sends)] => sends,
        list => list,
    };
    list.iter().map(|packet| (packet.get("node").and_then(Value::as_str), packet.get("args")))
}

struct Reading<'a> {
    row: &'a Row,
    values: &'a Object,
    fields: &'a [StateField],
    names: &'a Names,
    look: Look,
}

impl Reading<'_> {
    /// Returns a node's number; that of the start follows.
    fn node(&self, name: &str) -> Option<Node> {
        let nodes = &self.names.nodes;
        let at = if name == START { Some(nodes.len()) } else { None };
        let at = at.or_else(|| nodes.iter().position(|node| node == name))?;
        u32::try_from(at).ok()
    }

    fn sends(&self) -> Vec<(String, Value)> {
        let sends = packets(self.values);
        sends.filter_map(|(node, args)| Some((node?.to_owned(), args?.clone()))).collect()
    }

    fn plan(&self, highest: u64) -> PlanState {
        let versions: HashMap<&String, u64> = self.row.versions().collect();
        let seen: HashMap<&String, &Object> = object(&self.row.checkpoint, "versions_seen")
            .filter_map(|(node, own)| Some((node, own.as_object()?)))
            .collect();
        let at = |node: &str, channel: &String| {
            let own = seen.get(&node.to_owned()).and_then(|own| own.get(channel));
            own.map_or(0, version_of)
        };
        let flat = versions.iter().filter(|(name, _)| self.is_flat(name)).map(|(_, own)| *own);
        let flat = flat.max().unwrap_or_default();
        let mut plan = PlanState {
            step: self.row.metadata.get("step").and_then(Value::as_i64).unwrap_or(-2),
            highest: versions.values().copied().fold(highest, u64::max),
            ..PlanState::default()
        };
        for (channel, name) in numbered(self.names) {
            let value = self.values.get(&name);
            let version = versions.get(&name).copied().unwrap_or_default();
            let mut own = ChannelState::default();
            own.version = if name.is_empty() { flat } else { version };
            own.seen = at(target(&name), &name);
            own.passed = at(INTERRUPT, &name);
            if name.starts_with(JOIN) {
                let (nodes, is_free) = value.map(arrived).unwrap_or_default();
                own.is_finished = is_free;
                let nodes = nodes.into_iter().filter_map(|node| self.node(node));
                plan.arrived.extend(nodes.map(|node| (channel, node)));
            } else if name == START {
                own.is_held = value.is_some();
            } else if name.starts_with(BRANCH) {
                own.is_held = value.is_some();
                own.is_finished = value.and_then(|value| value.get(1)) == Some(&json!(true));
            }
            plan.channels.push(own);
        }
        plan
    }

    /// Whether a channel is a field that the state has under no name of its own.
    fn is_flat(&self, name: &str) -> bool {
        is_field(name) && !self.names.fields.iter().any(|field| field == name)
    }

    fn held(&self) -> Vec<(Channel, Option<Node>)> {
        let held = numbered(self.names).filter(|(_, name)| name.starts_with(BRANCH));
        let by = held.filter_map(|(channel, name)| {
            let value = self.values.get(&name)?;
            let by = value.as_array().map_or(Some(value), |pair| pair.first());
            Some((channel, by.and_then(Value::as_str).and_then(|node| self.node(node))))
        });
        by.collect()
    }

    fn update<U: DeserializeOwned>(&self, value: Value) -> Result<U, BoxError> {
        let Value::Object(object) = value else {
            return Err(format!("An update is an object of fields, got {value}.").into());
        };
        let object = object.into_iter().map(|(name, value)| {
            let value = written_value(self.fields, &name, value);
            (name, value)
        });
        Ok(serde_json::from_value(Value::Object(object.collect()))?)
    }

    /// Returns the pending work of tasks, and the run that is at work on them with its answers.
    fn pending<S>(&self, plan: &PlanState) -> Result<(Vec<Pending<S>>, Option<&str>), BoxError>
    where
        S: State + Default + Serialize + DeserializeOwned,
        S::Update: DeserializeOwned,
    {
        let mut by_task: HashMap<&str, Vec<&Write>> = HashMap::new();
        for write in &self.row.writes {
            by_task.entry(&write.task).or_default().push(write);
        }
        if by_task.is_empty() {
            return Ok((Vec::new(), None));
        }
        let callers = by_task.remove(CALLER).unwrap_or_default();
        let callers = if self.look.past.is_some() { Vec::new() } else { callers };
        let (mut pending, mut run) = (Vec::new(), None);
        for (node, cause, trigger) in self.tasks(plan) {
            let (checkpoint, step, names) = (self.row.id.as_str(), plan.step + 1, self.names);
            let task = PlannedTask { checkpoint, step, node, cause, trigger, names };
            if let Some(writes) = by_task.remove(task_id(&task).as_str()) {
                let own = self.one(&task, &writes)?;
                if own.is_at_work() {
                    run = run.or_else(|| run_at_work(&writes));
                }
                pending.push(own);
            }
        }
        self.call(&callers, &mut pending)?;
        Ok((pending, run))
    }

    /// Gives a caller's answer that no task has got yet to the task that asks.
    fn call<S: State>(
        &self,
        callers: &[&Write],
        pending: &mut [Pending<S>],
    ) -> Result<(), BoxError> {
        if let Some(other) = callers.iter().find(|write| write.channel != RESUME) {
            return Err(format!(
                "The checkpoint '{}' has a caller's write to '{}' that waits for its step: resume the \
                 thread with the runtime that made it.",
                self.row.id, other.channel
            )
            .into());
        }
        let answer = callers.iter().map(|write| &write.value).find(|value| !value.is_null());
        let Some(answer) = answer else { return Ok(()) };
        if let Some(by_id) = answers_by_id(answer) {
            for task in pending {
                let asked = task.interrupt.as_ref();
                if let Some(answer) = asked.and_then(|asked| by_id.get(&asked.id)) {
                    task.answer(answer.clone());
                }
            }
            return Ok(());
        }
        let is_taken =
            pending.iter().any(|task| task.answers.last().is_some_and(|own| own.value == *answer));
        let mut asking = pending.iter_mut().filter(|task| task.interrupt.is_some());
        if let (Some(task), None, false) = (asking.next(), asking.next(), is_taken) {
            task.answer(answer.clone());
        }
        Ok(())
    }

    /// The tasks that may come next, with all that may have triggered them.
    fn tasks(&self, plan: &PlanState) -> Vec<(Node, Cause, Channel)> {
        let leads = numbered(self.names).filter(|(_, name)| name == START || is_lead(name));
        let pulls = leads
            .filter_map(|(channel, name)| Some((self.node(target(&name))?, Cause::Pull, channel)));
        let sends = (0..).zip(&plan.sends).map(|(at, node)| (*node, Cause::Push(at), 0));
        pulls.chain(sends).collect()
    }

    fn one<S>(&self, task: &PlannedTask<'_>, writes: &[&Write]) -> Result<Pending<S>, BoxError>
    where
        S: State + Default + Serialize + DeserializeOwned,
        S::Update: DeserializeOwned,
    {
        let report = |channel: &str| {
            let mut writes = writes.iter();
            writes.find(|write| write.channel == channel).map(|write| &write.value)
        };
        // An empty list is of a task that had a question.
        let asked =
            report(INTERRUPT).filter(|asked| asked.as_array().is_none_or(|all| !all.is_empty()));
        let error = report(ERROR);
        let is_past = self.look.past.is_some();
        let is_report = |write: &&Write| {
            crate::row::place_of(&write.channel).is_some() || write.channel == ERROR_SOURCE
        };
        let wrote: Vec<&Write> = writes.iter().copied().filter(|write| !is_report(write)).collect();
        let is_finished = !wrote.is_empty() && !is_past;
        // LangGraph's savers remove no write. An error is over once a run is at work with an answer, and
        // attempts once the task has asked or finished.
        let is_at_work = run_at_work(writes).is_some();
        let has_come_on = asked.is_some() || is_finished;
        let is_over =
            |error: &Value| is_past || is_at_work || has_come_on && killed(error).is_some();
        let error = error.filter(|error| !is_over(error));
        let mut answers = answers(report(RESUME), asked.or(error));
        let finished = is_finished.then(|| self.finished(&wrote)).transpose()?;
        let asked = asked.map(|asked| asked.get(0).unwrap_or(asked));
        let id = asked.and_then(|asked| asked.get("id")).and_then(Value::as_str);
        let id = id.unwrap_or_default();
        let place = place_of(task);
        let before = (0..=answers.len()).find(|count| interrupt_id(&place, *count) == id);
        if is_past {
            answers.truncate(before.unwrap_or_default());
        }
        let asked = asked.filter(|_| finished.is_none());
        // In langgraph.js, all questions of a task have one id.
        let has_answered = error.is_some() || asked.is_some_and(|own| own["answered"] == true);
        let is_answered = has_answered && !answers.is_empty() && before != Some(answers.len());
        let attempts = asked.filter(|_| is_at_work && !is_past).and_then(killed);
        let text = |of: &Value, key: &str| of.get(key).and_then(Value::as_str).map(str::to_owned);
        let interrupt = asked.map(|asked| {
            let id = text(asked, "id").unwrap_or_else(|| task_id(task));
            let node = task.names.node(task.node).unwrap_or_default().to_owned();
            let value = asked.get("value").cloned().unwrap_or_default();
            Interrupt::new(id, node, value, text(asked, "forwarded"))
        });
        Ok(Pending {
            node: task.node,
            cause: task.cause,
            trigger: task.trigger,
            error: attempts.or_else(|| error.map(task_error)),
            finished,
            answers,
            is_answered: is_answered && interrupt.is_some(),
            interrupt,
        })
    }

    fn finished<S>(&self, wrote: &[&Write]) -> Result<Finished<S>, BoxError>
    where
        S: State + Default + Serialize + DeserializeOwned,
        S::Update: DeserializeOwned,
    {
        let mut updates = vec![Object::new()];
        let (mut leads, mut sends) = (Vec::new(), Vec::new());
        let channels: HashMap<String, Channel> =
            numbered(self.names).map(|(channel, name)| (name, channel)).collect();
        let count = channel_count(self.names);
        for Write { channel, value, .. } in wrote.iter().filter(|own| own.channel != NO_WRITES) {
            if channel == TASKS {
                let node = value.get("node").and_then(Value::as_str).unwrap_or_default();
                sends.push(laid_over_default(value.get("args").unwrap_or(&json!({})))?);
                leads.push((count + self.node(node).unwrap_or(Node::MAX - count), false));
            } else if is_lead(channel) {
                let number = channels.get(channel).copied();
                leads.extend(number.map(|number| (number, value.is_null())));
            } else {
                if updates.last().is_some_and(|update| update.contains_key(channel)) {
                    updates.push(Object::new());
                }
                if let Some(update) = updates.last_mut() {
                    update.insert(channel.clone(), value.clone());
                }
            }
        }
        let updates = updates.into_iter().filter(|update| !update.is_empty());
        let updates: Result<Vec<S::Update>, _> =
            updates.map(|update| self.update(Value::Object(update))).collect();
        let updates = updates?;
        let mut writes: Vec<u32> = updates.iter().flat_map(S::written).collect();
        let first = u32::try_from(writes.len()).unwrap_or(u32::MAX);
        let end = u32::try_from(writes.len() + leads.len()).unwrap_or(u32::MAX);
        let mut edges = (first..end).zip(&leads).filter(|(_, (_, is_edge))| *is_edge);
        let edges = match (edges.next(), edges.next_back()) {
            (Some((from, _)), to) => from..to.map_or(from, |(to, _)| to) + 1,
            (None, _) => end..end,
        };
        writes.extend(leads.into_iter().map(|(number, _)| number));
        Ok(Finished { updates, writes, sends, edges: Some(edges), is_kept: true })
    }
}

fn task_error(record: &Value) -> TaskError {
    killed(record).unwrap_or_else(|| {
        let text = record.get("message").and_then(Value::as_str).map(str::to_owned);
        TaskError::Failed(text.unwrap_or_else(|| record.to_string()))
    })
}

fn killed(record: &Value) -> Option<TaskError> {
    let attempts = record.get(KILLED)?.as_u64()?;
    Some(TaskError::Killed(u32::try_from(attempts).ok()?))
}

/// Returns a write of a field as the state's update has it: messages as a list of dicts.
pub fn written_value(fields: &[StateField], name: &str, value: Value) -> Value {
    if !has_messages(fields, name) {
        return value;
    }
    match from_records(value) {
        Value::String(text) => json!([{ "type": "human", "content": text }]),
        one @ Value::Object(_) => json!([one]),
        list => list,
    }
}

/// Returns the run that is at work on a task with its answer.
fn run_at_work<'a>(writes: &[&'a Write]) -> Option<&'a str> {
    let mut asked = writes.iter().filter(|write| write.channel == INTERRUPT);
    asked.find_map(|write| write.value.get(RUN)?.as_str())
}

/// Returns a caller's answers, if it gave them by the ids of interrupts.
fn answers_by_id(answer: &Value) -> Option<&Object> {
    let is_id = |id: &String| id.len() == 32 && id.chars().all(|digit| digit.is_ascii_hexdigit());
    answer.as_object().filter(|given| !given.is_empty() && given.keys().all(is_id))
}

/// Reads the answers of a task: `inside` has those to a graph inside, too.
fn answers(resumed: Option<&Value>, inside: Option<&Value>) -> Vec<Answered> {
    let pairs = inside.and_then(|own| own.get("answers")).and_then(Value::as_array);
    if let Some(pairs) = pairs {
        let text = |id: Option<&Value>| id.and_then(Value::as_str).map(str::to_owned);
        let pairs = pairs.iter().filter_map(Value::as_array);
        let answers = pairs.map(|pair| {
            Answered::new(pair.first().cloned().unwrap_or_default(), text(pair.get(1)))
        });
        return answers.collect();
    }
    let list = match resumed {
        Some(Value::Array(list)) => list.clone(),
        Some(other) => vec![other.clone()],
        None => Vec::new(),
    };
    list.into_iter().map(|value| Answered::new(value, None)).collect()
}
