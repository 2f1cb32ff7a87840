//! The numbers by which the package names things to the core: the one table of them. From this file
//! `scripts/build/numbers.mjs` writes the package's half, `pkg-template/generated/numbers.js`. That
//! has a list of names for each module: the names in quotes, or the constants' own.

#![allow(dead_code)] // Some are only used on the core's side of a match.

/// The requests to a thread.
pub(super) mod ask {
    pub const STATE: i32 = 0;
    pub const CONFIRMED: i32 = 1;
    pub const PENDING: i32 = 2;
    pub const RECORD: i32 = 3;
    pub const MESSAGE: i32 = 4;
    pub const UPDATE: i32 = 5;
    pub const OPTIMISTIC: i32 = 6;
    pub const SETTLE: i32 = 7;
    pub const FAIL: i32 = 8;
    pub const RETRY: i32 = 9;
    pub const ROLLBACK: i32 = 10;
    pub const TEXT: i32 = 11;
    pub const RELOCATE: i32 = 12;
    pub const INCOMPLETE: i32 = 13;
    pub const TOLD: i32 = 14;
    pub const RUN: i32 = 15;
    pub const LOOK: i32 = 16;
    pub const HAD: i32 = 17;
    pub const SAID: i32 = 18;
}

/// The events that a thread receives, which continue the numbers of the requests.
pub(super) mod event {
    pub const UNKNOWN: i32 = 30;
    /// "run-started"
    pub const RUN_STARTED: i32 = 31;
    /// "run-finished"
    pub const RUN_FINISHED: i32 = 32;
    /// "run-error"
    pub const RUN_ERROR: i32 = 33;
    pub const DISCONNECTED: i32 = 34;
    pub const MESSAGE: i32 = 35;
    /// "message-finished"
    pub const MESSAGE_FINISHED: i32 = 36;
    pub const MESSAGES: i32 = 37;
    pub const UPDATE: i32 = 38;
    pub const VALUES: i32 = 39;
    pub const STATE: i32 = 40;
    pub const DELTA: i32 = 41;
}

/// How a thread is made, added up.
pub(super) mod made {
    /// From a record.
    pub const RECORDED: i32 = 1;
    /// Without a schema.
    pub const OPEN: i32 = 2;
}

/// The requests to a list of messages.
pub(super) mod list {
    pub const SNAPSHOT: i32 = 0;
    pub const UPDATE: i32 = 1;
    pub const APPEND: i32 = 2;
    pub const FREEZE: i32 = 3;
    pub const RELOCATE: i32 = 4;
    pub const LENGTH: i32 = 5;
}

/// The requests of a schema for a state.
pub(super) mod apply {
    pub const MERGE: i32 = 0;
    pub const STEP: i32 = 1;
    pub const INPUT: i32 = 2;
    pub const OUTPUT: i32 = 3;
    pub const CHECKPOINT: i32 = 4;
}

/// The kinds of a schema's fields.
pub(super) mod field {
    pub const MESSAGES: i32 = 0;
    pub const TOOLS: i32 = 1;
    pub const TODOS: i32 = 2;
    pub const FILES: i32 = 3;
    pub const APPEND: i32 = 4;
    pub const MERGE: i32 = 5;
    pub const REPLACE: i32 = 6;
    pub const EPHEMERAL: i32 = 7;
    pub const UNTRACKED: i32 = 8;
    pub const REDUCER: i32 = 9;
}

/// The ways of a field, added up.
pub(super) mod ways {
    pub const INPUT: i32 = 1;
    pub const OUTPUT: i32 = 2;
    pub const GUARD: i32 = 4;
}

/// Whose rules a list of messages follows.
pub(super) mod rules {
    pub const LANGGRAPH: i32 = 0;
    pub const DEEPAGENTS: i32 = 1;
}

/// Which tool of two with one name stays.
pub(super) mod prefer {
    pub const FIRST: i32 = 0;
    pub const LAST: i32 = 1;
}
