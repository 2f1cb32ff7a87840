//! The answers that were recorded from the Python packages, asked of the native core.
//! (`js-tests/peers/conformance` asks them of the built package; its `python` folder records them.)
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

mod add_messages;
mod context_edits;
mod context_presets;
mod merge_state;
mod other_fields;
mod patch_tool_calls;
mod records;
mod super_step;
