//! The messages that a client has received: parts as they come, whole lists where the parts were not
//! everything.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;

use super::chunk_form::{reasoning_of, text_of};
use super::inside_told::InsideTold;
use super::open_message::OpenMessage;
use crate::ag_ui::event::{Event, EventKind};
use crate::ag_ui::message::{arguments_of, to_ag_ui};
use crate::graph::TaskName;
use crate::id::new_id;
use crate::message::kind_of;
use crate::value::{Json, Kind, Value};

/// Tracks which of a run's messages a client has received.
#[derive(Debug)]
pub struct ToldMessages {
    open: IndexMap<String, OpenMessage>,
    /// Ids of the messages that the client has.
    known: HashSet<String>,
    /// The messages streamed in parts in this run and not yet as a whole, with their streamed calls.
    parts: HashMap<String, HashSet<String>>,
    list: Json,
    inside: InsideTold,
    /// Whether the client gets the whole list at the end.
    is_due: bool,
}

impl ToldMessages {
    pub fn new<'i>(known: impl Iterator<Item = &'i str>) -> Self {
        Self {
            open: IndexMap::new(),
            known: known.map(str::to_owned).collect(),
            parts: HashMap::new(),
            list: Json::NULL,
            inside: InsideTold::default(),
            is_due: false,
        }
    }

    /// Streams a message, or with `is_part` a chunk of one.
    pub fn part(
        &mut self,
        message: &Json,
        is_part: bool,
        task: &TaskName,
        events: &mut Vec<Event>,
    ) {
        // The list may never have it.
        self.is_due = true;
        if is_part {
            return self.assistant(message, true, task, events);
        }
        match kind_of(message) {
            Some("ai") => self.assistant(message, false, task, events),
            Some("tool") => self.result(message, events),
            _ => {}
        }
    }

    /// Ends the messages of a task that is done; without a task, all of them. `written` are the
    /// messages that it wrote.
    pub fn end(&mut self, task: Option<&TaskName>, written: &Json, events: &mut Vec<Event>) {
        for message in written {
            self.rest(message, events);
        }
        let is_own = |open: &OpenMessage| task.is_none_or(|task| open.task == *task);
        let own = self.open.values().filter(|open| is_own(open));
        let ids: Vec<String> = own.map(|open| open.id.clone()).collect();
        for id in ids {
            self.end_one(&id, events);
        }
    }

    /// Ends what a task's failed attempt streamed. The next attempt streams no more of it: the client gets
    /// such a message with the list.
    pub fn retried(&mut self, task: &TaskName, events: &mut Vec<Event>) {
        for open in self.open.values().filter(|open| open.task == *task) {
            self.parts.remove(&open.id);
        }
        self.end(Some(task), &Json::NULL, events);
    }

    /// Ends the messages that are whole now.
    pub fn end_whole(&mut self, written: &Json, events: &mut Vec<Event>) {
        for message in written {
            self.rest(message, events);
            if let Some(id) = id_of(message) {
                self.end_one(id, events);
            }
        }
    }

    /// Keeps what a node of a graph inside has written, until the node around it has returned.
    pub fn keep_inside(&mut self, task: &TaskName, written: &Json) {
        self.inside.note(task, written, &self.known);
    }

    /// The node around a graph inside has returned: the list has what it keeps.
    pub fn returned(&mut self, task: &TaskName) {
        self.inside.forget(task);
    }

    /// Sends the list of messages, if the client lacks one or has one that was removed.
    pub fn list(&mut self, list: &Json, events: &mut Vec<Event>) {
        if list.kind() != Kind::Array {
            return;
        }
        let before = std::mem::replace(&mut self.list, list.clone());
        self.is_due |= !list.is_empty();
        let same = list.iter().zip(before.iter()).take_while(|(new, old)| new == old).count();
        if !self.parts.is_empty() {
            for message in list.iter().skip(same) {
                self.rest(message, events);
            }
        }
        let now: HashSet<&str> = list.iter().skip(same).filter_map(id_of).collect();
        let mut news = list.iter().skip(same);
        let is_news = news.any(|it| id_of(it).is_none_or(|id| !self.known.contains(id)))
            || before.iter().skip(same).any(|it| id_of(it).is_none_or(|id| !now.contains(id)));
        if is_news {
            events.push(self.snapshot());
        }
    }

    /// Ends all messages, and sends the whole list if it is due.
    pub fn finish(&mut self, events: &mut Vec<Event>) {
        self.end(None, &Json::NULL, events);
        // A graph may have no messages in its state.
        if self.is_due && self.list.kind() == Kind::Array {
            events.push(self.snapshot());
        }
    }

    fn assistant(
        &mut self,
        message: &Json,
        is_part: bool,
        task: &TaskName,
        events: &mut Vec<Event>,
    ) {
        let id = id_of(message).map_or_else(new_id, str::to_owned);
        if !is_part && self.parts.contains_key(&id) {
            return self.rest(message, events);
        }
        if !self.open.contains_key(&id) {
            if !self.known.insert(id.clone()) {
                return;
            }
            if is_part {
                self.parts.insert(id.clone(), HashSet::new());
            }
        }
        let new = || OpenMessage::new(id.clone(), task.clone());
        let open = self.open.entry(id.clone()).or_insert_with(new);
        open.reasoning(reasoning_of(&message["content"]), events);
        open.text(text_of(&message["content"]), events);
        for call in message["tool_call_chunks"].iter().filter(|_| is_part) {
            Self::call_part(open, &mut self.parts, call, events);
        }
        for call in message["tool_calls"].iter().filter(|_| !is_part) {
            whole_call(open, call, events);
        }
        if !is_part || message["chunk_position"].as_str() == Some("last") {
            self.end_one(&id, events);
        }
    }

    fn call_part(
        open: &mut OpenMessage,
        parts: &mut HashMap<String, HashSet<String>>,
        call: &Json,
        events: &mut Vec<Event>,
    ) {
        let key = format!("#{}", call["index"]);
        let known = open.calls.get(&key).cloned();
        let is_new = known.is_none();
        let Some(id) = known.or_else(|| call["id"].as_str().map(str::to_owned)) else { return };
        if is_new {
            open.call(key, id.clone(), call["name"].as_str().unwrap_or_default(), events);
            if let Some(told) = parts.get_mut(&open.id) {
                told.insert(id.clone());
            }
        }
        if let Some(delta) = call["args"].as_str().filter(|args| !args.is_empty()) {
            let delta = delta.to_owned();
            events.push(EventKind::ToolCallArgs { tool_call_id: id, delta }.into());
        }
    }

    /// Streams the calls of a whole message that its parts did not have.
    fn rest(&mut self, message: &Json, events: &mut Vec<Event>) {
        let Some((id, told)) = id_of(message).and_then(|id| self.parts.remove_entry(id)) else {
            return;
        };
        let is_open = self.open.contains_key(&id);
        let task = TaskName { node: "".into(), step: 0, place: 0 };
        let mut closed = OpenMessage::new(id.clone(), task);
        let open = self.open.get_mut(&id).unwrap_or(&mut closed);
        for call in &message["tool_calls"] {
            if call["id"].as_str().is_some_and(|id| !told.contains(id)) {
                whole_call(open, call, events);
            }
        }
        if !is_open {
            closed.end(events);
        }
    }

    fn result(&mut self, message: &Json, events: &mut Vec<Event>) {
        let id = id_of(message).map_or_else(new_id, str::to_owned);
        if !self.known.insert(id.clone()) {
            return;
        }
        let Some(call) = message["tool_call_id"].as_str() else { return };
        // A call is complete by now, even if its message is still being streamed.
        let with = self.open.values().filter(|open| open.calls.values().any(|own| own == call));
        let with: Vec<String> = with.map(|open| open.id.clone()).collect();
        for open in with {
            self.end_one(&open, events);
        }
        events.push(
            EventKind::ToolCallResult {
                message_id: id,
                tool_call_id: call.to_owned(),
                content: text_of(&message["content"]).into(),
                role: Some("tool".to_owned()),
            }
            .into(),
        );
    }

    fn end_one(&mut self, id: &str, events: &mut Vec<Event>) {
        if let Some(open) = self.open.shift_remove(id) {
            open.end(events);
        }
    }

    fn snapshot(&mut self) -> Event {
        self.is_due = !self.open.is_empty();
        self.known.extend(self.list.iter().filter_map(id_of).map(str::to_owned));
        let messages = ag_ui_messages(&self.inside.with(&self.list));
        EventKind::MessagesSnapshot { messages }.into()
    }
}

/// The messages of a state in AG-UI's form, without those that it has no place for.
pub fn ag_ui_messages(list: &Json) -> Vec<Json> {
    list.iter().filter_map(|message| to_ag_ui(message).ok()).collect()
}

fn whole_call(open: &mut OpenMessage, call: &Json, events: &mut Vec<Event>) {
    let id = call["id"].as_str().map_or_else(new_id, str::to_owned);
    open.call(id.clone(), id.clone(), call["name"].as_str().unwrap_or_default(), events);
    events.push(EventKind::ToolCallArgs { tool_call_id: id, delta: arguments_of(call) }.into());
}

fn id_of(message: &Json) -> Option<&str> {
    message["id"].as_str().filter(|id| !id.is_empty())
}
