//! A page has one thread: a graph's nodes, branches and futures may hold what cannot leave it.

use std::cell::Cell;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use threadfold::State;
use threadfold::graph::{BoxError, Ctx, END, START, StateGraph};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

#[derive(Debug, Clone, Default, State)]
#[state(derive(Clone))]
struct Count {
    #[reducer(|sum, more| sum + more)]
    n: u32,
}

#[wasm_bindgen_test]
fn a_node_holds_javascripts_values_while_it_waits() {
    let seen = Rc::new(Cell::new(0));
    let (counts, value) = (seen.clone(), JsValue::from(2));
    let graph = StateGraph::<Count>::new()
        .node("fetch", move |_: &Count, _: Ctx| {
            let (counts, value) = (counts.clone(), value.clone());
            async move {
                std::future::ready(()).await;
                counts.set(counts.get() + 1);
                let n = value.as_f64().map(|_| counts.get());
                Ok::<_, BoxError>(CountUpdate { n })
            }
        })
        .edge(START, "fetch")
        .branch("fetch", |count: &Count| if count.n < 3 { "fetch" } else { END })
        .compile()
        .unwrap();
    let mut run = pin!(graph.invoke(Count::default()));
    let done = run.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    let ended = matches!(done, Poll::Ready(Ok(outcome)) if outcome.state.n == 3);
    assert!(ended && seen.get() == 2);
}
