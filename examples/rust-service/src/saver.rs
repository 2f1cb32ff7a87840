//! Threads in SQLite, for any state that serde reads and writes.

use std::future::ready;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;
use serde::de::DeserializeOwned;
use threadfold::State;
use threadfold::graph::{BoxError, Checkpoint, Checkpointer, Saving};

pub struct Saver(Mutex<Connection>);

const TABLE: &str = "PRAGMA journal_mode = WAL;
CREATE TABLE IF NOT EXISTS checkpoints
  (place INTEGER PRIMARY KEY, thread TEXT NOT NULL, id TEXT NOT NULL, text TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS threads ON checkpoints (thread, place);";

const GET: &str = "SELECT text FROM checkpoints WHERE thread = ?1 AND (?2 IS NULL OR id = ?2)
  ORDER BY place DESC LIMIT 1";

const PUT: &str = "INSERT INTO checkpoints (thread, id, text) SELECT ?1, ?2, ?3 WHERE ?4 IS
  (SELECT id FROM checkpoints WHERE thread = ?1 ORDER BY place DESC LIMIT 1)";

impl Saver {
    pub fn open(path: &str) -> Result<Self, BoxError> {
        let connection = Connection::open(path)?;
        connection.execute_batch(TABLE)?;
        Ok(Self(Mutex::new(connection)))
    }

    /// The threads, without those of graphs inside their nodes.
    pub fn threads(&self) -> Result<Vec<String>, BoxError> {
        let connection = self.connection();
        let sql = "SELECT DISTINCT thread FROM checkpoints WHERE thread NOT LIKE '%|%'";
        let mut statement = connection.prepare(sql)?;
        let threads = statement.query_map([], |row| row.get(0))?;
        Ok(threads.collect::<Result<_, _>>()?)
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ids(&self, thread: &str) -> Result<Vec<String>, BoxError> {
        let connection = self.connection();
        let sql = "SELECT id FROM checkpoints WHERE thread = ?1 ORDER BY place DESC";
        let mut statement = connection.prepare(sql)?;
        let ids = statement.query_map([thread], |row| row.get(0))?;
        Ok(ids.collect::<Result<_, _>>()?)
    }
}

impl<S> Checkpointer<S> for Saver
where
    S: State<Update: Serialize + DeserializeOwned + Send + Sync> + Serialize + DeserializeOwned,
    S: Send + Sync + 'static,
{
    fn get<'a>(
        &'a self,
        thread: &'a str,
        id: Option<&'a str>,
    ) -> Saving<'a, Option<Checkpoint<S>>> {
        let text =
            self.connection().query_row(GET, params![thread, id], |row| row.get::<_, String>(0));
        let read =
            |text: Option<String>| Ok(text.map(|text| serde_json::from_str(&text)).transpose()?);
        Box::pin(ready(text.optional().map_err(Into::into).and_then(read)))
    }

    fn put<'a>(
        &'a self,
        thread: &'a str,
        last: Option<String>,
        checkpoint: Checkpoint<S>,
    ) -> Saving<'a, bool> {
        let put = || {
            let text = serde_json::to_string(&checkpoint)?;
            let row = params![thread, checkpoint.delta.id, text, last];
            Ok(self.connection().execute(PUT, row)? == 1)
        };
        Box::pin(ready(put()))
    }

    fn list<'a>(&'a self, thread: &'a str) -> Saving<'a, Vec<String>> {
        Box::pin(ready(self.ids(thread)))
    }

    fn delete<'a>(&'a self, thread: &'a str) -> Saving<'a, ()> {
        let deleted =
            self.connection().execute("DELETE FROM checkpoints WHERE thread = ?1", [thread]);
        Box::pin(ready(deleted.map(drop).map_err(Into::into)))
    }
}
