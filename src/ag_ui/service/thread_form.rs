//! A thread as a client loads it.

use serde::Serialize;

use crate::ag_ui::encoder::{ag_ui_messages, json_of, shown};
use crate::graph::Outcome;
use crate::stream::StreamError;
use crate::value::{Json, Value};

/// Returns a thread as `{ messages, state, interrupts, next }`, with its run under way.
pub fn thread_json<S: Serialize>(
    known: Option<&Outcome<S>>,
    run: Option<&str>,
) -> Result<Json, StreamError> {
    let state = known.map(|known| json_of(&known.state)).transpose()?;
    let state = state.unwrap_or_else(Json::object);
    let interrupts = known.iter().flat_map(|known| &known.interrupts);
    let interrupts = interrupts.map(|asked| {
        Json::from([("id", asked.id.as_str().into()), ("value", asked.value.clone().into())])
    });
    let next = known.iter().flat_map(|known| &known.next);
    let mut own = Json::from([
        ("messages", Json::from(ag_ui_messages(&state["messages"]))),
        ("state", shown(&state)),
        ("interrupts", interrupts.collect()),
        ("next", next.map(|node| Json::from(&**node)).collect()),
    ]);
    if let Some(id) = run {
        own = own.with("run", Json::from([("id", id.into())]));
    }
    Ok(own)
}
