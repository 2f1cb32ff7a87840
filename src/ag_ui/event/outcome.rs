//! How a run of AG-UI ended.

use super::checks::is_object;
use super::field::Field;
use crate::value::Json;

/// How a run ended: the `outcome` of `RUN_FINISHED`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum RunFinishedOutcome {
    /// Well.
    Success {
        /// The tool calls that are left to the client.
        pending_tool_call_ids: Vec<String>,
    },
    /// It waits for answers.
    Interrupt {
        /// The interrupts, each an object.
        interrupts: Vec<Json>,
    },
    /// Somebody stopped it.
    Cancelled,
    /// In another way: an object.
    Other(Json),
}

impl Field for RunFinishedOutcome {
    const EXPECTED: &'static str =
        "an object whose `interrupts`, if its type is `interrupt`, is a list of objects";

    fn read(value: Option<Json>) -> Option<Self> {
        let outcome = value.filter(is_object)?;
        Some(match outcome["type"].as_str() {
            Some("success") => {
                let ids = outcome["pendingToolCallIds"].iter();
                let ids = ids.filter_map(Json::as_str).map(str::to_owned).collect();
                Self::Success { pending_tool_call_ids: ids }
            }
            Some("interrupt") => {
                let interrupts: Vec<Json> = outcome["interrupts"].iter().cloned().collect();
                let is_list =
                    crate::value::Value::kind(&outcome["interrupts"]) == crate::value::Kind::Array;
                if !is_list || !interrupts.iter().all(is_object) {
                    return None;
                }
                Self::Interrupt { interrupts }
            }
            Some("cancelled") => Self::Cancelled,
            _ => Self::Other(outcome),
        })
    }

    fn written(&self) -> Option<Json> {
        let of = |name: &str| ("type", Json::from(name));
        Some(match self {
            Self::Success { pending_tool_call_ids: ids } if ids.is_empty() => {
                Json::from([of("success")])
            }
            Self::Success { pending_tool_call_ids: ids } => {
                let ids = ids.iter().map(|id| Json::from(id.as_str())).collect();
                Json::from([of("success"), ("pendingToolCallIds", ids)])
            }
            Self::Interrupt { interrupts } => {
                Json::from([of("interrupt"), ("interrupts", interrupts.clone().into())])
            }
            Self::Cancelled => Json::from([of("cancelled")]),
            Self::Other(outcome) => outcome.clone(),
        })
    }
}
