//! The events of a run: made once, and sent to each follower from where it left off.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::ag_ui::event::Event;
use crate::id::new_id;

/// The events of a run, as server-sent events.
#[derive(Debug)]
pub struct RunLog {
    thread: String,
    id: String,
    /// Begins the ids of its events: the same run in another process, or after its work was dropped,
    /// has others.
    epoch: String,
    /// The number of the request that it was begun by; none if it goes on by itself.
    request: Option<u64>,
    told: Mutex<Told>,
}

#[derive(Debug, Default)]
struct Told {
    parts: Vec<Arc<str>>,
    bytes: usize,
    has_ended: bool,
    is_stopped: bool,
    waiting: Vec<Waker>,
}

impl RunLog {
    pub fn new(thread: &str, id: &str, request: Option<u64>) -> Arc<Self> {
        let (thread, id) = (thread.to_owned(), id.to_owned());
        let epoch = new_id().split('-').next().unwrap_or_default().to_owned();
        Arc::new(Self { thread, id, epoch, request, told: Mutex::default() })
    }

    pub fn thread(&self) -> &str {
        &self.thread
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn add(&self, events: impl IntoIterator<Item = Event>) {
        self.change(|told| {
            for event in events {
                // Events are of JSON, which serde writes; one nested too deep is left out.
                let Ok(json) = serde_json::to_string(&event) else { continue };
                let id = told.parts.len() + 1;
                let part = format!("id: {}-{id}\ndata: {json}\n\n", self.epoch);
                told.bytes += part.len();
                told.parts.push(part.into());
            }
        });
    }

    /// Whether it was begun by this very request.
    pub fn is_of(&self, request: u64) -> bool {
        self.request == Some(request)
    }

    /// Returns the size of its events.
    pub fn bytes(&self) -> usize {
        self.told().bytes
    }

    pub fn end(&self) {
        self.change(|told| told.has_ended = true);
    }

    pub fn stop(&self) {
        self.change(|told| told.is_stopped = true);
    }

    pub fn has_ended(&self) -> bool {
        self.told().has_ended
    }

    pub fn is_stopped(&self) -> bool {
        self.told().is_stopped
    }

    /// Returns whether the run was stopped. If not, a later stop wakes this task.
    pub fn poll_stopped(&self, context: &Context<'_>) -> bool {
        let mut told = self.told();
        if !told.is_stopped {
            told.wait(context);
        }
        told.is_stopped
    }

    /// Waits until the run is over.
    pub async fn over(&self) {
        poll_fn(|context| {
            let mut told = self.told();
            if told.has_ended {
                return Poll::Ready(());
            }
            told.wait(context);
            Poll::Pending
        })
        .await;
    }

    /// Returns its events from the given one on.
    pub fn events(self: &Arc<Self>, from: usize) -> RunEvents {
        RunEvents { log: self.clone(), at: from }
    }

    /// Returns how many of its events the client has that had this one last: none, if it is another
    /// log's.
    pub fn place(&self, event_id: &str) -> usize {
        let (epoch, place) = event_id.rsplit_once('-').unwrap_or_default();
        if epoch == self.epoch { place.parse().unwrap_or(0) } else { 0 }
    }

    fn change(&self, change: impl FnOnce(&mut Told)) {
        let waiting = {
            let mut told = self.told();
            change(&mut told);
            std::mem::take(&mut told.waiting)
        };
        waiting.into_iter().for_each(Waker::wake);
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Told {
    fn wait(&mut self, context: &Context<'_>) {
        if !self.waiting.iter().any(|waker| waker.will_wake(context.waker())) {
            self.waiting.push(context.waker().clone());
        }
    }
}

/// The events of a run, as they come: each is a server-sent event with its id.
#[derive(Debug)]
pub struct RunEvents {
    log: Arc<RunLog>,
    at: usize,
}

impl RunEvents {
    /// Returns the next event. Returns none at the run's end.
    pub async fn next(&mut self) -> Option<String> {
        poll_fn(|context| {
            let mut told = self.log.told();
            if let Some(part) = told.parts.get(self.at) {
                self.at += 1;
                return Poll::Ready(Some(part.to_string()));
            }
            if told.has_ended {
                return Poll::Ready(None);
            }
            told.wait(context);
            Poll::Pending
        })
        .await
    }
}
