//! Finds the call that each result of a list answers, on demand.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Deref;

use super::Answers;
use crate::context::rows::Facts;
use crate::error::Error;
use crate::value::Value;

/// Reads a list from its end on, once, as far as is needed.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    /// How many messages at the end were read.
    read: usize,
    /// The calls that those answer, the last first.
    answers: Vec<Answers>,
    /// Results whose call is further in front, by its id.
    waiting: HashMap<String, Vec<usize>>,
}

impl Pairs {
    /// Returns whose call a message of the list answers.
    pub(super) fn answers<V: Value>(
        &mut self,
        list: &[impl Deref<Target = V>],
        at: usize,
    ) -> Result<Answers, Error> {
        loop {
            let known = list.len().checked_sub(at + 1).and_then(|back| self.answers.get(back));
            match known {
                Some(Answers::Nobody) | None if self.read < list.len() => self.look(list)?,
                known => return Ok(known.copied().unwrap_or(Answers::Nothing)),
            }
        }
    }

    fn look<V: Value>(&mut self, list: &[impl Deref<Target = V>]) -> Result<(), Error> {
        self.read += 1;
        let at = list.len() - self.read;
        let Some(message) = list.get(at) else { return Ok(()) };
        let answers = match Facts::of(&**message).map_err(|error| error.at(at))? {
            Facts::Tool { id, .. } => {
                if let Some(id) = id.as_ref().and_then(Value::text) {
                    self.waiting.entry(id.into_owned()).or_default().push(at);
                }
                Answers::Nobody
            }
            Facts::Ai { calls, invalid } => {
                let calls = calls.iter().chain(&invalid).filter_map(|call| call.get("id"));
                for id in calls {
                    let id = id.text().unwrap_or(Cow::Borrowed(""));
                    for result in self.waiting.remove(&*id).unwrap_or_default() {
                        if let Some(answers) = self.answers.get_mut(list.len() - result - 1) {
                            *answers = Answers::Message(at);
                        }
                    }
                }
                Answers::Nothing
            }
            Facts::Other => Answers::Nothing,
        };
        self.answers.push(answers);
        Ok(())
    }
}
