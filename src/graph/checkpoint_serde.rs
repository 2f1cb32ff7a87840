//! Checkpoints through serde, for checkpointers that keep them outside the program.

use std::sync::Arc;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

use super::checkpoint::{Checkpoint, Delta, Finished, Pending, Source, TaskError};
use super::interrupt::{Answered, Interrupt};
use super::names::Names;
use super::planner::{Cause, ChannelState, PlanState};
use crate::State;

/// Begins each checkpoint: another number is another form.
const FORM: u8 = 4;

/// Version, seen, passed; held, finished, updated.
type ChannelForm = ((u64, u64, u64), (bool, bool, bool));
/// The step, the channels, the highest version, whether updates are known, the nodes that arrived,
/// the Sends.
type PlanForm = (i64, Vec<ChannelForm>, u64, bool, Vec<(u32, u32)>, Vec<u32>);
/// None for a pull; a Send's index; or the task that failed, and true.
type CauseForm = Option<(u32, bool)>;
/// The updates, the writes, the Sends, and which writes are its edges'.
type FinishedForm<U, S> = (Vec<U>, Vec<u32>, Vec<S>, Option<(u32, u32)>);
/// An answer, and the id of its question in a graph inside.
type AnswerForm = (Value, Option<String>);
/// An interrupt's id, node and value, its id in a graph inside, and whether it was answered.
type InterruptForm = (String, String, Value, Option<String>, bool);
/// That of an earlier version.
type OpenForm = (String, String, Value, Option<String>);
/// The node, why it ran and its trigger; its results, its answers, its interrupt, its error: a text,
/// or the number of attempts to continue.
type PendingForm<U, S> = (
    (u32, CauseForm, u32),
    Option<FinishedForm<U, S>>,
    Vec<AnswerForm>,
    Option<Value>,
    Option<Value>,
);
/// The fields, the nodes, the list edges and the deferred nodes.
type NamesForm = (Vec<String>, Vec<String>, Vec<String>, Vec<u32>);
/// Its id, its parent's, its run's, the updates.
type ChangeForm<U> = (String, Option<String>, Option<String>, Vec<U>);
type DeltaForm<U, S> =
    (u8, ChangeForm<U>, PlanForm, Option<U>, Vec<S>, Vec<PendingForm<U, S>>, NamesForm);

/// Writes the state, and the delta without updates, in a form of this crate's own, which
/// [`Deserialize`] reads.
///
/// It contains the names for its numbers, so a graph with other nodes and edges can
/// continue it. Its answers and interrupts are any JSON: use a self-describing format.
impl<S> Serialize for Checkpoint<S>
where
    S: State + Serialize,
    S::Update: Serialize,
{
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        (&self.state, form(&self.delta, Vec::new())).serialize(serializer)
    }
}

impl<'de, S> Deserialize<'de> for Checkpoint<S>
where
    S: State + Deserialize<'de>,
    S::Update: Deserialize<'de>,
{
    fn deserialize<T: Deserializer<'de>>(deserializer: T) -> Result<Self, T::Error> {
        let (state, delta) = Deserialize::deserialize(deserializer)?;
        Ok(Self { state, delta })
    }
}

/// Writes it in a form of this crate's own, which [`Deserialize`] reads.
impl<S> Serialize for Delta<S>
where
    S: State + Serialize,
    S::Update: Serialize,
{
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        form(self, self.updates.iter().collect()).serialize(serializer)
    }
}

impl<'de, S> Deserialize<'de> for Delta<S>
where
    S: State + Deserialize<'de>,
    S::Update: Deserialize<'de>,
{
    fn deserialize<T: Deserializer<'de>>(deserializer: T) -> Result<Self, T::Error> {
        let (form, (id, parent, run_id, updates), plan, input, sends, pending, names) =
            DeltaForm::<S::Update, S>::deserialize(deserializer)?;
        if form != FORM {
            return Err(T::Error::custom(format!("a checkpoint of another form: {form}")));
        }
        let pending = pending.into_iter().map(read_pending).collect::<Result<_, _>>();
        let pending = pending.map_err(T::Error::custom)?;
        let (fields, nodes, joins, deferred) = names;
        let names = Arc::new(Names { fields, nodes, joins, deferred });
        Ok(Self {
            id,
            parent,
            run_id,
            updates: Arc::new(updates),
            plan: read_plan(plan),
            input,
            sends,
            pending,
            names,
            source: Source::default(),
            follows_run: None,
            ended: Arc::default(),
            held: Vec::new(),
        })
    }
}

fn form<'s, S: State>(
    delta: &'s Delta<S>,
    updates: Vec<&'s S::Update>,
) -> DeltaForm<&'s S::Update, &'s S> {
    (
        FORM,
        (delta.id.clone(), delta.parent.clone(), delta.run_id.clone(), updates),
        plan(&delta.plan),
        delta.input.as_ref(),
        delta.sends.iter().collect(),
        delta.pending.iter().map(pending).collect(),
        names(&delta.names),
    )
}

fn names(Names { fields, nodes, joins, deferred }: &Names) -> NamesForm {
    (fields.clone(), nodes.clone(), joins.clone(), deferred.clone())
}

fn plan(plan: &PlanState) -> PlanForm {
    let channel = |own: &ChannelState| {
        ((own.version, own.seen, own.passed), (own.is_held, own.is_finished, own.is_updated))
    };
    (
        plan.step,
        plan.channels.iter().map(channel).collect(),
        plan.highest,
        plan.knows_updated,
        plan.arrived.clone(),
        plan.sends.clone(),
    )
}

fn read_plan((step, channels, highest, knows_updated, arrived, sends): PlanForm) -> PlanState {
    let channel = |((version, seen, passed), (is_held, is_finished, is_updated))| ChannelState {
        version,
        seen,
        passed,
        is_held,
        is_finished,
        is_updated,
        ..ChannelState::default()
    };
    let channels = channels.into_iter().map(channel).collect();
    PlanState { step, channels, highest, knows_updated, arrived, sends }
}

fn pending<S: State>(pending: &Pending<S>) -> PendingForm<&S::Update, &S> {
    let cause = match pending.cause {
        Cause::Pull => None,
        Cause::Push(index) => Some((index, false)),
        Cause::Error(task) => Some((task, true)),
    };
    let finished = pending.finished.as_ref().map(|own| {
        let edges = own.edges.as_ref().map(|edges| (edges.start, edges.end));
        (own.updates.iter().collect(), own.writes.clone(), own.sends.iter().collect(), edges)
    });
    (
        (pending.node, cause, pending.trigger),
        finished,
        pending.answers.iter().cloned().map(|own| (own.value, own.forwarded)).collect(),
        pending
            .interrupt
            .as_ref()
            .map(|own| json!([own.id, own.node, own.value, own.forwarded, pending.is_answered])),
        pending.error.as_ref().map(|error| match error {
            TaskError::Failed(text) => json!(text),
            TaskError::Killed(attempts) => json!(attempts),
        }),
    )
}

fn read_pending<S: State>(
    ((node, cause, trigger), finished, answers, interrupt, error): PendingForm<S::Update, S>,
) -> serde_json::Result<Pending<S>> {
    let finished = finished.map(|(updates, writes, sends, edges)| Finished {
        updates,
        writes,
        sends,
        edges: edges.map(|(start, end)| start..end),
        is_kept: true,
    });
    let answers = answers.into_iter().map(|(value, forwarded)| Answered { value, forwarded });
    let (interrupt, is_answered) = interrupt.map(read_interrupt).transpose()?.unzip();
    Ok(Pending {
        node,
        cause: match cause {
            None => Cause::Pull,
            Some((index, false)) => Cause::Push(index),
            Some((task, true)) => Cause::Error(task),
        },
        trigger,
        error: error.map(read_error).transpose()?,
        finished,
        answers: answers.collect(),
        interrupt,
        is_answered: is_answered.unwrap_or_default(),
    })
}

fn read_error(form: Value) -> serde_json::Result<TaskError> {
    Ok(match form {
        Value::Number(_) => TaskError::Killed(u32::deserialize(form)?),
        form => TaskError::Failed(String::deserialize(form)?),
    })
}

fn read_interrupt(form: Value) -> serde_json::Result<(Interrupt, bool)> {
    let (id, node, value, forwarded, is_answered) = match form.as_array().map(Vec::len) {
        Some(4) => {
            let (id, node, value, forwarded) = OpenForm::deserialize(form)?;
            (id, node, value, forwarded, false)
        }
        _ => InterruptForm::deserialize(form)?,
    };
    Ok((Interrupt { id, node, value, forwarded }, is_answered))
}
