//! Ids of tasks, checkpoints and interrupts, as langgraph.js makes them.

use uuid::timestamp::UUID_TICKS_BETWEEN_EPOCHS;
use uuid::{Builder, Uuid};

/// Makes a task's id: of what it is, under the id of its checkpoint. The nil uuid stands for an id
/// that is none.
#[must_use]
pub fn task_id(checkpoint: Uuid, task: &[u8]) -> Uuid {
    Uuid::new_v5(&checkpoint, task)
}

/// Makes the ids of checkpoints: each sorts behind those made before it.
#[derive(Debug, Clone, Default)]
pub struct CheckpointIds {
    /// 100 ns each, since 1970.
    last: u64,
}

impl CheckpointIds {
    /// Makes the next id. `node` tells this process from others: six random bytes.
    pub fn next(&mut self, unix_milliseconds: u64, sequence: u16, node: [u8; 6]) -> Uuid {
        self.last = unix_milliseconds.saturating_mul(10_000).max(self.last.saturating_add(1));
        let ticks = self.last.saturating_add(UUID_TICKS_BETWEEN_EPOCHS);
        Builder::from_sorted_gregorian_timestamp(ticks, sequence, &node).into_uuid()
    }
}
