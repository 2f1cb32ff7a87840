//! The runs of a service, by their threads and their ids.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::run_log::RunLog;

/// How many runs that are over can still be joined, and how large their events may be together.
const KEPT: (usize, usize) = (100, 16 << 20);

/// The runs of a service.
#[derive(Debug, Default)]
pub struct RunLogs {
    runs: Mutex<Runs>,
}

#[derive(Debug)]
struct Runs {
    /// By thread, and by id.
    all: HashMap<String, HashMap<String, Arc<RunLog>>>,
    /// The latest run of each thread that has not ended.
    under_way: HashMap<String, Arc<RunLog>>,
    /// Those that are over, the first to end first, and the size of their events.
    over: VecDeque<Arc<RunLog>>,
    bytes: usize,
    /// How many of those to keep, and up to which size.
    most: (usize, usize),
}

impl Default for Runs {
    fn default() -> Self {
        let (all, under_way, over) = (HashMap::new(), HashMap::new(), VecDeque::new());
        Self { all, under_way, over, bytes: 0, most: KEPT }
    }
}

impl Runs {
    fn get(&self, thread: &str, id: &str) -> Option<&Arc<RunLog>> {
        self.all.get(thread)?.get(id)
    }

    fn under_way(&self, thread: &str) -> Option<&Arc<RunLog>> {
        self.under_way.get(thread).filter(|run| !run.has_ended())
    }

    fn end(&mut self, log: &Arc<RunLog>) {
        log.end();
        let thread = log.thread();
        if self.under_way.get(thread).is_some_and(|own| Arc::ptr_eq(own, log)) {
            self.under_way.remove(thread);
        }
    }

    /// Forgets the oldest of too many.
    fn trim(&mut self) {
        while self.over.len() > self.most.0 || self.bytes > self.most.1 {
            let Some(oldest) = self.over.pop_front() else { return };
            self.bytes = self.bytes.saturating_sub(oldest.bytes());
            self.forget(&oldest);
        }
    }

    fn forget(&mut self, log: &RunLog) {
        let Some(all) = self.all.get_mut(log.thread()) else { return };
        all.remove(log.id());
        if all.is_empty() {
            self.all.remove(log.thread());
        }
    }
}

/// The place of a run that wants to begin.
pub enum Entered {
    /// It begins.
    New(Arc<RunLog>),
    /// It has begun before.
    Known(Arc<RunLog>),
    /// Another run of its thread is under way.
    Busy(Arc<RunLog>),
}

impl RunLogs {
    /// Enters a run, unless it is known or another of its thread is under way.
    ///
    /// `request` is the number of the request that it is begun by.
    pub fn enter(&self, thread: &str, id: &str, request: Option<u64>) -> Entered {
        let mut runs = self.runs();
        if let Some(known) = runs.get(thread, id) {
            return Entered::Known(known.clone());
        }
        if let Some(other) = runs.under_way(thread) {
            return Entered::Busy(other.clone());
        }
        let log = RunLog::new(thread, id, request);
        runs.all.entry(thread.to_owned()).or_default().insert(id.to_owned(), log.clone());
        runs.under_way.insert(thread.to_owned(), log.clone());
        Entered::New(log)
    }

    pub fn get(&self, thread: &str, id: &str) -> Option<Arc<RunLog>> {
        self.runs().get(thread, id).cloned()
    }

    /// Returns the thread's run that has not ended.
    pub fn under_way(&self, thread: &str) -> Option<Arc<RunLog>> {
        self.runs().under_way(thread).cloned()
    }

    /// Ends a run, and forgets the oldest of too many.
    pub fn end(&self, log: &Arc<RunLog>) {
        let mut runs = self.runs();
        runs.end(log);
        runs.bytes += log.bytes();
        runs.over.push_back(log.clone());
        runs.trim();
    }

    /// Keeps so many runs that are over, with events up to so many bytes.
    pub fn keep(&self, most: usize, bytes: usize) {
        let mut runs = self.runs();
        runs.most = (most, bytes);
        runs.trim();
    }

    /// Forgets a run that is over: another takes its id.
    pub fn forget(&self, log: &Arc<RunLog>) {
        let mut runs = self.runs();
        let at = runs.over.iter().position(|own| Arc::ptr_eq(own, log));
        if let Some(own) = at.and_then(|at| runs.over.remove(at)) {
            runs.bytes = runs.bytes.saturating_sub(own.bytes());
            runs.forget(&own);
        }
    }

    /// Forgets the runs of a thread that are over.
    pub fn forget_thread(&self, thread: &str) {
        let mut runs = self.runs();
        let over = std::mem::take(&mut runs.over);
        let (own, over): (VecDeque<_>, _) =
            over.into_iter().partition(|log| log.thread() == thread);
        runs.over = over;
        for log in own {
            runs.bytes = runs.bytes.saturating_sub(log.bytes());
            runs.forget(&log);
        }
    }

    /// Ends a run whose work was dropped, and forgets it: it can begin again. Does nothing to one that
    /// is over.
    pub fn give_up(&self, log: &Arc<RunLog>) {
        let mut runs = self.runs();
        if !log.has_ended() {
            runs.end(log);
            runs.forget(log);
        }
    }

    fn runs(&self) -> MutexGuard<'_, Runs> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
