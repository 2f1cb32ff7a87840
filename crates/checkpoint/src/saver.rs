//! A checkpointer over a database.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use threadfold::State;
use threadfold::graph::{BoxError, Checkpoint, Checkpointer, Saving};
use threadfold::unstable::checkpoint::{Naming, is_within};

use crate::database::Database;
use crate::ids::Ids;
use crate::known::Known;
use crate::read::{Look, read, written_value};
use crate::revived::{revived, revived_fields};
use crate::row::{COUNTERS, Object, Row, Write, object};
use crate::written::{Deltas, written};

/// The number of threads whose last checkpoints are remembered.
const MOST_KNOWN: usize = 1_024;

/// Keeps the threads of graphs in a database, in LangGraph's format 4.
///
/// Clones of an `Arc` of it serve several graphs. A stop within a step is kept beside the checkpoint
/// that the step began at, as LangGraph does: it has no checkpoint of its own.
pub struct Saver<D> {
    pub(crate) database: D,
    deltas: Deltas,
    ids: Ids,
    /// By thread, its last checkpoint that was put or got.
    known: Mutex<HashMap<String, (String, Known)>>,
}

impl<D> Saver<D> {
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn new(database: D) -> Self {
        let (deltas, ids) = (Deltas::new(), Ids::default());
        Self { database, deltas, ids, known: Mutex::default() }
    }

    /// Keeps a field as what was written to it, and whole every so many updates: a checkpoint of a
    /// long list then costs what changed.
    ///
    /// It is langgraph.js's `DeltaChannel` with that `snapshotFrequency`: there the field has to be
    /// one, too. Its reducer has to give the same result each time.
    ///
    /// `compile` refuses a name that the graph's state lacks. A graph of another state has a saver of its
    /// own, over the same database.
    #[must_use]
    pub fn delta(mut self, field: impl Into<String>, every: u64) -> Self {
        self.deltas.insert(field.into(), every);
        self
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, (String, Known)>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn knows(&self, thread: &str, id: &str) -> Option<Known> {
        let known = self.known();
        let (own, known) = known.get(thread)?;
        (own == id).then(|| known.clone())
    }

    fn learn(&self, thread: &str, id: &str, now: Known) {
        let mut known = self.known();
        if known.len() >= MOST_KNOWN && !known.contains_key(thread) {
            known.clear();
        }
        known.insert(thread.to_owned(), (id.to_owned(), now));
    }
}

impl<D: Database> Saver<D> {
    /// Returns the ids of all threads, the last changed first. Leaves out those of graphs that a node
    /// runs, which are named after their thread: `THREAD|…`.
    ///
    /// ```
    /// # use threadfold::State;
    /// # use threadfold::graph::{BoxError, Ctx, START, StateGraph};
    /// use threadfold_checkpoint::SqliteSaver;
    ///
    /// # #[derive(Debug, Clone, Default, State, serde::Serialize, serde::Deserialize)]
    /// # #[state(derive(Clone, serde::Serialize, serde::Deserialize))]
    /// # struct Order { cups: u64 }
    /// # async fn pour(_: &Order, _: Ctx) -> Result<OrderUpdate, BoxError> {
    /// #     Ok(OrderUpdate { cups: Some(1) })
    /// # }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), BoxError> {
    /// let saver = std::sync::Arc::new(SqliteSaver::in_memory()?);
    /// # let graph = StateGraph::<Order>::new().node("pour", pour).edge(START, "pour");
    /// # let graph = graph.checkpointer(saver.clone()).compile()?;
    /// graph.on("monday").invoke(OrderUpdate::default()).await?;
    /// graph.on("tuesday").invoke(OrderUpdate::default()).await?;
    /// assert_eq!(saver.threads().await?, ["tuesday", "monday"]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The database's.
    pub async fn threads(&self) -> Result<Vec<String>, BoxError> {
        let mut threads = self.database.threads().await?;
        let all: HashSet<String> = threads.iter().cloned().collect();
        threads.retain(|thread| {
            let mut ends = thread.match_indices('|').map(|(end, _)| end);
            !ends.any(|end| thread.get(..end).is_some_and(|outer| all.contains(outer)))
        });
        Ok(threads)
    }

    async fn found<S>(
        &self,
        thread: &str,
        id: Option<&str>,
    ) -> Result<Option<Checkpoint<S>>, BoxError>
    where
        S: State + Default + Serialize + DeserializeOwned,
        S::Update: DeserializeOwned,
    {
        let Some(mut row) = self.database.row(thread, id).await? else { return Ok(None) };
        // Versions of a branch count from those of the branch beside it: a database may keep one value
        // for each version.
        let newest = match id {
            Some(_) => self.database.row(thread, None).await?,
            None => None,
        };
        let past = newest.filter(|newest| newest.id != row.id).as_ref().map(highest);
        let mut values = values_of(&mut row);
        let fields = S::fields();
        let is_missing = |name: &str| {
            fields.iter().any(|field| field.name == Some(name)) && !values.contains_key(name)
        };
        let kept = object(&row.metadata, COUNTERS).map(|(name, _)| name.clone());
        let missing: Vec<String> = kept.filter(|name| is_missing(name)).collect();
        let histories = self.histories(thread, &row, missing).await?;
        for (name, history) in &histories {
            if let Some(seed) = &history.seed {
                values.insert(name.clone(), seed.clone());
            }
        }
        let mut checkpoint: Checkpoint<S> = read(&row, &values, Look { past })?;
        for (name, History { writes, .. }) in histories {
            for write in writes.into_iter().rev().flatten() {
                let value = written_value(&fields, &name, write);
                let update = Map::from_iter([(name.clone(), value)]);
                checkpoint.state.update(serde_json::from_value(Value::Object(update))?)?;
            }
        }
        self.learn(thread, &row.id, Known::of(&row));
        Ok(Some(checkpoint))
    }

    /// Finds the values that a checkpoint lacks: of each the last that was kept, and the writes since.
    async fn histories(
        &self,
        thread: &str,
        row: &Row,
        missing: Vec<String>,
    ) -> Result<Vec<(String, History)>, BoxError> {
        let mut all: Vec<_> = missing.into_iter().map(|name| (name, History::default())).collect();
        let mut next = row.parent.clone();
        while let Some(id) = next
            && all.iter().any(|(_, history)| history.seed.is_none())
        {
            let Some(mut row) = self.database.row(thread, Some(&id)).await? else { break };
            let mut values = values_of(&mut row);
            for (name, history) in all.iter_mut().filter(|(_, history)| history.seed.is_none()) {
                let own = row.writes.iter().filter(|write| write.channel == *name);
                history.writes.push(own.map(|Write { value, .. }| value.clone()).collect());
                history.seed = values.remove(name);
            }
            next = row.parent;
        }
        Ok(all)
    }

    async fn puts<S>(
        &self,
        thread: &str,
        last: Option<&str>,
        checkpoint: Checkpoint<S>,
    ) -> Result<bool, BoxError>
    where
        S: State + Serialize,
        S::Update: Serialize,
    {
        let parent = match &checkpoint.delta.parent {
            None => None,
            Some(id) => match self.knows(thread, id) {
                Some(known) => Some(known),
                None => self.database.row(thread, Some(id)).await?.as_ref().map(Known::of),
            },
        };
        let (put, known) = written(&checkpoint, parent.as_ref(), &self.deltas)?;
        let was_put = self.database.put(thread, last, put).await?;
        if was_put {
            self.learn(thread, &checkpoint.delta.id, known);
        } else {
            self.known().remove(thread);
        }
        Ok(was_put)
    }
}

/// A field's writes, newest step first, and the value that they were made on.
#[derive(Default)]
struct History {
    writes: Vec<Vec<Value>>,
    seed: Option<Value>,
}

/// Takes the values of a checkpoint's channels.
fn values_of(row: &mut Row) -> Object {
    for write in &mut row.writes {
        write.value = revived(std::mem::take(&mut write.value));
    }
    match row.checkpoint.remove("channel_values") {
        Some(Value::Object(values)) => revived_fields(values),
        _ => Object::new(),
    }
}

fn highest(row: &Row) -> u64 {
    row.versions().map(|(_, version)| version).max().unwrap_or_default()
}

impl<S, D> Checkpointer<S> for Saver<D>
where
    S: State + Default + Serialize + DeserializeOwned + Send + Sync + 'static,
    S::Update: Clone + Serialize + DeserializeOwned + Send + Sync + 'static,
    D: Database,
{
    fn get<'a>(
        &'a self,
        thread: &'a str,
        id: Option<&'a str>,
    ) -> Saving<'a, Option<Checkpoint<S>>> {
        Box::pin(self.found(thread, id))
    }

    fn put<'a>(
        &'a self,
        thread: &'a str,
        last: Option<String>,
        checkpoint: Checkpoint<S>,
    ) -> Saving<'a, bool> {
        Box::pin(async move { self.puts(thread, last.as_deref(), checkpoint).await })
    }

    fn list<'a>(&'a self, thread: &'a str) -> Saving<'a, Vec<String>> {
        Box::pin(self.database.ids(thread))
    }

    fn delete<'a>(&'a self, thread: &'a str) -> Saving<'a, ()> {
        self.known().retain(|own, _| !is_within(own, thread));
        Box::pin(self.database.delete(thread))
    }

    fn naming(&self) -> Option<&dyn Naming> {
        Some(&self.ids)
    }

    fn check(&self) -> Result<(), BoxError> {
        let fields = S::fields();
        let names: Vec<&str> = fields.iter().filter_map(|field| field.name).collect();
        let unknown = self.deltas.keys().filter(|name| !names.contains(&name.as_str())).min();
        let Some(name) = unknown else { return Ok(()) };
        let names = names.join("', '");
        Err(format!("delta(\"{name}\"): the state has no such field. Its fields are '{names}'.")
            .into())
    }
}

impl<D> fmt::Debug for Saver<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Saver").field("deltas", &self.deltas).finish_non_exhaustive()
    }
}
