//! Texts and arguments that come in parts: which are open, and which are sent a second time.

use std::collections::{HashMap, HashSet};

/// Something that comes in parts: a message's text, or a tool call's arguments.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Text(String),
    Call(String),
}

/// The streams of one thread.
///
/// A server that replays a conversation sends texts that are already known. AG-UI's reference
/// appends them, so they appear twice. Here, the parts of a text that existed before the run are
/// compared with it. As long as they repeat it from its start, they change nothing; anything beyond
/// it is appended. If they turn out to differ, all of them are appended after all.
#[derive(Debug, Default)]
pub(super) struct Streams {
    /// The open streams, each with its message.
    open: HashMap<Key, String>,
    /// The number of open streams of a message: a text, and any number of calls.
    of_message: HashMap<String, usize>,
    /// Streams that began in this run: further parts append and never repeat.
    begun: HashSet<Key>,
    /// Texts from before the run, and how many bytes of each the run has repeated.
    retold: HashMap<Key, usize>,
}

impl Streams {
    /// A run begins: no stream of an earlier one continues.
    pub(super) fn reset(&mut self) {
        *self = Self::default();
    }

    /// A stream starts; `known` is its text so far.
    pub(super) fn start(&mut self, key: Key, message: &str, known: &str) {
        self.close(&key);
        *self.of_message.entry(message.to_owned()).or_default() += 1;
        self.open.insert(key.clone(), message.to_owned());
        if !known.is_empty() && !self.begun.contains(&key) {
            self.retold.insert(key.clone(), 0);
        }
        self.begun.insert(key);
    }

    /// Returns the text that a part adds to `known`.
    pub(super) fn added(&mut self, key: &Key, known: &str, part: &str) -> String {
        let Some(repeated) = self.retold.get_mut(key) else { return part.to_owned() };
        // A snapshot may have cut the repeated text.
        let Some((start, rest)) = known.split_at_checked(*repeated) else { return part.to_owned() };
        if rest.len() > part.len() && rest.starts_with(part) {
            *repeated += part.len();
            return String::new();
        }
        let added = match part.strip_prefix(rest) {
            Some(beyond) => beyond.to_owned(),
            None => format!("{start}{part}"),
        };
        self.retold.remove(key);
        added
    }

    /// Whether a stream may repeat a known text.
    pub(super) fn may_repeat(&self) -> bool {
        !self.retold.is_empty()
    }

    /// Ends a stream. Returns the text held back from it.
    pub(super) fn end<'k>(&mut self, key: &Key, known: &'k str) -> &'k str {
        self.close(key);
        self.retold.remove(key).and_then(|repeated| known.get(..repeated)).unwrap_or_default()
    }

    /// Another kind of message has replaced a message: further parts of it have no target.
    pub(super) fn drop_message(&mut self, message: &str) {
        if self.of_message.remove(message).is_none() {
            return;
        }
        let retold = &mut self.retold;
        self.open.retain(|key, owner| {
            let stays = owner != message;
            if !stays {
                retold.remove(key);
            }
            stays
        });
    }

    /// Whether more is to come of a message.
    pub(super) fn is_open(&self, message: &str) -> bool {
        self.of_message.contains_key(message)
    }

    fn close(&mut self, key: &Key) {
        let Some(message) = self.open.remove(key) else { return };
        if let Some(left) = self.of_message.get_mut(&message) {
            *left -= 1;
            if *left == 0 {
                self.of_message.remove(&message);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Key, Streams};

    #[test]
    fn a_text_that_is_repeated_is_appended_only_where_it_differs() {
        let key = Key::Text("a".to_owned());
        let added = |parts: &[&str]| {
            let mut streams = Streams::default();
            streams.start(key.clone(), "a", "Grüße");
            let mut text = "Grüße".to_owned();
            for part in parts {
                text += &streams.added(&key, &text.clone(), part);
            }
            let held_back = streams.end(&key, &text.clone()).to_owned();
            text + &held_back
        };
        assert_eq!(added(&["Grü", "ße", "!"]), "Grüße!");
        assert_eq!(added(&["Grü", "ße!"]), "Grüße!");
        assert_eq!(added(&["Grü", "n"]), "GrüßeGrün");
        assert_eq!(added(&["Grü"]), "GrüßeGrü");
    }
}
