//! A graph as an AG-UI server, without input and output.

use std::error::Error;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::encoder::sentence;
use super::run_again::is_again;
use super::run_input::RunAgentInput;
use super::run_start::{Found, check};
use crate::graph::ids::INSIDE;
use crate::graph::sendable::{MaybeSend, MaybeSync};
use crate::graph::{BoxError, Graph, GraphError, GraphState, Outcome};
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
use run_log::RunLog;
use run_logs::{Entered, RunLogs};
use thread_form::thread_json;
use work::{Begin, given_up, work};

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
/// - A run has the id that its client gives it, and so have its checkpoints. A `POST` with the id of a run
///   joins it. So a client that lost its connection sends the same request again. If that run is over, a
///   request that answers an open question or has a new message begins another run of that id.
/// - A run whose process was killed continues once a client asks for it or its thread, or by
///   [`recover`](Self::recover). All nodes of the step that it was in run again, also those that had
///   returned. After 50 attempts in one step it has failed, with the code `KILLED`.
/// - A run that failed or was stopped does not continue. Nor does a run of a graph with breakpoints: a
///   breakpoint looks like the end of a killed run.
/// - Clients neither see nor write a field whose name begins with `_`. They write any other field that
///   `S::default()` has. One that is sent back as it stands changes nothing; an old one is written.
/// - A request whose last user message the thread has already regenerates the answer: what follows that
///   message is removed.
/// - A run ends with a snapshot of all messages, whatever the client has.
/// - One process serves a thread: another takes a run under way for a killed one. Anybody may ask: check
///   users before you pass a request on.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use threadfold::State;
/// use threadfold::ag_ui::{Service, ServiceRequest};
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
/// let mut response = service.answer(ServiceRequest::new("POST", "/agent").body(body)).await;
/// response.work.ok_or("no work")?.await; // in a server: tokio::spawn(work)
/// let mut last = String::new();
/// while let Some(part) = response.body.next().await {
///     last = part;
/// }
/// assert!(last.contains("RUN_FINISHED"));
/// # Ok(())
/// # }
/// # let mut run = Box::pin(run());
/// # let waker = std::task::Waker::noop();
/// # assert!(run.as_mut().poll(&mut std::task::Context::from_waker(waker)).is_ready());
/// ```
pub struct Service<S: ServedState> {
    serving: Arc<Serving<S>>,
    on_error: Option<Arc<dyn OnError>>,
}

/// Takes a thread, a run of it, and an error.
trait OnError: MaybeSend + MaybeSync {
    fn call(&self, thread: &str, run: Option<&str>, error: &(dyn Error + 'static));
}

impl<F> OnError for F
where
    F: Fn(&str, Option<&str>, &(dyn Error + 'static)) + MaybeSend + MaybeSync,
{
    fn call(&self, thread: &str, run: Option<&str>, error: &(dyn Error + 'static)) {
        self(thread, run, error);
    }
}

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
        let serving = Arc::new(Serving { graph, runs: RunLogs::default() });
        Ok(Self { serving, on_error: None })
    }

    /// Calls a function with each error of a run, such as to log it: with the thread, the run, and the
    /// error with its [`source`](Error::source). An error of the checkpointer that has no run is
    /// reported, too.
    ///
    /// A client receives a `RUN_ERROR`: a node's error without its sources, or a reducer's with its reason.
    /// A panic shows only the node's name. An error of a graph inside a node is that of its own
    /// node.
    ///
    /// Its code is one of these:
    ///
    /// | code | cause |
    /// | --- | --- |
    /// | `Error` | a node, a branch, a reducer or the checkpointer failed |
    /// | `PANIC` | one of them panicked |
    /// | `KILLED` | the process ended at each of 50 attempts at one step |
    /// | `GraphRecursionError` | the run reached its limit of super-steps |
    /// | `NO_QUESTION` | the request answers what the thread does not ask |
    /// | `CONFLICT` | another run of the thread saved first |
    /// | `INVALID_ARGUMENT` | the request's input does not fit the thread: the message says where |
    /// | `INVALID_STATE` | serde cannot write the state as JSON |
    #[must_use]
    pub fn on_error<F>(mut self, report: F) -> Self
    where
        F: Fn(&str, Option<&str>, &(dyn Error + 'static)) + MaybeSend + MaybeSync + 'static,
    {
        self.on_error = Some(Arc::new(report));
        self
    }

    /// Keeps the events of so many runs that are over, the last to end, and of these up to so many bytes
    /// in all. By default 100 runs and 16 MiB. They are for clients that come back.
    ///
    /// Afterwards, a client that asks for the thread's last run gets the thread as it stands. An older run
    /// is 404.
    #[must_use]
    pub fn keep(self, runs: usize, bytes: usize) -> Self {
        self.serving.runs.keep(runs, bytes);
        self
    }

    fn report(&self, thread: &str, error: &GraphError) -> Refusal {
        if let Some(on_error) = &self.on_error {
            on_error.call(thread, None, error);
        }
        Refusal(500, error.to_string())
    }

    /// Returns the graph.
    #[must_use]
    pub fn graph(&self) -> &Graph<S> {
        &self.serving.graph
    }

    /// Answers a request. Spawn the response's [`work`](ServiceResponse::work), if it has some.
    pub async fn answer(&self, request: ServiceRequest<'_>) -> ServiceResponse {
        let answer = match (request.method, ServicePath::read(request.path)) {
            (_, ServicePath::Thread(thread) | ServicePath::Run(thread, _))
                if thread.contains(INSIDE) =>
            {
                Err(invalid_thread(thread))
            }
            ("GET", ServicePath::Capabilities) => Ok(ServiceResponse::json(200, &capabilities())),
            ("POST", ServicePath::Other) => self.start(request.body).await,
            ("GET", ServicePath::Thread(thread)) => self.thread(&thread).await,
            ("GET", ServicePath::Run(thread, run)) => {
                self.join(&thread, &run, request.last_event_id).await
            }
            ("DELETE", ServicePath::Run(thread, run)) => self.stop(&thread, &run).await,
            ("GET", ServicePath::Other) => {
                Err(Refusal(404, format!("There is no {}.", request.path)))
            }
            (method, path) => {
                let reason = format!("Invalid method {method}: use {}.", path.methods());
                Err(Refusal(405, reason))
            }
        };
        answer.unwrap_or_else(|Refusal(status, reason)| ServiceResponse::error(status, &reason))
    }

    /// Continues the thread's run, if its process was killed. Call it when your program starts, for
    /// each thread of your database. Returns the work to spawn. A run that has failed after 50
    /// attempts in one step is [reported](Self::on_error) instead, until its thread continues.
    ///
    /// # Errors
    /// Those of the checkpointer.
    pub async fn recover(&self, thread: &str) -> Result<Option<RunWork>, GraphError> {
        let Some(known) = self.serving.graph.on(thread).known().await? else { return Ok(None) };
        if !known.is_cut {
            return Ok(None);
        }
        let given_up = given_up(&known);
        let run = known.outcome.run_id.unwrap_or_else(new_id);
        if let Some(reason) = given_up {
            if let Some(on_error) = &self.on_error {
                on_error.call(thread, Some(&run), &*BoxError::from(reason));
            }
            return Ok(None);
        }
        Ok(match self.serving.runs.enter(thread, &run, None) {
            Entered::New(log) => Some(self.work(log, Begin::GoOn)),
            Entered::Known(_) | Entered::Busy(_) => None,
        })
    }

    /// Deletes a thread: stops its run, deletes what is saved of it, and forgets the events of its runs, which a
    /// client could still read. Check first who asks: no request deletes a thread.
    ///
    /// # Errors
    /// Those of [`OnThread::delete`](crate::graph::OnThread::delete).
    pub async fn delete(&self, thread: &str) -> Result<(), GraphError> {
        if let Some(run) = self.serving.runs.under_way(thread) {
            run.stop();
            run.over().await;
        }
        self.serving.graph.on(thread).delete().await?;
        self.serving.runs.forget_thread(thread);
        Ok(())
    }

    async fn start(&self, body: &[u8]) -> Result<ServiceResponse, Refusal> {
        let invalid = |error| Refusal(400, format!("Invalid input of a run: {}", sentence(&error)));
        let input: RunAgentInput = serde_json::from_slice(body).map_err(invalid)?;
        check(&input).map_err(|error| Refusal(400, error.to_string()))?;
        if input.thread_id.contains(INSIDE) {
            return Err(invalid_thread(input.thread_id));
        }
        let (thread, run) = (input.thread_id.clone(), input.run_id.clone());
        let request = number_of(body);
        loop {
            match self.serving.runs.enter(&thread, &run, Some(request)) {
                Entered::Known(log) => {
                    if !log.has_ended() || log.is_of(request) || self.is_again(&input).await? {
                        return Ok(ServiceResponse::events(log.events(0), None));
                    }
                    self.serving.runs.forget(&log);
                }
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

    /// Whether a request asks again for a run that is over.
    async fn is_again(&self, input: &RunAgentInput) -> Result<bool, Refusal> {
        let thread = &input.thread_id;
        let known = self.serving.graph.on(thread).known().await;
        let Some(known) = known.map_err(|error| self.report(thread, &error))? else {
            return Ok(false);
        };
        let found = Found::of(&known).map_err(|error| Refusal(500, error.to_string()))?;
        Ok(is_again(input, &found))
    }

    async fn thread(&self, thread: &str) -> Result<ServiceResponse, Refusal> {
        let work = match self.serving.runs.under_way(thread) {
            Some(_) => None,
            None => self.recover(thread).await.map_err(|error| self.report(thread, &error))?,
        };
        let run = self.serving.runs.under_way(thread);
        let known = self.known(thread).await?;
        if known.is_none() && run.is_none() {
            return Err(unknown_thread(thread));
        }
        let json = thread_json(known.as_ref(), run.as_ref().map(|run| run.id()));
        let json = json.map_err(|error| Refusal(500, error.to_string()))?;
        Ok(ServiceResponse { work, ..ServiceResponse::json(200, &json) })
    }

    async fn known(&self, thread: &str) -> Result<Option<Outcome<S>>, Refusal> {
        let known = self.serving.graph.on(thread).outcome().await;
        known.map_err(|error| self.report(thread, &error))
    }

    async fn join(
        &self,
        thread: &str,
        run: &str,
        last_event_id: Option<&str>,
    ) -> Result<ServiceResponse, Refusal> {
        let joined = |log: Arc<RunLog>| {
            let from = last_event_id.map_or(0, |id| log.place(id));
            Ok(ServiceResponse::events(log.events(from), None))
        };
        if let Some(log) = self.serving.runs.get(thread, run) {
            return joined(log);
        }
        // A run of an earlier process.
        let known = self.known(thread).await?;
        if known.and_then(|known| known.run_id).as_deref() != Some(run) {
            return Err(unknown_run(thread, run));
        }
        match self.serving.runs.enter(thread, run, None) {
            Entered::New(log) => {
                let events = log.events(0);
                Ok(ServiceResponse::events(events, Some(self.work(log, Begin::GoOn))))
            }
            Entered::Known(log) => joined(log),
            Entered::Busy(_) => Err(busy(thread)),
        }
    }

    async fn stop(&self, thread: &str, run: &str) -> Result<ServiceResponse, Refusal> {
        let Some(log) = self.serving.runs.get(thread, run) else {
            return Err(unknown_run(thread, run));
        };
        log.stop();
        log.over().await;
        Ok(ServiceResponse::json(200, &Json::object()))
    }

    fn work(&self, log: Arc<RunLog>, begin: Begin) -> RunWork {
        RunWork::new(work(self.serving.clone(), log, begin, self.on_error.clone()))
    }
}

impl<S: ServedState> Clone for Service<S> {
    fn clone(&self) -> Self {
        Self { serving: self.serving.clone(), on_error: self.on_error.clone() }
    }
}

impl<S: ServedState> fmt::Debug for Service<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service").field("graph", &self.serving.graph).finish_non_exhaustive()
    }
}

/// A request that is not served: its status, and why.
struct Refusal(u16, String);

fn busy(thread: &str) -> Refusal {
    Refusal(409, format!("The thread {thread} has a run that goes on."))
}

/// A thread of a graph inside a node is part of another thread, and no client's.
fn invalid_thread(thread: String) -> Refusal {
    Refusal(422, GraphError::InvalidThread(thread).to_string())
}

/// Returns the number of a request: the same body has the same.
fn number_of(body: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    body.hash(&mut hasher);
    hasher.finish()
}

fn unknown_thread(thread: &str) -> Refusal {
    Refusal(404, format!("There is no thread {thread}."))
}

fn unknown_run(thread: &str, run: &str) -> Refusal {
    Refusal(404, format!("There is no run {run} of the thread {thread}."))
}

fn capabilities() -> Json {
    crate::json!({
        "transport": { "streaming": true, "resumable": true },
        "state": { "snapshots": true, "deltas": true, "persistentState": true },
        "humanInTheLoop": { "supported": true, "interrupts": true },
    })
}
