//! A saver's knowledge of the checkpoint that the next one follows.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::row::{COUNTERS, Object, Row, object};

/// The versions of channels, by name.
pub type Versions = BTreeMap<String, u64>;

/// Updates and steps since a field's value was kept whole.
pub type Counter = (u64, u64);

/// A checkpoint without its values.
#[derive(Debug, Clone, Default)]
pub struct Known {
    pub versions: Versions,
    /// `versions_seen`.
    pub seen: Object,
    /// By field that is kept as deltas.
    pub counters: BTreeMap<String, Counter>,
    /// The channels with writes beside it.
    pub written: BTreeSet<String>,
}

impl Known {
    /// Reads a checkpoint.
    pub fn of(row: &Row) -> Self {
        let seen = row.checkpoint.get("versions_seen").and_then(Value::as_object);
        Self {
            versions: row.versions().map(|(name, version)| (name.clone(), version)).collect(),
            seen: seen.cloned().unwrap_or_default(),
            counters: object(&row.metadata, COUNTERS)
                .filter_map(|(name, value)| Some((name.clone(), counter(value)?)))
                .collect(),
            written: row.writes.iter().map(|write| write.channel.clone()).collect(),
        }
    }

    pub fn version(&self, channel: &str) -> u64 {
        self.versions.get(channel).copied().unwrap_or_default()
    }
}

fn counter(value: &Value) -> Option<Counter> {
    let list = value.as_array()?;
    Some((list.first()?.as_u64()?, list.get(1)?.as_u64()?))
}
