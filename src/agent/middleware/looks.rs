//! Conversations as a context looked at them last: a look then costs only what is new.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use crate::context::{Context, Conversation, LastLook, Record, View};
use crate::graph::BoxError;
use crate::typed::{Message, MessageList};
use crate::value::{Found, Json, Value as _};

/// The conversations that were looked at last, the newest at the end.
#[derive(Default)]
pub(super) struct Looks(Mutex<Vec<Look>>);

/// As many are kept: an agent may serve several threads at a time.
const MOST: usize = 8;

impl Looks {
    /// Returns the conversation of these messages as it was looked at last, brought up to date. Give
    /// it back by [`keep`](Self::keep).
    pub fn of(
        &self,
        messages: &MessageList<Message>,
        record: Option<&Value>,
    ) -> Result<Look, BoxError> {
        let mut look = {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let is_it = |look: &Look| {
                look.messages
                    .first()
                    .zip(messages.first())
                    .is_some_and(|(own, it)| Arc::ptr_eq(own, it))
            };
            let at = all.iter().rposition(is_it);
            at.map(|at| all.remove(at)).unwrap_or_default()
        };
        look.update(messages)?;
        look.note(record);
        Ok(look)
    }

    pub fn keep(&self, look: Look) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST {
            all.remove(0);
        }
        all.push(look);
    }
}

/// A conversation as it was looked at last.
pub(super) struct Look {
    messages: Vec<Arc<Message>>,
    /// The same messages.
    json: Json,
    /// The record as the state has it, and as it was read.
    record: Option<(Value, Option<Record<Json>>)>,
    last: LastLook<Json>,
}

impl Default for Look {
    fn default() -> Self {
        let json = Json::array([]);
        Self { messages: Vec::new(), json, record: None, last: LastLook::default() }
    }
}

impl Look {
    /// Reads the messages that are new.
    fn update(&mut self, messages: &MessageList<Message>) -> Result<(), BoxError> {
        let pairs = self.messages.iter().zip(messages);
        let same = pairs.take_while(|(own, it)| Arc::ptr_eq(own, it)).count();
        let mut json = std::mem::take(&mut self.json);
        if same < self.messages.len() {
            json = json.splice(same, self.messages.len() - same, None);
        }
        self.messages.truncate(same);
        for message in messages.iter().skip(same) {
            let value = Json::from(serde_json::to_value(&**message)?);
            json = json.splice(self.messages.len(), 0, Some(value));
            self.messages.push(Arc::clone(message));
        }
        self.json = json;
        Ok(())
    }

    /// Reads the record, unless it is the one of the last look.
    fn note(&mut self, record: Option<&Value>) {
        if self.record.as_ref().map(|(own, _)| own) != record {
            let read = |event: &Value| (event.clone(), Record::read(&Json::from(event.clone())));
            self.record = record.map(read);
        }
    }

    /// Returns the record of the last compaction.
    pub fn record(&self) -> Option<&Record<Json>> {
        self.record.as_ref().and_then(|(_, record)| record.as_ref())
    }

    /// Returns the messages for the model, and the compaction due.
    pub fn view(&mut self, context: &Context<'_, Json>) -> Result<View<Json>, BoxError> {
        let mut conversation = Conversation::after(context, std::mem::take(&mut self.last));
        let view = conversation.view(&self.json, self.record());
        self.last = conversation.into_last_look();
        Ok(view?)
    }

    /// Returns these messages as typed ones; `None` if they are all of the conversation. Those that
    /// are the conversation's are not read again.
    pub fn typed(&self, sent: &Json) -> Result<Option<MessageList<Message>>, BoxError> {
        if sent.same(&self.json) {
            return Ok(None);
        }
        let sent: Vec<Json> = sent.items().map(Found::into_owned).collect();
        let own = self.messages.iter().zip(self.json.iter()).rev();
        let same = sent.iter().rev().zip(own).take_while(|(sent, (_, own))| sent.same(own));
        let mut tail: Vec<_> = same.map(|(_, (message, _))| Arc::clone(message)).collect();
        tail.reverse();
        let front = sent.into_iter();
        let count = front.len() - tail.len();
        let front = front.take(count);
        let read = |message: Json| -> Result<Arc<Message>, BoxError> {
            Ok(Arc::new(Message::try_from(Value::try_from(message)?)?))
        };
        let all = front.map(read).chain(tail.into_iter().map(Ok));
        all.collect::<Result<MessageList<Message>, _>>().map(Some)
    }
}
