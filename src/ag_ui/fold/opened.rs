//! The messages and tool calls that chunks have opened.

use std::collections::HashSet;

use super::is_role;
use crate::ag_ui::event::{Event, EventKind};
use crate::thread::Thread;
use crate::value::Json;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Call,
    Reasoning,
}

/// A message or tool call that chunks have opened.
#[derive(Debug, Clone)]
pub(super) struct Open {
    pub kind: Kind,
    pub id: String,
    /// Fields that later chunks may not contradict: a text's role and name, or a call's tool and
    /// parent.
    pub fields: [Option<String>; 2],
}

/// The agent's own lane, or that of one of its subagents.
pub(super) type Lane = Option<String>;

#[derive(Debug, Default)]
pub(super) struct Opened {
    /// In the order in which they were opened.
    pub lanes: Vec<(Lane, Open)>,
    /// The ids of all that chunks have begun.
    pub begun: HashSet<String>,
}

impl Opened {
    pub(super) fn get(&self, lane: &Lane) -> Option<&Open> {
        self.lanes.iter().find(|(own, _)| own == lane).map(|(_, open)| open)
    }

    pub(super) fn set(&mut self, lane: &Lane, open: Open) {
        match self.lanes.iter_mut().find(|(own, _)| own == lane) {
            Some((_, known)) => *known = open,
            None => self.lanes.push((lane.clone(), open)),
        }
    }

    pub(super) fn remove(&mut self, lane: &Lane) -> Option<Open> {
        let at = self.lanes.iter().position(|(own, _)| own == lane)?;
        Some(self.lanes.remove(at).1)
    }
}

impl Open {
    /// The first chunk's event, with what a later one has of metadata and attribution.
    pub(super) fn start(&self, chunk: &Event) -> Event {
        let [first, second] = self.fields.clone();
        let id = self.id.clone();
        let kind = match self.kind {
            Kind::Text => EventKind::TextMessageStart { message_id: id, role: first, name: second },
            Kind::Call => EventKind::ToolCallStart {
                tool_call_id: id,
                tool_call_name: first.unwrap_or_default(),
                parent_message_id: second,
            },
            Kind::Reasoning => EventKind::ReasoningMessageStart { message_id: id },
        };
        let subagent_run_id = chunk.subagent_run_id.clone();
        Event { subagent_run_id, metadata: chunk.metadata.clone(), ..kind.into() }
    }

    pub(super) fn content(&self, chunk: &Event, delta: &str) -> Event {
        let (id, delta) = (self.id.clone(), delta.to_owned());
        let kind = match self.kind {
            Kind::Text => EventKind::TextMessageContent { message_id: id, delta },
            Kind::Call => EventKind::ToolCallArgs { tool_call_id: id, delta },
            Kind::Reasoning => EventKind::ReasoningMessageContent { message_id: id, delta },
        };
        Event { metadata: chunk.metadata.clone(), ..kind.into() }
    }

    pub(super) fn end(self) -> Event {
        let id = self.id;
        let kind = match self.kind {
            Kind::Text => EventKind::TextMessageEnd { message_id: id },
            Kind::Call => EventKind::ToolCallEnd { tool_call_id: id },
            Kind::Reasoning => EventKind::ReasoningMessageEnd { message_id: id },
        };
        kind.into()
    }
}

/// Finds the message or call that chunks had opened when the stream was cut: the last of that kind and
/// lane that is incomplete.
pub(super) fn cut_off(thread: &Thread<Json>, kind: Kind, lane: &Lane) -> Option<Open> {
    let streaming = thread.incomplete_ids();
    let ids: Vec<&Json> = streaming.iter().collect();
    ids.into_iter().rev().find_map(|id| {
        let message = thread.message(id)?;
        if message["subagentRunId"].as_str() != lane.as_deref() {
            return None;
        }
        let text = |value: &Json| value.as_str().map(str::to_owned);
        let call = message["toolCalls"].iter().next_back();
        let (id, fields) = match (kind, call) {
            (Kind::Call, Some(call)) => {
                (text(&call["id"])?, [text(&call["function"]["name"]), text(id)])
            }
            (Kind::Text | Kind::Reasoning, None)
                if is_role(&message, "reasoning") == (kind == Kind::Reasoning) =>
            {
                let role = text(&message["role"]).filter(|_| kind == Kind::Text);
                (text(id)?, [role, None])
            }
            _ => return None,
        };
        Some(Open { kind, id, fields })
    })
}

/// Returns an event of the same subagent with the same metadata.
pub(super) fn like(event: &Event, kind: EventKind) -> Event {
    Event { kind, ..event.clone() }
}
