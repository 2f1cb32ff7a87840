//! The writes of tasks, in numbers.

/// The writes of tasks, one task after the other: channels' numbers, and [`send`](super::Plan::send)s.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Writes {
    numbers: Vec<u32>,
    /// Where each task's writes end.
    ends: Vec<usize>,
}

impl Writes {
    /// Removes all.
    pub fn clear(&mut self) {
        self.numbers.clear();
        self.ends.clear();
    }

    /// Adds a write to the task that [`end`](Self::end) will end.
    pub fn push(&mut self, write: u32) {
        self.numbers.push(write);
    }

    /// Ends a task's writes.
    pub fn end(&mut self) {
        self.ends.push(self.numbers.len());
    }

    /// Returns the number of tasks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no task.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns a task's writes.
    #[must_use]
    pub fn of(&self, task: usize) -> &[u32] {
        let from =
            task.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.ends.get(task).and_then(|end| self.numbers.get(from..*end)).unwrap_or_default()
    }
}

impl<T: AsRef<[u32]>> FromIterator<T> for Writes {
    fn from_iter<I: IntoIterator<Item = T>>(tasks: I) -> Self {
        let mut writes = Self::default();
        for task in tasks {
            writes.numbers.extend_from_slice(task.as_ref());
            writes.end();
        }
        writes
    }
}
