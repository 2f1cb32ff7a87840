//! The parts of a stream: each counts once.

use super::Thread;
use super::run::Starts;
use super::standing::RunStatus;
use crate::value::{Found, Holds, Symbols, Value};

/// The position of an event in its stream. Without an id and a key, it is new.
#[derive(Debug, Clone, Default)]
pub struct StreamPosition<V> {
    /// The part's id in its stream, such as that of a server-sent event: the run can be joined
    /// after it.
    pub id: Option<V>,
    /// Tells the part from all others of its run where ids repeat; the id if left out.
    pub key: Option<V>,
}

/// How many parts of a run are remembered. A server sends a run again from its start, which is a
/// save point, or after the last part received: neither needs more.
pub(super) const REMEMBERED: usize = 256;

/// The keys of a run's last parts.
pub(super) struct Parts<V: Value> {
    symbols: V::Symbols,
    /// By the number of a key, the last place that it has in `keys`.
    places: Vec<usize>,
    /// In order: at least those that are remembered, at most twice as many.
    keys: Vec<V>,
}

impl<V: Value> Default for Parts<V> {
    fn default() -> Self {
        Self { symbols: V::Symbols::default(), places: Vec::new(), keys: Vec::new() }
    }
}

impl<V: Value> Parts<V> {
    /// Reads them from a record's list.
    pub(super) fn of(keys: &V) -> Self {
        let mut parts = Self::default();
        keys.items().for_each(|key| parts.add(key.into_owned()));
        parts
    }

    /// Whether one of the last parts has this key.
    pub(super) fn has(&self, key: &V) -> bool {
        let found = if self.keys.is_empty() { None } else { self.symbols.find(key) };
        let place = found.and_then(|number| self.places.get(number as usize));
        place.is_some_and(|place| place + REMEMBERED >= self.keys.len())
    }

    pub(super) fn add(&mut self, key: V) {
        if self.keys.len() >= 2 * REMEMBERED {
            let last = self.keys.split_off(self.keys.len() - REMEMBERED + 1);
            *self = Self::default();
            for key in last {
                self.add(key);
            }
        }
        let Some(number) = self.symbols.intern(&key) else { return };
        let number = number as usize;
        if number >= self.places.len() {
            self.places.resize(number + 1, 0);
        }
        if let Some(place) = self.places.get_mut(number) {
            *place = self.keys.len();
            self.keys.push(key);
        }
    }

    pub(super) fn clear(&mut self) {
        if !self.keys.is_empty() {
            *self = Self::default();
        }
    }

    /// Returns the keys that are remembered, oldest first.
    pub(super) fn last(&self) -> &[V] {
        let start = self.keys.len().saturating_sub(REMEMBERED);
        self.keys.get(start..).unwrap_or_default()
    }
}

impl<V: Value> Thread<V> {
    /// Returns whether one of the last 256 parts of the run has this key, or id if it has no key.
    pub(crate) fn had(&self, key: &V) -> bool {
        self.parts.has(key)
    }

    /// Notes a part. Returns whether it is new to its run. `starts` is the effect of a run's start,
    /// and whether it has the last run's id.
    pub(super) fn is_new(
        &mut self,
        part: StreamPosition<V>,
        starts: Option<(Starts, bool)>,
    ) -> bool {
        let StreamPosition { id, key } = part;
        let key = key.or_else(|| id.clone());
        if let Some(key) = &key
            && starts.is_none_or(|(_, repeats)| repeats)
            && self.parts.has(key)
        {
            return false;
        }
        if starts.is_some_and(|(starts, _)| starts != Starts::Named) {
            // After another run's start, or the same run's from its save point, every part is new.
            self.parts.clear();
            self.standing.at(None);
        }
        if let Some(key) = key {
            self.parts.add(key);
        }
        if id.is_some() {
            // A client that joins a run midway receives no start.
            if self.run.is_none() && self.standing.status == RunStatus::Ready {
                self.standing.set(RunStatus::Streaming, None);
            }
            self.standing.at(id);
        }
        true
    }
}

impl<V: Value> Holds<V> for Parts<V> {
    fn held(&mut self, visit: &mut dyn FnMut(&mut V)) {
        let Self { symbols: _, places: _, keys } = self;
        keys.held(visit);
    }
}

#[cfg(test)]
mod tests {
    use super::{Parts, REMEMBERED};
    use crate::Json;

    fn key(number: usize) -> Json {
        number.to_string().into()
    }

    #[test]
    fn the_last_parts_are_remembered_and_no_others_however_many_there_were() {
        let mut parts = Parts::<Json>::default();
        for number in 0..5 * REMEMBERED {
            assert!(!parts.has(&key(number)));
            parts.add(key(number));
            let first = (number + 1).saturating_sub(REMEMBERED);
            assert!(parts.has(&key(first)) && parts.has(&key(number)));
            assert!(first == 0 || !parts.has(&key(first - 1)));
            assert!(parts.keys.len() <= 2 * REMEMBERED && parts.places.len() <= 2 * REMEMBERED);
        }
        assert_eq!(parts.last().len(), REMEMBERED);
        assert!(parts.last()[0].same(&key(4 * REMEMBERED)));
    }

    use crate::Value;

    #[test]
    fn a_key_that_was_forgotten_is_remembered_anew() {
        let mut parts = Parts::<Json>::default();
        for number in 0..=REMEMBERED {
            parts.add(key(number));
        }
        assert!(!parts.has(&key(0)));
        parts.add(key(0));
        assert!(parts.has(&key(0)) && !parts.has(&key(1)));
    }
}
