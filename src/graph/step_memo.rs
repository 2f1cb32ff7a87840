//! Values that the tasks of one step share.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;

/// An update of a task that finished before its step was stopped. The step continues now.
pub(crate) type FinishedUpdate = Box<dyn Any + Send + Sync>;

/// Values that the tasks of one step share, one of each type, and the updates of those that finished
/// before.
#[derive(Default)]
pub(super) struct StepMemo {
    values: HashMap<TypeId, Box<dyn Any + Send>>,
    finished: Vec<FinishedUpdate>,
}

impl fmt::Debug for StepMemo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StepMemo")
    }
}

impl StepMemo {
    /// Begins a step.
    pub fn begin(&mut self, finished: Vec<FinishedUpdate>) {
        self.values.clear();
        self.finished = finished;
    }

    /// Reads or changes the value of this type, which `make` makes of the finished updates.
    pub fn with<T: Any + Send, R>(
        &mut self,
        make: impl FnOnce(&[FinishedUpdate]) -> T,
        then: impl FnOnce(&mut T) -> R,
    ) -> R {
        let Self { values, finished } = self;
        let mut own = values.remove(&TypeId::of::<T>()).and_then(|own| own.downcast::<T>().ok());
        let value = own.get_or_insert_with(|| Box::new(make(finished)));
        let result = then(value);
        if let Some(own) = own {
            values.insert(TypeId::of::<T>(), own);
        }
        result
    }
}
