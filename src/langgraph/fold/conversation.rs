//! The state between two parts: the run's messages and interrupts.

use std::collections::HashSet;

use indexmap::IndexMap;

use super::streamed::{Speaker, Streamed};
use crate::langgraph::merge::is_dict;
use crate::stream::{RunEnd, StreamInterrupt, question_in, text};
use crate::thread::Thread;
use crate::value::{Json, Value};

#[derive(Debug, Default)]
pub(super) struct Conversation {
    /// Whether the run's stream has brought a state of the root graph.
    pub saw_values: bool,
    run_id: Option<String>,
    /// The run's interrupts, as `{ id?, value, namespace }`.
    pub interrupts: Vec<Json>,
    /// Whether the next state is the one that an interrupt left. That state lacks a subgraph's messages
    /// from before its interrupt.
    pub is_left_by_interrupt: bool,
    pub streamed: IndexMap<String, Streamed>,
    /// Messages to which the last events only appended text. Apart from that text, the thread has them
    /// as they are in `streamed`.
    pub growing: HashSet<String>,
}

impl Conversation {
    /// Begins with a thread, which may have been saved while its graph asked, or in mid-run.
    pub(super) fn of(thread: &mut Thread<Json>) -> Self {
        let run = thread.run();
        let interrupts = run.interrupts.unwrap_or_default();
        let interrupts = interrupts.iter().filter(|it| is_dict(it)).cloned().collect();
        let mut own = Self { interrupts, ..Self::default() };
        if run.status.is_open() {
            let unknown = Speaker { task: String::new(), is_guest: true };
            for message in &thread.confirmed()["messages"] {
                let id =
                    message["id"].as_str().filter(|_| message.get("tool_call_chunks").is_some());
                if let Some(id) = id {
                    let streamed = Streamed::new(message.clone(), true, unknown.clone());
                    own.streamed.insert(id.to_owned(), streamed);
                }
            }
        }
        own
    }

    pub(super) fn start(&mut self, run_id: Option<&str>, is_interrupted: bool) {
        let joins = run_id.is_some() && run_id == self.run_id.as_deref();
        if joins {
            self.interrupts.retain(|it| it["id"].as_str().is_some());
        } else {
            self.is_left_by_interrupt = !self.interrupts.is_empty() || is_interrupted;
            self.interrupts.clear();
        }
        self.run_id = run_id.map(str::to_owned);
        self.streamed.clear();
        self.saw_values = false;
    }

    /// Adds the interrupts of a state or an update. One without an id is always another.
    pub(super) fn interrupt(&mut self, list: &Json, namespace: &[&str]) {
        for interrupt in list.iter().filter(|it| is_dict(it)) {
            let id = &interrupt["id"];
            let is_named = id.as_str().is_some();
            if is_named && self.interrupts.iter().any(|it| it["id"].same(id)) {
                continue;
            }
            let namespace: Vec<Json> = namespace.iter().map(|segment| (*segment).into()).collect();
            let own = [("value", interrupt["value"].clone()), ("namespace", namespace.into())];
            let named = is_named.then(|| ("id", id.clone()));
            self.interrupts.push(named.into_iter().chain(own).collect());
        }
    }

    /// Returns how the run ends if it ends now.
    pub(super) fn end(&self) -> RunEnd {
        if self.interrupts.is_empty() {
            return RunEnd::Finished { result: None, pending_tool_calls: Vec::new() };
        }
        let interrupts = self.interrupts.iter().map(interrupt_of).collect();
        RunEnd::Interrupted { interrupts: StreamInterrupt::named(interrupts) }
    }

    /// The messages of subgraphs that the root's last state lacks.
    pub(super) fn lacked_guests(&self) -> Vec<String> {
        let is_gone = |it: &Streamed| it.lacked && it.speaker.is_guest;
        self.streamed.iter().filter(|(_, it)| is_gone(it)).map(|(id, _)| id.clone()).collect()
    }

    /// Notes that a node of the root graph has written: its messages are complete, unless more parts
    /// come.
    pub(super) fn wrote(&mut self, node: &str) {
        for streamed in self.streamed.values_mut() {
            let task = streamed.speaker.task.strip_prefix(node);
            streamed.written |= task.is_some_and(|rest| rest.starts_with(':'));
        }
    }
}

/// Reads an interrupt: its value is the argument of `interrupt()`.
fn interrupt_of(raw: &Json) -> StreamInterrupt {
    let value = raw["value"].clone();
    StreamInterrupt {
        id: text(&raw["id"]).unwrap_or_default(),
        message: question_in(&value),
        tool_call_id: text(&value["tool_call_id"]),
        value,
        raw: raw.clone(),
    }
}
