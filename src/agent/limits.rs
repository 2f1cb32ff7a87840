//! How many calls a thread and a run may make.

/// The calls made so far, and the most that are allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Calls of the thread.
    pub thread: u32,
    /// Calls of the run.
    pub run: u32,
    /// The most of a thread.
    pub thread_limit: Option<u32>,
    /// The most of a run.
    pub run_limit: Option<u32>,
}

impl Limits {
    /// Whether one more call is too many.
    #[must_use]
    pub fn is_reached(&self) -> bool {
        self.thread_limit.is_some_and(|most| self.thread >= most)
            || self.run_limit.is_some_and(|most| self.run >= most)
    }

    /// Takes the calls that count, in order, and returns the positions of those over the limit.
    /// Only allowed calls count from then on.
    ///
    /// ```
    /// use threadfold::unstable::agent::limits::Limits;
    ///
    /// let mut limits = Limits { run: 1, run_limit: Some(2), ..Limits::default() };
    /// assert_eq!(limits.take(&[true, false, true]), [2]);
    /// assert_eq!(limits.run, 2);
    /// ```
    pub fn take(&mut self, counts: &[bool]) -> Vec<u32> {
        let mut blocked = Vec::new();
        for (at, counts) in (0..).zip(counts) {
            if !counts {
                continue;
            }
            if self.is_reached() {
                blocked.push(at);
            } else {
                self.thread = self.thread.saturating_add(1);
                self.run = self.run.saturating_add(1);
            }
        }
        blocked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_blocked_is_what_is_over() {
        for (thread, run, most_of_thread, most_of_run, calls) in [
            (0, 0, Some(2), None, 4),
            (5, 1, None, Some(3), 4),
            (1, 0, Some(3), Some(1), 3),
            (9, 9, Some(2), Some(2), 2),
        ] {
            let mut limits =
                Limits { thread, run, thread_limit: most_of_thread, run_limit: most_of_run };
            let blocked = limits.take(&vec![true; calls]);
            let room = most_of_thread.map_or(u32::MAX, |most: u32| most.saturating_sub(thread));
            let room = room.min(most_of_run.map_or(u32::MAX, |most: u32| most.saturating_sub(run)));
            let allowed = room.min(u32::try_from(calls).unwrap_or(u32::MAX));
            assert_eq!((limits.thread, limits.run), (thread + allowed, run + allowed));
            assert_eq!(blocked.len(), calls - allowed as usize);
            assert!(blocked.is_empty() || limits.is_reached());
        }
    }

    #[test]
    fn no_limit_blocks_nothing() {
        let mut limits = Limits { thread: u32::MAX, ..Limits::default() };
        assert!(limits.take(&[true, true]).is_empty());
        assert_eq!(limits.thread, u32::MAX);
    }
}
