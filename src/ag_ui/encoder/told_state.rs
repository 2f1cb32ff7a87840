//! The state that a client has received: whole at first, then as deltas.

use super::patch_between::patch_between;
use crate::ag_ui::event::{Event, EventKind};
use crate::value::Json;

/// Tracks the state that a client has received.
#[derive(Debug, Default)]
pub struct ToldState(Option<Json>);

impl ToldState {
    /// Returns the event for a state without its messages, if it says something new.
    pub fn tell(&mut self, state: Json) -> Option<Event> {
        if self.0.is_none() && state.entries().next().is_none() {
            return None;
        }
        let Some(before) = self.0.replace(state.clone()) else {
            return Some(EventKind::StateSnapshot { snapshot: state }.into());
        };
        let delta = patch_between(&before, &state);
        (!delta.is_empty()).then(|| EventKind::StateDelta { delta }.into())
    }
}
