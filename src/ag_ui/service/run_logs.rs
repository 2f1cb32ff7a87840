//! The runs of a service, by their threads and their ids.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::run_log::RunLog;

/// How many runs that are over can still be joined.
const KEPT: usize = 100;

/// The runs of a service.
#[derive(Debug, Default)]
pub struct RunLogs {
    runs: Mutex<Runs>,
}

#[derive(Debug, Default)]
struct Runs {
    /// By thread, and by id.
    all: HashMap<String, HashMap<String, Arc<RunLog>>>,
    /// The latest run of each thread that has not ended.
    under_way: HashMap<String, Arc<RunLog>>,
    /// Those that are over, the first to end first.
    over: VecDeque<Arc<RunLog>>,
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
    pub fn enter(&self, thread: &str, id: &str) -> Entered {
        let mut runs = self.runs();
        if let Some(known) = runs.get(thread, id) {
            return Entered::Known(known.clone());
        }
        if let Some(other) = runs.under_way(thread) {
            return Entered::Busy(other.clone());
        }
        let log = RunLog::new(thread, id);
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
        runs.over.push_back(log.clone());
        while runs.over.len() > KEPT {
            let Some(oldest) = runs.over.pop_front() else { return };
            runs.forget(&oldest);
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
