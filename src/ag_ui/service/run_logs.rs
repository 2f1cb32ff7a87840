//! The runs of a service, by their threads and their ids.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::run_log::RunLog;

/// How many runs that are over can still be joined.
const KEPT: usize = 100;

/// The runs of a service.
#[derive(Debug)]
pub struct RunLogs {
    epoch: Arc<str>,
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
    pub fn new(epoch: &str) -> Self {
        let epoch = epoch.split('-').next().unwrap_or_default().into();
        Self { epoch, runs: Mutex::default() }
    }

    /// Enters a run, unless it is known or another of its thread is under way.
    pub fn enter(&self, thread: &str, id: &str) -> Entered {
        let mut runs = self.runs();
        if let Some(known) = runs.get(thread, id) {
            return Entered::Known(known.clone());
        }
        if let Some(other) = runs.under_way(thread) {
            return Entered::Busy(other.clone());
        }
        let log = RunLog::new(thread, id, self.epoch.clone());
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
        log.end();
        let mut runs = self.runs();
        let thread = log.thread();
        if runs.under_way.get(thread).is_some_and(|own| Arc::ptr_eq(own, log)) {
            runs.under_way.remove(thread);
        }
        runs.over.push_back(log.clone());
        while runs.over.len() > KEPT {
            let Some(oldest) = runs.over.pop_front() else { return };
            let Some(all) = runs.all.get_mut(oldest.thread()) else { continue };
            all.remove(oldest.id());
            if all.is_empty() {
                runs.all.remove(oldest.thread());
            }
        }
    }

    /// Returns how many events of a run the client has that had this one last: none, if another process
    /// sent it.
    pub fn place(&self, event_id: &str) -> usize {
        let (epoch, place) = event_id.rsplit_once('-').unwrap_or_default();
        if *epoch == *self.epoch { place.parse().unwrap_or(0) } else { 0 }
    }

    fn runs(&self) -> MutexGuard<'_, Runs> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
