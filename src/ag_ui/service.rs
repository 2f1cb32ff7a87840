//! A graph as an AG-UI server, without input and output.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::run_input::RunAgentInput;
use super::run_start::check;
use crate::graph::{Checkpointer, Graph, GraphError, GraphState};
use crate::id::new_id;
use crate::value::{Json, Value};

mod path;
mod request;
mod run_log;
mod run_logs;
mod thread_form;
mod work;

use path::ServicePath;
pub use request::{RunWork, ServiceBody, ServiceRequest, ServiceResponse};
pub use run_log::RunEvents;
use run_log::RunLog;
use run_logs::{Entered, RunLogs};
use thread_form::thread_json;
use work::{Begin, work};

/// A state that a [`Service`] can serve: serde reads and writes it and its updates.
pub trait ServedState:
    GraphState<Update: Serialize + DeserializeOwned> + Default + Serialize
{
}

impl<S> ServedState for S where
    S: GraphState<Update: Serialize + DeserializeOwned> + Default + Serialize
{
}

/// Serves a graph over AG-UI: a function from a request to its response, as a `resumable` `serveAgUi`
/// of the npm package is. Bring your own HTTP server.
///
/// | request | is answered by |
/// |---|---|
/// | `POST` of a `RunAgentInput` | the run's events |
/// | `GET …/capabilities` | AG-UI's `AgentCapabilities` |
/// | `GET …/threads/ID` | `{ messages, state, interrupts, next }`, and `run: { id }` of one under way |
/// | `GET …/threads/ID/runs/ID` | the run's events again, after `Last-Event-ID` |
/// | `DELETE …/threads/ID/runs/ID` | `{}`, once the run has stopped |
///
/// - A run continues without its connection. The service answers a second run of its thread with 409.
/// - A run has the id that its client gives it, and so have its checkpoints. A `POST` with the id of the
///   thread's last run joins it. So a client that lost its connection sends the same request again.
/// - A run whose process was killed continues once a client asks for it or its thread, or by
///   [`recover`](Self::recover). Only the nodes that were at work run again. A run that failed or was
///   stopped does not continue. Nor does one of a graph with breakpoints: its stop looks like a killed
///   run.
/// - A field whose name begins with `_` is private: clients neither see nor write it. They write the other
///   fields that `S::default()` has.
/// - One process serves a thread. Anybody may ask: check users before you pass a request on.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use threadfold::State;
/// use threadfold::ag_ui::{Service, ServiceBody, ServiceRequest};
/// use threadfold::graph::{BoxError, Ctx, MemorySaver, START, StateGraph};
///
/// #[derive(Debug, Clone, Default, Serialize, Deserialize, State)]
/// #[state(derive(Clone, Serialize, Deserialize))]
/// struct Mood {
///     mood: String,
/// }
///
/// async fn feel(_: &Mood, _: Ctx) -> Result<MoodUpdate, BoxError> {
///     Ok(MoodUpdate { mood: Some("good".into()) })
/// }
///
/// # async fn run() -> Result<(), BoxError> {
/// let builder = StateGraph::<Mood>::new().node("feel", feel).edge(START, "feel");
/// let service = Service::new(builder.checkpointer(MemorySaver::new()).compile()?)?;
/// let body = br#"{ "threadId": "t", "runId": "r", "messages": [] }"#;
/// let response = service.answer(ServiceRequest::new("POST", "/agent").body(body)).await;
/// response.work.ok_or("no work")?.await; // in a server: tokio::spawn(work)
/// let ServiceBody::Events(mut events) = response.body else { return Err("no events".into()) };
/// let mut last = String::new();
/// while let Some(part) = events.next().await {
///     last = part;
/// }
/// assert!(last.contains("RUN_FINISHED"));
/// # Ok(())
/// # }
/// # let mut run = Box::pin(run());
/// # let waker = std::task::Waker::noop();
/// # assert!(run.as_mut().poll(&mut std::task::Context::from_waker(waker)).is_ready());
/// ```
pub struct Service<S: ServedState>(Arc<Serving<S>>);

/// The graph and its runs.
struct Serving<S: ServedState> {
    graph: Graph<S>,
    runs: RunLogs,
}

impl<S: ServedState> Service<S> {
    /// Serves a graph.
    ///
    /// # Errors
    /// [`GraphError::NoCheckpointer`]: without one there is no thread to serve.
    pub fn new(graph: Graph<S>) -> Result<Self, GraphError> {
        graph.saver().ok_or(GraphError::NoCheckpointer)?;
        Ok(Self(Arc::new(Serving { graph, runs: RunLogs::new(&new_id()) })))
    }

    /// Returns the graph.
    #[must_use]
    pub fn graph(&self) -> &Graph<S> {
        &self.0.graph
    }

    /// Returns where the graph's threads are kept.
    #[must_use]
    pub fn checkpointer(&self) -> Option<&Arc<dyn Checkpointer<S>>> {
        self.0.graph.saver()
    }

    /// Answers a request. Spawn the response's [`work`](ServiceResponse::work), if it has some.
    pub async fn answer(&self, request: ServiceRequest<'_>) -> ServiceResponse {
        let answer = match (request.method, ServicePath::read(request.path)) {
            ("GET", ServicePath::Capabilities) => Ok(ServiceResponse::json(200, &capabilities())),
            ("POST", ServicePath::Other) => self.start(request.body).await,
            ("GET", ServicePath::Thread(thread)) => self.thread(&thread).await,
            ("GET", ServicePath::Run(thread, run)) => {
                self.join(&thread, &run, request.last_event_id).await
            }
            ("DELETE", ServicePath::Run(thread, run)) => self.stop(&thread, &run).await,
            _ => Err(Refusal(404, format!("There is no {} {}.", request.method, request.path))),
        };
        answer.unwrap_or_else(|Refusal(status, reason)| ServiceResponse::error(status, &reason))
    }

    /// Continues the thread's run, if its process was killed. Call it when your program starts, for
    /// each thread of your database. Returns the work to spawn.
    ///
    /// # Errors
    /// Those of the checkpointer.
    pub async fn recover(&self, thread: &str) -> Result<Option<RunWork>, GraphError> {
        let Some(known) = self.0.graph.on(thread).known().await? else { return Ok(None) };
        if !known.is_cut {
            return Ok(None);
        }
        let run = known.outcome.run_id.unwrap_or_else(new_id);
        Ok(match self.0.runs.enter(thread, &run) {
            Entered::New(log) => Some(self.work(log, Begin::GoOn)),
            Entered::Known(_) | Entered::Busy(_) => None,
        })
    }

    async fn start(&self, body: &[u8]) -> Result<ServiceResponse, Refusal> {
        let input: RunAgentInput = serde_json::from_slice(body)
            .map_err(|error| Refusal(400, format!("Invalid input of a run: {error}.")))?;
        check(&input).map_err(|error| Refusal(400, error.to_string()))?;
        let (thread, run) = (input.thread_id.clone(), input.run_id.clone());
        loop {
            match self.0.runs.enter(&thread, &run) {
                Entered::Known(log) => return Ok(ServiceResponse::events(log.events(0), None)),
                Entered::New(log) => {
                    let events = log.events(0);
                    let work = self.work(log, Begin::Input(Box::new(input)));
                    return Ok(ServiceResponse::events(events, Some(work)));
                }
                Entered::Busy(log) if log.is_stopped() => log.over().await,
                Entered::Busy(_) => return Err(busy(&thread)),
            }
        }
    }

    async fn thread(&self, thread: &str) -> Result<ServiceResponse, Refusal> {
        let work = match self.0.runs.under_way(thread) {
            Some(_) => None,
            None => self.recover(thread).await.map_err(failure)?,
        };
        let run = self.0.runs.under_way(thread);
        let known = self.0.graph.on(thread).outcome().await.map_err(failure)?;
        if known.is_none() && run.is_none() {
            return Err(Refusal(404, format!("There is no thread {thread}.")));
        }
        let json = thread_json(known.as_ref(), run.as_ref().map(|run| run.id()));
        let json = json.map_err(|error| Refusal(500, error.to_string()))?;
        Ok(ServiceResponse { work, ..ServiceResponse::json(200, &json) })
    }

    async fn join(
        &self,
        thread: &str,
        run: &str,
        last_event_id: Option<&str>,
    ) -> Result<ServiceResponse, Refusal> {
        let from = last_event_id.map_or(0, |id| self.0.runs.place(id));
        if let Some(log) = self.0.runs.get(thread, run) {
            return Ok(ServiceResponse::events(log.events(from), None));
        }
        // A run of an earlier process.
        let known = self.0.graph.on(thread).outcome().await.map_err(failure)?;
        if known.and_then(|known| known.run_id).as_deref() != Some(run) {
            return Err(unknown_run(thread, run));
        }
        match self.0.runs.enter(thread, run) {
            Entered::New(log) => {
                let events = log.events(0);
                Ok(ServiceResponse::events(events, Some(self.work(log, Begin::GoOn))))
            }
            Entered::Known(log) => Ok(ServiceResponse::events(log.events(from), None)),
            Entered::Busy(_) => Err(busy(thread)),
        }
    }

    async fn stop(&self, thread: &str, run: &str) -> Result<ServiceResponse, Refusal> {
        let Some(log) = self.0.runs.get(thread, run) else {
            return Err(unknown_run(thread, run));
        };
        log.stop();
        log.over().await;
        Ok(ServiceResponse::json(200, &Json::object()))
    }

    fn work(&self, log: Arc<RunLog>, begin: Begin) -> RunWork {
        RunWork::new(work(self.0.clone(), log, begin))
    }
}

impl<S: ServedState> Clone for Service<S> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<S: ServedState> fmt::Debug for Service<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service").field("graph", &self.0.graph).finish_non_exhaustive()
    }
}

/// A request that is not served: its status, and why.
struct Refusal(u16, String);

fn busy(thread: &str) -> Refusal {
    Refusal(409, format!("The thread {thread} has a run that goes on."))
}

fn unknown_run(thread: &str, run: &str) -> Refusal {
    Refusal(404, format!("There is no run {run} of the thread {thread}."))
}

#[allow(clippy::needless_pass_by_value)] // For `map_err`.
fn failure(error: GraphError) -> Refusal {
    Refusal(500, error.to_string())
}

fn capabilities() -> Json {
    crate::json!({
        "transport": { "streaming": true, "resumable": true },
        "state": { "snapshots": true, "deltas": true, "persistentState": true },
        "humanInTheLoop": { "supported": true, "interrupts": true },
    })
}
