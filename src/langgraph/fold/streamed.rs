//! A message of the stream of messages, until its run ends.

use crate::langgraph::tool_calls::ToolCalls;
use crate::value::Json;

/// The source of a message: its task, and whether that is in a subgraph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Speaker {
    pub task: String,
    pub is_guest: bool,
}

#[derive(Debug)]
#[allow(clippy::struct_excessive_bools)] // Each has its own meaning.
pub(super) struct Streamed {
    /// As the thread got it.
    pub message: Json,
    /// Whether more of it is to come.
    pub open: bool,
    pub speaker: Speaker,
    /// Whether its node has written since its last part.
    pub written: bool,
    /// Whether a state that came after its last part lacks it.
    pub lacked: bool,
    /// Whether a state has had it.
    pub landed: bool,
    /// The message as the last state has it, if no part came since.
    pub stated: Option<Json>,
    pub calls: ToolCalls,
}

impl Streamed {
    pub(super) fn new(message: Json, open: bool, speaker: Speaker) -> Self {
        Self {
            message,
            open,
            speaker,
            written: false,
            lacked: false,
            landed: false,
            stated: None,
            calls: ToolCalls::default(),
        }
    }

    /// Notes that a part came.
    pub(super) fn continued(&mut self, speaker: &Speaker) {
        self.speaker.clone_from(speaker);
        (self.written, self.lacked, self.stated) = (false, false, None);
    }
}
