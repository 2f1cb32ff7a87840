//! A run of a service, from its beginning to its end.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use super::run_log::RunLog;
use super::{OnError, ServedState, Serving};
use crate::ag_ui::encoder::RunEncoder;
use crate::ag_ui::run_again::is_again;
use crate::ag_ui::run_input::RunAgentInput;
use crate::ag_ui::run_start::{Found, NO_QUESTION, RunStart, run_start};
use crate::graph::caught::caught_future;
use crate::graph::checkpoint::MOST_ATTEMPTS;
use crate::graph::{BoxError, GraphError, KnownThread, Parts};
use crate::stream::StreamError;

/// The code of a run that panicked.
const PANIC: &str = "PANIC";

/// The code of a run whose process was killed at each attempt.
const KILLED: &str = "KILLED";

/// Returns why a run whose process was killed does not continue, if it was tried often enough.
pub fn given_up<S>(known: &KnownThread<S>) -> Option<String> {
    (known.attempts >= MOST_ATTEMPTS).then(|| {
        let nodes = known.outcome.next.join("', '");
        format!(
            "The run was continued {MOST_ATTEMPTS} times, and its process ended each time in the step \
             of '{nodes}': it does not continue by itself."
        )
    })
}

/// How a run begins.
pub enum Begin {
    /// By a client's request.
    Input(Box<RunAgentInput>),
    /// Where an earlier process left it.
    GoOn,
}

/// Why a run failed: a message and a code for its client, and the error itself.
struct Failed {
    message: String,
    code: String,
    error: Option<BoxError>,
}

impl Failed {
    fn new(message: String, code: &str, error: impl Into<BoxError>) -> Self {
        Self { message, code: code.to_owned(), error: Some(error.into()) }
    }
}

/// A run at work. Dropped before its end, also before its first poll, it is given up.
struct AtWork<S: ServedState>(Arc<Serving<S>>, Arc<RunLog>);

impl<S: ServedState> Drop for AtWork<S> {
    fn drop(&mut self) {
        self.0.runs.give_up(&self.1);
    }
}

/// Does a run, and logs its events.
pub fn work<S: ServedState>(
    serving: Arc<Serving<S>>,
    log: Arc<RunLog>,
    begin: Begin,
    on_error: Option<Arc<dyn OnError>>,
) -> impl Future<Output = ()> {
    let at_work = AtWork(serving, log);
    async move {
        let AtWork(serving, log) = &at_work;
        told(serving, log, begin, on_error).await;
        serving.runs.end(log);
    }
}

async fn told<S: ServedState>(
    serving: &Serving<S>,
    log: &RunLog,
    begin: Begin,
    on_error: Option<Arc<dyn OnError>>,
) {
    let input = match begin {
        Begin::Input(input) => Some(*input),
        Begin::GoOn => None,
    };
    let none = RunAgentInput::new(log.thread(), log.id());
    let mut encoder = RunEncoder::new(input.as_ref().unwrap_or(&none));
    log.add([encoder.start()]);
    // A node's panic is its error; this is a reducer's, or serde's.
    let ended = caught_future(run(serving, log, input.as_ref(), &mut encoder)).await;
    let ended = ended.unwrap_or_else(|panicked| {
        Err(Failed::new("The run panicked.".to_owned(), PANIC, panicked))
    });
    if let Err(Failed { message, code, error }) = ended {
        // The run's own error says more than why its questions cannot be read.
        let open = serving.graph.on(log.thread()).outcome().await.ok().flatten();
        let open = open.map(|open| open.interrupts).unwrap_or_default();
        log.add(encoder.fail(&message, &code, &open));
        if let (Some(on_error), Some(error)) = (on_error, error) {
            on_error.call(log.thread(), Some(log.id()), &*error);
        }
    }
}

async fn run<S: ServedState>(
    serving: &Serving<S>,
    log: &RunLog,
    input: Option<&RunAgentInput>,
    encoder: &mut RunEncoder,
) -> Result<(), Failed> {
    let thread = serving.graph.on(log.thread()).run_id(log.id());
    let known = thread.known().await?;
    let is_own = known.as_ref().and_then(|known| known.outcome.run_id.as_deref()) == Some(log.id());
    let start = match input {
        Some(input) => {
            let found = known.as_ref().map(Found::of).transpose()?;
            let again = found.as_ref().filter(|found| is_own && is_again(input, found));
            match again {
                Some(_) => None,
                None => Some(run_start::<S>(input, found.as_ref())?),
            }
        }
        None => None,
    };
    let running = match (start, &known) {
        (Some(RunStart::Input(update)), _) => thread.stream(update).await?,
        (Some(RunStart::Resume(resume)), _) => thread.stream_resumed(resume).await?,
        (None, Some(known)) if !known.is_cut || given_up(known).is_some() => {
            return told_again(known, log, encoder);
        }
        (None, _) => thread.stream_recovered().await?,
    };
    follow(running.parts(), log, encoder).await
}

/// Logs the events of a run's parts, until it ends or somebody stops it.
async fn follow<S: ServedState>(
    mut parts: Parts<'_, S>,
    log: &RunLog,
    encoder: &mut RunEncoder,
) -> Result<(), Failed> {
    let mut is_stopped = false;
    loop {
        let part = {
            let mut next = pin!(parts.next());
            poll_fn(|context| {
                if !is_stopped && log.poll_stopped(context) {
                    return Poll::Ready(Err(()));
                }
                next.as_mut().poll(context).map(Ok)
            })
            .await
        };
        match part {
            Ok(Some(part)) if !is_stopped => log.add(encoder.part(&part)?),
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(()) => {
                parts.stop();
                is_stopped = true;
            }
        }
    }
    // A stop that could not be saved is the run's error: it would be continued.
    parts.finish().await?;
    log.add(if is_stopped { encoder.cancel() } else { encoder.finish() });
    Ok(())
}

/// Logs the state of a run that an earlier process has ended.
fn told_again<S: ServedState>(
    known: &KnownThread<S>,
    log: &RunLog,
    encoder: &mut RunEncoder,
) -> Result<(), Failed> {
    log.add(encoder.stands(&known.outcome)?);
    if let Some(message) = given_up(known).filter(|_| known.is_cut) {
        return Err(Failed { message, code: KILLED.to_owned(), error: None });
    }
    if known.has_failed {
        let reason = "The run ended before its graph did: it failed, or was stopped.";
        return Err(Failed {
            message: reason.to_owned(),
            code: "RUN_ENDED".to_owned(),
            error: None,
        });
    }
    log.add(encoder.finish());
    Ok(())
}

impl From<StreamError> for Failed {
    fn from(error: StreamError) -> Self {
        let (message, code) = (error.to_string(), error.code().to_owned());
        Self::new(message, &code, error)
    }
}

/// By the names that LangGraph gives errors.
impl From<GraphError> for Failed {
    fn from(error: GraphError) -> Self {
        let inner = error.innermost();
        let name = match (&error, inner) {
            (_, GraphError::RecursionLimit(_)) => "GraphRecursionError",
            (GraphError::UnknownInterrupt(_) | GraphError::UnknownThread(_), _) => NO_QUESTION,
            (GraphError::Conflict(_), _) => "CONFLICT",
            _ if inner.has_panicked() => PANIC,
            _ => "Error",
        };
        let message = match inner {
            GraphError::Node { node, .. } if inner.has_panicked() => {
                format!("The node '{node}' panicked.")
            }
            GraphError::Merge { .. } if inner.has_panicked() => {
                format!("{inner}: a reducer panicked.")
            }
            _ => error.cause_text(),
        };
        Self::new(message, name, error)
    }
}
