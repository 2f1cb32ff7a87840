//! An error keeps its source once, and the error of your own code whole.

use std::error::Error as StdError;
use std::fmt;

use serde_json::json;
use threadfold::ag_ui::{Event, Fold};
use threadfold::graph::{BoxError, Ctx, START, StateGraph};
use threadfold::{Error, Json, State, Thread};

#[derive(Debug, PartialEq)]
struct Spent {
    left: u32,
}

impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "only {} are left", self.left)
    }
}

impl StdError for Spent {}

fn spend(left: u32, spent: u32) -> Result<u32, Error> {
    left.checked_sub(spent).ok_or_else(|| Error::reducer(Spent { left }))
}

#[derive(Debug, Clone, Default, State)]
#[state(derive(Clone))]
struct Budget {
    #[reducer(spend)]
    left: u32,
}

/// Displays an error and its sources.
fn whole(error: impl StdError + Send + Sync + 'static) -> String {
    format!("{:#}", anyhow::Error::new(error))
}

#[test]
fn a_reducers_error_is_kept_whole() {
    let refused = Budget { left: 2 }.try_merge(BudgetUpdate { left: Some(3) }).unwrap_err();
    assert_eq!(refused.code(), "REDUCER_FAILED");
    let own = refused.source().and_then(|source| source.downcast_ref::<Spent>());
    assert_eq!(own, Some(&Spent { left: 2 }));
    assert_eq!(whole(refused), "The reducer of 'left' failed: only 2 are left");
    let alone = spend(2, 3).unwrap_err();
    assert_eq!(alone, Error::reducer("only 2 are left"));
    assert_ne!(alone, Error::reducer("only 3 are left"));
    assert_eq!(whole(alone), "A reducer failed: only 2 are left");
}

async fn node(_: &Budget, _: Ctx) -> Result<BudgetUpdate, BoxError> {
    Ok(BudgetUpdate { left: Some(3) })
}

#[tokio::test]
async fn a_graphs_error_displays_each_source_once() {
    let graph = StateGraph::new().node("spend", node).edge(START, "spend").compile().unwrap();
    let error = graph.invoke(Budget { left: 2 }).await.err().unwrap();
    let says =
        "The update of 'spend' cannot be merged: The reducer of 'left' failed: only 2 are left";
    assert_eq!(whole(error), says);
}

#[test]
fn a_streams_error_displays_each_source_once() {
    let mut thread: Thread<Json> = Thread::new(None, &json!({}).into()).unwrap();
    let delta = json!([{ "op": "remove", "path": "/gone" }]);
    let event: Event =
        serde_json::from_value(json!({ "type": "STATE_DELTA", "delta": delta })).unwrap();
    let error = Fold::new().event(&mut thread, &event).unwrap_err();
    assert_eq!(error.code(), "PATCH_FAILED");
    assert_eq!(whole(error), "STATE_DELTA: Patch operation 0: nothing is at '/gone'.");

    let error = "{".parse::<Event>().unwrap_err();
    let source = error.source().map(ToString::to_string).unwrap();
    assert_eq!(whole(error), format!("The event is not JSON: {source}"));
}
