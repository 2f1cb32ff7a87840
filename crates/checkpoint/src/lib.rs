#![doc = include_str!("../README.md")]

mod channels;
mod database;
mod fields;
mod finite;
mod ids;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod json;
mod known;
mod messages;
#[cfg(feature = "postgres")]
mod postgres;
mod read;
mod revived;
mod row;
mod saver;
#[cfg(feature = "sqlite")]
mod sqlite;
mod written;

#[cfg(feature = "postgres")]
pub use postgres::{Postgres, PostgresSaver};
pub use saver::Saver;
#[cfg(feature = "sqlite")]
pub use sqlite::{Sqlite, SqliteSaver};

/// Refuses what is not JSON: langgraph for Python writes msgpack.
///
/// # Errors
/// Names the encoding.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
fn check_type(name: Option<&str>) -> Result<(), threadfold::graph::BoxError> {
    match name.unwrap_or("json") {
        "json" => Ok(()),
        other => Err(format!(
            "The checkpoint is encoded as '{other}', and only 'json' can be read: langgraph.js writes \
             that, Python's savers write 'msgpack'."
        )
        .into()),
    }
}
