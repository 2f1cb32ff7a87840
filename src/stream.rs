//! The results of folding a stream, in the same types for both protocols.

use crate::value::Json;

mod error;

pub use error::StreamError;

/// The result of folding an event, besides the thread.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Folded {
    /// How the run ended, if the event ends it.
    pub end: Option<RunEnd>,
    /// How a snapshot contradicts earlier events, as a JSON Patch.
    pub drift: Option<Json>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum RunEnd {
    /// The run finished.
    Finished {
        /// AG-UI's `result` of the run.
        result: Option<Json>,
        /// The ids of the tool calls that are left to the client. Answer each with a message of the
        /// role `tool`.
        pending_tool_calls: Vec<String>,
    },
    /// The run waits for answers.
    Interrupted {
        /// The interrupts, each with an id of its own.
        interrupts: Vec<StreamInterrupt>,
    },
    /// Somebody stopped the run.
    Stopped,
    /// The run failed.
    Failed {
        /// The server's error, with a `message`.
        error: Json,
    },
}

/// An interrupt of a run.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StreamInterrupt {
    /// The server's id; made here, and kept, if the server gives none or one twice.
    pub id: String,
    /// The request: in `LangGraph`, also over AG-UI, the argument of `interrupt()`.
    pub value: Json,
    /// The question as text, if there is one: `message`, or the value, or the `message`, `question`
    /// or `description` in the value.
    pub message: Option<String>,
    /// The tool call that waits for the answer, if the server names it.
    pub tool_call_id: Option<String>,
    /// The interrupt as the server sent it.
    pub raw: Json,
}

impl StreamInterrupt {
    /// Gives each interrupt an id of its own: `#` and a number from its position on, after the server's
    /// id if that is taken.
    pub(crate) fn named(mut interrupts: Vec<Self>) -> Vec<Self> {
        let mut known = std::collections::HashSet::new();
        for (at, one) in interrupts.iter_mut().enumerate() {
            let own = one.id.clone();
            for number in at.. {
                if !one.id.is_empty() && known.insert(one.id.clone()) {
                    break;
                }
                one.id = format!("{own}#{number}");
            }
        }
        interrupts
    }
}

/// Returns a text as an owned one.
pub(crate) fn text(value: &Json) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// Returns an interrupt's question as text.
pub(crate) fn question_in(value: &Json) -> Option<String> {
    let within = ["message", "question", "description"];
    text(value).or_else(|| within.iter().find_map(|key| text(&value[*key])))
}
