//! A message that is being streamed, and its events.

use indexmap::IndexMap;

use crate::ag_ui::event::{Event, EventKind};
use crate::graph::TaskName;
use crate::value::Json;

/// A message that is being streamed.
#[derive(Debug)]
pub struct OpenMessage {
    pub id: String,
    /// The task that streams it: it is complete when the task is done.
    pub task: TaskName,
    /// The ids of its tool calls, by their index.
    pub calls: IndexMap<String, String>,
    has_text: bool,
    has_reasoning: bool,
}

impl OpenMessage {
    pub fn new(id: String, task: TaskName) -> Self {
        Self { id, task, calls: IndexMap::new(), has_text: false, has_reasoning: false }
    }

    pub fn reasoning(&mut self, delta: String, events: &mut Vec<Event>) {
        if delta.is_empty() {
            return;
        }
        let message_id = self.reasoning_id();
        if !self.has_reasoning {
            let kind = EventKind::ReasoningMessageStart { message_id: message_id.clone() };
            let role = ("role".to_owned(), Json::from("reasoning"));
            events.push(Event { extra: vec![role], ..kind.into() });
        }
        self.has_reasoning = true;
        events.push(EventKind::ReasoningMessageContent { message_id, delta }.into());
    }

    pub fn text(&mut self, delta: String, events: &mut Vec<Event>) {
        if delta.is_empty() {
            return;
        }
        let message_id = self.id.clone();
        if !self.has_text {
            self.end_reasoning(events);
            let (message_id, role) = (message_id.clone(), Some("assistant".to_owned()));
            events.push(EventKind::TextMessageStart { message_id, role, name: None }.into());
        }
        self.has_text = true;
        events.push(EventKind::TextMessageContent { message_id, delta }.into());
    }

    pub fn call(&mut self, key: String, id: String, name: &str, events: &mut Vec<Event>) {
        self.calls.insert(key, id.clone());
        events.push(
            EventKind::ToolCallStart {
                tool_call_id: id,
                tool_call_name: name.to_owned(),
                parent_message_id: Some(self.id.clone()),
            }
            .into(),
        );
    }

    pub fn end(mut self, events: &mut Vec<Event>) {
        self.end_reasoning(events);
        if self.has_text {
            events.push(EventKind::TextMessageEnd { message_id: self.id }.into());
        }
        for (_, tool_call_id) in self.calls {
            events.push(EventKind::ToolCallEnd { tool_call_id }.into());
        }
    }

    fn end_reasoning(&mut self, events: &mut Vec<Event>) {
        if std::mem::take(&mut self.has_reasoning) {
            let message_id = self.reasoning_id();
            events.push(EventKind::ReasoningMessageEnd { message_id }.into());
        }
    }

    fn reasoning_id(&self) -> String {
        format!("{}:reasoning", self.id)
    }
}
