//! Threads in Postgres, in the tables of `@langchain/langgraph-checkpoint-postgres`.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use threadfold::graph::BoxError;
use tokio::runtime::Handle;
use tokio::sync::Mutex;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, NoTls, Transaction};

use crate::database::Database;
use crate::json::written;
use crate::row::{ERROR_SOURCE, NewRow, Object, Put, Row, TaskWrites, Write};
use crate::saver::Saver;

/// The tables of langgraph.js's saver, one step after another: their number is in
/// `checkpoint_migrations`.
const MIGRATIONS: [&str; 5] = [
    "CREATE TABLE IF NOT EXISTS {}.checkpoint_migrations (v INTEGER PRIMARY KEY)",
    "CREATE TABLE IF NOT EXISTS {}.checkpoints (
      thread_id TEXT NOT NULL,
      checkpoint_ns TEXT NOT NULL DEFAULT '',
      checkpoint_id TEXT NOT NULL,
      parent_checkpoint_id TEXT,
      type TEXT,
      checkpoint JSONB NOT NULL,
      metadata JSONB NOT NULL DEFAULT '{}',
      PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id)
    )",
    "CREATE TABLE IF NOT EXISTS {}.checkpoint_blobs (
      thread_id TEXT NOT NULL,
      checkpoint_ns TEXT NOT NULL DEFAULT '',
      channel TEXT NOT NULL,
      version TEXT NOT NULL,
      type TEXT NOT NULL,
      blob BYTEA,
      PRIMARY KEY (thread_id, checkpoint_ns, channel, version)
    )",
    "CREATE TABLE IF NOT EXISTS {}.checkpoint_writes (
      thread_id TEXT NOT NULL,
      checkpoint_ns TEXT NOT NULL DEFAULT '',
      checkpoint_id TEXT NOT NULL,
      task_id TEXT NOT NULL,
      idx INTEGER NOT NULL,
      channel TEXT NOT NULL,
      type TEXT,
      blob BYTEA NOT NULL,
      PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx)
    )",
    "ALTER TABLE {}.checkpoint_blobs ALTER COLUMN blob DROP NOT NULL",
];

/// A Postgres database, which a [`PostgresSaver`] uses.
pub struct Postgres {
    tables: Arc<Tables>,
    runtime: Handle,
}

/// A connection, and the statements over its tables.
struct Tables {
    client: Mutex<Client>,
    sql: Sql,
}

/// Keeps threads in Postgres. langgraph.js's `PostgresSaver` and npm's threadfold continue them, and
/// this continues theirs.
pub type PostgresSaver = Saver<Postgres>;

impl Saver<Postgres> {
    /// Connects without TLS, on tokio, and makes the tables that the schema `public` lacks.
    ///
    /// ```no_run
    /// use threadfold_checkpoint::PostgresSaver;
    ///
    /// # async fn run() -> Result<(), threadfold::graph::BoxError> {
    /// let saver = PostgresSaver::connect("postgresql://me@localhost/threads").await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Postgres's.
    pub async fn connect(url: &str) -> Result<Self, BoxError> {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
        // When it ends, each later call of the client is an error.
        tokio::spawn(connection);
        Self::of(client, "public").await
    }

    /// Uses a client of your own, whose connection runs, on tokio. Makes the schema and the tables
    /// that it lacks.
    ///
    /// # Errors
    /// Postgres's, and tokio's without a runtime.
    pub async fn of(client: Client, schema: &str) -> Result<Self, BoxError> {
        let sql = Sql::of(schema);
        sql.make_tables(&client).await?;
        let tables = Arc::new(Tables { client: Mutex::new(client), sql });
        Ok(Self::new(Postgres { tables, runtime: Handle::try_current()? }))
    }
}

/// The statements over the tables of a schema.
struct Sql {
    schema: String,
    newest: String,
    ids: String,
    threads: String,
    row: String,
    values: String,
    writes: String,
    questions: String,
    put: String,
    put_value: String,
    put_write: String,
    replace_write: String,
}

impl Sql {
    fn of(schema: &str) -> Self {
        let schema = format!("\"{}\"", schema.replace('"', "\"\""));
        let of_thread = "thread_id = $1 AND checkpoint_ns = ''";
        let put_write = format!(
            "INSERT INTO {schema}.checkpoint_writes (thread_id, checkpoint_ns, checkpoint_id, task_id, \
             idx, channel, type, blob) VALUES ($1, '', $2, $3, $4, $5, 'json', $6) ON CONFLICT \
             (thread_id, checkpoint_ns, checkpoint_id, task_id, idx)"
        );
        Self {
            newest: format!(
                "SELECT checkpoint_id FROM {schema}.checkpoints WHERE {of_thread} ORDER BY \
                 checkpoint_id DESC LIMIT 1"
            ),
            ids: format!(
                "SELECT checkpoint_id FROM {schema}.checkpoints WHERE {of_thread} ORDER BY \
                 checkpoint_id DESC"
            ),
            threads: format!(
                "SELECT thread_id FROM {schema}.checkpoints WHERE checkpoint_ns = '' GROUP BY \
                 thread_id ORDER BY max(checkpoint_id) DESC"
            ),
            row: format!(
                "SELECT checkpoint_id, parent_checkpoint_id, checkpoint::text, metadata::text FROM \
                 {schema}.checkpoints WHERE {of_thread} AND ($2::text IS NULL OR checkpoint_id = $2) \
                 ORDER BY checkpoint_id DESC LIMIT 1"
            ),
            values: format!(
                "SELECT b.channel, b.type, b.blob FROM {schema}.checkpoints c, \
                 jsonb_each_text(c.checkpoint -> 'channel_versions') v, {schema}.checkpoint_blobs b \
                 WHERE c.thread_id = $1 AND c.checkpoint_ns = '' AND c.checkpoint_id = $2 AND \
                 b.thread_id = c.thread_id AND b.checkpoint_ns = c.checkpoint_ns AND b.channel = v.key \
                 AND b.version = v.value"
            ),
            writes: format!(
                "SELECT task_id, channel, type, blob FROM {schema}.checkpoint_writes WHERE {of_thread} \
                 AND checkpoint_id = $2 ORDER BY task_id, idx"
            ),
            questions: format!(
                "SELECT blob FROM {schema}.checkpoint_writes WHERE {of_thread} AND checkpoint_id = $2 \
                 AND channel = '__interrupt__'"
            ),
            put: format!(
                "INSERT INTO {schema}.checkpoints (thread_id, checkpoint_ns, checkpoint_id, \
                 parent_checkpoint_id, checkpoint, metadata) VALUES ($1, '', $2, $3, \
                 $4::text::jsonb, $5::text::jsonb)"
            ),
            put_value: format!(
                "INSERT INTO {schema}.checkpoint_blobs (thread_id, checkpoint_ns, channel, version, \
                 type, blob) VALUES ($1, '', $2, $3, $4, $5) ON CONFLICT (thread_id, checkpoint_ns, \
                 channel, version) DO UPDATE SET type = EXCLUDED.type, blob = EXCLUDED.blob WHERE \
                 checkpoint_blobs.type = 'empty'"
            ),
            replace_write: format!(
                "{put_write} DO UPDATE SET channel = EXCLUDED.channel, type = EXCLUDED.type, blob = \
                 EXCLUDED.blob"
            ),
            put_write: format!(
                "{put_write} DO UPDATE SET channel = EXCLUDED.channel, type = EXCLUDED.type, blob = \
                 EXCLUDED.blob WHERE checkpoint_writes.channel = '{ERROR_SOURCE}'"
            ),
            schema,
        }
    }

    async fn make_tables(&self, client: &Client) -> Result<(), BoxError> {
        let Self { schema, .. } = self;
        client.batch_execute(&format!("CREATE SCHEMA IF NOT EXISTS {schema}")).await?;
        for (number, migration) in (0..).zip(MIGRATIONS) {
            let known = format!("SELECT 1 FROM {schema}.checkpoint_migrations WHERE v = $1");
            let number: i32 = number;
            if number > 0 && client.query_opt(&known, &[&number]).await?.is_some() {
                continue;
            }
            client.batch_execute(&migration.replacen("{}", schema, 1)).await?;
            let note = format!(
                "INSERT INTO {schema}.checkpoint_migrations (v) VALUES ($1) ON CONFLICT DO NOTHING"
            );
            client.execute(&note, &[&number]).await?;
        }
        Ok(())
    }

    /// Returns whether no other run has put a result of the task.
    async fn put_task(
        &self,
        to: &Transaction<'_>,
        thread: &str,
        own: &TaskWrites,
    ) -> Result<bool, BoxError> {
        let sql = if own.replaces() { &self.replace_write } else { &self.put_write };
        let mut all_new = true;
        for (place, channel, value) in own.placed() {
            let blob = written(value)?;
            let (checkpoint, task) = (&own.checkpoint, &own.task);
            let count =
                to.execute(sql, &[&thread, checkpoint, task, &place, &channel, &blob]).await?;
            all_new &= place < 0 || count > 0;
        }
        Ok(all_new)
    }

    async fn put_row(
        &self,
        to: &Transaction<'_>,
        thread: &str,
        row: &NewRow,
    ) -> Result<(), BoxError> {
        for (channel, version) in &row.fresh {
            let blob = row.values.get(channel).map(written).transpose()?;
            let kind = if blob.is_some() { "json" } else { "empty" };
            let version = version.to_string();
            to.execute(&self.put_value, &[&thread, channel, &version, &kind, &blob]).await?;
        }
        let checkpoint = String::from_utf8(written(&row.checkpoint)?)?;
        let metadata = String::from_utf8(written(&row.metadata)?)?;
        to.execute(&self.put, &[&thread, &row.id, &row.parent, &checkpoint, &metadata]).await?;
        Ok(())
    }
}

/// Begins a transaction that changes a thread: two programs do so one after the other.
async fn in_turn<'c>(client: &'c mut Client, thread: &str) -> Result<Transaction<'c>, BoxError> {
    let transaction = client.transaction().await?;
    let lock = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))";
    transaction.query(lock, &[&thread]).await?;
    Ok(transaction)
}

impl Tables {
    async fn column(
        &self,
        sql: &str,
        params: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<String>, BoxError> {
        let rows = self.client.lock().await.query(sql, params).await?;
        Ok(rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?)
    }

    async fn row(&self, thread: &str, id: Option<&str>) -> Result<Option<Row>, BoxError> {
        let client = self.client.lock().await;
        let Some(found) = client.query_opt(&self.sql.row, &[&thread, &id]).await? else {
            return Ok(None);
        };
        let mut row = Row { id: found.try_get(0)?, parent: found.try_get(1)?, ..Row::default() };
        row.checkpoint = serde_json::from_str(found.try_get(2)?)?;
        row.metadata = serde_json::from_str(found.try_get(3)?)?;
        let mut values = Object::new();
        for value in client.query(&self.sql.values, &[&thread, &row.id]).await? {
            let (channel, kind): (String, String) = (value.try_get(0)?, value.try_get(1)?);
            if kind == "empty" {
                continue;
            }
            crate::check_type(Some(&kind))?;
            values.insert(channel, serde_json::from_slice(value.try_get(2)?)?);
        }
        row.checkpoint.insert("channel_values".to_owned(), Value::Object(values));
        for write in client.query(&self.sql.writes, &[&thread, &row.id]).await? {
            crate::check_type(write.try_get(2)?)?;
            let value = serde_json::from_slice(write.try_get(3)?)?;
            row.writes.push(Write { task: write.try_get(0)?, channel: write.try_get(1)?, value });
        }
        Ok(Some(row))
    }

    async fn put(&self, thread: &str, last: Option<&str>, put: Put) -> Result<bool, BoxError> {
        let mut client = self.client.lock().await;
        let transaction = in_turn(&mut client, thread).await?;
        let newest = transaction.query_opt(&self.sql.newest, &[&thread]).await?;
        let newest: Option<String> = newest.map(|row| row.try_get(0)).transpose()?;
        if newest.as_deref() != last {
            return Ok(false);
        }
        if let Some(claim) = &put.claim {
            for row in transaction.query(&self.sql.questions, &[&thread, &claim.checkpoint]).await?
            {
                if claim.is_lost(&serde_json::from_slice(row.try_get(0)?)?) {
                    return Ok(false);
                }
            }
        }
        for own in &put.writes {
            let all_new = self.sql.put_task(&transaction, thread, own).await?;
            if !all_new && own.is_beside(last) {
                return Ok(false);
            }
        }
        if let Some(row) = &put.row {
            self.sql.put_row(&transaction, thread, row).await?;
        }
        transaction.commit().await?;
        Ok(true)
    }

    async fn delete(&self, thread: &str) -> Result<(), BoxError> {
        let mut client = self.client.lock().await;
        let transaction = in_turn(&mut client, thread).await?;
        for table in ["checkpoint_blobs", "checkpoints", "checkpoint_writes"] {
            let sql = format!(
                "DELETE FROM {}.{table} WHERE thread_id = $1 OR starts_with(thread_id, $1 || '|')",
                self.sql.schema
            );
            transaction.execute(&sql, &[&thread]).await?;
        }
        transaction.commit().await?;
        Ok(())
    }
}

impl Postgres {
    /// Changes the tables in a task of its own: a transaction ends, whether its graph is polled or not.
    async fn change<T, F>(&self, work: impl FnOnce(Arc<Tables>) -> F) -> Result<T, BoxError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, BoxError>> + Send + 'static,
    {
        self.runtime.spawn(work(self.tables.clone())).await?
    }
}

impl Database for Postgres {
    async fn row(&self, thread: &str, id: Option<&str>) -> Result<Option<Row>, BoxError> {
        self.tables.row(thread, id).await
    }

    async fn put(&self, thread: &str, last: Option<&str>, put: Put) -> Result<bool, BoxError> {
        let (thread, last) = (thread.to_owned(), last.map(str::to_owned));
        let work =
            |tables: Arc<Tables>| async move { tables.put(&thread, last.as_deref(), put).await };
        self.change(work).await
    }

    async fn ids(&self, thread: &str) -> Result<Vec<String>, BoxError> {
        self.tables.column(&self.tables.sql.ids, &[&thread]).await
    }

    async fn threads(&self) -> Result<Vec<String>, BoxError> {
        self.tables.column(&self.tables.sql.threads, &[]).await
    }

    async fn delete(&self, thread: &str) -> Result<(), BoxError> {
        let thread = thread.to_owned();
        self.change(|tables| async move { tables.delete(&thread).await }).await
    }
}

impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Postgres").field("schema", &self.tables.sql.schema).finish_non_exhaustive()
    }
}
