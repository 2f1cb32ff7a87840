//! Threads in SQLite, in the tables of `@langchain/langgraph-checkpoint-sqlite`.

use std::future::ready;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Params, TransactionBehavior, params};
use serde_json::Value;
use threadfold::graph::BoxError;

use crate::database::Database;
use crate::json::written;
use crate::row::{ERROR_SOURCE, NewRow, Put, Row, TaskWrites, Write};
use crate::saver::Saver;

/// The tables of langgraph.js's saver.
const TABLES: &str = "
CREATE TABLE IF NOT EXISTS checkpoints (
  thread_id TEXT NOT NULL,
  checkpoint_ns TEXT NOT NULL DEFAULT '',
  checkpoint_id TEXT NOT NULL,
  parent_checkpoint_id TEXT,
  type TEXT,
  checkpoint BLOB,
  metadata BLOB,
  PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id)
);
CREATE TABLE IF NOT EXISTS writes (
  thread_id TEXT NOT NULL,
  checkpoint_ns TEXT NOT NULL DEFAULT '',
  checkpoint_id TEXT NOT NULL,
  task_id TEXT NOT NULL,
  idx INTEGER NOT NULL,
  channel TEXT NOT NULL,
  type TEXT,
  value BLOB,
  PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx)
);";

const NEWEST: &str = "SELECT checkpoint_id FROM checkpoints WHERE thread_id = ? AND \
                      checkpoint_ns = '' ORDER BY checkpoint_id DESC LIMIT 1";

/// The records of a checkpoint's questions.
const QUESTIONS: &str = "SELECT value FROM writes WHERE thread_id = ? AND checkpoint_ns = '' AND \
                         checkpoint_id = ? AND channel = '__interrupt__'";

/// How long a call waits for another program that writes.
const PATIENCE: Duration = Duration::from_secs(5);

/// A SQLite database, which a [`SqliteSaver`] uses.
#[derive(Debug)]
pub struct Sqlite(Mutex<Connection>);

/// Keeps threads in SQLite. langgraph.js's `SqliteSaver` and npm's threadfold continue them, and this
/// continues theirs.
///
/// **Its calls block their thread**: for a read or a write of one checkpoint, and up to five seconds while
/// another program writes. Spawn runs on tokio's multi-threaded runtime, where other tasks go on
/// meanwhile; in one thread they wait, too. `PostgresSaver` blocks nothing.
pub type SqliteSaver = Saver<Sqlite>;

impl Saver<Sqlite> {
    /// Opens a database, and makes the tables that it lacks.
    ///
    /// # Errors
    /// SQLite's.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, rusqlite::Error> {
        Self::of(Connection::open(path)?)
    }

    /// Opens a database in memory.
    ///
    /// # Errors
    /// SQLite's.
    pub fn in_memory() -> Result<Self, rusqlite::Error> {
        Self::of(Connection::open_in_memory()?)
    }

    /// Uses a connection of your own.
    ///
    /// # Errors
    /// SQLite's.
    pub fn of(connection: Connection) -> Result<Self, rusqlite::Error> {
        connection.busy_timeout(PATIENCE)?;
        connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
        connection.execute_batch(TABLES)?;
        Ok(Self::new(Sqlite(Mutex::new(connection))))
    }
}

impl Sqlite {
    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self, thread: &str, id: Option<&str>) -> Result<Option<Row>, BoxError> {
        let connection = self.connection();
        let named = if id.is_some() { "AND checkpoint_id = ?2" } else { "AND ?2 IS NULL" };
        let sql = format!(
            "SELECT checkpoint_id, parent_checkpoint_id, checkpoint, metadata, type FROM checkpoints \
             WHERE thread_id = ?1 AND checkpoint_ns = '' {named} ORDER BY checkpoint_id DESC LIMIT 1"
        );
        let mut statement = connection.prepare_cached(&sql)?;
        let found = statement
            .query_row(params![thread, id], |row| {
                let (id, parent): (String, Option<String>) = (row.get(0)?, row.get(1)?);
                let kind: Option<String> = row.get(4)?;
                let (checkpoint, metadata) = (bytes(row.get_ref(2)?), bytes(row.get_ref(3)?));
                Ok((id, parent, kind, checkpoint.to_vec(), metadata.to_vec()))
            })
            .optional()?;
        let Some((id, parent, kind, checkpoint, metadata)) = found else { return Ok(None) };
        crate::check_type(kind.as_deref())?;
        let mut row = Row { id, parent, ..Row::default() };
        row.checkpoint = serde_json::from_slice(&checkpoint)?;
        row.metadata = serde_json::from_slice(&metadata)?;
        let mut statement = connection.prepare_cached(
            "SELECT task_id, channel, value, type FROM writes WHERE thread_id = ?1 AND \
             checkpoint_ns = '' AND checkpoint_id = ?2 ORDER BY task_id, idx",
        )?;
        let mut rows = statement.query(params![thread, row.id])?;
        while let Some(write) = rows.next()? {
            crate::check_type(write.get::<_, Option<String>>(3)?.as_deref())?;
            let value = serde_json::from_slice(bytes(write.get_ref(2)?))?;
            row.writes.push(Write { task: write.get(0)?, channel: write.get(1)?, value });
        }
        Ok(Some(row))
    }

    fn write(&self, thread: &str, last: Option<&str>, put: Put) -> Result<bool, BoxError> {
        let mut connection = self.connection();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let newest: Option<String> =
            transaction.prepare_cached(NEWEST)?.query_row([thread], |row| row.get(0)).optional()?;
        if newest.as_deref() != last {
            return Ok(false);
        }
        if let Some(claim) = &put.claim {
            let mut records = transaction.prepare_cached(QUESTIONS)?;
            let mut rows = records.query(params![thread, claim.checkpoint])?;
            while let Some(row) = rows.next()? {
                if claim.is_lost(&serde_json::from_slice(bytes(row.get_ref(0)?))?) {
                    return Ok(false);
                }
            }
        }
        for own in &put.writes {
            let all_new = write_task(&transaction, thread, own)?;
            if !all_new && own.is_beside(last) {
                return Ok(false);
            }
        }
        if let Some(NewRow { id, parent, mut checkpoint, values, metadata, .. }) = put.row {
            checkpoint.insert("channel_values".to_owned(), Value::Object(values));
            // Blobs, as langgraph.js's saver puts them.
            let (checkpoint, metadata) = (written(&checkpoint)?, written(&metadata)?);
            transaction.prepare_cached(
                "INSERT OR REPLACE INTO checkpoints (thread_id, checkpoint_ns, checkpoint_id, \
                 parent_checkpoint_id, type, checkpoint, metadata) VALUES (?, '', ?, ?, 'json', ?, ?)",
            )?
            .execute(params![thread, id, parent, checkpoint, metadata])?;
        }
        transaction.commit()?;
        Ok(true)
    }

    fn column(&self, sql: &str, params: impl Params) -> Result<Vec<String>, BoxError> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(sql)?;
        let texts = statement.query_map(params, |row| row.get(0))?;
        Ok(texts.collect::<Result<_, _>>()?)
    }

    fn remove(&self, thread: &str) -> Result<(), BoxError> {
        let mut connection = self.connection();
        let transaction = connection.transaction()?;
        for table in ["checkpoints", "writes"] {
            // The names that begin with `THREAD|`: `}` is the character after `|`.
            let sql = format!(
                "DELETE FROM {table} WHERE thread_id = ?1 OR thread_id >= ?1 || '|' AND \
                 thread_id < ?1 || '}}'"
            );
            transaction.execute(&sql, [thread])?;
        }
        transaction.commit()?;
        Ok(())
    }
}

/// Text or a blob: langgraph.js writes either.
fn bytes(value: ValueRef<'_>) -> &[u8] {
    match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes,
        _ => b"null",
    }
}

/// Returns whether no other run has put a result of the task.
fn write_task(connection: &Connection, thread: &str, own: &TaskWrites) -> Result<bool, BoxError> {
    // Columns by their names: Python's saver adds one.
    let replaced = if own.replaces() {
        String::new()
    } else {
        format!(" WHERE writes.channel = '{ERROR_SOURCE}'")
    };
    let sql = format!(
        "INSERT INTO writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, value) \
         VALUES (?, '', ?, ?, ?, ?, 'json', ?) ON CONFLICT (thread_id, checkpoint_ns, checkpoint_id, \
         task_id, idx) DO UPDATE SET channel = excluded.channel, type = excluded.type, value = \
         excluded.value{replaced}"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut all_new = true;
    for (place, channel, value) in own.placed() {
        let (value, own) = (written(value)?, (&own.checkpoint, &own.task));
        let count = statement.execute(params![thread, own.0, own.1, place, channel, value])?;
        all_new &= place < 0 || count > 0;
    }
    Ok(all_new)
}

impl Database for Sqlite {
    fn row(
        &self,
        thread: &str,
        id: Option<&str>,
    ) -> impl Future<Output = Result<Option<Row>, BoxError>> + Send {
        ready(self.read(thread, id))
    }

    fn put(
        &self,
        thread: &str,
        last: Option<&str>,
        put: Put,
    ) -> impl Future<Output = Result<bool, BoxError>> + Send {
        ready(self.write(thread, last, put))
    }

    fn ids(&self, thread: &str) -> impl Future<Output = Result<Vec<String>, BoxError>> + Send {
        ready(self.column(
            "SELECT checkpoint_id FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = '' \
             ORDER BY checkpoint_id DESC",
            [thread],
        ))
    }

    fn threads(&self) -> impl Future<Output = Result<Vec<String>, BoxError>> + Send {
        ready(self.column(
            "SELECT thread_id FROM checkpoints WHERE checkpoint_ns = '' GROUP BY thread_id \
             ORDER BY max(checkpoint_id) DESC",
            [],
        ))
    }

    fn delete(&self, thread: &str) -> impl Future<Output = Result<(), BoxError>> + Send {
        ready(self.remove(thread))
    }
}
