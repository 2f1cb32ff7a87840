//! How many calls a thread and a run may make.

/// What was called so far, and the most that may be.
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

    /// Takes the calls that count, in order, and returns the positions of those that are too many.
    /// Only what is allowed counts from then on.
    ///
    /// ```
    /// use threadfold::agent::limits::Limits;
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
